// SPDX-License-Identifier: Apache-2.0
//! The cost of the engine on one rail: compared with the direct call, and on the issuing thread.

use std::time::{Duration, Instant};

use bench_common::statistics::turns;
use stripeline_engine::{BUCKETS, Engine, Options, Request, Scheduling};

use super::{quantile, size};
use crate::arguments::Settings;
use crate::clocks;
use crate::drive::{self, Stream};
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::rails::{self, Kind};
use crate::report::{Judgement, Point, Section};

/// Stripes outstanding, as in HDFS's non-blocking write pipeline.
const WINDOW: usize = 8;

/// The cell size of the thresholds.
const JUDGED_BYTES: usize = 64 << 10;

/// How stripes are coded.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CallMode {
    /// By the codec, without the engine.
    Direct,
    /// One after another; the caller waits for each.
    Blocking,
    /// A window of stripes outstanding.
    Window,
}

/// A mode of coding on an engine whose waiting threads code, or do not.
struct Contestant {
    mode: CallMode,
    helping: bool,
    name: &'static str,
    /// Wall time and CPU time of each window.
    windows: Vec<(Duration, Duration)>,
}

fn contestants() -> Vec<Contestant> {
    let all = [
        (CallMode::Direct, false, "direct call"),
        (CallMode::Blocking, true, "blocking, helping"),
        (CallMode::Blocking, false, "blocking"),
        (CallMode::Window, true, "window of 8, helping"),
        (CallMode::Window, false, "window of 8"),
    ];
    let contestant = |(mode, helping, name)| Contestant {
        mode,
        helping,
        name,
        windows: Vec::new(),
    };
    all.into_iter().map(contestant).collect()
}

/// Measures this part.
pub fn run(settings: &Settings) -> Result<Section, Failure> {
    let mut section = Section::new(
        "overhead",
        "the engine with one rail, cpu with one worker, against the direct call; RS-6-3 encode",
    );
    for &cell_bytes in settings.cells {
        compare(settings, cell_bytes, &mut section)?;
    }
    section.notes.push(
        "x_wall and x_cpu: the direct call's time divided by this one's in the same repetition; \
         wall clock, and CPU time of the whole process. With a worker the caller can take less \
         wall-clock time than without one, but the process cannot take less CPU time"
            .to_owned(),
    );
    section.notes.push(
        "issue_*: nanoseconds on the caller's thread of making a task and issuing it; start_*: \
         from issue to begin, upper bounds from a histogram by powers of two"
            .to_owned(),
    );
    Ok(section)
}

fn open(helping: bool) -> Result<Engine, Failure> {
    let options = Options {
        scheduling: Scheduling::Single("cpu".to_owned()),
        waiting_threads_help: helping,
        workers_max: 1,
        ..Options::default()
    };
    rails::engine(&[Kind::cpu()], options)
}

fn compare(settings: &Settings, cell_bytes: usize, section: &mut Section) -> Result<(), Failure> {
    let engines = [open(false)?, open(true)?];
    let mut load = Load::new(Operation::Encode, cell_bytes, WINDOW);
    let mut contestants = contestants();
    let stripes = calibrate(&mut load, settings.window)?;
    for turn in turns(contestants.len(), settings.repetitions) {
        let contestant = &mut contestants[turn];
        let engine = &engines[usize::from(contestant.helping)];
        load.poison()?;
        let (begin, cpu) = (Instant::now(), clocks::process_cpu());
        code(contestant.mode, engine, &mut load, stripes)?;
        let window = (begin.elapsed(), clocks::process_cpu() - cpu);
        contestant.windows.push(window);
        load.compare(WINDOW.min(stripes as usize), contestant.name)?;
    }
    points(
        section,
        &contestants,
        (cell_bytes, stripes, load.data_bytes()),
    );
    for (helping, engine) in [(true, &engines[1]), (false, &engines[0])] {
        section
            .points
            .push(issuing(engine, &load, helping, stripes)?);
    }
    judge(section, cell_bytes, settings.quick);
    Ok(())
}

/// Returns the number of stripes that the direct call codes in a window.
fn calibrate(load: &mut Load, window: Duration) -> Result<u64, Failure> {
    let (begin, mut stripes) = (Instant::now(), 0);
    while begin.elapsed() < window / 4 || stripes < WINDOW as u64 {
        direct(load, stripes as usize % WINDOW)?;
        stripes += 1;
    }
    let each = begin.elapsed().as_secs_f64() / stripes as f64;
    Ok(((window.as_secs_f64() / each) as u64).max(WINDOW as u64))
}

fn direct(load: &mut Load, index: usize) -> Result<(), Failure> {
    let coded = load.slices(index, |codec, data, parity| codec.encode(data, parity));
    coded.map_err(|error| Failure::unable("code a stripe", error))
}

fn blocking(engine: &Engine, load: &mut Load, index: usize) -> Result<(), Failure> {
    let request = Request::default();
    let coded = load.slices(index, |codec, data, parity| {
        engine.encode(codec, data, parity, request)
    });
    coded.map_err(|error| Failure::unable("code a stripe", error))
}

