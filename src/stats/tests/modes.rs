//! Whether a sample has two modes.

use crate::stats::{dip, has_two_modes};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{assert_close, numbers, table};

#[test]
fn dips_are_those_of_diptest() {
    for entry in table("dip") {
        assert_close(dip(&numbers(&entry["x"])).unwrap(), &entry["value"], &entry);
    }
    assert_eq!((dip(&[]), dip(&[1.0, f64::NAN])), (None, None));
}

/// As single majority writes on 5.0 and later: the journal's flusher is awake or not.
#[test]
fn two_groups_are_two_modes_and_a_long_tail_is_none() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut around = |middle: f64| middle * (0.9 + 0.2 * rng.random::<f64>());
    let awake: Vec<f64> = (0..140).map(|_| around(700.0)).collect();
    let asleep: Vec<f64> = (0..60).map(|_| around(1_700.0)).collect();
    let both = [awake.clone(), asleep.clone()].concat();
    assert!(has_two_modes(&both), "{:?}", dip(&both));
    // Too few to say.
    assert!(!has_two_modes(&both[80..]));
    // A tail: 1/u has no mean. One in a hundred in another place is no mode either.
    let tail: Vec<f64> = (1..=200).map(|i| 700.0 / (f64::from(i) / 200.5)).collect();
    let stray = [&tail[..], &[1e9, 1e9]].concat();
    for one in [&tail, &stray] {
        assert!(!has_two_modes(one), "{:?}", dip(one));
    }
}
