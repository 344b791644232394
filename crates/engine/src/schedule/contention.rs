// SPDX-License-Identifier: Apache-2.0
//! The contention controller: finds out by probes which rails should be active.
//!
//! Rates of rails that share a memory bus do not add up, and the rate of a single rail does not
//! show that. A probe therefore switches between the active set and a variant of it a few times,
//! for some milliseconds each, and compares the total throughput. The variant leaves out one rail,
//! adds one rail, or has only the fastest rail; the last one ensures that the total is never below
//! that of the best single rail, however rails disturb each other. Of rails that are known to share
//! the CPUs only the fastest is active at first.
//!
//! A probe loses throughput while the worse of its two sets is active. After a probe the controller
//! rests long enough to keep that loss below a fixed part of the throughput. It repeats the same
//! probe at intervals that double while the answer stays the same, up to the configured maximum.
//! Probes need saturation: without it the callers determine the throughput, and any set that keeps
//! up suffices. A variant that the callers limit is judged only if it should become the active set
//! by the throughput that they allowed.

use super::{RAILS_MAX, RailSet};

/// A rail that adds less than this part to the total is not active: no more than what is lost
/// without a rail of a fiftieth of the total rate, and the least that probes of some thousand
/// pieces can tell from noise.
const GAIN_MIN: f64 = 0.02;

/// The upper bound of gains; a gain over a total of 0 would be infinite.
const GAIN_MAX: f64 = 100.0;

/// The part of the throughput that probes may cost: well within the 5 % allowed for all scheduling.
const LOSS_MAX: f64 = 0.01;

/// Time before the first probe, so that rates are known.
const WARM_UP_NS: u64 = 20_000_000;

/// Pieces before the first probe: a probe of some hundred pieces that loses a tenth of the
/// throughput then costs some percent of what was done before, until the rest after it makes up for
/// that.
const WARM_UP_PIECES: u64 = 1024;

/// The interval between the first two runs of the same probe, unless a shorter one is configured:
/// for this long a wrong answer (see `CONFIDENCE`) may cost throughput.
const INTERVAL_FIRST_NS: u64 = 500_000_000;

/// Time and pieces after a change of the set until pieces begun before it are done. A rail that is
/// no longer active finishes its backlog; a probe that waits for it longer than the last bound is
/// given up.
const SETTLE_NS: u64 = 1_000_000;
const SETTLE_PIECES: u64 = 8;
const SETTLE_LAST_NS: u64 = 2_000_000_000;

/// The length of a measurement: one piece more or less at its ends then changes the result by 1 %,
/// unless pieces take milliseconds.
const MEASURE_NS: u64 = 5_000_000;
const MEASURE_PIECES: u64 = 128;
const MEASURE_LAST_NS: u64 = 200_000_000;

/// A difference that is conclusive after few pieces ends the measurement, and if it favours the
/// active set, also the probe: rails that add up are recognized at a fraction of the cost. A
/// difference is conclusive if it exceeds three deviations of a mean of pieces whose times vary by
/// a quarter, plus what other load on the machine takes away in the shortest measurement.
const CLEAR_PIECES: f64 = 16.0;
const CLEAR: f64 = 0.75;
const CLEAR_DISTURBED: f64 = 0.1;

/// Measurements of the variant in a probe: enough to estimate their variance, and more until the
/// gain is this many standard errors away from `GAIN_MIN`.
const PHASES_MIN: f64 = 3.0;
const PHASES_MAX: f64 = 10.0;
const CONFIDENCE: f64 = 2.0;

/// The counters that the controller reads at a tick.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) now_ns: u64,
    pub(super) saturated: bool,
    pub(super) in_service: RailSet,
    /// Bytes and pieces done by all rails since the start.
    pub(super) done_bytes: u64,
    pub(super) done_pieces: u64,
    /// Per rail, the bytes waiting or at work.
    pub(super) backlog: [usize; RAILS_MAX],
    /// Per rail, all of its workers together, in any unit.
    pub(super) rate: [f64; RAILS_MAX],
}

/// The active set, and the probe that is running.
#[derive(Debug)]
pub(super) struct Controller {
    /// Those that share the CPUs.
    sharing: RailSet,
    /// The longest interval between two runs of the same probe: for this long a change of other
    /// load on the node may go unnoticed.
    interval_max_ns: u64,
    active: RailSet,
    in_service: RailSet,
    rails: [ProbeSchedule; RAILS_MAX],
    alone: ProbeSchedule,
    /// When there was saturation for the first time.
    warm_up: Option<Checkpoint>,
    rest_until_ns: u64,
    running: Option<RunningProbe>,
}

