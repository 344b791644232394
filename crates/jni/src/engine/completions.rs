// SPDX-License-Identifier: Apache-2.0
//! Ended tasks and events that wait for a Java thread to take them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use stripeline_boundary::Finish;
use stripeline_codec::Verdict;
use stripeline_engine::{Error, Event, Outcome, Ticket};

use crate::failure::code_of;

/// The number of `long` values of each report: task, status, detail.
pub(crate) const REPORT_LONGS: usize = 3;

/// The most events that are kept; further events displace the oldest.
const EVENTS_MAX: usize = 64;

/// Status of a task that wrote its outputs, or whose parity matches.
const SOUND: i64 = 0;
/// Status of a comparison that found a difference; the detail has its position.
const MISMATCH: i64 = -1;

/// The reports of one engine to Java.
#[derive(Default)]
pub(crate) struct Completions {
    state: Mutex<State>,
    arrived: Condvar,
    /// Tasks that can be cancelled.
    tickets: Mutex<HashMap<i64, Ticket>>,
}

#[derive(Default)]
struct State {
    ended: VecDeque<(i64, Outcome)>,
    /// The errors of failed tasks whose reports have been taken, until their texts are taken.
    failures: HashMap<i64, Error>,
    events: VecDeque<Event>,
    /// Whether `take` has reported that there are events.
    told: bool,
    closed: bool,
}

