// SPDX-License-Identifier: Apache-2.0
//! The thread that looks after time: deadlines, rails that do not answer, rails to be tried again,
//! and the scheduler's clockwork. It sleeps while nothing is outstanding.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::clock::nanoseconds;
use crate::core::{Core, data_bytes};
use crate::doorbell::Doorbell;
use crate::options::EventKind;
use crate::queue::{Check, Part, Work};
use crate::schedule::{BEGUN, COMMON};
use crate::station::Flight;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock};
use crate::task::Task;

/// How often it looks; the resolution of deadlines.
const TICK: Duration = Duration::from_millis(5);

/// It goes on ticking for so long after the last task, so that a caller with pauses does not have
/// to wake it each time.
const RESTLESS_NS: u64 = 1_000_000_000;

/// How often a process looks at the others of its node.
const REFRESH_NS: u64 = 250_000_000;

/// A piece may take so many times what its rail's rate promises.
const LATE: u64 = 20;

/// What the warden has to think of.
#[derive(Default)]
pub(crate) struct Agenda {
    bell: Doorbell,
    dormant: AtomicBool,
    /// Of the tasks that have not ended, by time and by the task's address.
    deadlines: Mutex<BTreeMap<(u64, usize), std::sync::Weak<Task>>>,
}

impl Agenda {
    /// Notes that something is outstanding.
    pub(crate) fn stir(&self) {
        if self.dormant.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    /// Has the warden look at once.
    pub(crate) fn wake(&self) {
        self.dormant.store(false, Ordering::SeqCst);
        self.bell.ring_all();
    }

    /// Notes the deadline of a task, if it has one.
    pub(crate) fn expect(&self, task: &Arc<Task>) {
        if task.deadline > 0 {
            lock(&self.deadlines).insert(key(task), Arc::downgrade(task));
            // It may have been cancelled before this was called.
            if task.is_done() {
                self.forget(task);
            }
        }
    }

    /// Forgets the deadline of a task that has ended.
    pub(crate) fn forget(&self, task: &Arc<Task>) {
        if task.deadline > 0 {
            lock(&self.deadlines).remove(&key(task));
        }
    }

    #[cfg(test)]
    pub(crate) fn deadlines(&self) -> usize {
        lock(&self.deadlines).len()
    }
}

/// Names a task's deadline as long as the task is there.
fn key(task: &Arc<Task>) -> (u64, usize) {
    (task.deadline, std::ptr::from_ref::<Task>(task).addr())
}

/// What the warden's thread runs.
pub(crate) fn watch(core: &Arc<Core>) {
    let (mut busy_until, mut refresh_at) = (0, 0);
    while !core.is_closing() {
        let now = core.clock.now();
        core.expire_overdue(now);
        core.take_from_the_hanging(now);
        core.drain_unserved();
        let quarantined = core.probe_due(now);
        core.scheduler.tick(now, core.has_waiting());
        let busy = core.admission.outstanding() > 0;
        if busy || quarantined {
            busy_until = now + RESTLESS_NS;
        }
        if now >= refresh_at || now >= busy_until {
            core.share_node(busy);
            refresh_at = now + REFRESH_NS;
        }
        let agenda = &core.agenda;
        if now < busy_until {
            agenda
                .bell
                .sleep(Some(TICK), || core.is_closing().then_some(()));
        } else {
            agenda.dormant.store(true, Ordering::SeqCst);
            agenda.bell.sleep(None, || {
                let awake = core.is_closing() || core.admission.outstanding() > 0;
                (awake || !agenda.dormant.load(Ordering::SeqCst)).then_some(())
            });
            agenda.dormant.store(false, Ordering::SeqCst);
        }
    }
}

impl Core {
    fn expire_overdue(&self, now: u64) {
        loop {
            let mut deadlines = lock(&self.agenda.deadlines);
            let due = match deadlines.first_entry() {
                Some(first) if first.key().0 <= now => first.remove().upgrade(),
                _ => return,
            };
            drop(deadlines);
            if let Some(task) = due
                && task.expire()
            {
                self.withdraw(&task);
            }
        }
    }

    /// Ends a task that has been given up and was not begun.
    pub(crate) fn withdraw(&self, task: &Arc<Task>) {
        if let Some(piece) = task.take() {
            let bytes = piece.bytes();
            drop(piece);
            self.account(task, bytes);
        }
    }

