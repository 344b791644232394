// SPDX-License-Identifier: Apache-2.0
//! Comparing what one rail wrote on another, and settling who was wrong.

use std::sync::atomic::Ordering::Relaxed;

use stripeline_codec::Verdict;
use stripeline_rail::{Cpu, Fault, FaultKind, Mode, Piece};

use crate::core::Core;
use crate::options::EventKind;
use crate::queue::{Check, Part, Work};
use crate::station::Flight;
use crate::worker::Worker;

impl Core {
    /// Takes a rail's good result: ends the part, or has another rail look at it first.
    pub(crate) fn written(&self, rail: usize, part: Part, verdict: Verdict) {
        let job = part.piece.job();
        if !part.task.checked || job.mode() != Mode::Set || !part.piece.is_on_host() {
            return self.conclude(part, verdict);
        }
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
            let station = &self.stations[*rail];
            let in_service = station.health.is_in_service() && !check.refused.contains(*rail);
            // Comparing is not worth opening costly lanes for.
            let open = self.scheduler.open().contains(*rail);
            in_service && open && station.rail.capability().takes(&check.piece)
        };
        match (0..self.stations.len()).find(can) {
            Some(rail) => self.push(rail, Work::Check(Box::new(check))),
            None => self.skip_check(check),
        }
    }

    /// Ends a check that nobody made.
    pub(crate) fn skip_check(&self, check: Check) {
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
                self.stations[checker].counters.checks.fetch_add(1, Relaxed);
                self.skip_check(check);
            }
            Ok(Verdict::Mismatch { .. }) => {
                self.stations[checker].counters.checks.fetch_add(1, Relaxed);
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
        let mut piece = written.redeem(piece);
        let loser = if is_right { checker } else { writer };
        if !is_right {
            let _: Verdict = arbiter.code(&mut piece);
        }
        self.stations[loser].counters.wrong.fetch_add(1, Relaxed);
        let text = format!(
            "Cannot trust {}: {} {:?} unlike {} and the portable kernels, which were followed",
            self.name(loser),
            if is_right { "it compared" } else { "it coded" },
            piece,
            self.name(if is_right { writer } else { checker }),
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
        self.submit(piece, |bytes, hold| Flight {
            task,
            bytes,
            begun: now,
            refused,
            hold,
            check: Some((written, writer)),
        });
    }
}
