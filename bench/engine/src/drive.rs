// SPDX-License-Identifier: Apache-2.0
//! A stream of stripes through an engine.
//!
//! One thread issues stripes, with as many outstanding as the load has, and waits for the oldest
//! before it issues the next, as an HDFS client with a window does.

use std::collections::VecDeque;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use stripeline_engine::{Engine, Request, Ticket};

use crate::clocks;
use crate::failure::Failure;
use crate::load::Load;

/// The results of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// 10^9 bytes of data per second of wall time.
    pub gbps: f64,
    /// CPU seconds of the whole process per 10^9 bytes of data.
    pub cpu_s_per_gb: f64,
}

/// Tasks issued and not yet waited for, oldest first, each with its own stripe.
pub struct Stream<'a> {
    engine: &'a Engine,
    load: &'a Load,
    tickets: VecDeque<Ticket>,
    next: usize,
}

impl<'a> Stream<'a> {
    /// Creates a stream with nothing issued.
    pub fn new(engine: &'a Engine, load: &'a Load) -> Self {
        Self {
            engine,
            load,
            tickets: VecDeque::with_capacity(load.stripes()),
            next: 0,
        }
    }

    /// Waits for the oldest stripe if all are outstanding; returns whether one was done.
    pub fn make_room(&mut self) -> Result<bool, Failure> {
        if self.tickets.len() < self.load.stripes() {
            return Ok(false);
        }
        self.take_oldest()
    }

    /// Issues the next stripe; there must be room.
    pub fn issue(&mut self) -> Result<&Ticket, Failure> {
        assert!(self.tickets.len() < self.load.stripes(), "a stripe is free");
        let piece = self.load.piece(self.next);
        self.next = (self.next + 1) % self.load.stripes();
        let issued = self.engine.issue(piece, Request::default());
        let ticket =
            issued.map_err(|rejected| Failure::unable("issue a stripe", rejected.error))?;
        self.tickets.push_back(ticket);
        Ok(self.tickets.back().expect("just pushed"))
    }

    /// Waits for the oldest stripe; returns false if there is none.
    pub fn take_oldest(&mut self) -> Result<bool, Failure> {
        match self.tickets.pop_front() {
            None => Ok(false),
            Some(ticket) => match ticket.wait() {
                Ok(_) => Ok(true),
                Err(error) => Err(Failure::unable("code a stripe", error)),
            },
        }
    }
}

impl Drop for Stream<'_> {
    /// Waits for all tasks, because they use the load's buffers until they end.
    fn drop(&mut self) {
        self.tickets.iter().for_each(|ticket| drop(ticket.wait()));
    }
}

/// Codes `stripes` stripes and waits for all of them.
pub fn count(engine: &Engine, load: &Load, stripes: u64) -> Result<(), Failure> {
    let mut stream = Stream::new(engine, load);
    for _ in 0..stripes {
        stream.make_room()?;
        stream.issue()?;
    }
    while stream.take_oldest()? {}
    Ok(())
}

/// Measures a stream in its steady state, without its beginning and end, and then compares every
/// output.
pub fn steady(
    engine: &Engine,
    load: &mut Load,
    measured: Duration,
    who: &str,
) -> Result<Run, Failure> {
    load.poison()?;
    let run = flow(engine, load, measured)?;
    load.compare(load.stripes(), who)?;
    Ok(run)
}

/// As [`steady`], but without comparing the outputs, which the rail `null` leaves unchanged.
pub fn flow(engine: &Engine, load: &Load, measured: Duration) -> Result<Run, Failure> {
    let mut stream = Stream::new(engine, load);
    let begin = Instant::now();
    let settled = begin + measured / 8;
    // Every stripe is coded at least once, even in the shortest window.
    let mut left = load.stripes();
    while left > 0 || Instant::now() < settled {
        stream.make_room()?;
        stream.issue()?;
        left = left.saturating_sub(1);
    }
    let (from, cpu, mut done) = (Instant::now(), clocks::process_cpu(), 0_u64);
    while done == 0 || from.elapsed() < measured {
        done += u64::from(stream.make_room()?);
        stream.issue()?;
    }
    let (wall, cpu) = (from.elapsed(), clocks::process_cpu() - cpu);
    while stream.take_oldest()? {}
    let gigabytes = (done * load.data_bytes() as u64) as f64 / 1e9;
    Ok(Run {
        gbps: gigabytes / wall.as_secs_f64(),
        cpu_s_per_gb: cpu.as_secs_f64() / gigabytes,
    })
}

/// Returns the time from issue to end of each task of a stream, in nanoseconds, in the order in
/// which they end, and compares every output.
pub fn latencies(
    engine: &Engine,
    load: &mut Load,
    measured: Duration,
    who: &str,
) -> Result<Vec<u64>, Failure> {
    load.poison()?;
    let (sender, ended) = mpsc::channel();
    let mut stream = Stream::new(engine, load);
    let begin = Instant::now();
    let mut left = load.stripes();
    while left > 0 || begin.elapsed() < measured {
        stream.make_room()?;
        let (issued, sender) = (Instant::now(), sender.clone());
        stream.issue()?.on_end(move |_| {
            // The receiver waits until all senders are dropped.
            let _ = sender.send(issued.elapsed().as_nanos() as u64);
        });
        left = left.saturating_sub(1);
    }
    while stream.take_oldest()? {}
    drop((stream, sender));
    let latencies = ended.into_iter().collect();
    load.compare(load.stripes(), who)?;
    Ok(latencies)
}