fn code(mode: CallMode, engine: &Engine, load: &mut Load, stripes: u64) -> Result<(), Failure> {
    match mode {
        CallMode::Direct => {
            (0..stripes).try_for_each(|index| direct(load, index as usize % WINDOW))
        }
        CallMode::Blocking => {
            (0..stripes).try_for_each(|index| blocking(engine, load, index as usize % WINDOW))
        }
        CallMode::Window => drive::count(engine, load, stripes),
    }
}

fn points(
    section: &mut Section,
    contestants: &[Contestant],
    (cell, stripes, data): (usize, u64, usize),
) {
    let base = &contestants[0].windows;
    for contestant in contestants {
        let windows = &contestant.windows;
        let each = |time: Duration| time.as_secs_f64() * 1e9 / stripes as f64;
        let pairs = || base.iter().zip(windows);
        let over = |base: Duration, time: Duration| base.as_secs_f64() / time.as_secs_f64();
        let point = Point::new([("cell", size(cell)), ("mode", contestant.name.to_owned())])
            .spread(
                "gbps",
                windows.iter().map(|window| data as f64 / each(window.0)),
            )
            .spread("ns", windows.iter().map(|window| each(window.0)))
            .spread("cpu_ns", windows.iter().map(|window| each(window.1)))
            .spread(
                "x_wall",
                pairs().map(|(base, window)| over(base.0, window.0)),
            )
            .spread(
                "x_cpu",
                pairs().map(|(base, window)| over(base.1, window.1)),
            );
        section.points.push(point);
    }
}

/// Measures the cost on the issuing thread, and the time that tasks wait for their worker.
fn issuing(engine: &Engine, load: &Load, helping: bool, stripes: u64) -> Result<Point, Failure> {
    let before = engine.statistics().rails[0].waits;
    let mut times = Vec::with_capacity(stripes as usize);
    let mut stream = Stream::new(engine, load);
    for _ in 0..stripes {
        stream.make_room()?;
        let begin = Instant::now();
        stream.issue()?;
        times.push(begin.elapsed().as_nanos() as u64);
    }
    while stream.take_oldest()? {}
    times.sort_unstable();
    let after = engine.statistics().rails[0].waits;
    let waits: [u64; BUCKETS] = std::array::from_fn(|bucket| after[bucket] - before[bucket]);
    let mode = if helping {
        "window of 8, helping"
    } else {
        "window of 8"
    };
    let cell = size(load.data_bytes() / crate::load::DATA);
    let mut point = Point::new([("cell", cell), ("issuing", mode.to_owned())]);
    for (name, part) in [
        ("issue_p50_ns", 0.5),
        ("issue_p90_ns", 0.9),
        ("issue_p99_ns", 0.99),
        ("issue_p999_ns", 0.999),
    ] {
        point = point.once(name, quantile(&times, part));
    }
    for (name, part) in [
        ("start_p50_ns", 0.5),
        ("start_p90_ns", 0.9),
        ("start_p99_ns", 0.99),
    ] {
        point = point.once(name, bucket_bound(&waits, part));
    }
    let pairs = (0..BUCKETS).filter(|&bucket| waits[bucket] > 0);
    let pairs = pairs.map(|bucket| ((1_u64 << bucket) as f64, waits[bucket] as f64));
    Ok(point.list("start_histogram_ns", pairs.collect()))
}

/// Returns the upper bound of the bucket that contains the quantile `part`.
fn bucket_bound(buckets: &[u64; BUCKETS], part: f64) -> f64 {
    let wanted = part * buckets.iter().sum::<u64>() as f64;
    let mut seen = 0.0;
    let found = buckets.iter().position(|&count| {
        seen += count as f64;
        seen >= wanted
    });
    found.map_or(0.0, |bucket| (1_u64 << (bucket + 1)) as f64)
}

fn judge(section: &mut Section, cell_bytes: usize, quick: bool) {
    if cell_bytes != JUDGED_BYTES {
        return;
    }
    let cell = size(cell_bytes);
    let find = |column, name: &str, figure: &str| {
        let mut points = section.points.iter();
        points
            .find(|point| point.is("cell", &cell) && point.is(column, name))?
            .value(figure)
    };
    let mut judgements = Vec::new();
    for (mode, figure, of) in [
        ("window of 8, helping", "x_wall", "throughput"),
        ("window of 8, helping", "x_cpu", "CPU time"),
        ("window of 8", "x_wall", "throughput"),
    ] {
        let name = format!("{mode} at {cell} against the direct call, {of}");
        judgements.push(Judgement::at_least(
            name,
            find("mode", mode, figure),
            0.97,
            quick,
        ));
    }
    for mode in ["window of 8, helping", "window of 8"] {
        let name = format!("issuing at {cell}, {mode}: median nanoseconds on the caller's thread");
        judgements.push(Judgement::at_most(
            name,
            find("issuing", mode, "issue_p50_ns"),
            1000.0,
            quick,
        ));
    }
    section.judgements.extend(judgements);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_come_from_the_bucket_that_holds_the_part() {
        let mut buckets = [0; BUCKETS];
        (buckets[3], buckets[10]) = (90, 10);
        assert_eq!(bucket_bound(&buckets, 0.5), 16.0);
        assert_eq!(bucket_bound(&buckets, 0.9), 16.0);
        assert_eq!(bucket_bound(&buckets, 0.99), 2048.0);
        assert_eq!(bucket_bound(&[0; BUCKETS], 0.5), 2.0);
    }
}
