// SPDX-License-Identifier: Apache-2.0
//! Which rails are worth feeding, found out by trials.
//!
//! Rates of rails that share a memory bus do not add up, and no rate of a rail alone shows it. So
//! the controller changes the set of rails fed for some milliseconds, there and back a few times,
//! and compares the total throughput: all but one rail, one rail more, or the fastest rail alone.
//! The last one makes sure that the total is never below that of the best single rail, however
//! rails disturb each other. Of rails that are known to share the CPUs it begins with the fastest.
//!
//! A trial loses throughput while the worse of its two sets is fed. After it the controller rests
//! long enough to keep that loss below a fixed part, and asks the same question again at intervals
//! that double while the answer stays, up to the one configured. Trials need saturation: without it the callers set the
//! throughput, and a set that does their work is good enough.

use super::{RAILS_MAX, RailSet};

/// A rail that adds less to the total is not fed: no more than what is lost without one that has a
/// fiftieth of the total rate, and as little as trials of some thousand pieces can tell from noise.
const GAIN_MIN: f64 = 0.02;

/// Gains are cut off here, as one over nothing at all would be infinite.
const GAIN_MAX: f64 = 100.0;

/// Trials may lose this part of the throughput: well within the 5 % that all of scheduling may.
const LOSS_MAX: f64 = 0.01;

/// Before the first trial, for rates to be known.
const WARM_UP_NS: u64 = 20_000_000;

/// And pieces: a trial of some hundred of them in which a tenth of the throughput is missing then
/// costs some percent of what was done before it, until its rest makes that up.
const WARM_UP_PIECES: u64 = 1024;

/// Between the first two answers to one question, if not less is configured: how long a wrong one
/// (see `CONFIDENCE`) may cost throughput.
const GAP_FIRST_NS: u64 = 500_000_000;

/// After a change of the set, until pieces begun before it are done. A rail that is no longer fed
/// does what it has; a trial that waits longer than the last bound for it is given up.
const SETTLE_NS: u64 = 1_000_000;
const SETTLE_PIECES: u64 = 8;
const SETTLE_LAST_NS: u64 = 2_000_000_000;

/// One measurement: a piece more or less at its ends is then 1 %, unless pieces take milliseconds.
const MEASURE_NS: u64 = 5_000_000;
const MEASURE_PIECES: u64 = 128;
const MEASURE_LAST_NS: u64 = 200_000_000;

/// A difference that stands out after few pieces needs no more of them, and if it speaks for
/// leaving things as they are, no second look: rails that add up are found out at a fraction of the
/// cost. Stands out: from three deviations of a mean of pieces whose times vary by a quarter, and
/// from what a machine with other things to do takes away in the shortest measurement.
const CLEAR_PIECES: f64 = 16.0;
const CLEAR: f64 = 0.75;
const CLEAR_DISTURBED: f64 = 0.1;

/// Measurements of the tried set in a trial: enough to see how far they disagree, and more until the
/// gain is so many standard errors from the least one that counts.
const LEGS_MIN: f64 = 3.0;
const LEGS_MAX: f64 = 10.0;
const CONFIDENCE: f64 = 2.0;

/// What the controller sees at a tick.
#[derive(Clone, Debug)]
pub(super) struct Seen {
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

/// The rails judged worth feeding, and the trial under way.
#[derive(Debug)]
pub(super) struct Controller {
    /// Those that share the CPUs.
    sharing: RailSet,
    /// The longest time between two answers to one question: how long a change of the other
    /// programs on the node may go unnoticed.
    gap_last_ns: u64,
    fed: RailSet,
    in_service: RailSet,
    rails: [Outlook; RAILS_MAX],
    alone: Outlook,
    /// When there was enough to do for the first time.
    warm_up: Option<Mark>,
    rest_until_ns: u64,
    trial: Option<Trial>,
}

/// When a question is asked next.
#[derive(Clone, Copy, Debug)]
struct Outlook {
    due_ns: u64,
    gap_ns: u64,
    gain: Option<f64>,
}

impl Outlook {
    const NEW: Self = Self {
        due_ns: 0,
        gap_ns: GAP_FIRST_NS,
        gain: None,
    };

