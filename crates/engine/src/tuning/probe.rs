// SPDX-License-Identifier: Apache-2.0
//! Measures how fast a rail does one kind of task, by submitting only such tasks to its lanes.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use stripeline_codec::{Code, Codec, StorePolicy};
use stripeline_rail::owned::{self, Units};
use stripeline_rail::{Capability, Done, Lane, Piece, Rail, RevokeHandle, clock};

/// The number of groups of steps of which the median is taken.
const GROUPS: usize = 5;
/// The approximate most and the least number of a lane's steps.
const STEPS_MAX: u32 = 50;
const STEPS_MIN: usize = 3;
/// A rail that returns no piece for this time counts as hanging.
const LIMIT: Duration = Duration::from_secs(2);

/// A kind of task, and how it is submitted to a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub data_units: usize,
    pub parity_units: usize,
    pub unit_bytes: usize,
    /// Bytes of each buffer in one piece.
    pub piece_bytes: usize,
    pub store: StorePolicy,
    /// The most pieces in flight on a lane.
    pub depth: usize,
}

impl Load {
    /// Returns the memory that one lane needs.
    pub(super) fn memory_bytes(&self) -> usize {
        self.stripes() * (self.data_units + self.parity_units) * self.unit_bytes
    }

    /// Stripes that have enough pieces to keep a lane busy.
    fn stripes(&self) -> usize {
        self.depth
            .div_ceil(self.unit_bytes.div_ceil(self.piece_bytes))
    }

    fn pieces(&self) -> Result<VecDeque<Piece>, String> {
        let codec = Codec::new(Code::Rs, self.data_units, self.parity_units)
            .map_err(|error| error.to_string())?;
        let mut pieces = VecDeque::new();
        for _ in 0..self.stripes() {
            let mut rest = self.stripe(&codec)?;
            while rest.bytes() > self.piece_bytes {
                let (piece, behind) = rest.split(self.piece_bytes);
                pieces.push_back(piece);
                rest = behind;
            }
            pieces.push_back(rest);
        }
        Ok(pieces)
    }

    fn stripe(&self, codec: &Codec) -> Result<Piece, String> {
        // Their pages exist once they are written; their contents do not matter to a coder.
        let unit = |number: usize| vec![number as u8 + 1; self.unit_bytes];
        let units = Units {
            inputs: (0..self.data_units).map(unit).collect(),
            outputs: (0..self.parity_units).map(unit).collect(),
        };
        // The units are not waited for: they are dropped with the last piece.
        owned::encode(codec, units)
            .map(|(piece, _)| piece.stored(self.store))
            .map_err(|refused| refused.error.to_string())
    }
}

/// Returns the data bytes per second of `lanes` lanes together, each driven by its own thread for
/// about `time`.
pub(super) fn rate(
    rail: &dyn Rail,
    load: &Load,
    lanes: usize,
    time: Duration,
) -> Result<f64, String> {
    let builders = (0..lanes).map(|_| Builder::new());
    let prepare = || caught(|| LaneDriver::new(rail, load, load.pieces()?));
    let drive = |driver: Result<LaneDriver<'_>, String>| {
        driver.and_then(|mut driver| caught(|| driver.run(time)))
    };
    let steps = on_threads(builders, prepare, drive)
        .map_err(|error| format!("no thread for each lane: {error}"))?;
    let steps = steps.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(together(&steps))
}

/// Runs `prepare` and then `run` on a thread of each builder; `run` when all are prepared. Neither
/// may panic.
///
/// # Errors
/// If a thread cannot be started: the others end then.
fn on_threads<P, R: Send>(
    builders: impl Iterator<Item = Builder>,
    prepare: impl Fn() -> P + Sync,
    run: impl Fn(P) -> R + Sync,
) -> io::Result<Vec<R>> {
    // Locked until all threads are prepared, or one cannot be started.
    let start = Mutex::new(());
    let work = |ready: Sender<()>| {
        let prepared = prepare();
        drop(ready);
        drop(start.lock());
        run(prepared)
    };
    thread::scope(|scope| {
        let held = start.lock();
        let (ready, arrivals) = channel();
        let work = &work;
        let mut threads = Vec::new();
        for builder in builders {
            let ready = ready.clone();
            threads.push(builder.spawn_scoped(scope, move || work(ready))?);
        }
        drop(ready);
        // Ends when every thread has dropped its sender.
        let _: Result<(), _> = arrivals.recv();
        drop(held);
        let joined = threads.into_iter().map(|thread| thread.join());
        Ok(joined
            .map(|result| result.expect("panics were caught"))
            .collect())
    })
}

fn caught<R>(run: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    let panicked = |_| Err("it panicked".to_owned());
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked)
}

/// The time at which a step of a lane ended, and the data bytes of the step.
type Step = (Instant, usize);

/// Returns the rate of lanes that ran at the same time: the median over groups of their steps in
/// the order of time, up to the end of the first lane to finish.
///
/// The medians of single lanes cannot be added: if lanes take turns on a device, each is fast
/// during its turn.
fn together(lanes: &[Vec<Step>]) -> f64 {
    let ends = lanes.iter().filter_map(|steps| steps.last());
    let end = ends.map(|(time, _)| *time).min();
    let mut steps: Vec<Step> = lanes.iter().flatten().copied().collect();
    steps.retain(|(time, _)| end.is_none_or(|end| *time <= end));
    steps.sort_by_key(|(time, _)| *time);
    // Groups extend from one step to a later one; the start of the very first step's work is
    // unknown.
    let group = (steps.len().saturating_sub(1) / GROUPS).max(1);
    let mut rates = Vec::new();
    for last in (group..steps.len()).step_by(group) {
        let first = last - group;
        let bytes: usize = steps[first + 1..=last].iter().map(|(_, bytes)| bytes).sum();
        let took = steps[last].0 - steps[first].0;
        rates.push(bytes as f64 / took.as_secs_f64().max(1e-9));
    }
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// A lane and the pieces that are resubmitted to it.
struct LaneDriver<'a> {
    capability: &'a Capability,
    lane: Box<dyn Lane>,
    idle: VecDeque<Piece>,
    /// By ticket, for rails whose pieces are revocable.
    handles: Vec<(u64, RevokeHandle)>,
    depth: usize,
    inputs: usize,
    tickets: u64,
}

