// SPDX-License-Identifier: Apache-2.0
//! Clocks and windows.
//!
//! A window is a fixed number of calls, some tens of milliseconds long. It is timed twice: by the
//! wall clock and by the CPU clocks of its threads. On a shared machine the wall clock includes the
//! work of others; the CPU clock only counts the coder's own time, so ratios are computed from it.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::statistics::thread_cpu;

use crate::arena::Rotation;
use crate::engine::Coder;

/// The times of one window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// From the start of the first thread to the end of the last.
    pub wall: Duration,
    /// CPU time of all threads together.
    pub cpu: Duration,
    /// Calls of all threads together.
    pub calls: u64,
}

/// One coder per thread.
pub type Lanes = [Box<dyn Coder>];

/// Runs `calls` calls on each lane at the same time, lane i on rotation i.
pub fn window(lanes: &mut Lanes, rotations: &mut [Rotation], calls: u64) -> Window {
    if let ([lane], [rotation]) = (&mut *lanes, &mut *rotations) {
        let (start, end, cpu) = timed(lane, rotation, calls);
        return Window {
            wall: end - start,
            cpu,
            calls,
        };
    }
    let barrier = Barrier::new(lanes.len());
    let spans: Vec<(Instant, Instant, Duration)> = thread::scope(|scope| {
        let running: Vec<_> = lanes
            .iter_mut()
            .zip(rotations.iter_mut())
            .map(|(lane, rotation)| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    timed(lane, rotation, calls)
                })
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().expect("a coder does not panic"))
            .collect()
    });
    let start = spans
        .iter()
        .map(|span| span.0)
        .min()
        .expect("at least one lane");
    let end = spans
        .iter()
        .map(|span| span.1)
        .max()
        .expect("at least one lane");
    let cpu = spans.iter().map(|span| span.2).sum();
    Window {
        wall: end - start,
        cpu,
        calls: calls * spans.len() as u64,
    }
}

fn timed(
    lane: &mut Box<dyn Coder>,
    rotation: &mut Rotation,
    calls: u64,
) -> (Instant, Instant, Duration) {
    // Not timed: this call reloads what the previous engine evicted from the cache.
    lane.run(rotation, 1);
    let cpu = thread_cpu();
    let start = Instant::now();
    lane.run(rotation, calls);
    let end = Instant::now();
    (start, end, thread_cpu() - cpu)
}

/// Finds the number of calls that fill a window of `target`; also warms up caches, tables and
/// clocks.
pub fn calibrate(lanes: &mut Lanes, rotations: &mut [Rotation], target: Duration) -> u64 {
    let lanes_count = lanes.len() as u32;
    let mut calls = 1;
    loop {
        let cpu = window(lanes, rotations, calls).cpu / lanes_count;
        if cpu * 2 >= target || calls >= 1 << 40 {
            let scale = target.as_secs_f64() / cpu.as_secs_f64().max(1e-9);
            return ((calls as f64 * scale).round() as u64).max(1);
        }
        // Grows by measured speed but at most tenfold, because the first cold call is not
        // representative.
        let growth = target.as_secs_f64() / cpu.as_secs_f64().max(1e-9);
        calls = ((calls as f64 * growth.clamp(2.0, 10.0)) as u64).max(calls + 1);
    }
}
