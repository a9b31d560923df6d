//! The tables of the article's protocol.

use comfy_table::Cell;

use super::{interval, signed_us, table, three_digits, whole};
use crate::model::results::{Article, ArticleArm, TransactionsCase};
use crate::report::table::{Style, footnote};
use crate::stats::quantile;

const HEADER: [&str; 10] =
    ["case", "plain", "sd", "trans.", "sd", "us", "%", "sig.", "paired", "out"];

/// Up to so many macro-iterations stand one by one.
const LISTED: usize = 8;

/// Means, standard deviations and Welch's test with the paired interval; then the medians,
/// macro-iteration by macro-iteration.
pub(super) fn render<'a>(
    cases: &[&'a TransactionsCase],
    style: Style,
    reasons: &mut Vec<&'a str>,
) -> String {
    let means = table(&HEADER, cases.iter().copied(), style, |case| match &case.article {
        Some(article) => row(case, article),
        None => vec![footnote(&case.status, case.reason.as_deref(), style, reasons)],
    });
    let medians = table(&["case", "plain", "overhead in %"], cases.iter().copied(), style, medians);
    format!(
        "transactions by the article's protocol, means in us, difference in us and %\n{means}\n\
         medians in us, the transaction's overhead by macro-iteration\n{medians}\n"
    )
}

fn row(case: &TransactionsCase, article: &Article) -> Vec<Cell> {
    let sd = |arm: &ArticleArm| arm.sd_us.map_or("-".to_owned(), three_digits);
    let paired = case.overhead.get("E0_vs_A0").and_then(|paired| paired.ci95);
    let out = [&article.plain, &article.transaction].map(|arm| arm.removed_low + arm.removed_high);
    [
        three_digits(article.plain.mean_us),
        sd(&article.plain),
        three_digits(article.transaction.mean_us),
        sd(&article.transaction),
        signed_us(article.difference_us),
        whole(article.difference_percent),
        article.significant.to_string(),
        paired.map_or("-".to_owned(), interval),
        format!("{}+{}", out[0], out[1]),
    ]
    .map(Cell::new)
    .to_vec()
}

fn medians(case: &TransactionsCase) -> Vec<Cell> {
    let (Some(plain), Some(article)) = (case.arms.get("A0"), &case.article) else {
        return Vec::new();
    };
    let all = &article.medians_percent;
    let text = if all.len() <= LISTED {
        let each: Vec<String> = all.iter().copied().map(whole).collect();
        each.join(", ")
    } else {
        let at = |q| quantile(all, q).map_or("-".to_owned(), whole);
        format!("{} .. {} .. {} .. {} .. {}", at(0.0), at(0.25), at(0.5), at(0.75), at(1.0))
    };
    vec![Cell::new(three_digits(plain.summary.median_us)), Cell::new(text)]
}