    /// Gives what waits for rails out of service to others.
    fn drain_unserved(&self) {
        let rails = 0..self.stations.len();
        rails.chain([COMMON]).for_each(|rail| self.drain(rail));
    }

    /// Takes pieces away from rails that have not answered for long.
    fn take_from_the_hanging(&self, now: u64) {
        for (rail, station) in self.stations.iter().enumerate() {
            if !station.rail.capability().detaches {
                continue;
            }
            for flights in &station.flights {
                let late = flights.revoke(|flight| {
                    now > flight.begun.saturating_add(self.patience(rail, flight))
                });
                for (flight, piece) in late {
                    station.counters.revoked.fetch_add(1, Relaxed);
                    let milliseconds = (now - flight.begun) / 1_000_000;
                    let name = self.name(rail);
                    let text = format!("Cannot wait for {name}: no answer for {milliseconds} ms");
                    self.quarantine(rail, EventKind::Quarantined, text);
                    self.redo_revoked(rail, flight, piece);
                }
            }
        }
    }

    fn redo_revoked(&self, rail: usize, flight: Flight, piece: stripeline_rail::Piece) {
        let Flight {
            task,
            refused,
            check,
            ..
        } = flight;
        match check {
            Some((written, writer)) => self.place_check(Check {
                task,
                piece,
                written,
                writer,
                refused: refused.with(rail),
            }),
            None => {
                let data = data_bytes(&task, piece.bytes());
                self.scheduler.dropped(rail, BEGUN, data);
                self.place(Part {
                    task,
                    piece,
                    refused: refused.with(rail),
                });
            }
        }
    }

    /// How long a flight may take.
    fn patience(&self, rail: usize, flight: &Flight) -> u64 {
        let rate = self.scheduler.rate(rail).max(1.0);
        let promised = data_bytes(&flight.task, flight.bytes) as f64 / rate * 1e9;
        let floor = nanoseconds(self.options.stall);
        floor.max((promised as u64).saturating_mul(LATE))
    }

    /// Tries rails again whose time has come, each on a thread of its own, since it may hang.
    /// Returns whether any rail is out of service.
    fn probe_due(self: &Arc<Self>, now: u64) -> bool {
        let mut any = false;
        for (rail, station) in self.stations.iter().enumerate() {
            any |= !station.health.is_in_service();
            if station.health.begin_probe(now) {
                let core = Arc::clone(self);
                let name = format!("stripeline-try-{}", self.name(rail));
                let spawned = std::thread::Builder::new()
                    .name(name)
                    .spawn(move || core.probe(rail));
                if let Err(error) = spawned {
                    let period = nanoseconds(self.options.quarantine);
                    let why = format!("Cannot try it again: {error}");
                    station.health.end_probe(Some(&why), now, period);
                }
            }
        }
        any
    }

    /// Puts a rail whose lanes are costly out of service if it gives wrong answers. Other rails are tried
    /// before an engine starts; with the first lane open this costs no more than that.
    pub(crate) fn prove(&self, rail: usize) {
        let station = &self.stations[rail];
        if !station.rail.capability().costly_lanes {
            return;
        }
        station.proof.call_once(|| {
            if let Err(reason) = station.try_rail() {
                let name = self.name(rail);
                let text = format!("Cannot use rail {name}, others code instead: {reason}");
                self.quarantine(rail, EventKind::LeftOut, text);
            }
        });
    }

    fn probe(&self, rail: usize) {
        let station = &self.stations[rail];
        let result = station.try_rail();
        let (now, period) = (self.clock.now(), nanoseconds(self.options.quarantine));
        let failure = result.as_ref().err().map(String::as_str);
        station.health.end_probe(failure, now, period);
        if result.is_ok() {
            station.samples.restart();
            self.publish_health(rail);
            let text = format!("{} gives right answers again", self.name(rail));
            self.tell(rail, EventKind::Restored, text);
            self.parked.ring_all();
        }
    }

    /// Fails what waits, because the engine ends.
    pub(crate) fn close_queues(&self) {
        for queues in self.queues() {
            while let Some(work) = queues.pop() {
                match work {
                    Work::Whole(task) => {
                        task.close();
                        self.withdraw(&task);
                    }
                    Work::Part(part) => {
                        part.task.close();
                        self.give_up(part);
                    }
                    Work::Check(check) => {
                        // Not compared, its bytes may be wrong, so the task must not end as done.
                        check.task.close();
                        self.close_check(*check);
                    }
                }
            }
        }
    }
}
