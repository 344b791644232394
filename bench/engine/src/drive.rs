// SPDX-License-Identifier: Apache-2.0
//! A stream of stripes through an engine.
//!
//! One thread issues stripes, as many at a time as the load has, and waits for the oldest before it
//! issues the next: so does an HDFS client with a window.

use std::collections::VecDeque;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use stripeline_engine::{Engine, Request, Ticket};

use crate::clocks;
use crate::failure::Failure;
use crate::load::Load;

/// What a stream came to.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// 10^9 bytes of data a second, by the wall clock.
    pub gbps: f64,
    /// CPU seconds of the whole process per 10^9 bytes of data.
    pub cpu_s_per_gb: f64,
}

/// Tasks issued and not yet waited for, oldest first, each of a stripe of its own.
pub struct Stream<'a> {
    engine: &'a Engine,
    load: &'a Load,
    tickets: VecDeque<Ticket>,
    next: usize,
}

impl<'a> Stream<'a> {
    /// A stream with nothing issued.
    pub fn new(engine: &'a Engine, load: &'a Load) -> Self {
        Self {
            engine,
            load,
            tickets: VecDeque::with_capacity(load.stripes()),
            next: 0,
        }
    }

    /// Waits for the oldest stripe if all are outstanding. True if one was done.
    pub fn make_room(&mut self) -> Result<bool, Failure> {
        if self.tickets.len() < self.load.stripes() {
            return Ok(false);
        }
        self.take_oldest()
    }

    /// Issues the next stripe, for which there is room.
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

    /// Waits for the oldest stripe. False if there is none.
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
    /// The load's buffers are lent until the last task has ended.
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

/// Measures a stream while it flows: neither its beginning nor its end counts. Then compares every
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

/// As [`steady`], without looking at the outputs, which the rail `null` leaves as they are.
pub fn flow(engine: &Engine, load: &Load, measured: Duration) -> Result<Run, Failure> {
    let mut stream = Stream::new(engine, load);
    let begin = Instant::now();
    let settled = begin + measured / 8;
    // Every stripe is coded at least once, however short the window is.
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

/// The time from issue to end of each task of a stream, in nanoseconds, in the order of ending.
/// Then compares every output.
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
            // The receiver waits until all senders are gone.
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
