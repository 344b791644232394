// SPDX-License-Identifier: Apache-2.0
//! Wraps any rail and makes it fail by a script.
//!
//! Pieces are counted from 0 over all lanes, known answers included, so a script with a seed or
//! with numbers has the same effect in every run that submits pieces in the same order.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stripeline_codec::Verdict;
use stripeline_codec::hash::split_mix;

use stripeline_rail::{
    Capability, Detached, Done, Fault, FaultKind, Lane, Mode, Piece, Rail, clock,
};

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
    /// It is done, but with a wrong byte, or with the wrong verdict of a comparison.
    WrongBytes,
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
    vanished: bool,
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

    /// Returns the number of the next piece and its failure.
    fn next(&self) -> (u64, Option<Failure>) {
        let mut state = self.state();
        let number = state.pieces;
        state.pieces += 1;
        let failure = match state.vanished {
            true => Some(Failure::Vanish),
            false => state.script.failure(number),
        };
        state.vanished |= failure == Some(Failure::Vanish);
        state.hanging += usize::from(failure == Some(Failure::Hang));
        drop(state);
        self.changed.notify_all();
        (number, failure)
    }
}

struct FaultyLane {
    lane: Box<dyn Lane>,
    shared: Arc<Shared>,
    hung: VecDeque<Hung>,
    ready: VecDeque<Done>,
    /// Tickets of the pieces to falsify.
    wrong: Vec<u64>,
    broken: bool,
    /// The piece for which the lane panics.
    panicking: Option<HungPiece>,
}

struct Hung {
    number: u64,
    ticket: u64,
    piece: HungPiece,
}

/// A revocable piece releases its buffers while it hangs.
enum HungPiece {
    Attached(Piece),
    Detached(Detached),
}

impl HungPiece {
    fn of(piece: Piece) -> Self {
        match piece.is_revocable() {
            true => Self::Detached(piece.detach()),
            false => Self::Attached(piece),
        }
    }
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
            let piece = match hung.piece {
                HungPiece::Attached(piece) => Some(piece),
                HungPiece::Detached(detached) => detached.attach(),
            };
            match piece {
                Some(piece) => self.lane.submit(hung.ticket, piece),
                None => self.ready.push_back(Done::revoked(hung.ticket)),
            }
        }
    }

    fn falsified(&mut self, mut done: Done) -> Done {
        let place = self.wrong.iter().position(|ticket| *ticket == done.ticket);
        let (Some(place), Some(piece)) = (place, &mut done.piece) else {
            return done;
        };
        self.wrong.swap_remove(place);
        if piece.job().mode() == Mode::Compare {
            let offset = piece.range().start;
            done.outcome = done.outcome.map(|verdict| match verdict {
                Verdict::Sound => Verdict::Mismatch {
                    parity_unit: 0,
                    offset,
                },
                Verdict::Mismatch { .. } => Verdict::Sound,
            });
        } else {
            piece.write(|_, outputs| {
                let last = outputs.last_mut().expect("an output");
                let middle = last.len() / 2;
                last[middle] ^= 0x20;
            });
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
            Some(Failure::WrongBytes) => {
                self.wrong.push(ticket);
                self.lane.submit(ticket, piece);
            }
            Some(Failure::PanicAtOnce) => {
                self.shared.state().hanging -= self.hung.len();
                self.hung.clear();
                panic!("configured to panic at once");
            }
            Some(Failure::Panic) => self.panicking = Some(HungPiece::of(piece)),
            Some(Failure::Hang) => self.hung.push_back(Hung {
                number,
                ticket,
                piece: HungPiece::of(piece),
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
            if let HungPiece::Attached(_) = hung.piece {
                // Waits, as for a device that may still write.
                let state = self.shared.state();
                let released = |state: &mut State| state.released <= hung.number;
                drop(self.shared.changed.wait_while(state, released));
            }
            self.shared.state().hanging -= 1;
        }
    }
}

fn gone() -> Fault {
    Fault::new(FaultKind::Gone, "configured to disappear")
}

/// Decorrelates consecutive numbers.
fn mixed(mut number: u64) -> u64 {
    split_mix(&mut number)
}
