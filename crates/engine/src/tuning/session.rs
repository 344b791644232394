// SPDX-License-Identifier: Apache-2.0
//! Measures one rail and derives its values.

use std::time::{Duration, Instant};

use stripeline_codec::StorePolicy;
use stripeline_rail::{Rail, clock};

use super::entry::RailTuning;
use super::probe::Load;
use super::text::MEGABYTES_MAX;

/// Data and parity units of two of HDFS's codes. The first that a rail takes represents all others.
const SHAPES: [(usize, usize); 2] = [(6, 3), (3, 2)];
/// Data bytes of the candidates for the smallest worthwhile task.
const SMALL_TASKS: [usize; 7] = [
    1 << 10,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
];
/// Piece sizes to test, if the rail takes them: those above 1 MiB are for devices.
const PIECES: [usize; 8] = [
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    2 << 20,
    4 << 20,
    8 << 20,
    16 << 20,
];
/// The least bytes of the units that pieces are cut from.
const PIECES_UNIT: usize = 1 << 20;
/// Bytes of the stripes on which the two store policies are compared.
const STRIPES: [usize; 4] = [1 << 20, 4 << 20, 16 << 20, 64 << 20];
const STORE_TURNS: usize = 3;
/// Data bytes of the task whose rate counts as the rail's: six cells of 64 KiB to 1 MiB have about
/// as much.
const USUAL_BYTES: usize = 1 << 20;
/// The least time in which a rail's first rate is measured.
const LEAST: Duration = Duration::from_millis(20);

/// Smaller gains are ignored: a smaller number of lanes or a smaller piece within five percent of
/// the best is preferred, because it leaves resources for other work.
const CLOSE: f64 = 0.95;
/// Non-temporal stores must be faster by more than the measurements' noise.
const CLEARLY: f64 = 1.05;
/// The limit on the buffers of all lanes together, in bytes.
const MEMORY_MAX: usize = 256 << 20;

/// Returns the rate of a load on a number of lanes, measured in about the given time, by
/// [`probe::rate`](super::probe::rate) or by a model.
pub(super) type Probe<'a> = dyn Fn(&Load, usize, Duration) -> Result<f64, String> + 'a;

/// The measurement of one rail.
pub(super) struct Session<'a> {
    rail: &'a dyn Rail,
    probe: &'a Probe<'a>,
    end: Instant,
    done: usize,
    steps: usize,
    entry: RailTuning,
    shape: (usize, usize),
}

impl<'a> Session<'a> {
    pub(super) fn new(
        rail: &'a dyn Rail,
        probe: &'a Probe<'a>,
        share: Duration,
    ) -> Result<Self, String> {
        let capability = rail.capability();
        let fits = |&(data, parity): &(usize, usize)| {
            data <= capability.inputs_max && parity <= capability.outputs_max
        };
        let shape = SHAPES.into_iter().find(fits);
        let shape = shape.ok_or("it accepts none of the shapes to measure")?;
        let mut session = Self {
            rail,
            probe,
            end: clock::now() + share,
            done: 0,
            steps: 0,
            entry: RailTuning::built_in(rail),
            shape,
        };
        session.steps = session.lane_counts().len()
            + SMALL_TASKS.len()
            + session.piece_sizes().len()
            + session.stripes().len() * 2 * STORE_TURNS;
        Ok(session)
    }

    pub(super) fn run(&mut self) -> Result<RailTuning, String> {
        // First, because the other values are those of pieces of this size.
        self.piece_bytes()?;
        self.lanes()?;
        self.smallest()?;
        self.stores()?;
        Ok(self.entry.clone())
    }

    /// Finds the number of lanes worth opening, and the rate of these together.
    fn lanes(&mut self) -> Result<(), String> {
        let load = self.load(USUAL_BYTES);
        let mut rates = Vec::new();
        for lanes in self.lane_counts() {
            if let Some(rate) = self.step(&load, lanes)? {
                rates.push((lanes, rate));
            }
        }
        if rates.is_empty() {
            // A built-in rate in the table would look like a measured one.
            let lanes_max = (MEMORY_MAX / load.memory_bytes()).max(1);
            let lanes = self.entry.lanes.min(lanes_max);
            rates.push((lanes, (self.probe)(&load, lanes, LEAST)?));
        } else if let Some(lanes) = smallest_close(&rates) {
            self.entry.lanes = lanes;
        }
        let chosen = rates.iter().find(|(lanes, _)| *lanes == self.entry.lanes);
        let rate = chosen.unwrap_or(&rates[0]).1;
        // Rounded to a million, the precision of the file.
        let megabytes = ((rate / 1e6).round() as u64).clamp(1, MEGABYTES_MAX);
        self.entry.bytes_per_second = megabytes * 1_000_000;
        Ok(())
    }

    /// Finds the size at which a task that is alone on a lane reaches half of the best rate: its
    /// fixed cost then equals its work (Hockney's n 1/2).
    fn smallest(&mut self) -> Result<(), String> {
        let mut rates = Vec::new();
        for data_bytes in SMALL_TASKS {
            let load = Load {
                depth: 1,
                ..self.load(data_bytes)
            };
            if let Some(rate) = self.step(&load, 1)? {
                // Lengths are rounded to the rail's granule.
                rates.push((load.unit_bytes * load.data_units, rate));
            }
        }
        if rates.len() == SMALL_TASKS.len() {
            let half = best(&rates) / 2.0;
            let found = rates.iter().find(|(_, rate)| *rate >= half);
            self.entry.smallest_data_bytes = found.map_or(1, |(bytes, _)| *bytes);
        }
        Ok(())
    }

