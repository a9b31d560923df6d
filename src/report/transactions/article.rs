//! The tables of the article's protocol.

use super::{changes, table};
use crate::figures::{change_percent, milliseconds as three_digits, signed};
use crate::model::results::{Article, ArticleArm, TransactionsCase};
use crate::report::cells::without_figures;
use crate::report::doc::{Align, Cell, Doc};
use crate::stats::quantile;

const HEADER: [&str; 10] =
    ["case", "plain", "sd", "trans.", "sd", "us", "%", "sig.", "paired", "out"];

/// Up to so many macro-iterations stand one by one.
const LISTED: usize = 8;

/// Means, standard deviations and Welch's test with the paired interval; then the medians,
/// macro-iteration by macro-iteration.
pub(super) fn add(doc: &mut Doc, cases: &[&TransactionsCase]) {
    doc.heading(2, "transactions by the article's protocol, means in us, difference in us and %");
    let means = table(&HEADER, cases, |case| match &case.article {
        Some(article) => row(case, article),
        None => vec![without_figures(doc, case.status, case.reason.as_deref())],
    });
    doc.table(means);
    doc.heading(2, "medians in us, the transaction's overhead by macro-iteration");
    let mut medians = table(&["case", "plain", "overhead in %"], cases, medians);
    medians.columns[2].align = Align::Left;
    doc.table(medians);
}

fn row(case: &TransactionsCase, article: &Article) -> Vec<Cell> {
    let sd = |arm: &ArticleArm| arm.sd_us.map_or("-".to_owned(), three_digits);
    let paired = case.overhead.get("E0_vs_A0").and_then(|paired| paired.ratio.ci95);
    let out = [&article.plain, &article.transaction].map(|arm| arm.removed_low + arm.removed_high);
    [
        three_digits(article.plain.mean_us),
        sd(&article.plain),
        three_digits(article.transaction.mean_us),
        sd(&article.transaction),
        signed(article.difference_us),
        change_percent(article.difference_percent),
        article.significant.to_string(),
        changes(paired),
        format!("{}+{}", out[0], out[1]),
    ]
    .map(Cell::from)
    .to_vec()
}

fn medians(case: &TransactionsCase) -> Vec<Cell> {
    let (Some(plain), Some(article)) = (case.arms.get("A0"), &case.article) else {
        return Vec::new();
    };
    let all = &article.medians_percent;
    let text = if all.len() <= LISTED {
        let each: Vec<String> = all.iter().copied().map(change_percent).collect();
        each.join(", ")
    } else {
        let at = |q| quantile(all, q).map_or("-".to_owned(), change_percent);
        format!("{} .. {} .. {} .. {} .. {}", at(0.0), at(0.25), at(0.5), at(0.75), at(1.0))
    };
    vec![three_digits(plain.summary.median).into(), text.into()]
}
