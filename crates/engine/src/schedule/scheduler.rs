// SPDX-License-Identifier: Apache-2.0
//! The state machine's face: deal, steal, account.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arrayvec::ArrayVec;

use super::contention::{Controller, Seen};
use super::ledger::{Backlog, Ledger};
use super::split::{self, Candidate, Candidates, Task};
use super::{COMMON, Class, ClassRate, RAILS_MAX, RailSet, RailSnapshot};
use crate::request::Priority;
use crate::tuning::PieceSize;

/// While others have work waiting, a rail that got nothing for so long is dealt its smallest piece,
/// so that one that has become faster again is noticed. Such a piece costs a slow rail's latency
/// ten times a second at most.
const REFRESH_NS: u64 = 100_000_000;

/// What work counts as once it is begun, whatever its priority was: everything waits for it.
pub const BEGUN: Priority = Priority::Foreground;

/// How long a rail that adds nothing to the total may go untried at most, unless configured.
pub const RETRY: Duration = Duration::from_secs(10);

/// How long a thread that sleeps takes to begin with work.
pub const HAND_OVER: Duration = Duration::from_micros(25);

/// How tasks are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All to the rail of this index.
    Single(usize),
    /// First come, first served: one queue, any worker takes the next task, whole.
    FirstCome,
    /// To where each task ends soonest by measured rates.
    RateAware,
}

/// What the policy needs to know of a rail beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct RailTraits {
    /// For statistics.
    pub name: String,
    /// How many threads count their busy times apart when they work for it, at least 1: its lanes,
    /// whatever the depth of each.
    pub workers: usize,
    /// Shares are a multiple of this many bytes of each buffer, the last share of a task aside; at
    /// least 1.
    pub granule_bytes: usize,
    /// The most bytes of each buffer that a worker does in one go, at least 1, of shapes that
    /// `pieces` says nothing of.
    pub piece_bytes: usize,
    /// The most by shape: that of the nearest one counts. May be empty.
    pub pieces: Vec<PieceSize>,
    /// The most bytes of all buffers of a piece together, if its size is a matter of room: work that
    /// is all in device memory takes none. `None` if the sizes above count for all work.
    pub room_bytes: Option<usize>,
    /// Bytes of data, all inputs together, below which a share is not worth its fixed cost.
    pub smallest_bytes: usize,
    /// How long another thread takes to begin: a share that the rail would do in less is not worth
    /// handing over either. [`HAND_OVER`] for threads that sleep.
    pub hand_over: Duration,
    /// Bytes of data a second, all workers together, assumed until measured; greater than 0.
    pub prior_rate: f64,
    /// Whether it computes on the CPUs that all such rails share. Of these only the fastest is fed
    /// until it is found that another one adds something.
    pub shares_cpus: bool,
}

impl RailTraits {
    /// The most bytes of each buffer of this work that a worker does in one go, at least 1.
    fn most_in_one_go(&self, work: Portion) -> usize {
        let (inputs, outputs) = (work.inputs, work.outputs);
        let tuned = PieceSize::nearest(&self.pieces, inputs, outputs);
        let most = tuned.unwrap_or(self.piece_bytes);
        let most = match self.room_bytes {
            Some(_) if work.on_device => usize::MAX,
            Some(room) => most.min(room / (inputs + outputs)),
            None => most,
        };
        most.max(self.granule_bytes)
    }
}

/// A rail's part of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The rail's index, or [`COMMON`].
    pub rail: usize,
    /// Bytes of each buffer, following those of the share before; greater than 0.
    pub bytes: usize,
}

/// Bytes of a task that are dealt or stolen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The kind of work.
    pub class: Class,
    /// What it waits behind.
    pub priority: Priority,
    /// Buffers that are read, at least 1.
    pub inputs: usize,
    /// Buffers that are written or compared.
    pub outputs: usize,
    /// Whether all of them are in device memory, so that the rail copies none: every cut costs a
    /// launch then and gains nothing.
    pub on_device: bool,
    /// Bytes of each buffer.
    pub bytes: usize,
}

