//! A summary as `results.json` has it: the names of its figures end in their unit.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::stats::Summary;

/// A summary whose fields have these names.
macro_rules! unit {
    ($unit:ident, $median:literal, $ci95:literal, $mean:literal, $sd:literal, $min:literal,
     $p95:literal) => {
        #[derive(Serialize, Deserialize)]
        struct $unit {
            n: usize,
            #[serde(rename = $median)]
            median: f64,
            #[serde(rename = $ci95)]
            ci95: Option<[f64; 2]>,
            #[serde(rename = $mean)]
            mean: f64,
            #[serde(rename = $sd)]
            sd: Option<f64>,
            #[serde(rename = $min)]
            min: f64,
            #[serde(rename = $p95)]
            p95: f64,
        }

        impl From<&Summary> for $unit {
            fn from(&Summary { n, median, ci95, mean, sd, min, p95 }: &Summary) -> Self {
                Self { n, median, ci95, mean, sd, min, p95 }
            }
        }

        impl From<$unit> for Summary {
            fn from($unit { n, median, ci95, mean, sd, min, p95 }: $unit) -> Self {
                Self { n, median, ci95, mean, sd, min, p95 }
            }
        }
    };
}

unit!(Milliseconds, "median_ms", "ci95_ms", "mean_ms", "sd_ms", "min_ms", "p95_ms");
unit!(Microseconds, "median_us", "ci95_us", "mean_us", "sd_us", "min_us", "p95_us");

/// Of times in milliseconds, where there are any.
pub(super) mod ms {
    use super::*;

    pub fn serialize<S: Serializer>(
        summary: &Option<Summary>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        summary.as_ref().map(Milliseconds::from).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Summary>, D::Error> {
        Ok(Option::<Milliseconds>::deserialize(deserializer)?.map(Summary::from))
    }
}

/// Of times in microseconds.
pub(super) mod us {
    use super::*;

    pub fn serialize<S: Serializer>(summary: &Summary, serializer: S) -> Result<S::Ok, S::Error> {
        Microseconds::from(summary).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Summary, D::Error> {
        Ok(Microseconds::deserialize(deserializer)?.into())
    }
}
