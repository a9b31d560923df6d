//! The tables in Markdown, as GitHub and GitLab show it: for a job's summary or a pull request.

use std::fmt::Write as _;

use crate::figures::{interval, milliseconds, ratio};
use crate::model::results::{Results, StartupCase, TransactionsCase};
use crate::model::{Outcome, Verdict};
use crate::report::notes;
use crate::report::sessions::Marks;
use crate::report::transactions;

/// A table of start-ups, one of transactions, what the rules say, and the notes folded away.
pub fn render(results: &Results) -> String {
    let mut text = String::new();
    let mut reasons: Vec<&str> = Vec::new();
    if !results.startup.is_empty() {
        text += "### Start-up of mongod, spawn to first ping\n\n";
        text += "| case | version | n | median, ms | 95 % | ratio | 95 % | verdict |\n";
        text += "|---|---|--:|--:|--:|--:|--:|---|\n";
        let marks = Marks::of(results);
        for case in &results.startup {
            let mark = marks.mark(case).map_or(String::new(), |mark| format!(" ({mark})"));
            startup(&mut text, case, &mark, &mut reasons);
        }
        text.push('\n');
    }
    if !results.transactions.is_empty() {
        text += "### What a transaction costs\n\n";
        text += "| case | version | plain, us | transaction, us | cost, % | 95 % \
            |\n|---|---|--:|--:|--:|--:|\n";
        for case in &results.transactions {
            transaction(&mut text, case, &mut reasons);
        }
        text.push('\n');
    }
    for (_, verdict) in results.verdicts().filter(|(_, v)| v.fails) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "- **{}**{}\n", verdict.outcome, detail(verdict));
    }
    text += "<details><summary>Notes</summary>\n\n";
    let all = match results.startup.is_empty() {
        true => transactions::notes::all(results, &reasons),
        false => notes::all(results, &reasons),
    };
    for note in all {
        let _ = writeln!(text, "- {}", escaped(&note));
    }
    text += "\n</details>\n";
    text
}

fn startup<'a>(text: &mut String, case: &'a StartupCase, mark: &str, reasons: &mut Vec<&'a str>) {
    let version = case.version.as_deref().unwrap_or(&case.label);
    let figures = match &case.summary {
        Some(summary) => format!(
            "{} | {} | {} | {}",
            summary.n,
            milliseconds(summary.median_ms),
            summary.ci95_ms.map_or("-".to_owned(), |ci| interval(ci, milliseconds)),
            match &case.against {
                Some(a) => format!(
                    "{} | {}",
                    ratio(a.ratio),
                    a.ci95.map_or("-".to_owned(), |ci| interval(ci, ratio))
                ),
                None => "ref | ".to_owned(),
            }
        ),
        None => format!(" |  |  |  | {}", reason(case.reason.as_deref(), reasons)),
    };
    let verdict = match (case.verdict.outcome, case.verdict.fails) {
        (Outcome::Measured, _) => String::new(),
        (outcome, true) => format!("**{outcome}**"),
        (outcome, false) => outcome.to_string(),
    };
    let _ = writeln!(text, "| `{}`{mark} | {version} | {figures} | {verdict} |", case.id);
}

fn transaction<'a>(text: &mut String, case: &'a TransactionsCase, reasons: &mut Vec<&'a str>) {
    let version = case.version.as_deref().unwrap_or(&case.label);
    let percent = |ratio: f64| format!("{:+.0}", (ratio - 1.0) * 100.0);
    let figures = match (case.arms.get("B"), case.arms.get("E"), case.overhead.get("E_vs_B")) {
        (Some(plain), Some(transaction), Some(cost)) => format!(
            "{} | {} | {} | {}",
            milliseconds(plain.summary.median_us),
            milliseconds(transaction.summary.median_us),
            percent(cost.ratio),
            cost.ci95.map_or("-".to_owned(), |[low, high]| format!(
                "{}..{}",
                percent(low),
                percent(high)
            ))
        ),
        _ => format!(" |  |  | {} {}", case.status, reason(case.reason.as_deref(), reasons)),
    };
    let _ = writeln!(text, "| `{}` | {version} | {figures} |", case.id);
}

/// The number of a reason, which the notes give in full.
fn reason<'a>(why: Option<&'a str>, reasons: &mut Vec<&'a str>) -> String {
    let why = why.unwrap_or("no reason is recorded");
    let known = reasons.iter().position(|known| *known == why);
    let index = known.unwrap_or_else(|| {
        reasons.push(why);
        reasons.len() - 1
    });
    format!("[{}]", index + 1)
}

fn detail(verdict: &Verdict) -> String {
    verdict.detail.as_deref().map_or(String::new(), |detail| format!(": {}", escaped(detail)))
}

/// What Markdown would take for itself, and lines of a log as one line.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for part in text.lines() {
        if !line.is_empty() {
            line += "<br>";
        }
        for letter in part.trim().chars() {
            match letter {
                '<' => line += "&lt;",
                '>' => line += "&gt;",
                '&' => line += "&amp;",
                '*' | '_' | '`' | '|' | '[' | ']' | '~' | '\\' => line.extend(['\\', letter]),
                _ => line.push(letter),
            }
        }
    }
    line
}
