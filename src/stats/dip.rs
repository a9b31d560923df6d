//! Whether a sample has more than one mode.

use super::summary::sorted;

/// From how many values on [`has_two_modes`] can say yes.
const FEWEST: usize = 150;

/// The dip from which on a sample has two modes.
const DIP: f64 = 0.05;

/// Whether the dip of `values` is at least 0.05, and there are at least 150 of them.
///
/// A uniform sample of that size, the hardest of those with one mode, has such a dip in less than 1
/// % of cases (0.0492 is the 99 % quantile of 20,000 simulated ones), and one with a single peak
/// practically never. Two groups that stand well apart have it when the smaller one holds about a
/// fifth of the values. The test takes values as independent; those of a machine that drifts
/// between two states are not, and have two modes all the same.
///
/// `false` for NaN and infinities.
pub fn has_two_modes(values: &[f64]) -> bool {
    values.len() >= FEWEST && dip(values).is_some_and(|dip| dip >= DIP)
}

/// The dip of a sample: the smallest distance, as a share from 1 / 2n to 0.25, of its distribution
/// function from one with a single mode (Hartigan and Hartigan, Annals of Statistics 13, 1985; the
/// algorithm is that of Applied Statistics AS 217, as corrected in the R package diptest). Unlike a
/// coefficient of skewness and kurtosis it takes neither a long tail nor a few outliers for a mode.
///
/// `None` for no values, and for NaN and infinities.
pub fn dip(values: &[f64]) -> Option<f64> {
    let x = sorted(values)?;
    let n = x.len();
    let mut dip: f64 = 1.0;
    let (mut low, mut high) = (0, n - 1);
    if x[low] < x[high] {
        let (minorant, majorant) = (minorant(&x), majorant(&x));
        loop {
            // From high to low, and from low to high.
            let below = chain(&minorant, high, low);
            let above = chain(&majorant, low, high);
            let (distance, from, to) = largest_distance(&x, &below, &above);
            if distance < dip {
                break;
            }
            let left = below[from..].windows(2).map(|w| departure(&x, w[1], w[0], 1.0));
            let right = above[to..].windows(2).map(|w| departure(&x, w[0], w[1], -1.0));
            dip = left.chain(right).fold(dip, f64::max);
            if (low, high) == (below[from], above[to]) {
                break;
            }
            (low, high) = (below[from], above[to]);
        }
    }
    Some(dip / (2.0 * n as f64))
}

/// For each value the one before it on the greatest convex minorant of the distribution function up
/// to it.
fn minorant(x: &[f64]) -> Vec<usize> {
    let mut before = vec![0; x.len()];
    for j in 1..x.len() {
        let mut k = j - 1;
        while k > 0 && !is_steeper(x, j, k, before[k]) {
            k = before[k];
        }
        before[j] = k;
    }
    before
}

/// For each value the one after it on the least concave majorant from it on.
fn majorant(x: &[f64]) -> Vec<usize> {
    let last = x.len() - 1;
    let mut after = vec![last; x.len()];
    for j in (0..last).rev() {
        let mut k = j + 1;
        while k < last && !is_steeper(x, j, k, after[k]) {
            k = after[k];
        }
        after[j] = k;
    }
    after
}

/// Whether the line from `k` to `j` is steeper than the one from `next` to `k`, so that `k` is a
/// corner.
fn is_steeper(x: &[f64], j: usize, k: usize, next: usize) -> bool {
    let width = |a: usize, b: usize| (x[a] - x[b]).abs();
    let ranks = |a: usize, b: usize| a.abs_diff(b) as f64;
    width(j, k) * ranks(k, next) < width(k, next) * ranks(j, k)
}

/// The corners from `start` to `end`.
fn chain(next: &[usize], start: usize, end: usize) -> Vec<usize> {
    let mut corners = vec![start];
    let mut at = start;
    while at != end {
        at = next[at];
        corners.push(at);
    }
    corners
}

/// The largest distance between minorant and majorant, and which corners bound it.
fn largest_distance(x: &[f64], below: &[usize], above: &[usize]) -> (f64, usize, usize) {
    let (mut from, mut to) = (below.len() - 1, above.len() - 1);
    if from == 1 && to == 1 {
        return (1.0, from, to);
    }
    let line = |a: usize, b: usize, at: f64| (at - x[a]) * (b - a) as f64 / (x[b] - x[a]);
    let (mut i, mut j) = (from - 1, 1);
    let mut largest = 0.0;
    loop {
        let (lower, upper) = (below[i], above[j]);
        if lower > upper {
            let before = below[i + 1];
            let distance = (upper - before + 1) as f64 - line(before, lower, x[upper]);
            j += 1;
            if distance >= largest {
                (largest, from, to) = (distance, i + 1, j - 1);
            }
        } else {
            let before = above[j - 1];
            let distance = line(before, upper, x[lower]) - (lower as f64 - before as f64 - 1.0);
            let next = i.saturating_sub(1);
            if distance >= largest {
                (largest, from, to) = (distance, i, j);
            }
            i = next;
        }
        j = j.min(above.len() - 1);
        if below[i] == above[j] {
            return (largest, from, to);
        }
    }
}

/// How far the distribution function departs from the line between two of its corners, upwards (1)
/// or downwards (-1).
fn departure(x: &[f64], start: usize, end: usize, sign: f64) -> f64 {
    if end - start <= 1 || x[start] == x[end] {
        return 1.0;
    }
    let slope = (end - start) as f64 / (x[end] - x[start]);
    (start..=end)
        .map(|k| sign * ((k - start) as f64 - (x[k] - x[start]) * slope) + 1.0)
        .fold(1.0, f64::max)
}