impl Completions {
    /// Returns what a task and its job hold: the end of both reports the task.
    pub(crate) fn finish(
        self: &Arc<Self>,
        task: i64,
    ) -> Arc<Finish<impl FnOnce(Option<Outcome>) + Send + Sync + 'static>> {
        let completions = Arc::clone(self);
        Finish::new(move |outcome| {
            if let Some(outcome) = outcome {
                completions.state().ended.push_back((task, outcome));
                completions.arrived.notify_one();
            }
        })
    }

    /// Waits for reports and writes as many as fit; returns `None` once the engine is closed and
    /// all reports have been taken. A report of task 0 means that there are events.
    pub(crate) fn take(&self, reports: &mut [[i64; REPORT_LONGS]]) -> Option<usize> {
        let mut state = self.state();
        loop {
            let mut taken = 0;
            if !state.told && !state.events.is_empty() {
                state.told = true;
                reports[taken] = [0; REPORT_LONGS];
                taken += 1;
            }
            while taken < reports.len()
                && let Some((task, outcome)) = state.ended.pop_front()
            {
                reports[taken] = report(task, &outcome);
                taken += 1;
                if let Err(error) = outcome {
                    state.failures.insert(task, error);
                }
            }
            if taken > 0 {
                drop(state);
                let mut tickets = self.tickets();
                for [task, ..] in &reports[..taken] {
                    tickets.remove(task);
                }
                return Some(taken);
            }
            if state.closed {
                return None;
            }
            let woken = self.arrived.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns and removes the error text of a failed task whose report was taken.
    pub(crate) fn failure(&self, task: i64) -> Option<String> {
        let failure = self.state().failures.remove(&task);
        failure.map(|error| error.to_string())
    }

    /// Returns and removes the oldest event: whether it is good news, and its text.
    pub(crate) fn event(&self) -> Option<(bool, String)> {
        let mut state = self.state();
        let event = state.events.pop_front();
        if event.is_none() {
            state.told = false;
        }
        event.map(|event| (event.kind.is_good_news(), event.text))
    }

    /// Queues an event for Java.
    pub(crate) fn tell(&self, event: Event) {
        let mut state = self.state();
        if state.events.len() == EVENTS_MAX {
            state.events.pop_front();
        }
        state.events.push_back(event);
        self.arrived.notify_one();
    }

    /// Makes [`Completions::take`] return `None` once all reports have been taken, and forgets the
    /// tasks that could be cancelled: each has the engine, whose listener has these reports, and a
    /// task that hangs may never be reported.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_all();
        let tickets = std::mem::take(&mut *self.tickets());
        // Not under the lock: this may drop the engine's last parts.
        drop(tickets);
    }

    /// Makes a task cancellable until its report is taken or the engine is closed.
    pub(crate) fn keep(&self, task: i64, ticket: Ticket) {
        self.tickets().insert(task, ticket);
    }

    /// Cancels a task; returns false if it has ended or is unknown.
    pub(crate) fn cancel(&self, task: i64) -> bool {
        // Not under the lock: a cancelled task may end, and so report, on this thread.
        let ticket = self.tickets().get(&task).cloned();
        ticket.is_some_and(|ticket| ticket.cancel())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tickets(&self) -> MutexGuard<'_, HashMap<i64, Ticket>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(task: i64, outcome: &Outcome) -> [i64; REPORT_LONGS] {
    match outcome {
        Ok(Verdict::Sound) => [task, SOUND, 0],
        // Unit numbers are at most 255 and a Java buffer has less than 2^31 bytes.
        Ok(Verdict::Mismatch {
            parity_unit,
            offset,
        }) => [task, MISMATCH, (*parity_unit as i64) << 32 | *offset as i64],
        Err(error) => [task, i64::from(code_of(error)), 0],
    }
}

#[cfg(test)]
mod tests {
    use stripeline_codec::{Code, Codec};
    use stripeline_engine::{Engine, EventKind, Options, Request};
    use stripeline_rail::Cpu;
    use stripeline_rail::owned::Units;

    use super::*;

    fn completions() -> Arc<Completions> {
        Arc::new(Completions::default())
    }

    fn event(number: usize) -> Event {
        Event {
            rail: "cpu".to_owned(),
            kind: EventKind::Quarantined,
            text: format!("event {number}"),
        }
    }

    #[test]
    fn a_task_is_reported_when_its_last_holder_is_gone() {
        let completions = completions();
        let held = completions.finish(7);
        let other = Arc::clone(&held);
        held.note(&Ok(Verdict::Mismatch {
            parity_unit: 2,
            offset: 5,
        }));
        drop(held);
        assert!(
            completions.state().ended.is_empty(),
            "its job is still there"
        );
        drop(other);
        let mut reports = [[0; REPORT_LONGS]; 4];
        assert_eq!(completions.take(&mut reports), Some(1));
        assert_eq!(reports[0], [7, MISMATCH, 2 << 32 | 5]);
    }

    #[test]
    fn a_task_that_was_not_issued_is_not_reported() {
        let completions = completions();
        drop(completions.finish(1));
        completions.close();
        assert_eq!(completions.take(&mut [[0; REPORT_LONGS]; 1]), None);
    }

    #[test]
    fn more_reports_than_fit_are_kept_and_come_before_the_end() {
        let completions = completions();
        for task in 1..=3 {
            completions.finish(task).note(&Ok(Verdict::Sound));
        }
        completions.close();
        let mut reports = [[0; REPORT_LONGS]; 2];
        assert_eq!(completions.take(&mut reports), Some(2));
        assert_eq!(completions.take(&mut reports), Some(1));
        assert_eq!(reports[0], [3, SOUND, 0]);
        assert_eq!(completions.take(&mut reports), None);
    }

    #[test]
    fn a_task_that_is_never_reported_does_not_keep_its_engine_after_the_close() {
        let completions = completions();
        let told = Arc::clone(&completions);
        let options = Options {
            listener: Arc::new(move |event: &Event| told.tell(event.clone())),
            workers_max: 1,
            ..Options::default()
        };
        let engine = Engine::start(vec![Arc::new(Cpu::rail())], options).expect("right options");
        let codec = Codec::new(Code::Xor, 2, 1).expect("a valid shape");
        let units = Units {
            inputs: vec![vec![1; 8]; 2],
            outputs: vec![vec![0; 8]],
        };
        let issued = engine.iencode(&codec, units, Request::default());
        completions.keep(7, issued.expect("room").ticket().clone());
        drop(engine);
        completions.close();
        assert_eq!(Arc::strong_count(&completions), 1);
    }

    #[test]
    fn events_are_announced_once_and_bounded() {
        let completions = completions();
        (0..EVENTS_MAX + 2).for_each(|number| completions.tell(event(number)));
        completions.close();
        let mut reports = [[9; REPORT_LONGS]; 2];
        assert_eq!(completions.take(&mut reports), Some(1));
        assert_eq!(reports[0], [0; REPORT_LONGS]);
        assert_eq!(completions.take(&mut reports), None, "told once");
        let texts: Vec<_> = std::iter::from_fn(|| completions.event()).collect();
        assert_eq!(texts.len(), EVENTS_MAX);
        assert_eq!(texts[0], (false, "event 2".to_owned()));
        completions.tell(Event {
            kind: EventKind::Shared,
            ..event(0)
        });
        assert_eq!(completions.take(&mut reports), Some(1), "told again");
        assert_eq!(completions.event(), Some((true, "event 0".to_owned())));
    }
}
