// SPDX-License-Identifier: Apache-2.0
//! Polls the device for completion with an adaptive interval.
//!
//! The driver's own waits have no time limit and would not return from a device that hangs.

use std::time::{Duration, Instant};

use crate::clock;

/// How long a wait polls without sleeping, if that is expected to be enough. A sleep takes about
/// this much longer than requested: Linux adds 50 us by default (timer slack).
const AWAKE: Duration = Duration::from_micros(50);

/// A sleep takes this part of the expected wait, so that completion is detected late by at most
/// this part.
const PART: u32 = 8;
const SLEEP_MIN: Duration = Duration::from_micros(20);
/// Longer sleeps save no significant CPU time.
const SLEEP_MAX: Duration = Duration::from_micros(200);

/// The time source of a wait.
pub(super) trait Time {
    /// Returns the time since a fixed start.
    fn now(&self) -> Duration;

    fn sleep(&self, time: Duration);
}

/// The machine's clock.
#[derive(Debug)]
pub(super) struct Machine(Instant);

impl Machine {
    pub fn start() -> Self {
        Self(clock::now())
    }
}

impl Time for Machine {
    fn now(&self) -> Duration {
        clock::now() - self.0
    }

    fn sleep(&self, time: Duration) {
        clock::sleep(time);
    }
}

/// A lane's estimate of how long it waits for its device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PollBackoff {
    /// The weighted mean of past waits; the newest counts as much as all before it together.
    expected: Duration,
}

impl PollBackoff {
    /// Calls `look` at least once, until it returns true or `limit` is over.
    pub fn wait(&mut self, limit: Duration, time: &impl Time, mut look: impl FnMut() -> bool) {
        let begun = time.now();
        // Counted up to the last unsuccessful look: the excess of a long sleep is not the device's
        // time.
        let mut waited = Duration::ZERO;
        while !look() {
            waited = time.now() - begun;
            let left = limit.saturating_sub(waited);
            if left.is_zero() {
                return;
            }
            if let Some(sleep) = self.sleep(waited) {
                time.sleep(sleep.min(left));
            }
        }
        self.expected = (self.expected + waited) / 2;
    }

    /// Returns how long to sleep before the next look of a wait that has lasted `waited`; `None` to
    /// look again at once.
    fn sleep(self, waited: Duration) -> Option<Duration> {
        let expected = self.expected.max(waited);
        (expected >= AWAKE).then(|| (expected / PART).clamp(SLEEP_MIN, SLEEP_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// The time that a look takes in these tests.
    const LOOK: Duration = Duration::from_micros(2);

    /// A time source advanced by looks and sleeps only. A sleep takes longer than requested, as on
    /// Linux.
    #[derive(Debug, Default)]
    struct Counted {
        now: Cell<Duration>,
        looks: Cell<u32>,
        sleeps: Cell<u32>,
        longest: Cell<Duration>,
    }

    impl Time for Counted {
        fn now(&self) -> Duration {
            self.now.get()
        }

        fn sleep(&self, time: Duration) {
            self.now.set(self.now.get() + time + AWAKE);
            self.sleeps.set(self.sleeps.get() + 1);
            self.longest.set(self.longest.get().max(time));
        }
    }

    /// Waits for a device that takes `takes`.
    fn wait(backoff: &mut PollBackoff, takes: Duration) -> Counted {
        let time = Counted::default();
        backoff.wait(Duration::from_secs(1), &time, || {
            time.looks.set(time.looks.get() + 1);
            time.now.set(time.now.get() + LOOK);
            time.now.get() >= takes
        });
        time
    }

    #[test]
    fn short_waits_do_not_sleep() {
        let mut backoff = PollBackoff::default();
        for microseconds in [1, 10, 30, 49] {
            let takes = Duration::from_micros(microseconds);
            let time = wait(&mut backoff, takes);
            assert_eq!(time.sleeps.get(), 0, "{takes:?}");
            assert!(time.now.get() < takes + LOOK, "{takes:?}: {time:?}");
        }
    }

    #[test]
    fn long_waits_sleep_between_polls_once_the_duration_is_known() {
        let mut backoff = PollBackoff::default();
        let takes = Duration::from_millis(5);
        wait(&mut backoff, takes);
        for _ in 0..10 {
            let time = wait(&mut backoff, takes);
            assert_eq!(time.sleeps.get(), time.looks.get() - 1, "{time:?}");
            assert!(time.looks.get() < 30, "{time:?}");
            assert_eq!(time.longest.get(), SLEEP_MAX, "{time:?}");
        }
    }

    #[test]
    fn completion_is_detected_after_a_fraction_of_the_duration() {
        let mut backoff = PollBackoff::default();
        for microseconds in [100, 400, 400, 400, 401, 390, 700, 700, 700, 1_000] {
            let takes = Duration::from_micros(microseconds);
            let late = wait(&mut backoff, takes).now.get() - takes;
            let bound = (takes / PART).max(SLEEP_MIN) + AWAKE + LOOK;
            assert!(late <= bound, "{takes:?}: {late:?} late");
        }
    }

    #[test]
    fn waits_for_a_device_that_becomes_fast_do_not_sleep() {
        let mut backoff = PollBackoff::default();
        for _ in 0..10 {
            wait(&mut backoff, Duration::from_millis(5));
        }
        let fast = Duration::from_micros(30);
        let sleeps = (0..20).map(|_| wait(&mut backoff, fast).sleeps.get());
        let sleeps: Vec<u32> = sleeps.collect();
        assert!(sleeps[..10].iter().sum::<u32>() <= 7, "{sleeps:?}");
        assert_eq!(sleeps[10..], [0; 10]);
    }

    #[test]
    fn no_wait_is_longer_than_its_limit() {
        let mut backoff = PollBackoff::default();
        for limit in [0, 30, 75, 100_000].map(Duration::from_micros) {
            let time = Counted::default();
            let mut looks = 0;
            backoff.wait(limit, &time, || {
                looks += 1;
                time.now.set(time.now.get() + LOOK);
                false
            });
            assert!(looks > 0);
            assert!(time.now.get() <= limit + AWAKE + LOOK, "{time:?}");
            assert!(looks < 1_000, "{looks} looks in {limit:?}");
        }
    }
}
