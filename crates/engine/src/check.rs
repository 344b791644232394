// SPDX-License-Identifier: Apache-2.0
//! Comparing some of what rails did, and settling who was wrong.

use std::sync::atomic::Ordering::Relaxed;

use stripeline_codec::Verdict;
use stripeline_rail::{Cpu, Fault, FaultKind, Mode, Piece};

use crate::core::Core;
use crate::options::EventKind;
use crate::queue::{Check, Part, Work};
use crate::rail_state::Flight;
use crate::worker::Worker;

impl Core {
    /// What the outputs of a piece hold, if it adds to them and is to be compared afterwards.
    pub(crate) fn before(&self, rail: usize, piece: &Piece) -> Option<Vec<Vec<u8>>> {
        let is_compared = piece.job().mode() == Mode::Add && self.compares(rail, piece);
        is_compared
            .then(|| piece.read(|_, outputs| outputs.iter().map(|unit| unit.to_vec()).collect()))
    }

    /// Whether this piece of a rail is one of those that are compared.
    fn compares(&self, rail: usize, piece: &Piece) -> bool {
        let state = &self.rail_states[rail];
        let (mode, every) = (piece.job().mode(), self.options.check_every);
        piece.is_on_host() && state.samples.draw(mode, state.counters.ended(), every)
    }

    /// Takes a rail's good result: ends the part, or has it compared first.
    pub(crate) fn written(
        &self,
        rail: usize,
        part: Part,
        verdict: Verdict,
        before: Option<Vec<Vec<u8>>>,
    ) {
        match (part.piece.job().mode(), before) {
            (Mode::Add, Some(sums)) => self.check_sums(rail, part, sums),
            (Mode::Set, _) if self.compares(rail, &part.piece) => self.check_elsewhere(rail, part),
            (Mode::Compare, _) if self.compares(rail, &part.piece) => {
                self.check_verdict(rail, part, verdict);
            }
            _ => self.conclude(part, verdict),
        }
    }

    /// Computes an update again. The portable kernels do so: no rail can, now that the outputs are
    /// changed.
    fn check_sums(&self, rail: usize, mut part: Part, mut sums: Vec<Vec<u8>>) {
        let arbiter = Cpu::portable();
        arbiter.add_to(&part.piece, &mut sums);
        let is_right = part.piece.read(|_, outputs| {
            std::iter::zip(outputs, &sums).all(|(output, sum)| *output == sum.as_slice())
        });
        if !is_right {
            part.piece.write(|_, outputs| {
                for (output, sum) in std::iter::zip(outputs, &sums) {
                    output.copy_from_slice(sum);
                }
            });
        }
        self.checked_here(rail, &part.piece, is_right, "it updated");
        self.conclude(part, Verdict::Sound);
    }

    /// Verifies again what a rail verified.
    fn check_verdict(&self, rail: usize, mut part: Part, verdict: Verdict) {
        let mut right = Cpu::portable().code(&mut part.piece);
        // It counts from the start of the piece, lanes from that of the job.
        if let Verdict::Mismatch { offset, .. } = &mut right {
            *offset += part.piece.range().start;
        }
        self.checked_here(rail, &part.piece, verdict == right, "it verified");
        self.conclude(part, right);
    }

    fn checked_here(&self, rail: usize, piece: &Piece, is_right: bool, did: &str) {
        if is_right {
            return self.found_right(rail);
        }
        self.rail_states[rail].counters.wrong.fetch_add(1, Relaxed);
        let text = format!(
            "Cannot trust {}: {did} {piece:?} unlike the portable kernels, which were followed; {}",
            self.name(rail),
            self.suspects(rail, 1),
        );
        self.quarantine(rail, EventKind::WrongBytes, text);
    }

    fn found_right(&self, rail: usize) {
        let state = &self.rail_states[rail];
        let pieces = state.counters.ended();
        state.samples.right(pieces, self.clock.now());
    }

