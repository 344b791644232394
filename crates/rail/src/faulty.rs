// SPDX-License-Identifier: Apache-2.0
//! For tests: any rail, made to fail by a script.
//!
//! Pieces are counted from 0 over all lanes, known answers included, so a script with a seed or
//! with numbers does the same in every run that gives pieces in the same order.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use stripeline_codec::Verdict;

use crate::lane_piece::LanePiece;
use crate::{Capability, Done, Fault, FaultKind, Lane, Mode, Piece, Rail};

/// What happens to a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The rail fails it ([`FaultKind::Failed`]).
    Fail,
    /// The rail refuses it ([`FaultKind::Refused`]).
    Refuse,
    /// Nothing, until [`Failing::release`]; then it is done. A revocable piece is detached
    /// until then; another keeps its buffers, and dropping its lane waits.
    Hang,
    /// It is done, but with a wrong byte, or compared with the wrong verdict.
    WrongBytes,
    /// It and every later one fail, and no lane can be opened, until [`Failing::restore`].
    Vanish,
}

/// Which pieces fail, and how.
#[derive(Clone, Debug, Default)]
pub struct Script {
    numbered: Vec<(u64, Failure)>,
    always: Option<Failure>,
    random: Option<Odds>,
}

#[derive(Clone, Debug)]
struct Odds {
    seed: u64,
    one_in: u64,
    failures: Vec<Failure>,
}

impl Script {
    /// Nothing fails.
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

    /// One piece in `one_in` fails, in one of the given ways, as the seed has it.
    ///
    /// # Panics
    /// If `one_in` is 0 or no way is given.
    #[must_use]
    pub fn random(seed: u64, one_in: u64, failures: &[Failure]) -> Self {
        assert!(
            one_in > 0 && !failures.is_empty(),
            "a chance and a way to fail"
        );
        let failures = failures.to_vec();
        Self {
            random: Some(Odds {
                seed,
                one_in,
                failures,
            }),
            ..Self::default()
        }
    }

    /// The same script, but the piece of this number, counted from 0, fails so.
    #[must_use]
    pub fn at(mut self, number: u64, failure: Failure) -> Self {
        self.numbered.push((number, failure));
        self
    }

    fn failure(&self, number: u64) -> Option<Failure> {
        let numbered = self.numbered.iter().find(|(at, _)| *at == number);
        let by_chance = || {
            let odds = self.random.as_ref()?;
            let dice = mixed(odds.seed ^ mixed(number));
            let way = (dice / odds.one_in) as usize % odds.failures.len();
            dice.is_multiple_of(odds.one_in).then(|| odds.failures[way])
        };
        numbered
            .map(|(_, failure)| *failure)
            .or(self.always)
            .or_else(by_chance)
    }
}

/// A rail that fails as its script says.
#[derive(Debug)]
pub struct Failing {
    rail: Arc<dyn Rail>,
    capability: Capability,
    stage: Arc<Stage>,
}

impl Failing {
    /// Wraps a rail; name and capability stay those of `rail`.
    #[must_use]
    pub fn new(rail: Arc<dyn Rail>, script: Script) -> Self {
        let acts = Acts {
            script,
            ..Acts::default()
        };
        Self {
            capability: rail.capability().clone(),
            rail,
            stage: Arc::new(Stage {
                acts: Mutex::new(acts),
                changed: Condvar::new(),
            }),
        }
    }

    /// Declares that the rail detaches, so that an engine makes its pieces revocable and can revoke those
    /// that hang.
    #[must_use]
    pub fn detaching(mut self) -> Self {
        self.capability.detaches = true;
        self
    }

    /// Replaces the script; numbers go on.
    pub fn play(&self, script: Script) {
        self.stage.acts().script = script;
    }

    /// Lets go on all that hangs now. What hangs later hangs until the next call.
    pub fn release(&self) {
        let mut acts = self.stage.acts();
        acts.released = acts.pieces;
        drop(acts);
        self.stage.changed.notify_all();
    }

    /// Brings a vanished rail back.
    pub fn restore(&self) {
        self.stage.acts().vanished = false;
    }

    /// Pieces given so far.
    #[must_use]
    pub fn pieces(&self) -> u64 {
        self.stage.acts().pieces
    }

    /// Waits until so many pieces were given; false if that is not so within `patience`.
    #[must_use]
    pub fn wait_for_pieces(&self, count: u64, patience: Duration) -> bool {
        self.stage.wait(patience, |acts| acts.pieces >= count)
    }

