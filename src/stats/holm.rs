//! Many tests at once: p-values that stay honest over the family.

/// Adjusts the p-values of a family of tests by Holm's step-down method (Scandinavian Journal of
/// Statistics 6, 1979), in the order of the input.
///
/// Claiming what is adjusted to at most 0.05 makes one false claim or more in at most 5 % of
/// families, however the tests depend on each other. The smallest of m is multiplied by m, the next
/// by m - 1 and so on; none becomes smaller than one before it, nor larger than 1.
///
/// An empty family gives an empty one. `None` when a value is NaN or outside 0 to 1.
pub fn holm(p_values: &[f64]) -> Option<Vec<f64>> {
    if !p_values.iter().all(|p| (0.0..=1.0).contains(p)) {
        return None;
    }
    let mut ascending: Vec<usize> = (0..p_values.len()).collect();
    ascending.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (step, &index) in ascending.iter().enumerate() {
        let remaining = p_values.len() - step;
        largest = largest.max(p_values[index] * remaining as f64).min(1.0);
        adjusted[index] = largest;
    }
    Some(adjusted)
}

/// As [`holm`], for signed-rank tests: of each its p-value and its number of pairs.
///
/// A test of too few pairs for a claim over the whole family, whose smallest p, 2 / 2^pairs, times
/// the number of tests is 0.05 or more, gets nothing. Since its pairs alone decide that and no
/// outcome does, the others are a family without it (Tarone, Biometrics 46, 1990).
pub fn holm_of_pairs(tests: &[(f64, usize)]) -> Option<Vec<Option<f64>>> {
    let can_claim = |pairs: usize| 2.0 * 0.5_f64.powf(pairs as f64) * (tests.len() as f64) < 0.05;
    let family = tests.iter().filter(|(_, pairs)| can_claim(*pairs));
    let p_values: Vec<f64> = family.map(|(p, _)| *p).collect();
    let mut adjusted = holm(&p_values)?.into_iter();
    let mut next = |pairs| can_claim(pairs).then(|| adjusted.next()).flatten();
    Some(tests.iter().map(|(_, pairs)| next(*pairs)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_pairs_claim_nothing_over_a_family() {
        // 2 / 2^10 is 0.00195: 25 tests of 10 pairs are a family, 26 are not.
        let least = 2.0_f64.powi(-9);
        let adjusted = holm_of_pairs(&[(least, 10); 25]).unwrap();
        assert!(adjusted.iter().all(|p| p.unwrap() < 0.05), "{adjusted:?}");
        assert_eq!(holm_of_pairs(&[(least, 10); 26]).unwrap(), [None; 26]);
        assert_eq!(holm_of_pairs(&[(0.03, 5)]).unwrap(), [None]);
    }

    #[test]
    fn tests_that_can_claim_nothing_do_not_weigh_on_the_others() {
        let few = [(0.002, 10); 30];
        let many = [(0.001, 30), (0.04, 30)];
        let adjusted = holm_of_pairs(&[&many[..1], &few, &many[1..]].concat()).unwrap();
        assert_eq!((adjusted[0], adjusted[31]), (Some(0.002), Some(0.04)));
        assert_eq!(adjusted[1..31], [None; 30]);
        assert_eq!(holm_of_pairs(&[(f64::NAN, 30)]), None);
    }
}
