// SPDX-License-Identifier: Apache-2.0
//! What is measured of one rail, and what follows from it.

use std::time::{Duration, Instant};

use stripeline_codec::StorePolicy;
use stripeline_rail::{Mode, Rail};

use super::entry::{PieceSize, RailTuning, Rate};
use super::measure::Progress;
use super::probe::Load;
use super::text::MEGABYTES_MAX;

/// HDFS' own shapes and a wide one; the first that a rail takes stands for all where only one is
/// measured.
const SHAPES: [(usize, usize); 5] = [(6, 3), (3, 2), (10, 4), (12, 4), (17, 3)];
/// Data bytes of the tasks that rates are measured with: one of each of the scheduler's sizes.
const TASKS: [usize; 6] = [32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20];
/// Data bytes among which the smallest worthwhile task is looked for.
const SMALL_TASKS: [usize; 7] = [
    1 << 10,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
];
/// Bytes of the pieces that are tried, as far as a rail takes them: those above 1 MiB are for devices.
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
/// Bytes of the stripes that both ways of storing are compared with.
const STRIPES: [usize; 4] = [1 << 20, 4 << 20, 16 << 20, 64 << 20];
const STORE_TURNS: usize = 3;

/// Less is left as it is: a smaller number of lanes or a smaller piece within five percent of the
/// best is better, because more can be done with what is left over.
const CLOSE: f64 = 0.95;
/// Non-temporal stores have to win by more than measurements differ.
const CLEARLY: f64 = 1.05;
/// Buffers of all lanes together.
const MEMORY_MAX: usize = 256 << 20;

/// Gives the rate of a load on so many lanes, in about the time given: that of
/// [`probe::rate`](super::probe::rate), or a model.
pub(super) type Probe<'a> = dyn Fn(&Load, usize, Duration) -> Result<f64, String> + 'a;

