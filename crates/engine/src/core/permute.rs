// SPDX-License-Identifier: Apache-2.0
//! The engine's protocols under a permutation tester, which runs their threads in many orders and
//! fails where all of them sleep.
//!
//! Run by `cargo test -p stripeline-engine --features permute --lib permute`. The tester permutes
//! whole operations and does not model weak memory; comments next to the memory orderings justify
//! them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize as Plain, Ordering::SeqCst};
use std::time::Duration;

use shuttle::thread;
use stripeline_codec::Verdict;
use stripeline_rail::{Capability, Coder, Cpu, Done, Fault, Lane, Piece, Rail, Synchronous};

use crate::api::engine::core;
use crate::api::error::{Error, ErrorKind};
use crate::api::options::Options;
use crate::core::admission::Admission;
use crate::core::doorbell::Doorbell;
use crate::core::queue::{QueueEntry, Queues};
use crate::core::shared::Core;
use crate::core::sync::Arc;
use crate::core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::core::task::{Hook, Task};
use crate::core::tests::{piece, spec};
use crate::core::worker::Worker;
use crate::core::worker_pool;
use crate::schedule::RailSet;

/// The number of thread orders per test: some seconds of work.
const ORDERS: usize = 3000;

const ITEMS: usize = 3;

fn task() -> Task {
    Task::new(spec(RailSet::first(1)), piece())
}

