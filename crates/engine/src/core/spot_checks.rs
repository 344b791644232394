// SPDX-License-Identifier: Apache-2.0
//! Selects the results of a rail to check, and describes the unchecked ones when a result was
//! wrong.

use stripeline_codec::hash::mixed;
use stripeline_rail::Mode;

use crate::core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The selection of one rail's results. Pieces are numbered by the rail's count of pieces, so that
/// most selections change no memory that other threads read.
pub(crate) struct SpotChecks {
    /// How many of the first pieces are still to be selected, by mode.
    firsts: [AtomicU64; 3],
    /// The count of pieces at the last check whose result was right.
    compared: AtomicU64,
    /// The time of that check.
    last_match: AtomicU64,
}

/// The number of pieces of each mode that are checked when a rail comes into service: a rail that
/// is wrong is most often wrong from the start.
const FIRST: u64 = 8;

impl Default for SpotChecks {
    fn default() -> Self {
        Self {
            firsts: [const { AtomicU64::new(FIRST) }; 3],
            compared: AtomicU64::new(0),
            last_match: AtomicU64::new(0),
        }
    }
}

impl SpotChecks {
    /// Returns whether the piece of this number is checked: the first ones of its mode, then one in
    /// `every` at irregular distances, so that every order of modes gets all of them selected; none
    /// if `every` is 0.
    pub(crate) fn select(&self, mode: Mode, number: u64, every: usize) -> bool {
        if every == 0 {
            return false;
        }
        let kind = match mode {
            Mode::Set => 0,
            Mode::Add => 1,
            Mode::Compare => 2,
        };
        let firsts = &self.firsts[kind];
        let one_less = |left: u64| left.checked_sub(1);
        let is_first =
            firsts.load(Relaxed) > 0 && firsts.fetch_update(Relaxed, Relaxed, one_less).is_ok();
        is_first || is_one_in(every as u64, mixed(number))
    }

    /// Selects the first pieces again, after the rail was out of service.
    pub(crate) fn restart(&self) {
        for firsts in &self.firsts {
            firsts.store(FIRST, Relaxed);
        }
    }

    /// Records a check whose result was right, and how many pieces the rail had done by then.
    pub(crate) fn record_match(&self, pieces: u64, now: u64) {
        self.compared.store(pieces, Relaxed);
        self.last_match.store(now, Relaxed);
    }

    /// Describes which pieces may be wrong after one was found to be wrong. `pieces` is how many
    /// the rail has done.
    pub(crate) fn describe_unchecked(&self, pieces: u64, now: u64) -> String {
        let passed = pieces.saturating_sub(self.compared.load(Relaxed));
        let last_match = self.last_match.load(Relaxed);
        let since = match last_match {
            0 => "the engine started".to_owned(),
            last_match => format!(
                "its last correct check, {:.3} s ago",
                now.saturating_sub(last_match) as f64 / 1e9
            ),
        };
        format!("since {since}, it completed {passed} pieces that were not compared")
    }
}

/// Returns whether a number is in the lowest part, one in `every`, of its range; without a
/// division, which would take as long as the rest of the selection.
fn is_one_in(every: u64, number: u64) -> bool {
    (u128::from(number) * u128::from(every)) >> 64 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_the_requested_number_in_any_step() {
        for step in 1..8 {
            let spot_checks = SpotChecks::default();
            let mut chosen = 0;
            for number in 0..100_000 {
                // Of another kind, or a piece that the caller never examines.
                let selected = spot_checks.select(Mode::Set, number, 100);
                chosen += usize::from(selected && number % step == 0 && number >= FIRST);
            }
            let wanted = 1000 / step as usize;
            assert!(
                chosen.abs_diff(wanted) < wanted / 4 + 20,
                "{step}: {chosen}"
            );
        }
    }

    #[test]
    fn chooses_the_first_of_each_kind_and_after_a_restart() {
        let spot_checks = SpotChecks::default();
        let select = |mode| spot_checks.select(mode, 1, usize::MAX);
        for _ in 0..2 {
            for mode in [Mode::Set, Mode::Add, Mode::Compare] {
                assert!((0..FIRST).all(|_| select(mode)));
                assert!(!select(mode));
            }
            spot_checks.restart();
        }
        assert!(!spot_checks.select(Mode::Set, 1, 0));
    }

    #[test]
    fn reports_pieces_that_were_not_compared() {
        let spot_checks = SpotChecks::default();
        assert_eq!(
            spot_checks.describe_unchecked(1, 5),
            "since the engine started, it completed 1 pieces that were not compared"
        );
        spot_checks.record_match(7, 1_000_000_000);
        assert_eq!(
            spot_checks.describe_unchecked(9, 2_500_000_000),
            "since its last correct check, 1.500 s ago, it completed 2 pieces that were not \
             compared"
        );
    }
}
