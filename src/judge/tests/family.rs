//! Many comparisons of one session, of which some have more blocks than others.

use super::{assembled, session};

#[test]
fn a_case_of_few_blocks_is_told_by_its_interval_and_weighs_on_no_other() {
    let times = |median: f64, blocks: u32| -> Vec<f64> {
        let scatter = |block: u32| f64::from(block * 7 % 12) / 1e3;
        (0..blocks).map(|block| median * (1.0 + scatter(block))).collect()
    };
    let id = |rest: String| format!("startup::6.0::wiredTiger::disk{rest}");
    // The reference and two others have 30 blocks, 30 more have 10: a family of 32, over which 10
    // blocks can claim nothing.
    let mut cases = vec![(id(String::new()), times(150.0, 30))];
    let mut slower = times(150.0, 30);
    slower[3..24].iter_mut().for_each(|ms| *ms *= 1.02);
    cases.push((id("::slower".to_owned()), slower));
    let mut alike = times(150.0, 30);
    let turned = |(block, ms): (usize, &mut f64)| *ms *= [1.0 / 1.02, 1.02][block % 2];
    alike.iter_mut().enumerate().for_each(turned);
    cases.push((id("::alike".to_owned()), alike));
    cases.extend((2..32).map(|n| (id(format!("::x{n}")), times(300.0, 10))));
    let cases: Vec<(&str, Vec<f64>)> =
        cases.iter().map(|(id, times)| (id.as_str(), times.clone())).collect();
    let results = assembled(&session(&cases, &times(150.0, 30)));

    let against = |index: usize| results.startup[index].against.as_ref().unwrap();
    let slower = against(1);
    // Of two in the family, not of 32.
    assert_eq!(slower.p_holm, slower.ratio.p.map(|p| p * 2.0));
    assert!(slower.p_holm < Some(0.05), "{slower:?}");
    assert!(against(2).p_holm > Some(0.05));
    for index in 3..cases.len() {
        let few = against(index);
        assert!(
            few.p_holm.is_none() && few.ratio.ci95.is_some_and(|[lower, _]| lower > 1.9),
            "{few:?}"
        );
    }
}