/// When a probe runs next.
#[derive(Clone, Copy, Debug)]
struct ProbeSchedule {
    due_ns: u64,
    interval_ns: u64,
}

impl ProbeSchedule {
    const NEW: Self = Self {
        due_ns: 0,
        interval_ns: INTERVAL_FIRST_NS,
    };

    fn record_answer(&mut self, now_ns: u64, changed: bool, interval_max_ns: u64) {
        let interval_ns = if changed {
            INTERVAL_FIRST_NS
        } else {
            2 * self.interval_ns
        };
        self.interval_ns = interval_ns.min(interval_max_ns);
        self.due_ns = now_ns + self.interval_ns;
    }
}

/// The variant that a probe compares the active set with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    Without(usize),
    With(usize),
    Alone(usize),
}

#[derive(Debug)]
struct RunningProbe {
    probe: Probe,
    variant_set: RailSet,
    /// Even phases measure the active set, odd ones the variant.
    phase: usize,
    settling: bool,
    since: Checkpoint,
    ticks: Ticks,
    base: Rates,
    /// Pieces of the active set in the last measurement.
    pieces_per_ns: f64,
    variant: Rates,
    variant_ns: u64,
    /// Whether callers have limited a measurement that counts.
    limited: bool,
}

#[derive(Clone, Copy, Debug)]
struct Checkpoint {
    now_ns: u64,
    bytes: u64,
    pieces: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    all: u32,
    saturated: u32,
}

/// Measurements of one set, in bytes per nanosecond.
#[derive(Debug, Default)]
struct Rates {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Rates {
    fn add(&mut self, rate: f64) {
        self.count += 1.0;
        self.sum += rate;
        self.squares += rate * rate;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// Returns the squared standard error of the mean divided by the squared mean; needs two
    /// measurements.
    fn relative_variance(&self) -> f64 {
        let variance = (self.squares - self.sum * self.mean()).max(0.0) / (self.count - 1.0);
        variance / (self.count * self.mean() * self.mean())
    }
}

impl Controller {
    /// Creates a controller for the rails in service. Rails in `sharing` share the CPUs; rates are
    /// in any unit.
    pub(super) fn new(
        in_service: RailSet,
        sharing: RailSet,
        rate: &[f64; RAILS_MAX],
        interval_max_ns: u64,
    ) -> Self {
        let sharing_in_service = in_service.and(sharing);
        let fastest = sharing_in_service
            .iter()
            .max_by(|a, b| rate[*a].total_cmp(&rate[*b]).then(b.cmp(a)));
        let is_active = |rail: &usize| !sharing.contains(*rail) || Some(*rail) == fastest;
        Self {
            sharing,
            interval_max_ns,
            active: in_service.iter().filter(is_active).collect(),
            in_service,
            rails: [ProbeSchedule::NEW; RAILS_MAX],
            alone: ProbeSchedule::NEW,
            warm_up: None,
            rest_until_ns: 0,
            running: None,
        }
    }

    /// Sets the longest interval between two runs of the same probe.
    pub(super) fn set_interval_max(&mut self, interval_max_ns: u64) {
        self.interval_max_ns = interval_max_ns;
    }

    /// Returns the active rails, regardless of a running probe.
    pub(super) fn active(&self) -> RailSet {
        self.active
    }

    /// Returns whether the rail is active, regardless of a running probe.
    pub(super) fn is_active(&self, rail: usize) -> bool {
        self.active.contains(rail)
    }

    /// Processes a tick and returns the rails to use until the next one.
    pub(super) fn step(&mut self, sample: &Sample) -> RailSet {
        self.reset_on_service_change(sample);
        match self.running.take() {
            Some(running) => self.advance(running, sample),
            None if sample.saturated => self.begin(sample),
            None => {}
        }
        match &self.running {
            Some(running) if running.is_variant_phase() => running.variant_set,
            _ => self.active,
        }
    }

    /// Discards all results when a rail has left or come back.
    fn reset_on_service_change(&mut self, sample: &Sample) {
        if sample.in_service != self.in_service {
            *self = Self::new(
                sample.in_service,
                self.sharing,
                &sample.rate,
                self.interval_max_ns,
            );
        }
    }

    fn begin(&mut self, sample: &Sample) {
        let warm_up = *self.warm_up.get_or_insert(Checkpoint::of(sample));
        let rest_until_ns = self.rest_until_ns.max(warm_up.now_ns + WARM_UP_NS);
        if sample.now_ns < rest_until_ns || sample.done_pieces - warm_up.pieces < WARM_UP_PIECES {
            return;
        }
        let Some(probe) = self.next_probe(sample) else {
            return;
        };
        let variant_set = match probe {
            Probe::Without(rail) => self.active.without(rail),
            Probe::With(rail) => self.active.with(rail),
            Probe::Alone(rail) => RailSet::only(rail),
        };
        self.running = Some(RunningProbe {
            probe,
            variant_set,
            phase: 0,
            settling: true,
            since: Checkpoint::of(sample),
            ticks: Ticks::default(),
            base: Rates::default(),
            pieces_per_ns: 0.0,
            variant: Rates::default(),
            variant_ns: 0,
            limited: false,
        });
    }

