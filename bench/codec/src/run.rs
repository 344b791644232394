// SPDX-License-Identifier: Apache-2.0
//! One run: every point of a plan, with all engines interleaved at each.

use serde::Serialize;

use crate::arena::{Arena, Layout, Rotation};
use crate::check::Expected;
use crate::definition::{Plan, Workload};
use crate::engine::{self, Absence, Engine, Family};
use crate::job::Job;
use crate::measure::{self, Window};
use bench_common::statistics::{Spread, turns};

/// The placement of cells, the same for all engines.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Placement {
    /// Bytes past a page boundary.
    pub offset_bytes: usize,
    /// Bytes between cells.
    pub stagger_bytes: usize,
    /// Whether huge pages were requested; otherwise they were refused.
    pub huge_pages: bool,
}

/// The figures of an engine at a point.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Its name.
    pub engine: String,
    /// 10^9 data bytes per second of CPU time, times the number of threads.
    pub cpu_gbps: Spread,
    /// 10^9 data bytes per second of wall time.
    pub wall_gbps: Spread,
    /// CPU nanoseconds of one call.
    pub call_ns: Spread,
    /// This engine's rate divided by the baseline's, per repetition.
    pub ratio: Option<Spread>,
    /// The number of calls per window and thread.
    pub calls: u64,
    /// `cpu_gbps` of each repetition, in order; used for the ratios, which the record has.
    #[serde(skip)]
    pub cpu_gbps_each: Vec<f64>,
}

/// One combination of all varied values.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The code.
    pub shape: String,
    /// The cell size as the definition gives it.
    pub cell: String,
    /// The workload.
    pub workload: &'static str,
    /// The operation.
    pub operation: String,
    /// The number of threads that code at the same time.
    pub threads: usize,
    /// The number of stripes that each thread rotates through.
    pub stripes: usize,
    /// The engines that support the job.
    pub figures: Vec<Figure>,
}

/// The reason why a run has no figures.
#[derive(Debug)]
pub enum Failure {
    /// The definition or command line is wrong.
    Usage(String),
    /// An engine wrote wrong bytes.
    WrongBytes(String),
    /// The machine lacks a requirement.
    Unable(String),
}

/// An available engine.
pub struct Present {
    /// Its name.
    pub name: String,
    /// The version or file of its library.
    pub identity: String,
    engine: Box<dyn Engine>,
}

/// The engines and the memory of a run.
pub struct Session {
    plan: Plan,
    placement: Placement,
    /// The engines that run.
    pub present: Vec<Present>,
    /// The engines that are absent, with the reasons.
    pub absent: Vec<String>,
    arenas: Vec<Arena>,
}

