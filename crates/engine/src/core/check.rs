// SPDX-License-Identifier: Apache-2.0
//! Spot checks: compares some results of rails and arbitrates when two differ.

use std::sync::atomic::Ordering::Relaxed;

use stripeline_codec::Verdict;
use stripeline_rail::{Cpu, Fault, FaultKind, Mode, Piece};

use crate::api::options::EventKind;
use crate::core::queue::{Check, QueueEntry, Subtask};
use crate::core::rail_state::InFlightPiece;
use crate::core::shared::Core;
use crate::core::worker::Worker;

impl Core {
    /// Returns the outputs of a piece before a rail adds to them, if the piece is selected for a
    /// check.
    pub(crate) fn before(&self, rail: usize, piece: &Piece) -> Option<Vec<Vec<u8>>> {
        let is_compared = piece.job().mode() == Mode::Add && self.is_selected(rail, piece);
        is_compared
            .then(|| piece.read(|_, outputs| outputs.iter().map(|unit| unit.to_vec()).collect()))
    }

    /// Returns whether this piece of a rail is selected for a check.
    fn is_selected(&self, rail: usize, piece: &Piece) -> bool {
        let state = &self.rail_states[rail];
        let (mode, every) = (piece.job().mode(), self.options.check_every);
        piece.is_on_host()
            && state
                .spot_checks
                .select(mode, state.counters.ended(), every)
    }

    /// Takes a rail's good result: ends the subtask, or checks the result first.
    pub(crate) fn written(
        &self,
        rail: usize,
        subtask: Subtask,
        verdict: Verdict,
        before: Option<Vec<Vec<u8>>>,
    ) {
        match (subtask.piece.job().mode(), before) {
            (Mode::Add, Some(sums)) => self.check_update(rail, subtask, sums),
            (Mode::Set, _) if self.is_selected(rail, &subtask.piece) => {
                self.check_on_other_rail(rail, subtask)
            }
            (Mode::Compare, _) if self.is_selected(rail, &subtask.piece) => {
                self.check_verdict(rail, subtask, verdict);
            }
            _ => self.complete(subtask, verdict),
        }
    }

    /// Computes an update again with the portable kernels: no rail can, because the outputs have
    /// changed.
    fn check_update(&self, rail: usize, mut subtask: Subtask, mut sums: Vec<Vec<u8>>) {
        let arbiter = Cpu::portable();
        arbiter.add_to(&subtask.piece, &mut sums);
        let is_right = subtask.piece.read(|_, outputs| {
            std::iter::zip(outputs, &sums).all(|(output, sum)| *output == sum.as_slice())
        });
        if !is_right {
            subtask.piece.write(|_, outputs| {
                for (output, sum) in std::iter::zip(outputs, &sums) {
                    output.copy_from_slice(sum);
                }
            });
        }
        self.record_local_check(rail, &subtask.piece, is_right, "it updated");
        self.complete(subtask, Verdict::Sound);
    }

    /// Repeats a rail's verification with the portable kernels.
    fn check_verdict(&self, rail: usize, mut subtask: Subtask, verdict: Verdict) {
        let mut right = Cpu::portable().code(&mut subtask.piece);
        // Its offsets count from the start of the piece, those of lanes from the start of the job.
        if let Verdict::Mismatch { offset, .. } = &mut right {
            *offset += subtask.piece.range().start;
        }
        self.record_local_check(rail, &subtask.piece, verdict == right, "it verified");
        self.complete(subtask, right);
    }

    fn record_local_check(&self, rail: usize, piece: &Piece, is_right: bool, did: &str) {
        if is_right {
            return self.record_match(rail);
        }
        self.rail_states[rail].counters.wrong.fetch_add(1, Relaxed);
        let text = format!(
            "Cannot trust {}: {did} {piece:?}, but its result differs from that of the portable \
             kernels, which was used; {}",
            self.name(rail),
            self.describe_unchecked(rail, 1),
        );
        self.quarantine(rail, EventKind::WrongBytes, text);
    }

    fn record_match(&self, rail: usize) {
        let state = &self.rail_states[rail];
        let pieces = state.counters.ended();
        state.spot_checks.record_match(pieces, self.clock.now());
    }

    /// Describes the unchecked results of a rail, of which `found` are known to be wrong.
    fn describe_unchecked(&self, rail: usize, found: u64) -> String {
        let state = &self.rail_states[rail];
        let pieces = state.counters.ended().saturating_sub(found);
        state
            .spot_checks
            .describe_unchecked(pieces, self.clock.now())
    }

    /// Queues a comparison of set outputs for another rail.
    fn check_on_other_rail(&self, rail: usize, subtask: Subtask) {
        let Subtask {
            task,
            piece,
            refused,
        } = subtask;
        let (piece, written) = piece.into_check();
        self.enqueue_check(Check {
            task,
            piece,
            written,
            writer: rail,
            refused: refused.with(rail),
        });
    }

    /// Queues a check for a rail that has not refused it; without one the check is skipped.
    pub(crate) fn enqueue_check(&self, check: Check) {
        let can = |rail: &usize| {
            let state = &self.rail_states[*rail];
            let in_service = state.health.is_in_service() && !check.refused.contains(*rail);
            // A check does not justify opening costly lanes.
            let open = self.scheduler.open().contains(*rail);
            in_service && open && state.rail.capability().takes(&check.piece)
        };
        match (0..self.rail_states.len()).find(can) {
            Some(rail) => self.push(rail, QueueEntry::Check(Box::new(check))),
            None => self.close_check(check),
        }
    }

    /// Ends a check, whether it was made or not.
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

    /// Takes the result of a comparison.
    pub(crate) fn end_check(
        &self,
        checker: usize,
        in_flight: InFlightPiece,
        piece: Piece,
        outcome: Result<Verdict, Fault>,
    ) {
        let (written, writer) = in_flight
            .check
            .expect("a piece that is compared has a check");
        let check = Check {
            task: in_flight.task,
            piece,
            written,
            writer,
            refused: in_flight.refused.with(checker),
        };
        match outcome {
            Ok(Verdict::Sound) => {
                self.rail_states[checker]
                    .counters
                    .checks
                    .fetch_add(1, Relaxed);
                self.record_match(writer);
                self.close_check(check);
            }
            Ok(Verdict::Mismatch { .. }) => {
                self.rail_states[checker]
                    .counters
                    .checks
                    .fetch_add(1, Relaxed);
                self.arbitrate(checker, check);
            }
            Err(fault) => {
                if fault.kind() != FaultKind::Refused {
                    let text = format!("Cannot compare on {}: {fault}", self.name(checker));
                    self.quarantine(checker, EventKind::Quarantined, text);
                }
                self.enqueue_check(check);
            }
        }
    }

    /// Arbitrates between two rails that disagree: the portable kernels decide, and the rail that
    /// was wrong is taken out of service.
    fn arbitrate(&self, checker: usize, check: Check) {
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
            "Cannot trust {}: {} {:?}, but its result differs from that of {} and the portable \
             kernels, which was used; {}",
            self.name(loser),
            if is_right { "it compared" } else { "it coded" },
            piece,
            self.name(if is_right { writer } else { checker }),
            self.describe_unchecked(loser, u64::from(!is_right)),
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
        self.submit(piece, |bytes, handle| InFlightPiece {
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