/// The measurement of one rail.
pub(super) struct Session<'a> {
    rail: &'a dyn Rail,
    probe: &'a Probe<'a>,
    progress: &'a mut dyn FnMut(Progress<'_>),
    end: Instant,
    done: usize,
    steps: usize,
    entry: RailTuning,
    shapes: Vec<(usize, usize)>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        rail: &'a dyn Rail,
        probe: &'a Probe<'a>,
        share: Duration,
        progress: &'a mut dyn FnMut(Progress<'_>),
    ) -> Result<Self, String> {
        let capability = rail.capability();
        let fits = |&(data, parity): &(usize, usize)| {
            data <= capability.inputs_max && parity <= capability.outputs_max
        };
        let shapes: Vec<_> = SHAPES.into_iter().filter(fits).collect();
        if shapes.is_empty() {
            return Err("it takes none of the shapes that are measured".to_owned());
        }
        let mut session = Self {
            rail,
            probe,
            progress,
            end: Instant::now() + share,
            done: 0,
            steps: 0,
            entry: RailTuning::built_in(rail),
            shapes,
        };
        session.steps = session.lane_counts().len()
            + session.modes().len() * TASKS.len()
            + SMALL_TASKS.len()
            + session
                .shapes
                .iter()
                .map(|shape| session.piece_sizes(*shape).len())
                .sum::<usize>()
            + session.stripes().len() * 2 * STORE_TURNS;
        Ok(session)
    }

    pub(super) fn run(mut self) -> Result<RailTuning, String> {
        // First, because the other values are those of pieces of these sizes.
        self.pieces()?;
        self.lanes()?;
        self.rates()?;
        self.smallest()?;
        self.stores()?;
        Ok(self.entry)
    }

    fn lanes(&mut self) -> Result<(), String> {
        let mut rates = Vec::new();
        for lanes in self.lane_counts() {
            let load = self.load(Mode::Set, 1 << 20);
            if let Some(rate) = self.step("lanes", &load, lanes)? {
                rates.push((lanes, rate));
            }
        }
        if let Some(lanes) = smallest_close(&rates) {
            self.entry.lanes = lanes;
        }
        Ok(())
    }

    fn rates(&mut self) -> Result<(), String> {
        let mut rates = Vec::new();
        for mode in self.modes() {
            for data_bytes in TASKS {
                let load = self.load(mode, data_bytes);
                if let Some(rate) = self.step("rates", &load, self.entry.lanes)? {
                    rates.push(Rate {
                        mode,
                        data_bytes,
                        // To the million, as the file keeps it.
                        bytes_per_second: ((rate / 1e6).round() as u64).clamp(1, MEGABYTES_MAX)
                            * 1_000_000,
                    });
                }
            }
        }
        if !rates.is_empty() {
            self.entry.rates = rates;
        }
        Ok(())
    }

    /// The size at which a task that is alone on a lane reaches half of the best rate: there its fixed
    /// cost is as much as its work (Hockney's n 1/2).
    fn smallest(&mut self) -> Result<(), String> {
        let mut rates = Vec::new();
        for data_bytes in SMALL_TASKS {
            let load = Load {
                depth: 1,
                ..self.load(Mode::Set, data_bytes)
            };
            if let Some(rate) = self.step("smallest task", &load, 1)? {
                // Lengths are rounded to what the rail takes.
                rates.push((load.unit_bytes * load.inputs(), rate));
            }
        }
        if rates.len() == SMALL_TASKS.len() {
            let half = best(&rates) / 2.0;
            let found = rates.iter().find(|(_, rate)| *rate >= half);
            self.entry.smallest_data_bytes = found.map_or(1, |(bytes, _)| *bytes);
        }
        Ok(())
    }

    fn pieces(&mut self) -> Result<(), String> {
        for (data_units, parity_units) in self.shapes.clone() {
            let mut rates = Vec::new();
            let sizes = self.piece_sizes((data_units, parity_units));
            // The same units for all sizes: caches would favour those that are cut from small ones.
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let unit_bytes = self.whole(PIECES_UNIT).max(largest);
            for bytes in sizes {
                let load = Load {
                    data_units,
                    parity_units,
                    unit_bytes,
                    piece_bytes: bytes,
                    ..self.load(Mode::Set, 1)
                };
                if let Some(rate) = self.step("pieces", &load, 1)? {
                    rates.push((bytes, rate));
                }
            }
            if let Some(bytes) = smallest_close(&rates) {
                self.entry.pieces.push(PieceSize {
                    data_units,
                    parity_units,
                    bytes,
                });
            }
        }
        Ok(())
    }

    fn stores(&mut self) -> Result<(), String> {
        let mut gains = Vec::new();
        for &stripe in self.stripes() {
            let (data, parity) = self.shapes[0];
            let cached = self.load(Mode::Set, stripe * data / (data + parity));
            let streamed = Load {
                store: StorePolicy::NonTemporal,
                ..cached
            };
            // By turns, and the least gain counts: storing past the cache by mistake costs more than
            // not doing it.
            let mut gain = f64::INFINITY;
            for _ in 0..STORE_TURNS {
                let through = self.step("stores", &cached, 1)?;
                let past = self.step("stores", &streamed, 1)?;
                gain = match (through, past) {
                    (Some(through), Some(past)) => gain.min(past / through),
                    _ => 0.0,
                };
            }
            gains.push((stripe, gain));
        }
        // From the first size on that wins, and so do all larger ones.
        let winning = gains.iter().rev().take_while(|(_, gain)| *gain >= CLEARLY);
        self.entry.stream_from_bytes = winning.last().map(|(stripe, _)| *stripe);
        Ok(())
    }

    /// Measures one load, unless time is up or it needs too much memory.
    fn step(&mut self, what: &str, load: &Load, lanes: usize) -> Result<Option<f64>, String> {
        (self.progress)(Progress::Step {
            rail: self.rail.name(),
            what,
            done: self.done,
            steps: self.steps,
        });
        let left = self.end.saturating_duration_since(Instant::now());
        // Slow tasks take longer than their share; what is left is divided anew.
        let slice = left / (self.steps - self.done) as u32;
        self.done += 1;
        // The first tells whether the rail works at all.
        let late = left.is_zero() && self.done > 1;
        if late || load.memory_bytes().saturating_mul(lanes) > MEMORY_MAX {
            return Ok(None);
        }
        (self.probe)(load, lanes, slice).map(Some)
    }

    /// Tasks of about so many data bytes in the shape that stands for all.
    fn load(&self, mode: Mode, data_bytes: usize) -> Load {
        let (data_units, parity_units) = self.shapes[0];
        let capability = self.rail.capability();
        let mut load = Load {
            mode,
            data_units,
            parity_units,
            unit_bytes: 0,
            piece_bytes: 1,
            store: StorePolicy::Temporal,
            depth: capability.depth.max(1),
        };
        load.unit_bytes = self.whole(data_bytes / load.inputs());
        // As the engine will cut it.
        let used = self.entry.pieces_used(self.rail);
        let tuned = PieceSize::nearest(used, load.inputs(), parity_units);
        let most = self.within(capability.piece_bytes_max(load.inputs() + parity_units));
        load.piece_bytes = self
            .whole(tuned.unwrap_or(capability.piece_bytes))
            .min(most);
        load
    }

    /// The length, made a multiple of what the rail takes and of a cache line.
    fn whole(&self, bytes: usize) -> usize {
        bytes.max(1).next_multiple_of(self.line())
    }

    /// The largest such length of at most `bytes`, but at least one multiple.
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

    fn modes(&self) -> Vec<Mode> {
        let capability = self.rail.capability();
        let mut modes = vec![Mode::Set];
        modes.extend(capability.adds.then_some(Mode::Add));
        modes.extend(capability.compares.then_some(Mode::Compare));
        modes
    }

    fn piece_sizes(&self, (data_units, parity_units): (usize, usize)) -> Vec<usize> {
        let (capability, buffers) = (self.rail.capability(), data_units + parity_units);
        // One for each place on a lane.
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

/// The first of ascending sizes that is close to the best.
fn smallest_close(rates: &[(usize, f64)]) -> Option<usize> {
    let enough = best(rates) * CLOSE;
    rates
        .iter()
        .find(|(_, rate)| *rate >= enough)
        .map(|(size, _)| *size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripeline_rail::{Capability, Fault, Lane};

    /// A rail that is a model only.
    #[derive(Debug)]
    struct Model(Capability);

    impl Rail for Model {
        fn name(&self) -> &str {
            "model"
        }

        fn describe(&self) -> String {
            String::new()
        }

        fn capability(&self) -> &Capability {
            &self.0
        }

        fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
            unreachable!("a model is not measured")
        }
    }

    /// A rail of given ways: seconds for a piece, and bytes a second by the load and the lanes.
    fn modelled(
        capability: Capability,
        fixed: f64,
        speed: impl Fn(&Load, usize) -> f64,
    ) -> RailTuning {
        let rail = Model(capability);
        let model = |load: &Load, lanes: usize, _: Duration| {
            let data = load.unit_bytes * load.inputs();
            let pieces = load.unit_bytes.div_ceil(load.piece_bytes);
            let speed = speed(load, lanes);
            Ok(data as f64 / (fixed * pieces as f64 + data as f64 / speed))
        };
        let hour = Duration::from_secs(3600);
        let mut steps = 0;
        let mut count = |_: Progress<'_>| steps += 1;
        let session = Session::new(&rail, &model, hour, &mut count).unwrap();
        let announced = session.steps;
        let entry = session.run().unwrap();
        assert_eq!(steps, announced);
        entry
    }

    fn capability() -> Capability {
        Capability {
            lanes: 6,
            piece_bytes: 16 << 20,
            ..Capability::synchronous()
        }
    }

    #[test]
    fn lanes_are_as_many_as_bring_something() {
        let until =
            |most: usize| modelled(capability(), 1e-6, |_, lanes| 1e9 * lanes.min(most) as f64);
        assert_eq!(until(1).lanes, 1);
        assert_eq!(until(4).lanes, 4);
        assert_eq!(until(6).lanes, 6);
        assert!(until(4).rate(Mode::Set, 32 << 20) > 3.9e9);
    }

    #[test]
    fn the_smallest_task_is_where_fixed_cost_and_work_are_equal() {
        // The fixed cost is that of 100 KB; 64 KiB are less and 256 KiB are more.
        let entry = modelled(capability(), 100e-6, |_, _| 1e9);
        assert!(
            (256 << 10..257 << 10).contains(&entry.smallest_data_bytes),
            "{entry:?}"
        );
        let quick = modelled(capability(), 1e-12, |_, _| 1e9);
        assert!(quick.smallest_data_bytes <= 2 << 10, "{quick:?}");
    }

    #[test]
    fn pieces_are_large_enough_to_hide_their_fixed_cost() {
        let entry = modelled(capability(), 20e-6, |_, _| 2e9);
        assert_eq!(entry.piece_bytes_for(3, 2), 256 << 10);
        assert_eq!(entry.piece_bytes_for(17, 3), 64 << 10);
        let narrow = Capability {
            inputs_max: 6,
            granule_bytes: 1000,
            ..capability()
        };
        let entry = modelled(narrow, 20e-6, |_, _| 2e9);
        assert_eq!(entry.pieces.len(), 2, "the shapes that it takes");
        assert!(
            entry.pieces.iter().all(|piece| piece.bytes % 1000 == 0),
            "{entry:?}"
        );
    }

    /// A GPU with `room` MiB for the buffers of a piece.
    fn device(room: usize) -> Capability {
        Capability {
            detaches: true,
            lanes: 2,
            depth: 4,
            room_bytes: Some(room << 20),
            ..Capability::synchronous()
        }
    }

    #[test]
    fn pieces_of_a_device_are_as_large_as_is_faster_and_as_it_has_room_for() {
        // A piece costs 20 us, and data moves at 50 GB/s.
        let entry = modelled(device(63), 20e-6, |_, _| 50e9);
        assert_eq!(entry.piece_bytes_for(6, 3), 4 << 20);
        assert_eq!(entry.piece_bytes_for(17, 3), 1 << 20);
        // The more expensive a piece, the larger; as large as all in flight have room for.
        let costly = modelled(device(63), 10e-3, |_, _| 50e9);
        let sizes: Vec<usize> = costly.pieces.iter().map(|piece| piece.bytes).collect();
        let room = |buffers: usize| (63 << 20) / buffers / 64 * 64;
        assert_eq!(sizes, [9, 5, 14, 16, 20].map(room));
        let small = modelled(device(9), 10e-3, |_, _| 50e9);
        assert_eq!(small.piece_bytes_for(6, 3), 1 << 20);
        // With 16 pieces in flight, larger ones exceed the memory of a measurement.
        let deep = Capability {
            depth: 16,
            ..device(63)
        };
        let deep = modelled(deep, 10e-3, |_, _| 50e9);
        assert_eq!(deep.piece_bytes_for(6, 3), MEMORY_MAX / 9 / 16 / 64 * 64);
    }

    #[test]
    fn rates_of_a_device_are_those_of_its_best_pieces() {
        let pieces = std::cell::Cell::new(0);
        modelled(device(63), 20e-6, |load, _| {
            if load.mode == Mode::Compare && load.unit_bytes > 5 << 20 {
                pieces.set(load.piece_bytes);
            }
            50e9
        });
        assert_eq!(pieces.get(), 4 << 20);
    }

    #[test]
    fn stores_go_past_the_cache_from_where_that_always_wins() {
        let wins_from = |bytes: usize| {
            modelled(capability(), 1e-6, |load, _| match load.store {
                StorePolicy::NonTemporal if load.unit_bytes * 9 >= bytes => 2e9,
                StorePolicy::NonTemporal => 5e8,
                StorePolicy::Temporal => 1e9,
            })
        };
        assert_eq!(wins_from(10 << 20).stream_from_bytes, Some(16 << 20));
        assert_eq!(wins_from(0).stream_from_bytes, Some(1 << 20));
        assert_eq!(wins_from(1 << 40).stream_from_bytes, None);
        let slightly = modelled(capability(), 1e-6, |load, _| match load.store {
            StorePolicy::NonTemporal => 1.03e9,
            StorePolicy::Temporal => 1e9,
        });
        assert_eq!(
            slightly.stream_from_bytes, None,
            "no more than measurements differ"
        );
    }

    #[test]
    fn a_gain_that_does_not_repeat_is_no_gain() {
        let turn = std::cell::Cell::new(0);
        let entry = modelled(capability(), 1e-6, |load, _| {
            turn.set(turn.get() + 1);
            let lucky = load.store == StorePolicy::NonTemporal && turn.get() % 3 != 0;
            if lucky { 2e9 } else { 1e9 }
        });
        assert_eq!(entry.stream_from_bytes, None);
    }

    #[test]
    fn modes_that_a_rail_lacks_are_not_measured() {
        let sets = Capability {
            adds: false,
            compares: false,
            ..capability()
        };
        let entry = modelled(sets, 1e-6, |_, _| 1e9);
        assert!(entry.rates.iter().all(|rate| rate.mode == Mode::Set));
        assert_eq!(entry.rates.len(), TASKS.len());
        let all = modelled(capability(), 1e-6, |_, _| 1e9);
        assert_eq!(all.rates.len(), 3 * TASKS.len());
    }
}
