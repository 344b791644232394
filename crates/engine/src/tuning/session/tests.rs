// SPDX-License-Identifier: Apache-2.0

use super::*;
use stripeline_rail::{Capability, Fault, Lane};

/// A rail that is only a model.
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

/// Measures a modelled rail: seconds per piece, and bytes per second by the load and the lanes.
fn modelled(capability: Capability, fixed: f64, speed: impl Fn(&Load, usize) -> f64) -> RailTuning {
    let rail = Model(capability);
    let model = |load: &Load, lanes: usize, _: Duration| {
        let data = load.unit_bytes * load.data_units;
        let pieces = load.unit_bytes.div_ceil(load.piece_bytes);
        let speed = speed(load, lanes);
        Ok(data as f64 / (fixed * pieces as f64 + data as f64 / speed))
    };
    let hour = Duration::from_secs(3600);
    let mut session = Session::new(&rail, &model, hour).unwrap();
    let entry = session.run().unwrap();
    assert_eq!(session.done, session.steps);
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
fn a_rate_is_measured_even_if_there_is_no_time() {
    let rail = Model(capability());
    let mut session = Session::new(&rail, &|_, _, _| Ok(1e9), Duration::ZERO).unwrap();
    assert_eq!(session.run().unwrap().bytes_per_second, 1_000_000_000);
}

#[test]
fn there_are_as_many_lanes_as_raise_the_rate() {
    let until = |most: usize| modelled(capability(), 1e-6, |_, lanes| 1e9 * lanes.min(most) as f64);
    assert_eq!(until(1).lanes, 1);
    assert_eq!(until(4).lanes, 4);
    assert_eq!(until(6).lanes, 6);
    // A megabyte at 4 GB/s, and the fixed cost of 1 us.
    assert_eq!(until(4).bytes_per_second, 3_985_000_000);
}

#[test]
fn the_smallest_task_is_where_fixed_cost_and_work_are_equal() {
    // The fixed cost equals the work of 100 KB; 64 KiB are less and 256 KiB are more.
    let entry = modelled(capability(), 100e-6, |_, _| 1e9);
    assert!(
        (256 << 10..257 << 10).contains(&entry.smallest_data_bytes),
        "{entry:?}"
    );
    let quick = modelled(capability(), 1e-12, |_, _| 1e9);
    assert!(quick.smallest_data_bytes <= 2 << 10, "{quick:?}");
}

#[test]
fn pieces_of_a_coder_on_the_calling_thread_are_as_it_asks() {
    let entry = modelled(capability(), 20e-6, |load, _| {
        assert_eq!(load.piece_bytes, capability().piece_bytes);
        2e9
    });
    assert_eq!(entry.piece_bytes, capability().piece_bytes);
}

/// Returns the capability of a GPU with `room` MiB for the buffers of a piece.
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
fn pieces_of_a_device_are_as_large_as_speed_and_room_allow() {
    // A piece costs 20 us, and data moves at 50 GB/s.
    let entry = modelled(device(63), 20e-6, |_, _| 50e9);
    assert_eq!(entry.piece_bytes, 4 << 20);
    // The higher the cost of a piece, the larger the pieces, up to the room of all pieces in
    // flight.
    let room = |bytes: usize| bytes / 9 / 64 * 64;
    let costly = modelled(device(63), 10e-3, |_, _| 50e9);
    assert_eq!(costly.piece_bytes, room(63 << 20));
    let small = modelled(device(9), 10e-3, |_, _| 50e9);
    assert_eq!(small.piece_bytes, 1 << 20);
    // With 16 pieces in flight, larger ones exceed the memory of a measurement.
    let deep = Capability {
        depth: 16,
        ..device(63)
    };
    let deep = modelled(deep, 10e-3, |_, _| 50e9);
    assert_eq!(deep.piece_bytes, MEMORY_MAX / 9 / 16 / 64 * 64);
    // A rail of few inputs is measured with three, in multiples of its granule.
    let narrow = Capability {
        inputs_max: 5,
        granule_bytes: 1000,
        ..device(63)
    };
    let narrow = modelled(narrow, 20e-6, |load, _| {
        assert_eq!((load.data_units, load.parity_units), (3, 2));
        50e9
    });
    assert_eq!(narrow.piece_bytes % 1000, 0, "{narrow:?}");
}

#[test]
fn the_rate_of_a_device_is_that_of_its_best_pieces() {
    let pieces = std::cell::Cell::new(0);
    // Without a fixed cost, small pieces are as fast as large ones.
    modelled(device(63), 0.0, |load, lanes| {
        if lanes == 2 {
            pieces.set(load.piece_bytes);
        }
        50e9
    });
    assert_eq!(pieces.get(), 16 << 10);
}

#[test]
fn stores_bypass_the_cache_from_the_size_where_that_is_always_faster() {
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
fn a_gain_that_does_not_repeat_is_ignored() {
    let turn = std::cell::Cell::new(0);
    let entry = modelled(capability(), 1e-6, |load, _| {
        turn.set(turn.get() + 1);
        let lucky = load.store == StorePolicy::NonTemporal && turn.get() % 3 != 0;
        if lucky { 2e9 } else { 1e9 }
    });
    assert_eq!(entry.stream_from_bytes, None);
}