    fn answered(&mut self, now_ns: u64, changed: bool, gap_last_ns: u64) {
        let gap_ns = if changed {
            GAP_FIRST_NS
        } else {
            2 * self.gap_ns
        };
        self.gap_ns = gap_ns.min(gap_last_ns);
        self.due_ns = now_ns + self.gap_ns;
    }
}

/// What a trial compares the fed set with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Without(usize),
    With(usize),
    Alone(usize),
}

#[derive(Debug)]
struct Trial {
    question: Question,
    tried: RailSet,
    /// The fed set in even legs, the tried one in odd ones.
    leg: usize,
    settling: bool,
    since: Mark,
    ticks: Ticks,
    base: Rates,
    /// Of the fed set, the last time.
    pieces_per_ns: f64,
    variant: Rates,
    variant_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    now_ns: u64,
    bytes: u64,
    pieces: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    all: u32,
    saturated: u32,
}

/// Measurements of one set, bytes per nanosecond.
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

    /// The square of the mean's standard error, as a part of the mean's square; of two measurements
    /// or more.
    fn doubt(&self) -> f64 {
        let variance = (self.squares - self.sum * self.mean()).max(0.0) / (self.count - 1.0);
        variance / (self.count * self.mean() * self.mean())
    }
}

impl Controller {
    /// Begins with rails in service, of which some share the CPUs, at rates in any unit.
    pub(super) fn new(
        in_service: RailSet,
        sharing: RailSet,
        rate: &[f64; RAILS_MAX],
        gap_last_ns: u64,
    ) -> Self {
        let crowd = in_service.and(sharing);
        let fastest = crowd
            .iter()
            .max_by(|a, b| rate[*a].total_cmp(&rate[*b]).then(b.cmp(a)));
        let is_fed = |rail: &usize| !sharing.contains(*rail) || Some(*rail) == fastest;
        Self {
            sharing,
            gap_last_ns,
            fed: in_service.iter().filter(is_fed).collect(),
            in_service,
            rails: [Outlook::NEW; RAILS_MAX],
            alone: Outlook::NEW,
            warm_up: None,
            rest_until_ns: 0,
            trial: None,
        }
    }

    /// Asks the same question again within so long.
    pub(super) fn ask_within(&mut self, gap_last_ns: u64) {
        self.gap_last_ns = gap_last_ns;
    }

    /// The rails worth feeding, trials aside.
    pub(super) fn fed(&self) -> RailSet {
        self.fed
    }

    /// Whether the rail is worth feeding, trials aside.
    pub(super) fn feeds(&self, rail: usize) -> bool {
        self.fed.contains(rail)
    }

    /// What the rail adds to the total, as a part of the total without it.
    pub(super) fn gain(&self, rail: usize) -> Option<f64> {
        self.rails[rail].gain
    }

    /// Gives the rails to feed until the next tick.
    pub(super) fn step(&mut self, seen: &Seen) -> RailSet {
        self.follow_service(seen);
        match self.trial.take() {
            Some(trial) => self.go_on(trial, seen),
            None if seen.saturated => self.begin(seen),
            None => {}
        }
        match &self.trial {
            Some(trial) if trial.is_trying() => trial.tried,
            _ => self.fed,
        }
    }

    /// A rail that left or came back makes what was found void.
    fn follow_service(&mut self, seen: &Seen) {
        if seen.in_service != self.in_service {
            *self = Self::new(seen.in_service, self.sharing, &seen.rate, self.gap_last_ns);
        }
    }

    fn begin(&mut self, seen: &Seen) {
        let warm_up = *self.warm_up.get_or_insert(Mark::of(seen));
        let rest_until_ns = self.rest_until_ns.max(warm_up.now_ns + WARM_UP_NS);
        if seen.now_ns < rest_until_ns || seen.done_pieces - warm_up.pieces < WARM_UP_PIECES {
            return;
        }
        let Some(question) = self.next_question(seen) else {
            return;
        };
        let tried = match question {
            Question::Without(rail) => self.fed.without(rail),
            Question::With(rail) => self.fed.with(rail),
            Question::Alone(rail) => RailSet::only(rail),
        };
        self.trial = Some(Trial {
            question,
            tried,
            leg: 0,
            settling: true,
            since: Mark::of(seen),
            ticks: Ticks::default(),
            base: Rates::default(),
            pieces_per_ns: 0.0,
            variant: Rates::default(),
            variant_ns: 0,
        });
    }

