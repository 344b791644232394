// SPDX-License-Identifier: Apache-2.0
//! Wraps any rail and makes it fail by a script.
//!
//! Pieces are counted from 0 over all lanes, known answers included, so a script with a seed or
//! with numbers has the same effect in every run that submits pieces in the same order.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stripeline_codec::Verdict;
use stripeline_codec::hash::mixed;

use stripeline_rail::{
    Capability, Detached, Done, Fault, FaultKind, Lane, LanePiece, Mode, Piece, Rail, clock,
};

use crate::Gate;

/// What happens to a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The rail fails it ([`FaultKind::Failed`]).
    Fail,
    /// The rail fails it, and every later piece of the same lane.
    BreakLane,
    /// The rail refuses it ([`FaultKind::Refused`]).
    Refuse,
    /// Its lane panics when it is asked for results. A revocable piece is detached.
    Panic,
    /// Its lane panics when it is submitted, and drops it and the hung pieces.
    PanicAtOnce,
    /// It does not complete until [`FaultyRail::release`], and is then done. A revocable piece is
    /// detached until then; another keeps its buffers, and dropping its lane waits.
    Hang,
    /// As [`Failure::Hang`], but dropping its lane does not wait: a piece that is not detached
    /// keeps its job alive for ever.
    Forget,
    /// It is done, but with a wrong byte, or with the wrong verdict of a comparison.
    WrongBytes,
    /// It is done, but the offset of a mismatch is one byte too high.
    Misplace,
    /// This and every later piece fail, and no lane can be opened.
    Vanish,
}

/// Which pieces fail, and how.
#[derive(Clone, Debug, Default)]
pub struct Script {
    numbered: Vec<(u64, Failure)>,
    always: Option<Failure>,
    random: Option<RandomFailures>,
}

#[derive(Clone, Debug)]
struct RandomFailures {
    seed: u64,
    one_in: u64,
    failures: Vec<Failure>,
}

impl Script {
    /// No piece fails.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Every piece fails.
    #[must_use]
    pub fn always(failure: Failure) -> Self {
        Self {
            always: Some(failure),
            ..Self::default()
        }
    }

    /// The first `count` pieces fail.
    #[must_use]
    pub fn first(count: u64, failure: Failure) -> Self {
        (0..count).fold(Self::nothing(), |script, number| script.at(number, failure))
    }

    /// One piece in `one_in` fails, in one of the given ways, both chosen by the seed.
    ///
    /// # Panics
    /// If `one_in` is 0 or no failure is given.
    #[must_use]
    pub fn random(seed: u64, one_in: u64, failures: &[Failure]) -> Self {
        assert!(
            one_in > 0 && !failures.is_empty(),
            "a chance and a way to fail"
        );
        let failures = failures.to_vec();
        Self {
            random: Some(RandomFailures {
                seed,
                one_in,
                failures,
            }),
            ..Self::default()
        }
    }

    /// Adds a failure of the piece of this number, counted from 0.
    #[must_use]
    pub fn at(mut self, number: u64, failure: Failure) -> Self {
        self.numbered.push((number, failure));
        self
    }

    fn failure(&self, number: u64) -> Option<Failure> {
        let numbered = self.numbered.iter().find(|(at, _)| *at == number);
        let by_chance = || {
            let random = self.random.as_ref()?;
            let dice = mixed(random.seed ^ mixed(number));
            let choice = (dice / random.one_in) as usize % random.failures.len();
            dice.is_multiple_of(random.one_in)
                .then(|| random.failures[choice])
        };
        numbered
            .map(|(_, failure)| *failure)
            .or(self.always)
            .or_else(by_chance)
    }
}

/// A rail that fails as its script says.
#[derive(Debug)]
pub struct FaultyRail {
    rail: Arc<dyn Rail>,
    capability: Capability,
    /// Where the opening of a lane waits.
    opening: Option<Arc<Gate>>,
    shared: Arc<Shared>,
}

