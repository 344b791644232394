// SPDX-License-Identifier: Apache-2.0
//! Comparing what one rail wrote on another, and settling who was wrong.

use std::sync::atomic::Ordering::Relaxed;

use stripeline_codec::Verdict;
use stripeline_rail::{Cpu, Fault, FaultKind, Mode, Piece};

use crate::core::{Core, allowed};
use crate::options::EventKind;
use crate::queue::{Check, Part, Work};
use crate::request::Priority;
use crate::station::Flight;
use crate::worker::Worker;

impl Check {
    pub(crate) fn part_priority(&self) -> Priority {
        self.task.priority
    }
}

impl Core {
    /// Takes a rail's good result: ends the part, or has another rail look at it first.
    pub(crate) fn written(&self, rail: usize, part: Part, verdict: Verdict) {
        let settled = part.piece.is_on_host() && part.piece.job().mode() == Mode::Set;
        let checker = match part.task.checked && settled {
            true => self.checker(rail, &part),
            false => None,
        };
        let Some(checker) = checker else {
            return self.conclude(part, verdict);
        };
        let Part { task, piece, .. } = part;
        let (check, written) = piece.into_check();
        let priority = task.priority;
        let check = Check {
            task,
            piece: check,
            written,
            writer: rail,
        };
        self.push(checker, priority, Work::Check(Box::new(check)));
    }

    /// A rail in service other than the writer that can compare the part.
    fn checker(&self, writer: usize, part: &Part) -> Option<usize> {
        let can = |rail: &usize| {
            let station = &self.stations[*rail];
            let capability = station.rail.capability();
            let granules = part.piece.bytes().is_multiple_of(capability.granule_bytes);
            *rail != writer && capability.compares && granules && station.health.is_in_service()
        };
        allowed(part).iter().find(can)
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
                self.skip_check(check);
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
        } = check;
        let now = self.now();
        self.submit(piece, |bytes, hold| Flight {
            task,
            bytes,
            begun: now,
            refused: crate::schedule::RailSet::EMPTY,
            hold,
            check: Some((written, writer)),
        });
    }
}