    /// Of the questions due the one that has been due for longest; of those that are equal in that
    /// the one about the slowest rail, which is lost most cheaply. The fastest is never left out.
    fn next_question(&self, seen: &Seen) -> Option<Question> {
        let by_rate = |a: &usize, b: &usize| seen.rate[*a].total_cmp(&seen.rate[*b]);
        let feeding = self.fed.and(seen.in_service);
        let fastest = feeding.iter().max_by(by_rate)?;
        let others = seen.in_service.without(fastest).iter();
        let urgent = others.min_by(|a, b| {
            let due_ns = |rail: usize| self.rails[rail].due_ns;
            due_ns(*a).cmp(&due_ns(*b)).then(by_rate(a, b))
        })?;
        if self.rails[urgent].due_ns <= seen.now_ns {
            return Some(if feeding.contains(urgent) {
                Question::Without(urgent)
            } else {
                Question::With(urgent)
            });
        }
        // With two rails this is the question whether the other one is worth feeding.
        let alone = feeding.count() > 2 && self.alone.due_ns <= seen.now_ns;
        alone.then_some(Question::Alone(fastest))
    }

    fn go_on(&mut self, mut trial: Trial, seen: &Seen) {
        trial.ticks.all += 1;
        trial.ticks.saturated += u32::from(seen.saturated);
        let since = trial.since;
        let elapsed_ns = seen.now_ns.saturating_sub(since.now_ns);
        let pieces = seen.done_pieces - since.pieces;
        if trial.settling {
            let many = pieces >= SETTLE_PIECES || elapsed_ns >= MEASURE_NS;
            if elapsed_ns >= SETTLE_NS && many && !self.is_draining(&trial, seen) {
                trial.settling = false;
                trial.restart(seen);
            } else if elapsed_ns >= SETTLE_LAST_NS {
                return self.give_up(&trial, seen, GAP_FIRST_NS);
            }
            self.trial = Some(trial);
            return;
        }
        let rate = (seen.done_bytes - since.bytes) as f64 / elapsed_ns as f64;
        let clear = trial.is_clear(rate, pieces, elapsed_ns);
        let enough = elapsed_ns >= MEASURE_NS && pieces >= MEASURE_PIECES;
        if !clear && !enough && elapsed_ns < MEASURE_LAST_NS {
            self.trial = Some(trial);
            return;
        }
        // Callers that pause now and then are all right, those that set the pace are not.
        if trial.ticks.saturated * 4 < trial.ticks.all * 3 {
            trial.restart(seen);
            return self.give_up(&trial, seen, WARM_UP_NS);
        }
        trial.measured(rate, pieces as f64 / elapsed_ns as f64);
        trial.restart(seen);
        if clear && !trial.is_change(rate) || trial.is_answered() {
            self.answer(&trial, seen.now_ns);
        } else {
            trial.leg += 1;
            trial.settling = true;
            self.trial = Some(trial);
        }
    }

    /// Whether a rail that the trial stopped feeding still has work.
    fn is_draining(&self, trial: &Trial, seen: &Seen) -> bool {
        let mut dropped = self.fed.iter().filter(|&rail| !trial.tried.contains(rail));
        trial.is_trying() && dropped.any(|rail| seen.backlog[rail] > 0)
    }

    fn answer(&mut self, trial: &Trial, now_ns: u64) {
        let variant = trial.variant.mean();
        let gain = trial.gain(variant);
        // In doubt a rail is left as it is, or out.
        let in_doubt = matches!(trial.question, Question::With(_)) && !trial.is_sure();
        let changed = trial.is_change(variant) && !in_doubt;
        match trial.question {
            Question::Without(rail) | Question::With(rail) => {
                self.rails[rail].gain = Some(gain);
                self.rails[rail].answered(now_ns, changed, self.gap_last_ns);
            }
            Question::Alone(_) => self.alone.answered(now_ns, changed, self.gap_last_ns),
        }
        self.rest_until_ns = now_ns;
        if changed {
            self.fed = trial.tried;
        } else {
            self.rest_until_ns += self.rest_ns(trial, variant / trial.base.mean());
        }
    }