    /// Selects the probe that has been due for longest; of several, the one of the slowest rail,
    /// whose loss costs least. The fastest rail is never left out.
    fn next_probe(&self, sample: &Sample) -> Option<Probe> {
        let by_rate = |a: &usize, b: &usize| sample.rate[*a].total_cmp(&sample.rate[*b]);
        let active = self.active.and(sample.in_service);
        let fastest = active.iter().max_by(by_rate)?;
        let others = sample.in_service.without(fastest).iter();
        let urgent = others.min_by(|a, b| {
            let due_ns = |rail: usize| self.rails[rail].due_ns;
            due_ns(*a).cmp(&due_ns(*b)).then(by_rate(a, b))
        })?;
        if self.rails[urgent].due_ns <= sample.now_ns {
            return Some(if active.contains(urgent) {
                Probe::Without(urgent)
            } else {
                Probe::With(urgent)
            });
        }
        // With two rails the probe without the other one is the same.
        let alone = active.count() > 2 && self.alone.due_ns <= sample.now_ns;
        alone.then_some(Probe::Alone(fastest))
    }

    fn advance(&mut self, mut running: RunningProbe, sample: &Sample) {
        running.ticks.all += 1;
        running.ticks.saturated += u32::from(sample.saturated);
        let since = running.since;
        let elapsed_ns = sample.now_ns.saturating_sub(since.now_ns);
        let pieces = sample.done_pieces - since.pieces;
        if running.settling {
            let many = pieces >= SETTLE_PIECES || elapsed_ns >= MEASURE_NS;
            if elapsed_ns >= SETTLE_NS && many && !self.is_draining(&running, sample) {
                running.settling = false;
                running.restart(sample);
            } else if elapsed_ns >= SETTLE_LAST_NS {
                return self.give_up(&running, sample, INTERVAL_FIRST_NS);
            }
            self.running = Some(running);
            return;
        }
        let rate = (sample.done_bytes - since.bytes) as f64 / elapsed_ns as f64;
        let conclusive = running.is_conclusive(rate, pieces, elapsed_ns);
        let enough = elapsed_ns >= MEASURE_NS && pieces >= MEASURE_PIECES;
        if !conclusive && !enough && elapsed_ns < MEASURE_LAST_NS {
            self.running = Some(running);
            return;
        }
        // Occasional pauses of callers are acceptable; callers that limit the throughput are not,
        // unless they limit a variant that should be active nevertheless. Otherwise a set of slow
        // rails would stay active, because each faster one leaves the callers behind. From then on
        // the active set is measured whether callers pause or not, as the variant was.
        let saturated = running.ticks.saturated * 4 >= running.ticks.all * 3;
        let counts = match running.is_variant_phase() {
            true => running.is_change(rate),
            false => running.limited,
        };
        if !saturated && !counts {
            running.restart(sample);
            return self.give_up(&running, sample, WARM_UP_NS);
        }
        running.limited |= !saturated;
        running.measured(rate, pieces as f64 / elapsed_ns as f64);
        running.restart(sample);
        if conclusive && !running.is_change(rate) || running.is_answered() {
            self.answer(&running, sample.now_ns);
        } else {
            running.phase += 1;
            running.settling = true;
            self.running = Some(running);
        }
    }

    /// Returns whether a rail that the probe deactivated still has work.
    fn is_draining(&self, running: &RunningProbe, sample: &Sample) -> bool {
        let mut dropped = self
            .active
            .iter()
            .filter(|&rail| !running.variant_set.contains(rail));
        running.is_variant_phase() && dropped.any(|rail| sample.backlog[rail] > 0)
    }

    fn answer(&mut self, running: &RunningProbe, now_ns: u64) {
        let variant = running.variant.mean();
        // In doubt a rail is not added; an active rail is judged by the mean.
        let in_doubt = matches!(running.probe, Probe::With(_)) && !running.is_significant();
        let changed = running.is_change(variant) && !in_doubt;
        match running.probe {
            Probe::Without(rail) | Probe::With(rail) => {
                self.rails[rail].record_answer(now_ns, changed, self.interval_max_ns);
            }
            Probe::Alone(_) => self
                .alone
                .record_answer(now_ns, changed, self.interval_max_ns),
        }
        self.rest_until_ns = now_ns;
        if changed {
            self.active = running.variant_set;
        } else {
            self.rest_until_ns += self.rest_ns(running, variant / running.base.mean());
        }
    }

