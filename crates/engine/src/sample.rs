// SPDX-License-Identifier: Apache-2.0
//! Which of a rail's results are compared, and what was not compared when one was wrong.

use stripeline_rail::Mode;

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The choice of one rail's results.
#[derive(Default)]
pub(crate) struct Samples {
    /// Pieces since the rail was taken into service, by what is done with the products. One count
    /// for all would never choose a kind that comes in step with the choice.
    seen: [AtomicU64; 3],
    /// Pieces not compared since the last that was right.
    passed: AtomicU64,
    /// When that was.
    right: AtomicU64,
}

/// So many pieces of each kind are compared when a rail comes into service: a rail that is wrong is
/// most often wrong from the start.
const FIRST: u64 = 8;

impl Samples {
    /// Whether the next piece of a kind is compared: one in `every`, at irregular distances, and the
    /// first ones; none if `every` is 0.
    pub(crate) fn draw(&self, mode: Mode, every: usize) -> bool {
        if every == 0 {
            return false;
        }
        let kind = match mode {
            Mode::Set => 0,
            Mode::Add => 1,
            Mode::Compare => 2,
        };
        let number = self.seen[kind].fetch_add(1, Relaxed);
        number < FIRST || mixed(number).is_multiple_of(every as u64)
    }

    /// Chooses the first pieces again, because the rail was out of service.
    pub(crate) fn restart(&self) {
        for seen in &self.seen {
            seen.store(0, Relaxed);
        }
    }

    /// Notes a piece that was not compared.
    pub(crate) fn pass(&self) {
        self.passed.fetch_add(1, Relaxed);
    }

    /// Notes a piece that was right.
    pub(crate) fn right(&self, now: u64) {
        self.passed.store(0, Relaxed);
        self.right.store(now, Relaxed);
    }

    /// Says which pieces may be wrong, too, once one was.
    pub(crate) fn suspects(&self, now: u64) -> String {
        let passed = self.passed.load(Relaxed);
        let right = self.right.load(Relaxed);
        let since = match right {
            0 => "the engine started".to_owned(),
            right => format!(
                "its last right one, {:.3} s ago",
                now.saturating_sub(right) as f64 / 1e9
            ),
        };
        format!("since {since}, it ended {passed} pieces that were not compared")
    }
}

/// A number that depends on all bits of another (the finalizer of SplitMix64: Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", 2014).
fn mixed(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_as_many_as_asked_for_in_any_step() {
        for step in 1..8 {
            let samples = Samples::default();
            let mut chosen = 0;
            for number in 0..100_000 {
                // Of another kind, or of those that the caller never looks at.
                let drawn = samples.draw(Mode::Set, 100);
                chosen += usize::from(drawn && number % step == 0 && number >= FIRST);
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
        let samples = Samples::default();
        let firsts = |mode| (0..FIRST).all(|_| samples.draw(mode, usize::MAX));
        for _ in 0..2 {
            assert!(firsts(Mode::Set) && firsts(Mode::Add) && firsts(Mode::Compare));
            assert!(!samples.draw(Mode::Add, usize::MAX));
            samples.restart();
        }
        assert!(!samples.draw(Mode::Set, 0));
    }

    #[test]
    fn says_what_was_not_compared() {
        let samples = Samples::default();
        samples.pass();
        assert_eq!(
            samples.suspects(5),
            "since the engine started, it ended 1 pieces that were not compared"
        );
        samples.right(1_000_000_000);
        samples.pass();
        samples.pass();
        assert_eq!(
            samples.suspects(2_500_000_000),
            "since its last right one, 1.500 s ago, it ended 2 pieces that were not compared"
        );
    }
}