/// No rail that the task may go to is in service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRail {
    /// The rails that it may go to.
    pub eligible: RailSet,
    /// The rails in service.
    pub in_service: RailSet,
}

impl fmt::Display for NoRail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Cannot deal a task: of the rails {:?} that take it, none that the policy allows is among {:?} in service",
            self.eligible, self.in_service
        )
    }
}

impl std::error::Error for NoRail {}

/// The policy and what it has learnt. Threads share it by reference.
#[derive(Debug)]
pub struct Scheduler {
    policy: Policy,
    ledgers: Box<[Ledger]>,
    cut_bytes: usize,
    common: Backlog,
    in_service: AtomicU32,
    fed: AtomicU32,
    /// Rails that can work at once.
    open: AtomicU32,
    controller: Mutex<Controller>,
}

impl Scheduler {
    /// All rails in service and fed, nothing outstanding.
    ///
    /// # Panics
    /// If there are no rails or more than [`RAILS_MAX`], traits are out of their ranges, or the
    /// policy names a rail that is not there.
    #[must_use]
    pub fn new(policy: Policy, rails: &[RailTraits]) -> Self {
        assert!(
            (1..=RAILS_MAX).contains(&rails.len()),
            "1 to {RAILS_MAX} rails"
        );
        for rail in rails {
            let counts = [rail.workers, rail.granule_bytes, rail.piece_bytes];
            assert!(
                !counts.contains(&0),
                "counts and sizes of {rail:?} are at least 1"
            );
            assert!(
                rail.prior_rate > 0.0,
                "the prior rate of {rail:?} is greater than 0"
            );
        }
        if let Policy::Single(rail) = policy {
            assert!(
                rail < rails.len(),
                "the policy's rail {rail} is one of {}",
                rails.len()
            );
        }
        let all = RailSet::first(rails.len());
        let mut rate = [0.0; RAILS_MAX];
        for (rate, rail) in rate.iter_mut().zip(rails) {
            *rate = rail.prior_rate;
        }
        let sharing = all.iter().filter(|rail| rails[*rail].shares_cpus).collect();
        let controller = Controller::new(all, sharing, &rate, nanoseconds(RETRY));
        Self {
            policy,
            ledgers: rails.iter().cloned().map(Ledger::new).collect(),
            cut_bytes: split::cut_bytes(rails.iter().map(|rail| rail.granule_bytes)),
            common: Backlog::default(),
            in_service: AtomicU32::new(all.bits()),
            fed: AtomicU32::new(controller.fed().bits()),
            open: AtomicU32::new(all.bits()),
            controller: Mutex::new(controller),
        }
    }