#[test]
fn no_wakeup_is_lost() {
    let run = || {
        let bell = Arc::new(Doorbell::default());
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let sleepers: Vec<_> = (0..2)
            .map(|index| {
                let (bell, flags) = (Arc::clone(&bell), Arc::clone(&flags));
                thread::spawn(move || {
                    let is_set = || flags[index].load(Ordering::SeqCst);
                    while !is_set() {
                        bell.sleep(None, || is_set().then_some(()));
                    }
                })
            })
            .collect();
        for flag in &*flags {
            flag.store(true, Ordering::SeqCst);
            bell.ring_all();
        }
        sleepers
            .into_iter()
            .for_each(|sleeper| sleeper.join().expect("no panic"));
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

#[test]
fn a_task_ends_once_and_notifies_each_waiter_once() {
    let run = || {
        let notified = std::sync::Arc::new(Plain::new(0));
        let (task, bell) = (Arc::new(task()), Arc::new(Doorbell::default()));
        drop(task.take());
        let workers: Vec<_> = [3, 5]
            .into_iter()
            .map(|bytes| {
                let (task, bell) = (Arc::clone(&task), Arc::clone(&bell));
                thread::spawn(move || {
                    if task.account(bytes) {
                        task.finish();
                        bell.ring_all();
                    }
                })
            })
            .collect();
        let canceller = {
            let task = Arc::clone(&task);
            let cancel = move || task.fail(Error::new(ErrorKind::Cancelled, "cancelled"));
            thread::spawn(cancel)
        };
        let hooking = std::sync::Arc::clone(&notified);
        task.hook(Hook::Call(Box::new(move |_| {
            hooking.fetch_add(1, SeqCst);
        })));
        while !task.is_done() {
            bell.sleep(None, || task.is_done().then_some(()));
        }
        let first = task.outcome().expect("it is done");
        workers
            .into_iter()
            .for_each(|worker| worker.join().expect("no panic"));
        let cancelled = canceller.join().expect("no panic");
        let last = task.outcome().expect("it is done");
        assert_eq!(first, last, "an outcome never changes");
        assert_eq!(
            cancelled,
            last.is_err(),
            "a cancel that says so has cancelled"
        );
        assert!(last.is_err() || last == Ok(Verdict::Sound));
        assert_eq!(notified.load(SeqCst), 1);
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

#[test]
fn every_waiter_for_room_gets_it() {
    let run = || {
        let admission = Arc::new(Admission::new(1, 100));
        let inside = std::sync::Arc::new(Plain::new(0));
        let issuers: Vec<_> = (0..3)
            .map(|_| {
                let admission = Arc::clone(&admission);
                let inside = std::sync::Arc::clone(&inside);
                thread::spawn(move || {
                    while !admission.enter(60) {
                        let room = || admission.has_room(60).then_some(());
                        admission.room.sleep(None, room);
                    }
                    assert_eq!(inside.fetch_add(1, SeqCst), 0, "one at a time");
                    thread::yield_now();
                    inside.fetch_sub(1, SeqCst);
                    admission.leave(60);
                    admission.mark_notified();
                })
            })
            .collect();
        issuers
            .into_iter()
            .for_each(|issuer| issuer.join().expect("no panic"));
        assert_eq!(admission.outstanding(), 0);
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

#[test]
fn every_item_is_taken_although_one_thread_is_woken_at_a_time() {
    let run = || {
        let bell = Arc::new(Doorbell::default());
        let items = Arc::new(AtomicUsize::new(0));
        let taken = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let (bell, items) = (Arc::clone(&bell), Arc::clone(&items));
                let taken = Arc::clone(&taken);
                thread::spawn(move || {
                    let take = || {
                        let one = |items: usize| items.checked_sub(1);
                        items
                            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one)
                            .ok()
                    };
                    let all = || taken.load(Ordering::SeqCst) == ITEMS;
                    while !all() {
                        let found = take().or_else(|| {
                            let found = bell.sleep(None, || take().or(all().then_some(0)));
                            if items.load(Ordering::SeqCst) > 0 {
                                bell.ring_one();
                            }
                            found
                        });
                        if found.is_some_and(|found| found > 0)
                            && taken.fetch_add(1, Ordering::SeqCst) + 1 == ITEMS
                        {
                            bell.ring_all();
                        }
                    }
                })
            })
            .collect();
        for _ in 0..ITEMS {
            items.fetch_add(1, Ordering::SeqCst);
            bell.ring_one();
        }
        workers
            .into_iter()
            .for_each(|worker| worker.join().expect("no panic"));
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

#[test]
fn items_returned_by_a_thief_are_found() {
    let run = || {
        let (queues, bell) = (Arc::new(Queues::default()), Arc::new(Doorbell::default()));
        let victim = {
            let (queues, bell) = (Arc::clone(&queues), Arc::clone(&bell));
            thread::spawn(move || {
                while queues
                    .pop()
                    .or_else(|| bell.sleep(None, || queues.pop()))
                    .is_none()
                {}
            })
        };
        let thief = {
            let (queues, bell) = (Arc::clone(&queues), Arc::clone(&bell));
            thread::spawn(move || {
                if let Some(entry) = queues.pop() {
                    // The tester does not permute the queue itself: here the victim may check it
                    // and sleep.
                    thread::yield_now();
                    queues.push_begun(entry);
                    bell.ring_one();
                }
            })
        };
        queues.push(QueueEntry::Task(Arc::new(task())));
        bell.ring_one();
        for thread in [victim, thief] {
            thread.join().expect("no panic");
        }
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

/// A coder that lets other threads run. Holds the number of threads that code now, and the most
/// that may.
#[derive(Debug)]
struct Busy(std::sync::Arc<Plain>, usize);

impl Coder for Busy {
    type Memory = ();

    fn describe(&self) -> String {
        String::new()
    }

    fn run(&self, piece: &mut Piece, (): &mut ()) -> Result<Verdict, Fault> {
        let others = self.0.fetch_add(1, SeqCst);
        assert!(others < self.1, "{others} others code");
        thread::yield_now();
        let verdict = Cpu::portable().code(piece);
        self.0.fetch_sub(1, SeqCst);
        Ok(verdict)
    }
}

/// Returns an engine's core over one rail that is [`Busy`], and the number of threads that code
/// there.
fn busy_core(threads_max: usize) -> (Arc<Core>, std::sync::Arc<Plain>) {
    let coding = std::sync::Arc::new(Plain::new(0));
    let coder = Busy(std::sync::Arc::clone(&coding), threads_max);
    let rail = Synchronous::new("busy", Capability::synchronous(), coder);
    (core_over(rail), coding)
}

fn core_over(rail: impl Rail + 'static) -> Arc<Core> {
    let core = core(vec![std::sync::Arc::new(rail)], Options::default());
    Arc::new(core.expect("right options"))
}

/// Starts a worker of a core's only rail.
fn start_worker(core: &Arc<Core>) -> thread::JoinHandle<()> {
    let core = Arc::clone(core);
    thread::spawn(move || {
        let state = &core.rail_states[0];
        let lane = state.rail.open_lane().expect("a lane");
        let worker = Worker::new(&core, 0, &state.in_flight_pieces[0], lane);
        worker_pool::serve(&core, 0, worker, &mut 0);
    })
}

#[test]
fn closing_waits_for_threads_that_help() {
    let run = || {
        let (core, coding) = busy_core(2);
        let tasks: Vec<_> = (0..2).map(|_| crate::core::tests::task(&core)).collect();
        for task in &tasks {
            core.enqueue_task(Arc::clone(task));
        }
        let helpers: Vec<_> = tasks
            .iter()
            .map(|task| {
                let (core, task) = (Arc::clone(&core), Arc::clone(task));
                thread::spawn(move || core.wait_for(&task, None))
            })
            .collect();
        core.begin_close();
        core.await_helpers();
        assert_eq!(coding.load(SeqCst), 0, "nothing codes in a closed engine");
        assert!(tasks.iter().all(|task| task.is_done()), "nothing is left");
        for helper in helpers {
            helper.join().expect("no panic");
        }
        assert_eq!(coding.load(SeqCst), 0);
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

/// A rail whose device processes two pieces of a lane at a time, after their submission.
#[derive(Debug)]
struct Deep(Capability);

impl Rail for Deep {
    fn name(&self) -> &str {
        "deep"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn capability(&self) -> &Capability {
        &self.0
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(DeepLane(VecDeque::new())))
    }
}

struct DeepLane(VecDeque<(u64, Piece)>);

impl Lane for DeepLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        self.0.push_back((ticket, piece));
    }

    fn reap(&mut self, _limit: Duration) -> Option<Done> {
        thread::yield_now();
        let (ticket, mut piece) = self.0.pop_front()?;
        let outcome = Ok(Cpu::portable().code(&mut piece));
        let piece = Some(piece);
        Some(Done {
            ticket,
            piece,
            outcome,
        })
    }

    fn in_flight(&self) -> usize {
        self.0.len()
    }
}

#[test]
fn closing_ends_pieces_in_flight_on_a_deep_lane() {
    let run = || {
        let capability = Capability {
            depth: 2,
            ..Capability::synchronous()
        };
        let core = core_over(Deep(capability));
        let worker = start_worker(&core);
        let notified = std::sync::Arc::new(Plain::new(0));
        let tasks: Vec<_> = (0..3).map(|_| crate::core::tests::task(&core)).collect();
        for task in &tasks {
            let notified = std::sync::Arc::clone(&notified);
            task.hook(Hook::Call(Box::new(move |_| {
                notified.fetch_add(1, SeqCst);
            })));
            core.enqueue_task(Arc::clone(task));
        }
        core.begin_close();
        worker.join().expect("no panic");
        assert!(tasks.iter().all(|task| task.is_done()), "nothing is left");
        assert_eq!(notified.load(SeqCst), tasks.len(), "told once of each");
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}

#[test]
fn no_work_is_left_when_threads_start_and_stop_within_the_share() {
    let run = || {
        let (core, _) = busy_core(1);
        core.allow_threads(1);
        let workers: Vec<_> = (0..2).map(|_| start_worker(&core)).collect();
        let waiting: Vec<_> = (0..2)
            .map(|_| {
                let core = Arc::clone(&core);
                thread::spawn(move || {
                    let task = Arc::new(crate::core::tests::task(&core));
                    core.enqueue_task(Arc::clone(&task));
                    core.wait_for(&task, None);
                    // The worker catches its coder's panic and fails the task.
                    assert_eq!(task.outcome(), Some(Ok(Verdict::Sound)));
                })
            })
            .collect();
        for thread in waiting {
            thread.join().expect("no panic");
        }
        core.begin_close();
        for worker in workers {
            worker.join().expect("no panic");
        }
    };
    shuttle::check_random(run, ORDERS);
    shuttle::check_pct(run, ORDERS, 3);
}