impl Session {
    /// Opens the engines and maps the memory.
    ///
    /// # Errors
    /// If an engine's name is unknown, no engine is available, or the memory cannot be mapped.
    pub fn open(plan: Plan, placement: Placement) -> Result<Self, Failure> {
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for name in &plan.engines {
            match engine::open(name) {
                Ok(engine) => {
                    let identity = engine.identity();
                    present.push(Present {
                        name: name.clone(),
                        identity,
                        engine,
                    });
                }
                Err(Absence::Unavailable(reason)) => absent.push(reason),
                Err(Absence::Unknown(reason)) => return Err(Failure::Usage(reason)),
            }
        }
        if present.is_empty() {
            let reason = "Cannot run: none of the engines is available";
            return Err(Failure::Unable(format!("{reason}: {}", absent.join("; "))));
        }
        let bytes = arena_bytes(&plan, placement);
        let lanes = plan.threads.iter().copied().max().unwrap_or(1);
        let arenas = (0..lanes)
            .map(|lane| {
                Arena::new(
                    bytes,
                    placement.huge_pages,
                    0x9e37_79b9_7f4a_7c15 ^ lane as u64,
                )
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| {
                Failure::Unable(format!(
                    "Cannot map {lanes} x {bytes} bytes of memory: {error}"
                ))
            })?;
        Ok(Self {
            plan,
            placement,
            present,
            absent,
            arenas,
        })
    }

    /// Measures every point and passes each to `done` when it is measured.
    ///
    /// # Errors
    /// If an engine writes a wrong byte; the run then stops.
    pub fn run(&self, mut done: impl FnMut(&Point, usize, usize)) -> Result<Vec<Point>, Failure> {
        let combinations = self.combinations();
        let mut points = Vec::new();
        for (index, (job, cell, workload)) in combinations.iter().enumerate() {
            self.check(job, cell.1)?;
            for &threads in &self.plan.threads {
                let point = self.measure(job, cell, *workload, threads);
                done(&point, index + 1, combinations.len());
                points.push(point);
            }
        }
        Ok(points)
    }

    fn combinations(&self) -> Vec<(Job, (String, usize), Workload)> {
        let mut all = Vec::new();
        for &shape in &self.plan.shapes {
            for cell in &self.plan.cells {
                for &workload in &self.plan.workloads {
                    let jobs = self
                        .plan
                        .operations
                        .iter()
                        .filter_map(|&it| Job::new(shape, it));
                    all.extend(jobs.map(|job| (job, cell.clone(), workload)));
                }
            }
        }
        all
    }

    fn layout(&self, cell_bytes: usize) -> Layout {
        let Placement {
            offset_bytes,
            stagger_bytes,
            ..
        } = self.placement;
        Layout {
            cell_bytes,
            offset_bytes,
            stagger_bytes,
        }
    }

    fn check(&self, job: &Job, cell_bytes: usize) -> Result<(), Failure> {
        let expected = Expected::new(&self.arenas[0], job, self.layout(cell_bytes));
        for present in &self.present {
            expected
                .check(&self.arenas[0], present.engine.as_ref())
                .map_err(|difference| {
                    Failure::WrongBytes(format!(
                        "Cannot time {}: {} {} with {cell_bytes}-byte cells: {difference}",
                        present.name, job.shape, job.operation
                    ))
                })?;
        }
        Ok(())
    }

    fn measure(
        &self,
        job: &Job,
        cell: &(String, usize),
        workload: Workload,
        threads: usize,
    ) -> Point {
        let stripes = match workload {
            Workload::Cached => 1,
            Workload::Streaming => usize::MAX,
        };
        let arenas = &self.arenas[..threads];
        let mut rotations: Vec<_> = arenas
            .iter()
            .map(|arena| Rotation::new(arena, job, self.layout(cell.1), stripes))
            .collect();
        let mut ready = Vec::new();
        for present in &self.present {
            let lanes: Option<Vec<_>> = (0..threads)
                .map(|_| present.engine.prepare(job, cell.1))
                .collect();
            if let Some(mut lanes) = lanes {
                let calls = measure::calibrate(&mut lanes, &mut rotations, self.plan.window);
                ready.push((present, lanes, calls, Vec::new()));
            }
        }
        for turn in turns(ready.len(), self.plan.repetitions) {
            let (_, lanes, calls, windows) = &mut ready[turn];
            windows.push(measure::window(lanes, &mut rotations, *calls));
        }
        let bytes = job.bytes_per_call(cell.1);
        let mut figures: Vec<Figure> = ready
            .iter()
            .map(|(present, _, calls, windows)| {
                figure(&present.name, windows, *calls, bytes, threads)
            })
            .collect();
        add_ratios(&mut figures, &self.plan.baseline);
        Point {
            shape: job.shape.to_string(),
            cell: cell.0.clone(),
            workload: workload.name(),
            operation: job.operation.to_string(),
            threads,
            stripes: rotations[0].stripes(),
            figures,
        }
    }

    /// Returns the engines whose bytes are compared with the scalar computation, for the record.
    pub fn checked(&self) -> impl Iterator<Item = &str> {
        self.present
            .iter()
            .filter(|present| present.engine.family() != Family::Bound)
            .map(|present| present.name.as_str())
    }

    /// Returns the bytes that each streaming thread works through.
    pub fn arena_bytes(&self) -> usize {
        self.arenas[0].bytes()
    }
}

fn figure(name: &str, windows: &[Window], calls: u64, bytes: u64, threads: usize) -> Figure {
    let rate = |window: &Window, seconds: f64| (bytes * window.calls) as f64 / seconds / 1e9;
    let cpu_gbps_each: Vec<f64> = windows
        .iter()
        .map(|window| rate(window, window.cpu.as_secs_f64()) * threads as f64)
        .collect();
    Figure {
        engine: name.to_owned(),
        cpu_gbps: Spread::of(cpu_gbps_each.iter().copied()),
        wall_gbps: Spread::of(
            windows
                .iter()
                .map(|window| rate(window, window.wall.as_secs_f64())),
        ),
        call_ns: Spread::of(
            windows
                .iter()
                .map(|window| window.cpu.as_secs_f64() * 1e9 / window.calls as f64),
        ),
        ratio: None,
        calls,
        cpu_gbps_each,
    }
}

fn add_ratios(figures: &mut [Figure], baseline: &str) {
    let Some(base) = figures
        .iter()
        .find(|figure| figure.engine == baseline)
        .cloned()
    else {
        return;
    };
    for figure in figures.iter_mut() {
        figure.ratio = Some(ratio(figure, &base));
    }
}

/// Returns the first engine's rate divided by the second's, with both from the same repetition.
pub fn ratio(figure: &Figure, base: &Figure) -> Spread {
    let pairs = figure.cpu_gbps_each.iter().zip(&base.cpu_gbps_each);
    Spread::of(pairs.map(|(rate, base)| rate / base))
}

/// Returns the room for the largest stripe and, if a workload streams, for all stripes of a thread.
fn arena_bytes(plan: &Plan, placement: Placement) -> usize {
    let layout = |cell_bytes| Layout {
        cell_bytes,
        offset_bytes: placement.offset_bytes,
        stagger_bytes: placement.stagger_bytes,
    };
    let units = plan
        .shapes
        .iter()
        .map(|shape| shape.units())
        .max()
        .unwrap_or(1);
    let cell_bytes = plan.cells.iter().map(|cell| cell.1).max().unwrap_or(1);
    let stripe = layout(cell_bytes).stripe_stride(units) + placement.offset_bytes;
    let streamed = if plan.workloads.contains(&Workload::Streaming) {
        plan.stream_bytes
    } else {
        0
    };
    // Whole huge pages, and a page of slack for engines that read a vector past the end.
    stripe.max(streamed).next_multiple_of(2 << 20) + (2 << 20)
}
