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