    /// Says what else may be wrong of a rail, of whose pieces `found` are known to be.
    fn suspects(&self, rail: usize, found: u64) -> String {
        let state = &self.rail_states[rail];
        let pieces = state.counters.ended().saturating_sub(found);
        state.samples.suspects(pieces, self.clock.now())
    }

    /// Has another rail look at what was set.
    fn check_elsewhere(&self, rail: usize, part: Part) {
        let Part {
            task,
            piece,
            refused,
        } = part;
        let (piece, written) = piece.into_check();
        self.place_check(Check {
            task,
            piece,
            written,
            writer: rail,
            refused: refused.with(rail),
        });
    }

    /// Gives a check to a rail that has not had it; without one it is not made.
    pub(crate) fn place_check(&self, check: Check) {
        let can = |rail: &usize| {
            let state = &self.rail_states[*rail];
            let in_service = state.health.is_in_service() && !check.refused.contains(*rail);
            // Comparing is not worth opening costly lanes for.
            let open = self.scheduler.open().contains(*rail);
            in_service && open && state.rail.capability().takes(&check.piece)
        };
        match (0..self.rail_states.len()).find(can) {
            Some(rail) => self.push(rail, Work::Check(Box::new(check))),
            None => self.close_check(check),
        }
    }

    /// Ends a check, made or not.
    pub(crate) fn close_check(&self, check: Check) {
        let Check {
            task,
            piece,
            written,
            ..
        } = check;
        let bytes = piece.bytes();
        drop((piece, written));
        self.account(&task, bytes);
    }

    /// Takes what a rail found that compared.
    pub(crate) fn end_check(
        &self,
        checker: usize,
        flight: Flight,
        piece: Piece,
        outcome: Result<Verdict, Fault>,
    ) {
        let (written, writer) = flight.check.expect("a flight that checks");
        let check = Check {
            task: flight.task,
            piece,
            written,
            writer,
            refused: flight.refused.with(checker),
        };
        match outcome {
            Ok(Verdict::Sound) => {
                self.rail_states[checker]
                    .counters
                    .checks
                    .fetch_add(1, Relaxed);
                self.found_right(writer);
                self.close_check(check);
            }
            Ok(Verdict::Mismatch { .. }) => {
                self.rail_states[checker]
                    .counters
                    .checks
                    .fetch_add(1, Relaxed);
                self.settle(checker, check);
            }
            Err(fault) => {
                if fault.kind() != FaultKind::Refused {
                    let text = format!("Cannot compare on {}: {fault}", self.name(checker));
                    self.quarantine(checker, EventKind::Quarantined, text);
                }
                self.place_check(check);
            }
        }
    }

    /// Two rails disagree: the portable kernels decide, and the loser goes out of service.
    fn settle(&self, checker: usize, check: Check) {
        let Check {
            task,
            mut piece,
            written,
            writer,
            ..
        } = check;
        let bytes = piece.bytes();
        let arbiter = Cpu::portable();
        let is_right = arbiter.code(&mut piece) == Verdict::Sound;
        let mut piece = written.into_piece(piece);
        let loser = if is_right { checker } else { writer };
        if !is_right {
            let _: Verdict = arbiter.code(&mut piece);
        }
        self.rail_states[loser].counters.wrong.fetch_add(1, Relaxed);
        let text = format!(
            "Cannot trust {}: {} {:?} unlike {} and the portable kernels, which were followed; {}",
            self.name(loser),
            if is_right { "it compared" } else { "it coded" },
            piece,
            self.name(if is_right { writer } else { checker }),
            self.suspects(loser, u64::from(!is_right)),
        );
        drop(piece);
        self.quarantine(loser, EventKind::WrongBytes, text);
        self.account(&task, bytes);
    }
}

impl Worker<'_> {
    pub(crate) fn begin_check(&mut self, check: Check) {
        let Check {
            task,
            piece,
            written,
            writer,
            refused,
        } = check;
        let now = self.now();
        self.submit(piece, |bytes, handle| Flight {
            task,
            bytes,
            begun: now,
            refused,
            handle,
            check: Some((written, writer)),
            before: None,
        });
    }
}
