// SPDX-License-Identifier: Apache-2.0
//! Pieces in progress: their remaining work, and the time when the next one ends.

use std::ops::Range;

use super::Bottleneck;
use stripeline_engine::schedule::RailSet;

/// A byte range of a task.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) task: usize,
    pub(super) range: Range<usize>,
}

impl Chunk {
    pub(super) fn bytes(&self) -> usize {
        self.range.len()
    }

    /// Keeps the first `bytes` bytes and returns the rest.
    pub(super) fn cut(&mut self, bytes: usize) -> Self {
        let middle = self.range.start + bytes;
        let rest = middle..self.range.end;
        self.range.end = middle;
        let task = self.task;
        Self { task, range: rest }
    }
}

/// A piece in progress on a worker.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) rail: usize,
    pub(super) chunk: Chunk,
    pub(super) data_bytes: usize,
    pub(super) started_ns: u64,
    /// The remaining latency in nanoseconds.
    pub(super) latency_ns: f64,
    /// The remaining bytes.
    pub(super) bytes: f64,
    /// The rate in bytes per nanosecond without any bottleneck.
    pub(super) rate: f64,
}

/// The state of a rail that affects its speed, apart from bottlenecks.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The rate as a fraction of the rail's rate.
    pub(super) rate_factor: f64,
    pub(super) hangs: bool,
    pub(super) bottlenecks: Vec<usize>,
}

/// All pieces in progress.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) conditions: Vec<Condition>,
    pub(super) running: Vec<Running>,
    bottlenecks: Vec<Bottleneck>,
    /// The speed of each piece in progress until the next change.
    speeds: Vec<f64>,
}

impl Machine {
    pub(super) fn new(conditions: Vec<Condition>, bottlenecks: &[Bottleneck]) -> Self {
        Self {
            conditions,
            running: Vec::new(),
            bottlenecks: bottlenecks.to_vec(),
            speeds: Vec::new(),
        }
    }

    /// Returns the nanoseconds until a piece ends or its latency ends, at least 1; `None` if no
    /// piece makes progress.
    pub(super) fn next_change_ns(&mut self) -> Option<u64> {
        self.set_speeds();
        let ends = self.running.iter().zip(&self.speeds);
        let ends = ends.filter(|(running, _)| !self.conditions[running.rail].hangs);
        let ends = ends.map(|(running, speed)| {
            if running.latency_ns > 0.0 {
                running.latency_ns
            } else {
                running.bytes / speed
            }
        });
        ends.min_by(f64::total_cmp)
            .map(|ns| (ns.ceil() as u64).max(1))
    }

    fn set_speeds(&mut self) {
        let conditions = &self.conditions;
        let asked = |running: &Running| {
            if running.latency_ns > 0.0 || conditions[running.rail].hangs {
                0.0
            } else {
                running.rate * conditions[running.rail].rate_factor
            }
        };
        let mut ways = vec![(0.0, RailSet::EMPTY); self.bottlenecks.len()];
        for running in &self.running {
            for &way in &conditions[running.rail].bottlenecks {
                let (load, rails) = &mut ways[way];
                *load += asked(running);
                if asked(running) > 0.0 {
                    *rails = rails.with(running.rail);
                }
            }
        }
        let ways = ways.iter().zip(&self.bottlenecks);
        let parts = ways.map(|((load, rails), way)| {
            let crowded = if rails.count() > 1 { way.crowded } else { 1.0 };
            way.rate * 1e-9 * crowded / load
        });
        let parts: Vec<_> = parts.collect();
        self.speeds.clear();
        for running in &self.running {
            let ways = conditions[running.rail].bottlenecks.iter();
            let part = ways.map(|&way| parts[way]).fold(1.0, f64::min);
            self.speeds.push(asked(running) * part);
        }
    }

    /// Advances the time, at most to the next change; returns the pieces that ended.
    pub(super) fn advance(&mut self, ns: u64) -> Vec<Running> {
        self.set_speeds();
        let ns = ns as f64;
        for (running, speed) in self.running.iter_mut().zip(&self.speeds) {
            if self.conditions[running.rail].hangs {
                continue;
            }
            if running.latency_ns > 0.0 {
                running.latency_ns -= ns;
            } else {
                running.bytes -= speed * ns;
            }
        }
        let ended = |running: &mut Running| running.latency_ns <= 0.0 && running.bytes <= 1e-6;
        self.running.extract_if(.., ended).collect()
    }

    /// Removes and returns the pieces that a rail has in progress.
    pub(super) fn abandon(&mut self, rail: usize) -> Vec<Running> {
        let its = |running: &mut Running| running.rail == rail;
        self.running.extract_if(.., its).collect()
    }

    pub(super) fn busy(&self, rail: usize) -> usize {
        self.running
            .iter()
            .filter(|running| running.rail == rail)
            .count()
    }
}