impl FaultyRail {
    /// Wraps a rail; name and capability stay those of `rail`, except that no caller may use the
    /// codec instead of it.
    #[must_use]
    pub fn new(rail: Arc<dyn Rail>, script: Script) -> Self {
        let state = State {
            script,
            openings_max: u64::MAX,
            ..State::default()
        };
        Self {
            capability: Capability {
                codes_as_codec: false,
                ..rail.capability().clone()
            },
            rail,
            opening: None,
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                changed: Condvar::new(),
            }),
        }
    }

    /// Declares that the rail detaches, so that an engine makes its pieces revocable and can revoke
    /// those that hang.
    #[must_use]
    pub fn detaching(mut self) -> Self {
        self.capability.detaches = true;
        self
    }

    /// Declares that a lane takes `depth` pieces at a time. All of them must hang by the script,
    /// because the wrapped rail may do only one at a time.
    #[must_use]
    pub fn deep(mut self, depth: usize) -> Self {
        self.capability.depth = depth;
        self
    }

    /// Declares that lanes are costly, and lets them open only when the gate is open.
    #[must_use]
    pub fn costly(mut self, gate: &Arc<Gate>) -> Self {
        self.capability.costly_lanes = true;
        self.opening = Some(Arc::clone(gate));
        self
    }

    /// Has each piece wait, when it is submitted, at the gate of its number. Pieces beyond the last
    /// gate do not wait.
    #[must_use]
    pub fn gated(self, gates: &[Arc<Gate>]) -> Self {
        self.shared.state().gates = gates.to_vec();
        self
    }

    /// Lets only the first `count` requests for a lane succeed.
    #[must_use]
    pub fn opening_only(self, count: u64) -> Self {
        self.shared.state().openings_max = count;
        self
    }

    /// Replaces the script; the numbering continues.
    pub fn set_script(&self, script: Script) {
        self.shared.state().script = script;
    }

    /// Completes all pieces that hang now. Pieces that hang later hang until the next call.
    pub fn release(&self) {
        let mut state = self.shared.state();
        state.released = state.pieces;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Attaches the detached pieces that hung when their lanes were dropped, as a device does that
    /// continues late; returns for each whether it can still write.
    #[must_use]
    pub fn attach_left(&self) -> Vec<bool> {
        let left = std::mem::take(&mut self.shared.state().left);
        let attached = left.into_iter().map(Detached::attach);
        attached.map(|piece| piece.is_some()).collect()
    }

    /// Returns how often a lane was opened, or could not be opened.
    #[must_use]
    pub fn openings(&self) -> u64 {
        self.shared.state().openings
    }

    /// Returns the number of pieces submitted so far.
    #[must_use]
    pub fn pieces(&self) -> u64 {
        self.shared.state().pieces
    }

    /// Waits until `count` pieces hang; false if fewer do within `limit`.
    #[must_use]
    pub fn wait_for_hanging(&self, count: usize, limit: Duration) -> bool {
        self.shared.wait(limit, |state| state.hanging >= count)
    }
}

impl Rail for FaultyRail {
    fn name(&self) -> &str {
        self.rail.name()
    }

    fn describe(&self) -> String {
        format!("{}, failing on purpose", self.rail.describe())
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        if let Some(gate) = &self.opening {
            gate.pass();
        }
        let mut state = self.shared.state();
        state.openings += 1;
        if state.vanished || state.openings > state.openings_max {
            return Err(gone());
        }
        drop(state);
        Ok(Box::new(FaultyLane {
            lane: self.rail.open_lane()?,
            shared: Arc::clone(&self.shared),
            hung: VecDeque::new(),
            ready: VecDeque::new(),
            wrong: Vec::new(),
            broken: false,
            panicking: None,
        }))
    }
}

/// State shared by the rail and its lanes.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    pieces: u64,
    openings: u64,
    openings_max: u64,
    /// Hung pieces of lower numbers may complete.
    released: u64,
    hanging: usize,
    /// Detached pieces that hung when their lanes were dropped.
    left: Vec<Detached>,
    vanished: bool,
    gates: Vec<Arc<Gate>>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, limit: Duration, ready: impl Fn(&State) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.state(), limit, |state| !ready(state));
        ready(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Returns the number of the next piece and its failure, when its gate is open.
    fn next(&self) -> (u64, Option<Failure>) {
        let mut state = self.state();
        let number = state.pieces;
        state.pieces += 1;
        let failure = match state.vanished {
            true => Some(Failure::Vanish),
            false => state.script.failure(number),
        };
        state.vanished |= failure == Some(Failure::Vanish);
        let hangs = matches!(failure, Some(Failure::Hang | Failure::Forget));
        state.hanging += usize::from(hangs);
        let gate = state.gates.get(number as usize).cloned();
        drop(state);
        self.changed.notify_all();
        if let Some(gate) = gate {
            gate.pass();
        }
        (number, failure)
    }
}

struct FaultyLane {
    lane: Box<dyn Lane>,
    shared: Arc<Shared>,
    hung: VecDeque<Hung>,
    ready: VecDeque<Done>,
    /// Tickets of the pieces to falsify, and how.
    wrong: Vec<(u64, Failure)>,
    broken: bool,
    /// The piece for which the lane panics.
    panicking: Option<LanePiece>,
}

/// See [`Failure::Forget`]. Kept here, so that the sanitizers do not report them as leaks.
static FORGOTTEN: Mutex<Vec<Piece>> = Mutex::new(Vec::new());

struct Hung {
    number: u64,
    ticket: u64,
    /// A revocable piece releases its buffers while it hangs.
    piece: LanePiece,
    is_forgotten: bool,
}