    /// Waits until so many pieces hang; false if that is not so within `patience`.
    #[must_use]
    pub fn wait_for_hanging(&self, count: usize, patience: Duration) -> bool {
        self.stage.wait(patience, |acts| acts.hanging >= count)
    }
}

impl Rail for Failing {
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
        if self.stage.acts().vanished {
            return Err(gone());
        }
        Ok(Box::new(FailingLane {
            lane: self.rail.open_lane()?,
            stage: Arc::clone(&self.stage),
            hung: VecDeque::new(),
            ready: VecDeque::new(),
            wrong: Vec::new(),
        }))
    }
}

/// What the rail and its lanes share.
#[derive(Debug)]
struct Stage {
    acts: Mutex<Acts>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Acts {
    script: Script,
    pieces: u64,
    /// Hung pieces of lower numbers may go on.
    released: u64,
    hanging: usize,
    vanished: bool,
}

impl Stage {
    fn acts(&self) -> MutexGuard<'_, Acts> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, patience: Duration, ready: impl Fn(&Acts) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.acts(), patience, |acts| !ready(acts));
        ready(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// The number of the next piece and what becomes of it.
    fn next(&self) -> (u64, Option<Failure>) {
        let mut acts = self.acts();
        let number = acts.pieces;
        acts.pieces += 1;
        let failure = match acts.vanished {
            true => Some(Failure::Vanish),
            false => acts.script.failure(number),
        };
        acts.vanished |= failure == Some(Failure::Vanish);
        acts.hanging += usize::from(failure == Some(Failure::Hang));
        drop(acts);
        self.changed.notify_all();
        (number, failure)
    }
}

struct FailingLane {
    lane: Box<dyn Lane>,
    stage: Arc<Stage>,
    hung: VecDeque<Hung>,
    ready: VecDeque<Done>,
    /// Tickets of pieces to be done wrong.
    wrong: Vec<u64>,
}

struct Hung {
    number: u64,
    ticket: u64,
    piece: LanePiece,
}

impl FailingLane {
    fn fail(&mut self, ticket: u64, piece: Piece, fault: Fault) {
        self.ready.push_back(Done::failed(ticket, piece, fault));
    }

    /// Goes on with what hung and was released.
    fn resume(&mut self) {
        let released = self.stage.acts().released;
        while self.hung.front().is_some_and(|hung| hung.number < released) {
            let hung = self.hung.pop_front().expect("there is one");
            self.stage.acts().hanging -= 1;
            match hung.piece.into_piece() {
                // There is room below: this lane holds no more pieces than that one may.
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

impl Lane for FailingLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let (number, failure) = self.stage.next();
        match failure {
            None => self.lane.submit(ticket, piece),
            Some(Failure::Fail) => {
                self.fail(ticket, piece, Fault::new(FaultKind::Failed, "told to fail"));
            }
            Some(Failure::Refuse) => {
                self.fail(
                    ticket,
                    piece,
                    Fault::new(FaultKind::Refused, "told to refuse"),
                );
            }
            Some(Failure::Vanish) => self.fail(ticket, piece, gone()),
            Some(Failure::WrongBytes) => {
                self.wrong.push(ticket);
                self.lane.submit(ticket, piece);
            }
            Some(Failure::Hang) => {
                let piece = LanePiece::of(piece, true);
                self.hung.push_back(Hung {
                    number,
                    ticket,
                    piece,
                });
            }
        }
    }

    fn reap(&mut self, patience: Duration) -> Option<Done> {
        let begin = Instant::now();
        loop {
            self.resume();
            if let Some(done) = self.ready.pop_front() {
                return Some(self.falsified(done));
            }
            let left = patience.saturating_sub(begin.elapsed());
            if self.lane.in_flight() > 0 {
                let done = self.lane.reap(left)?;
                return Some(self.falsified(done));
            }
            let number = self.hung.front()?.number;
            if !self.stage.wait(left, |acts| acts.released > number) {
                return None;
            }
        }
    }

    fn in_flight(&self) -> usize {
        self.lane.in_flight() + self.hung.len() + self.ready.len()
    }
}

impl Drop for FailingLane {
    fn drop(&mut self) {
        for hung in self.hung.drain(..) {
            if let LanePiece::Attached(_) = hung.piece {
                // As with a device that may still write.
                let acts = self.stage.acts();
                let released = |acts: &mut Acts| acts.released <= hung.number;
                drop(self.stage.changed.wait_while(acts, released));
            }
            self.stage.acts().hanging -= 1;
        }
    }
}

fn gone() -> Fault {
    Fault::new(FaultKind::Gone, "told to vanish")
}

/// The last steps of SplitMix64: near numbers become unlike ones.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
