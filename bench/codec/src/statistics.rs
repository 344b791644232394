// SPDX-License-Identifier: Apache-2.0
//! The CPU clock, turns of contestants, medians and their spread.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Returns the CPU time that the calling thread has used so far.
pub fn thread_cpu() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a timespec of this frame; this clock exists on every Linux.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "the thread CPU clock always reads");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Returns whose turn it is: each of `contestants` once in every repetition. Each repetition starts
/// with another one, so that none always follows the same one.
pub fn turns(contestants: usize, repetitions: usize) -> impl Iterator<Item = usize> {
    let repetition = move |first| (0..contestants).map(move |turn| (turn + first) % contestants);
    (0..repetitions).flat_map(repetition)
}

/// The five numbers that summarise a repeated measurement.
///
/// A record has them as a list, in this order, with four significant digits: more would be noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The minimum.
    pub min: f64,
    /// A quarter of the values is below.
    pub quartile1: f64,
    /// Half of the values is below.
    pub median: f64,
    /// A quarter of the values is above.
    pub quartile3: f64,
    /// The maximum.
    pub max: f64,
}

impl Spread {
    /// Summarises `values`.
    ///
    /// # Panics
    /// If there is no value.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        assert!(!sorted.is_empty(), "a spread needs a value");
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = part * (sorted.len() - 1) as f64;
            let (low, high) = (
                sorted[place.floor() as usize],
                sorted[place.ceil() as usize],
            );
            low + (high - low) * place.fract()
        };
        Self {
            min: at(0.0),
            quartile1: at(0.25),
            median: at(0.5),
            quartile3: at(0.75),
            max: at(1.0),
        }
    }
}

impl Serialize for Spread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [
            self.min,
            self.quartile1,
            self.median,
            self.quartile3,
            self.max,
        ]
        .map(four_digits)
        .serialize(serializer)
    }
}

/// Returns the value as records show it.
pub fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Returns the geometric mean, the appropriate average of ratios.
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between() {
        let spread = Spread::of([5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(
            (spread.min, spread.quartile1, spread.median),
            (1.0, 2.0, 3.0)
        );
        assert_eq!((spread.quartile3, spread.max), (4.0, 5.0));
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
    }

    #[test]
    fn a_record_holds_four_digits() {
        let text = serde_json::to_string(&Spread::of([1234.567, 0.012_345_6])).expect("JSON");
        assert_eq!(text, "[0.01235,308.7,617.3,925.9,1235.0]");
    }

    #[test]
    fn the_geometric_mean_of_a_half_and_a_double_is_one() {
        assert!((geometric_mean(&[0.5, 2.0]) - 1.0).abs() < 1e-12);
    }
}