impl FaultyLane {
    fn fail(&mut self, ticket: u64, piece: Piece, fault: Fault) {
        self.ready.push_back(Done::failed(ticket, piece, fault));
    }

    /// Submits the hung pieces that were released, one after another: a deep lane has more pieces
    /// than the inner lane takes.
    fn resume(&mut self) {
        let released = self.shared.state().released;
        while self.lane.in_flight() == 0
            && self.hung.front().is_some_and(|hung| hung.number < released)
        {
            let hung = self.hung.pop_front().expect("there is one");
            self.shared.state().hanging -= 1;
            match hung.piece.into_piece() {
                Some(piece) => self.lane.submit(hung.ticket, piece),
                None => self.ready.push_back(Done::revoked(hung.ticket)),
            }
        }
    }

    fn falsified(&mut self, mut done: Done) -> Done {
        let is_this = |(ticket, _): &(u64, Failure)| *ticket == done.ticket;
        let place = self.wrong.iter().position(is_this);
        let (Some(place), Some(piece)) = (place, &mut done.piece) else {
            return done;
        };
        let (_, failure) = self.wrong.swap_remove(place);
        let compares = piece.job().mode() == Mode::Compare;
        match (&mut done.outcome, failure) {
            (Ok(Verdict::Mismatch { offset, .. }), Failure::Misplace) => *offset += 1,
            (Ok(verdict), Failure::WrongBytes) if compares => {
                *verdict = match verdict {
                    Verdict::Sound => Verdict::Mismatch {
                        parity_unit: 0,
                        offset: piece.range().start,
                    },
                    Verdict::Mismatch { .. } => Verdict::Sound,
                };
            }
            (_, Failure::WrongBytes) if !compares => piece.write(|_, outputs| {
                let last = outputs.last_mut().expect("an output");
                let middle = last.len() / 2;
                last[middle] ^= 0x20;
            }),
            _ => {}
        }
        done
    }
}

impl Lane for FaultyLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let (number, failure) = self.shared.next();
        self.broken |= failure == Some(Failure::BreakLane);
        match failure {
            None if !self.broken => self.lane.submit(ticket, piece),
            None | Some(Failure::Fail | Failure::BreakLane) => {
                self.fail(
                    ticket,
                    piece,
                    Fault::new(FaultKind::Failed, "configured to fail"),
                );
            }
            Some(Failure::Refuse) => {
                self.fail(
                    ticket,
                    piece,
                    Fault::new(FaultKind::Refused, "configured to refuse"),
                );
            }
            Some(Failure::Vanish) => self.fail(ticket, piece, gone()),
            Some(failure @ (Failure::WrongBytes | Failure::Misplace)) => {
                self.wrong.push((ticket, failure));
                self.lane.submit(ticket, piece);
            }
            Some(Failure::PanicAtOnce) => {
                self.shared.state().hanging -= self.hung.len();
                self.hung.clear();
                panic!("configured to panic at once");
            }
            Some(Failure::Panic) => self.panicking = Some(LanePiece::of(piece, true)),
            Some(failure @ (Failure::Hang | Failure::Forget)) => self.hung.push_back(Hung {
                number,
                ticket,
                piece: LanePiece::of(piece, true),
                is_forgotten: failure == Failure::Forget,
            }),
        }
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        let begin = clock::now();
        assert!(self.panicking.is_none(), "configured to panic");
        loop {
            self.resume();
            if let Some(done) = self.ready.pop_front() {
                return Some(self.falsified(done));
            }
            let left = limit.saturating_sub(clock::now() - begin);
            if self.lane.in_flight() > 0 {
                let done = self.lane.reap(left)?;
                return Some(self.falsified(done));
            }
            let number = self.hung.front()?.number;
            if !self.shared.wait(left, |state| state.released > number) {
                return None;
            }
        }
    }

    fn in_flight(&self) -> usize {
        let panicking = usize::from(self.panicking.is_some());
        self.lane.in_flight() + self.hung.len() + self.ready.len() + panicking
    }
}

impl Drop for FaultyLane {
    fn drop(&mut self) {
        for hung in self.hung.drain(..) {
            match hung.piece {
                LanePiece::Attached(piece) if hung.is_forgotten => {
                    let forgotten = FORGOTTEN.lock();
                    forgotten
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(piece);
                }
                LanePiece::Attached(_) => {
                    // Waits, as for a device that may still write.
                    let state = self.shared.state();
                    let released = |state: &mut State| state.released <= hung.number;
                    drop(self.shared.changed.wait_while(state, released));
                }
                LanePiece::Detached(detached) => self.shared.state().left.push(detached),
            }
            self.shared.state().hanging -= 1;
        }
    }
}

fn gone() -> Fault {
    Fault::new(FaultKind::Gone, "configured to disappear")
}