    fn piece_bytes(&mut self) -> Result<(), String> {
        let sizes = self.piece_sizes();
        // The same units for all sizes: caches would favour pieces that are cut from small units.
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let mut rates = Vec::new();
        for bytes in sizes {
            let load = Load {
                unit_bytes: self.whole(PIECES_UNIT).max(largest),
                piece_bytes: bytes,
                ..self.load(1)
            };
            if let Some(rate) = self.step(&load, 1)? {
                rates.push((bytes, rate));
            }
        }
        if let Some(bytes) = smallest_close(&rates) {
            self.entry.piece_bytes = bytes;
        }
        Ok(())
    }

    fn stores(&mut self) -> Result<(), String> {
        let mut gains = Vec::new();
        for &stripe in self.stripes() {
            let (data, parity) = self.shape;
            let cached = self.load(stripe * data / (data + parity));
            let streamed = Load {
                store: StorePolicy::NonTemporal,
                ..cached
            };
            // Measured in turns, and the least gain counts: wrongly storing past the cache costs
            // more than wrongly not doing so.
            let mut gain = f64::INFINITY;
            for _ in 0..STORE_TURNS {
                let through = self.step(&cached, 1)?;
                let past = self.step(&streamed, 1)?;
                gain = match (through, past) {
                    (Some(through), Some(past)) => gain.min(past / through),
                    _ => 0.0,
                };
            }
            gains.push((stripe, gain));
        }
        // From the smallest size such that it and all larger sizes are faster.
        let winning = gains.iter().rev().take_while(|(_, gain)| *gain >= CLEARLY);
        self.entry.stream_from_bytes = winning.last().map(|(stripe, _)| *stripe);
        Ok(())
    }

    /// Measures one load, unless time is up or it needs too much memory.
    fn step(&mut self, load: &Load, lanes: usize) -> Result<Option<f64>, String> {
        debug_assert!(self.done < self.steps, "all steps were counted");
        let left = self.end.saturating_duration_since(clock::now());
        // Slow tasks take longer than their share; the remaining time is divided again.
        let slice = left / (self.steps - self.done) as u32;
        self.done += 1;
        // The first measurement shows whether the rail works at all.
        let first = self.done == 1;
        let late = left.is_zero() && !first;
        if late || load.memory_bytes().saturating_mul(lanes) > MEMORY_MAX {
            return Ok(None);
        }
        let time = if first { slice.max(LEAST) } else { slice };
        (self.probe)(load, lanes, time).map(Some)
    }

    /// Returns a load of tasks of about `data_bytes` data bytes, in the representative shape.
    fn load(&self, data_bytes: usize) -> Load {
        let (data_units, parity_units) = self.shape;
        let capability = self.rail.capability();
        let mut load = Load {
            data_units,
            parity_units,
            unit_bytes: 0,
            piece_bytes: 1,
            store: StorePolicy::Temporal,
            depth: capability.depth.max(1),
        };
        load.unit_bytes = self.whole(data_bytes / data_units);
        // The engine will split tasks the same way.
        let most = self.within(capability.piece_bytes_max(data_units + parity_units));
        load.piece_bytes = self.whole(self.entry.piece_bytes).min(most);
        load
    }

    /// Returns the length, rounded up to a multiple of the rail's granule and of a cache line.
    fn whole(&self, bytes: usize) -> usize {
        bytes.max(1).next_multiple_of(self.line())
    }

    /// Returns the largest such length of at most `bytes`, but at least one multiple.
    fn within(&self, bytes: usize) -> usize {
        (bytes / self.line()).max(1) * self.line()
    }

    fn line(&self) -> usize {
        let granule = self.rail.capability().granule_bytes.max(1);
        if 64 % granule == 0 { 64 } else { granule }
    }

    fn lane_counts(&self) -> Vec<usize> {
        let most = self.rail.capability().lanes.clamp(1, 1024);
        let mut counts: Vec<usize> = (0..)
            .map(|power| 1 << power)
            .take_while(|count| *count < most)
            .collect();
        counts.push(most);
        counts
    }

    /// Empty for a coder on the calling thread: the measurement of its lane omits the engine's own
    /// cost per piece, which matters if no device works at the same time.
    fn piece_sizes(&self) -> Vec<usize> {
        let capability = self.rail.capability();
        if !capability.detaches {
            return Vec::new();
        }
        let buffers = self.shape.0 + self.shape.1;
        // One buffer set for each place on a lane.
        let in_memory = MEMORY_MAX / (buffers * capability.depth.max(1));
        let most = self.within(capability.piece_bytes_max(buffers).min(in_memory));
        let mut sizes: Vec<usize> = PIECES
            .into_iter()
            .map(|bytes| self.whole(bytes).min(most))
            .collect();
        sizes.dedup();
        sizes
    }

    /// A rail that works on copies stores its outputs in its own way.
    fn stripes(&self) -> &'static [usize] {
        if self.rail.capability().detaches {
            &[]
        } else {
            &STRIPES
        }
    }
}

fn best(rates: &[(usize, f64)]) -> f64 {
    rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max)
}

/// Returns the first of ascending sizes that is close to the best.
fn smallest_close(rates: &[(usize, f64)]) -> Option<usize> {
    let enough = best(rates) * CLOSE;
    rates
        .iter()
        .find(|(_, rate)| *rate >= enough)
        .map(|(size, _)| *size)
}

#[cfg(test)]
mod tests;
