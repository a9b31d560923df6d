//! Many tests at once: p-values that stay honest over the family.

/// Adjusts the p-values of a family of tests by Holm's step-down method (Scandinavian Journal of Statistics 6, 1979), in the order of the input.
///
/// Claiming what is adjusted to at most 0.05 makes one false claim or more in at most 5 % of families, however the tests depend on each other.
/// The smallest of m is multiplied by m, the next by m - 1 and so on; none becomes smaller than one before it, nor larger than 1.
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

/// As [`holm`], for the p-values of signed-rank tests of so many pairs each. `None` also where these are too few for any claim over the whole family: their
/// smallest p, 2 / 2^pairs, is adjusted to 0.05 or more.
pub fn holm_of_pairs(p_values: &[f64], pairs: u32) -> Option<Vec<f64>> {
    let smallest = 2.0 * 0.5_f64.powf(pairs.into());
    if smallest * p_values.len() as f64 >= 0.05 {
        return None;
    }
    holm(p_values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_pairs_claim_nothing_over_a_family() {
        // 2 / 2^10 is 0.00195: 25 tests of 10 pairs are a family, 26 are not.
        let least = 2.0_f64.powi(-9);
        let adjusted = holm_of_pairs(&[least; 25], 10).unwrap();
        assert!(adjusted.iter().all(|p| *p < 0.05), "{adjusted:?}");
        assert_eq!(holm_of_pairs(&[least; 26], 10), None);
        assert_eq!(holm_of_pairs(&[0.03], 5), None);
    }
}