    /// Ends a trial without an answer. It has cost something all the same; a rail that was left out
    /// and has not done yet what it had cost nothing.
    fn give_up(&mut self, trial: &Trial, seen: &Seen, least_ns: u64) {
        let rate = |rails: RailSet| -> f64 { rails.iter().map(|rail| seen.rate[rail]).sum() };
        let remaining = rate(trial.tried) / rate(self.fed.and(seen.in_service));
        let rest_ns = self.rest_ns(trial, remaining).max(least_ns);
        self.rest_until_ns = seen.now_ns + rest_ns;
        if let Question::With(rail) = trial.question {
            // What it costs if the rail disturbs others is not known.
            self.rails[rail].due_ns = seen.now_ns + self.rails[rail].gap_ns;
        }
    }

    /// How long to ask nothing, so that a trial's loss stays a small part, if the set tried does
    /// such a part of what the fed one does. Not longer than a question may wait.
    fn rest_ns(&self, trial: &Trial, remaining: f64) -> u64 {
        let lost = (1.0 - remaining).max(0.0);
        let rest_ns = trial.variant_ns as f64 * lost / LOSS_MAX;
        (rest_ns as u64).min(self.gap_last_ns)
    }
}

impl Mark {
    fn of(seen: &Seen) -> Self {
        Self {
            now_ns: seen.now_ns,
            bytes: seen.done_bytes,
            pieces: seen.done_pieces,
        }
    }
}

impl Trial {
    fn restart(&mut self, seen: &Seen) {
        let mark = Mark::of(seen);
        if self.is_trying() {
            self.variant_ns += mark.now_ns - self.since.now_ns;
        }
        self.since = mark;
        self.ticks = Ticks::default();
    }

    fn measured(&mut self, rate: f64, pieces_per_ns: f64) {
        if self.is_trying() {
            self.variant.add(rate);
        } else {
            self.base.add(rate);
            self.pieces_per_ns = pieces_per_ns;
        }
    }

    fn is_trying(&self) -> bool {
        self.leg % 2 == 1
    }

    /// Whether so few pieces of a leg show already which set is the better one. Pieces that are
    /// missing show something too.
    fn is_clear(&self, rate: f64, pieces: u64, elapsed_ns: u64) -> bool {
        let pieces = (pieces as f64).max(self.pieces_per_ns * elapsed_ns as f64);
        let disturbed = CLEAR_DISTURBED * (MEASURE_NS as f64 / elapsed_ns as f64).sqrt();
        let beyond = (self.gain(rate) - GAIN_MIN).abs();
        self.is_trying() && pieces >= CLEAR_PIECES && beyond > CLEAR / pieces.sqrt() + disturbed
    }

    /// How much more the set with the rail in question does than that without it, or the rail
    /// alone than the fed set, if the tried set does `variant`.
    fn gain(&self, variant: f64) -> f64 {
        let gain = match self.question {
            Question::Without(_) => self.base.mean() / variant - 1.0,
            Question::With(_) | Question::Alone(_) => variant / self.base.mean() - 1.0,
        };
        gain.min(GAIN_MAX)
    }

    /// Whether the tried set is the one to feed, if it does `variant`.
    fn is_change(&self, variant: f64) -> bool {
        let brings = self.gain(variant) >= GAIN_MIN;
        brings != matches!(self.question, Question::Without(_))
    }

    /// Trials begin and end with the fed set, so that a drift of the load falls on both sets alike.
    fn is_answered(&self) -> bool {
        if self.is_trying() || self.variant.count < LEGS_MIN {
            return false;
        }
        self.variant.count >= LEGS_MAX || self.is_sure()
    }

    /// Whether the gain is not, by chance, on the other side of the least that counts.
    fn is_sure(&self) -> bool {
        let noise = CONFIDENCE * (self.base.doubt() + self.variant.doubt()).sqrt();
        (self.gain(self.variant.mean()) - GAIN_MIN).abs() > noise
    }
}

#[cfg(test)]
mod tests;