impl<'a> LaneDriver<'a> {
    fn new(rail: &'a dyn Rail, load: &Load, pieces: VecDeque<Piece>) -> Result<Self, String> {
        let capability = rail.capability();
        if let Some(piece) = pieces.iter().find(|piece| !capability.takes(piece)) {
            return Err(format!("it does not accept {piece:?}"));
        }
        Ok(Self {
            capability,
            lane: rail.open_lane().map_err(|fault| fault.to_string())?,
            idle: pieces,
            handles: Vec::new(),
            depth: load.depth,
            inputs: load.data_units,
            tickets: 0,
        })
    }

    /// Runs for about `time` and at least two steps.
    fn run(&mut self, time: Duration) -> Result<Vec<Step>, String> {
        let begun = clock::now();
        // Warms up caches, memory and the device.
        self.feed(self.idle.len())?;
        let mut steps = vec![(clock::now(), 0)];
        let mut count = self.idle.len();
        while clock::now() - begun < time || steps.len() < STEPS_MIN {
            let bytes = self.feed(count)?;
            let now = clock::now();
            let took = now - steps[steps.len() - 1].0;
            steps.push((now, bytes));
            // Makes the cost of reading the clock and of draining the lane negligible.
            if took < time / STEPS_MAX {
                count *= 2;
            }
        }
        Ok(steps)
    }

    /// Runs `count` pieces and returns their data bytes.
    fn feed(&mut self, count: usize) -> Result<usize, String> {
        let (mut submitted, mut done, mut bytes) = (0, 0, 0);
        while done < count {
            while submitted < count && self.lane.in_flight() < self.depth {
                let Some(piece) = self.idle.pop_front() else {
                    break;
                };
                self.submit(piece);
                submitted += 1;
            }
            let piece = self.reap()?;
            bytes += piece.bytes() * self.inputs;
            self.idle.push_back(piece);
            done += 1;
        }
        Ok(bytes)
    }

    fn submit(&mut self, piece: Piece) {
        let (piece, handle) = piece.for_rail(self.capability);
        let ticket = self.tickets;
        self.handles.extend(handle.map(|handle| (ticket, handle)));
        self.lane.submit(ticket, piece);
        self.tickets += 1;
    }

    fn reap(&mut self) -> Result<Piece, String> {
        let waiting = clock::now();
        loop {
            if let Some(done) = self.lane.reap(LIMIT) {
                return self.take_back(done);
            }
            if self.lane.in_flight() == 0 {
                return Err("it lost a piece".to_owned());
            }
            if clock::now() - waiting >= LIMIT {
                // Ensures that buffers are not written after they are dropped with their pieces.
                self.handles
                    .iter()
                    .for_each(|(_, handle)| drop(handle.revoke()));
                return Err(format!("it completed no piece for {} s", LIMIT.as_secs()));
            }
        }
    }

    fn take_back(&mut self, done: Done) -> Result<Piece, String> {
        self.handles.retain(|(ticket, _)| *ticket != done.ticket);
        match done.outcome {
            Ok(_) => {}
            Err(fault) => return Err(fault.to_string()),
        }
        let mut piece = done.piece.ok_or("it lost a piece")?;
        piece.make_irrevocable();
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(begun: Instant, steps: &[(u64, usize)]) -> Vec<Step> {
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        steps
            .iter()
            .map(|&(time, bytes)| (at(time), bytes))
            .collect()
    }

    #[test]
    fn a_thread_that_cannot_be_started_does_not_leave_the_others_waiting() {
        // No machine has an address space for the stack of the second thread.
        let builders = [1 << 20, 1 << 60, 1 << 20].map(|bytes| Builder::new().stack_size(bytes));
        assert!(on_threads(builders.into_iter(), || (), |()| ()).is_err());
        let builders = [(); 3].map(|()| Builder::new());
        let results = on_threads(builders.into_iter(), || 2, |number| number + 1);
        assert_eq!(results.expect("threads"), [3; 3]);
    }

    #[test]
    fn rates_of_concurrent_lanes_add_up() {
        let begun = Instant::now();
        let steps: Vec<_> = (0..100).map(|step| (step, 1000)).collect();
        let one = lane(begun, &steps);
        assert_eq!(together(std::slice::from_ref(&one)).round(), 1e6);
        let two = together(&[one.clone(), one]);
        assert!((1.9e6..2.1e6).contains(&two), "{two}");
    }

    #[test]
    fn rates_of_alternating_lanes_do_not_add_up() {
        let begun = Instant::now();
        let first: Vec<_> = (0..50).map(|step| (step, 1000)).collect();
        let second: Vec<_> = (50..100).map(|step| (step, 1000)).collect();
        let both = together(&[lane(begun, &first), lane(begun, &second)]);
        assert_eq!(both.round(), 1e6);
    }

    #[test]
    fn a_pause_is_not_taken_for_slowness() {
        let begun = Instant::now();
        let steps: Vec<_> = (0..100)
            .map(|step| (step + if step > 40 { 500 } else { 0 }, 1000))
            .collect();
        assert_eq!(together(&[lane(begun, &steps)]).round(), 1e6);
    }
}