    /// Tries rails that are not fed again within so long, other than [`RETRY`].
    #[must_use]
    pub fn retrying_within(mut self, retry: Duration) -> Self {
        let controller = self.controller.get_mut();
        let controller = controller.unwrap_or_else(PoisonError::into_inner);
        controller.ask_within(nanoseconds(retry));
        self
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Splits a new task of at least 1 byte over rails out of `eligible`: replaces `shares` by what
    /// each rail gets, and takes it into the rails' backlogs.
    ///
    /// The shares follow each other in the buffers and sum to the task. Each is a multiple of its
    /// rail's granule but the last, which has the tail. Rails that are not fed, or not open, are
    /// dealt work only if no other may have it. Under [`Policy::FirstCome`] the one share is for [`COMMON`].
    ///
    /// # Errors
    /// If the policy allows none of the rails that are eligible and in service.
    pub fn deal(
        &self,
        now_ns: u64,
        task: Portion,
        eligible: RailSet,
        shares: &mut ArrayVec<Share, RAILS_MAX>,
    ) -> Result<(), NoRail> {
        let bytes = task.bytes;
        shares.clear();
        let in_service = self.in_service();
        let serving = eligible.and(in_service);
        let refused = NoRail {
            eligible,
            in_service,
        };
        if serving.is_empty() {
            return Err(refused);
        }
        match self.policy {
            Policy::Single(rail) if !serving.contains(rail) => return Err(refused),
            Policy::Single(rail) => shares.push(Share { rail, bytes }),
            Policy::FirstCome => shares.push(Share {
                rail: COMMON,
                bytes,
            }),
            Policy::RateAware => {
                let open = serving.and(self.open());
                let rails = [open.and(self.fed()), open];
                let rails = rails.into_iter().find(|rails| !rails.is_empty());
                self.deal_by_rate(now_ns, task, rails.unwrap_or(serving), shares);
            }
        }
        for share in shares {
            self.backlog(share.rail)
                .add(task.priority, task.inputs * share.bytes);
            if share.rail != COMMON {
                self.ledgers[share.rail].set_dealt_ns(now_ns);
            }
        }
        Ok(())
    }

    fn deal_by_rate(
        &self,
        now_ns: u64,
        task: Portion,
        rails: RailSet,
        shares: &mut ArrayVec<Share, RAILS_MAX>,
    ) {
        let mut candidates = Candidates::new();
        let mut stale = None;
        let mut waiting = false;
        for rail in rails.iter() {
            let candidate = self.candidate(rail, task);
            waiting |= candidate.wait_ns > 0.0;
            if now_ns.saturating_sub(self.ledgers[rail].dealt_ns()) > REFRESH_NS {
                stale = Some(candidate);
            }
            candidates.push(candidate);
        }
        let task = self.cuttable(task);
        split::deal(&candidates, task, shares);
        let Some(stale) = stale.filter(|_| waiting && candidates.len() > 1) else {
            return;
        };
        if shares.iter().all(|share| share.rail != stale.rail) {
            split::refresh(&stale, task, shares);
        }
    }

    fn cuttable(&self, task: Portion) -> Task {
        Task {
            inputs: task.inputs,
            bytes: task.bytes,
            cut_bytes: self.cut_bytes,
        }
    }

    fn candidate(&self, rail: usize, task: Portion) -> Candidate {
        let ledger = &self.ledgers[rail];
        let traits = &ledger.traits;
        let in_one_go = task.inputs * task.bytes.min(traits.most_in_one_go(task));
        let cost = ledger.cost(task.class.sized(in_one_go));
        // What waits is not of this task's class: it takes as long as what was done recently.
        let wait_ns = ledger.backlog.ahead(task.priority) as f64 * ledger.cost_overall();
        Candidate {
            rail,
            cost,
            rate: 1.0 / cost,
            wait_ns,
            workers: traits.workers as f64,
            smallest: ledger.smallest(cost),
            granule_bytes: traits.granule_bytes,
        }
    }

    /// How many bytes of each buffer an idle worker of rail `thief` should take from the tail of a
    /// share of which `remaining` is left and waits on rail `victim`, which may be the thief's own:
    /// all, none (0), or a part that leaves the victim at least its smallest piece and
    /// a multiple of all granules.
    ///
    /// It is as much as ends on both at the same time by all that the victim has that is as urgent,
    /// so a task never ends later for having been stolen from. Report what was taken with
    /// [`Scheduler::moved`].
    #[must_use]
    pub fn steal(&self, thief: usize, victim: usize, remaining: Portion) -> usize {
        let feeding = self.in_service().and(self.fed()).and(self.open());
        if remaining.bytes == 0 || self.policy != Policy::RateAware || !feeding.contains(thief) {
            return 0;
        }
        if !self.in_service().contains(victim) {
            return remaining.bytes;
        }
        let mut giver = self.candidate(victim, remaining);
        let mut taker = self.candidate(thief, remaining);
        taker.rate /= taker.workers;
        if thief == victim {
            // Another worker of the same rail has the share: the two of them halve it.
            (giver.rate, giver.wait_ns) = (taker.rate, 0.0);
        }
        split::steal(&giver, &taker, self.cuttable(remaining))
    }

    /// How many bytes of each buffer a worker of `rail` should take from the head of a share of
    /// which `remaining` is left, at least 1 byte: all, or a multiple of all granules.
    ///
    /// What is left is for all of the rail's workers, so that the share ends as soon as the rail's
    /// rate allows and not as late as one worker would end it: each takes a worker's part of what
    /// is left then, down to the smallest worthwhile piece (guided self-scheduling: Polychronopoulos
    /// and Kuck, 1987). [`Policy::FirstCome`] knows only the rail's largest piece.
    #[must_use]
    pub fn piece(&self, rail: usize, remaining: Portion) -> usize {
        let Portion { inputs, bytes, .. } = remaining;
        let ledger = &self.ledgers[rail];
        let traits = &ledger.traits;
        let worthwhile = (inputs * bytes) as f64 / ledger.smallest(ledger.cost_overall());
        let parts = match self.policy {
            Policy::FirstCome => 1,
            Policy::Single(_) | Policy::RateAware => (worthwhile as usize).clamp(1, traits.workers),
        };
        let piece = bytes.div_ceil(parts).min(traits.most_in_one_go(remaining));
        if piece == bytes {
            return bytes;
        }
        let cuts = (piece / self.cut_bytes).max(1);
        bytes.min(cuts * self.cut_bytes)
    }

    /// Nanoseconds that one worker of `rail` takes for the first piece of this work, of at least 1
    /// byte, as far as the rail's rates tell.
    #[must_use]
    pub fn piece_ns(&self, rail: usize, task: Portion) -> f64 {
        let bytes = self.piece(rail, task);
        let candidate = self.candidate(rail, Portion { bytes, ..task });
        (task.inputs * bytes) as f64 * candidate.cost * candidate.workers
    }

    /// Takes in that `data_bytes` bytes of data, all inputs together, that were dealt to one rail
    /// (or [`COMMON`]) are to be done by another.
    pub fn moved(&self, from: usize, to: usize, priority: Priority, data_bytes: usize) {
        if from != to {
            self.backlog(from).remove(priority, data_bytes);
            self.backlog(to).add(priority, data_bytes);
        }
    }

    /// Takes in that `data_bytes` bytes of data that were dealt to a rail (or [`COMMON`]) will not
    /// be done by it: cancelled, failed, or taken back from a rail in quarantine.
    pub fn dropped(&self, rail: usize, priority: Priority, data_bytes: usize) {
        self.backlog(rail).remove(priority, data_bytes);
    }

    /// Takes in that `data_bytes` bytes of data are to be done by a rail without having been dealt:
    /// where no rail that the policy allows is in service.
    pub fn placed(&self, rail: usize, priority: Priority, data_bytes: usize) {
        self.backlog(rail).add(priority, data_bytes);
    }

    /// Takes in that a worker of `rail` has begun with `data_bytes` bytes of data, dealt or moved to
    /// the rail before. They count as [`BEGUN`] until [`finished`](Self::finished) or
    /// [`dropped`](Self::dropped).
    pub fn begun(&self, rail: usize, priority: Priority, data_bytes: usize) {
        if priority != BEGUN {
            self.backlog(rail).add(BEGUN, data_bytes);
            self.backlog(rail).remove(priority, data_bytes);
        }
    }

    /// Takes in that a worker of `rail` did `data_bytes` bytes of data, begun before, as one piece in
    /// `busy_ns`. The class is that of the piece, not of its task.
    pub fn finished(&self, rail: usize, class: Class, data_bytes: usize, busy_ns: u64) {
        self.backlog(rail).remove(BEGUN, data_bytes);
        self.ledgers[rail].measured(class, data_bytes, busy_ns);
    }

    /// Puts a rail into service, or out of it: then it is dealt nothing and its rates are kept.
    pub fn set_in_service(&self, rail: usize, in_service: bool) {
        let bit = RailSet::only(rail).bits();
        if in_service {
            self.in_service.fetch_or(bit, Relaxed);
        } else {
            self.in_service.fetch_and(!bit, Relaxed);
        }
    }

    /// Notes whether a rail has a lane open and can begin at once; all have until this says
    /// otherwise.
    pub fn set_open(&self, rail: usize, open: bool) {
        let bit = RailSet::only(rail).bits();
        if open {
            self.open.fetch_or(bit, Relaxed);
        } else {
            self.open.fetch_and(!bit, Relaxed);
        }
    }

    /// The rails that have a lane open.
    #[must_use]
    pub fn open(&self) -> RailSet {
        RailSet::from_bits(self.open.load(Relaxed))
    }

    /// Whether so much work is worth a rail's fixed cost.
    #[must_use]
    pub fn is_worthwhile(&self, rail: usize, task: Portion) -> bool {
        let ledger = &self.ledgers[rail];
        task.inputs.saturating_mul(task.bytes) as f64 >= ledger.smallest(ledger.cost_overall())
    }

    /// The rails in service.
    #[must_use]
    pub fn in_service(&self) -> RailSet {
        RailSet::from_bits(self.in_service.load(Relaxed))
    }

    /// Lets the contention controller see what was done until now. To be called every few
    /// milliseconds by one thread while there is work; `saturated` says that work was waiting ever
    /// since the last call, so that throughput is the rails' and not the callers'.
    pub fn tick(&self, now_ns: u64, saturated: bool) {
        if self.policy != Policy::RateAware {
            return;
        }
        // One thread ticks; should two, the second has nothing to add.
        let Ok(mut controller) = self.controller.try_lock() else {
            return;
        };
        let mut seen = Seen {
            now_ns,
            saturated,
            in_service: self.in_service().and(self.open()),
            done_bytes: 0,
            done_pieces: 0,
            backlog: [0; RAILS_MAX],
            rate: [0.0; RAILS_MAX],
        };
        for (rail, ledger) in self.ledgers.iter().enumerate() {
            seen.done_bytes += ledger.done_bytes();
            seen.done_pieces += ledger.done_pieces();
            seen.backlog[rail] = ledger.backlog.bytes();
            seen.rate[rail] = 1.0 / ledger.cost_overall();
        }
        self.fed.store(controller.step(&seen).bits(), Relaxed);
    }

    /// Whether a rail is dealt work as long as it is in service, and may steal.
    #[must_use]
    pub fn is_fed(&self, rail: usize) -> bool {
        self.fed().contains(rail)
    }

    fn fed(&self) -> RailSet {
        RailSet::from_bits(self.fed.load(Relaxed))
    }

    /// Bytes of data dealt to a rail (or [`COMMON`]) and not done that new work of this priority
    /// waits for.
    #[must_use]
    pub fn ahead_bytes(&self, rail: usize, priority: Priority) -> usize {
        self.backlog(rail).ahead(priority)
    }

    /// Bytes of data dealt to a rail (or [`COMMON`]) and not done.
    #[must_use]
    pub fn backlog_bytes(&self, rail: usize) -> usize {
        self.backlog(rail).bytes()
    }

    fn backlog(&self, rail: usize) -> &Backlog {
        if rail == COMMON {
            &self.common
        } else {
            &self.ledgers[rail].backlog
        }
    }

    /// Bytes of data a second that a rail did recently, all its workers together; the prior rate
    /// before it did anything.
    #[must_use]
    pub fn rate(&self, rail: usize) -> f64 {
        1e9 / self.ledgers[rail].cost_overall()
    }

    /// What is known of each rail, by index.
    #[must_use]
    pub fn snapshot(&self) -> Vec<RailSnapshot> {
        let controller = self.controller.lock();
        let controller = controller.unwrap_or_else(PoisonError::into_inner);
        let rails = self.ledgers.iter().enumerate();
        rails
            .map(|(rail, ledger)| self.snapshot_of(rail, ledger, &controller))
            .collect()
    }

    fn snapshot_of(&self, rail: usize, ledger: &Ledger, controller: &Controller) -> RailSnapshot {
        let measured = |class| {
            let rate = 1e9 / ledger.cost_measured(class)?;
            Some(ClassRate { class, rate })
        };
        RailSnapshot {
            name: ledger.traits.name.clone(),
            in_service: self.in_service().contains(rail),
            fed: controller.feeds(rail),
            backlog_bytes: ledger.backlog.bytes(),
            done_bytes: ledger.done_bytes(),
            done_pieces: ledger.done_pieces(),
            busy_ns: ledger.busy_ns(),
            rate: self.rate(rail),
            rates: Class::all().filter_map(measured).collect(),
            marginal_gain: controller.gain(rail),
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