    /// Ends a probe without an answer. The probe cost throughput nevertheless, except for a rail
    /// that was left out and has not finished its backlog yet.
    fn give_up(&mut self, running: &RunningProbe, sample: &Sample, least_ns: u64) {
        let rate = |rails: RailSet| -> f64 { rails.iter().map(|rail| sample.rate[rail]).sum() };
        let remaining = rate(running.variant_set) / rate(self.active.and(sample.in_service));
        let rest_ns = self.rest_ns(running, remaining).max(least_ns);
        self.rest_until_ns = sample.now_ns + rest_ns;
        match running.probe {
            // The cost is unknown if the rail disturbs others.
            Probe::With(rail) => {
                self.rails[rail].due_ns = sample.now_ns + self.rails[rail].interval_ns;
            }
            // Others that are due come first.
            Probe::Without(rail) => self.rails[rail].due_ns = sample.now_ns,
            Probe::Alone(_) => {}
        }
    }

    /// Returns how long to rest after a probe, so that its loss stays a small part of the
    /// throughput, if the variant has the part `remaining` of the active set's throughput. At most
    /// the longest interval.
    fn rest_ns(&self, running: &RunningProbe, remaining: f64) -> u64 {
        let lost = (1.0 - remaining).max(0.0);
        let rest_ns = running.variant_ns as f64 * lost / LOSS_MAX;
        (rest_ns as u64).min(self.interval_max_ns)
    }
}

impl Checkpoint {
    fn of(sample: &Sample) -> Self {
        Self {
            now_ns: sample.now_ns,
            bytes: sample.done_bytes,
            pieces: sample.done_pieces,
        }
    }
}

impl RunningProbe {
    fn restart(&mut self, sample: &Sample) {
        let checkpoint = Checkpoint::of(sample);
        if self.is_variant_phase() {
            self.variant_ns += checkpoint.now_ns - self.since.now_ns;
        }
        self.since = checkpoint;
        self.ticks = Ticks::default();
    }

    fn measured(&mut self, rate: f64, pieces_per_ns: f64) {
        if self.is_variant_phase() {
            self.variant.add(rate);
        } else {
            self.base.add(rate);
            self.pieces_per_ns = pieces_per_ns;
        }
    }

    fn is_variant_phase(&self) -> bool {
        self.phase % 2 == 1
    }

    /// Returns whether the pieces of this phase already show which set is better. Missing pieces
    /// count as evidence too.
    fn is_conclusive(&self, rate: f64, pieces: u64, elapsed_ns: u64) -> bool {
        let pieces = (pieces as f64).max(self.pieces_per_ns * elapsed_ns as f64);
        let disturbed = CLEAR_DISTURBED * (MEASURE_NS as f64 / elapsed_ns as f64).sqrt();
        let beyond = (self.gain(rate) - GAIN_MIN).abs();
        self.is_variant_phase()
            && pieces >= CLEAR_PIECES
            && beyond > CLEAR / pieces.sqrt() + disturbed
    }

    /// Returns the gain if the variant has the throughput `variant`: of the set with the probed
    /// rail over the set without it, or of the single rail over the active set.
    fn gain(&self, variant: f64) -> f64 {
        let gain = match self.probe {
            Probe::Without(_) => self.base.mean() / variant - 1.0,
            Probe::With(_) | Probe::Alone(_) => variant / self.base.mean() - 1.0,
        };
        gain.min(GAIN_MAX)
    }

    /// Returns whether the variant should become the active set if it has the throughput `variant`.
    fn is_change(&self, variant: f64) -> bool {
        let brings = self.gain(variant) >= GAIN_MIN;
        brings != matches!(self.probe, Probe::Without(_))
    }

    /// Returns whether the probe can end. Probes begin and end with the active set, so that a drift
    /// of the load affects both sets alike.
    fn is_answered(&self) -> bool {
        if self.is_variant_phase() || self.variant.count < PHASES_MIN {
            return false;
        }
        self.variant.count >= PHASES_MAX || self.is_significant()
    }

    /// Returns whether the gain differs from `GAIN_MIN` by more than the noise.
    fn is_significant(&self) -> bool {
        let noise =
            CONFIDENCE * (self.base.relative_variance() + self.variant.relative_variance()).sqrt();
        (self.gain(self.variant.mean()) - GAIN_MIN).abs() > noise
    }
}

#[cfg(test)]
mod tests;
