// SPDX-License-Identifier: Apache-2.0
//! The cost of metadata: the paper's alternative to coders that all write the same bytes is a
//! key-value server that stores, for each group of chunks, which coder coded it.
//!
//! Encoding then ends with storing a value per group, and decoding begins with reading it. Here a
//! chunk is a stripe of RS-6-3 with 64 KiB cells. A group's value is stored when its last stripe is
//! done and before the next group begins, because otherwise a reader could find a group that cannot
//! be decoded; requests precede the stripes that need their answer.

use std::time::{Duration, Instant};

use bench_common::statistics::turns;
use stripeline_engine::{Engine, Scheduling};

use super::CELL_BYTES;
use crate::arguments::Settings;
use crate::drive::Stream;
use crate::failure::Failure;
use crate::key_value::{Client, Server};
use crate::load::{Load, Operation};
use crate::rails::{self, Kind};
use crate::report::{Point, Section};

/// The numbers of chunks in a group, as in the paper's Figure 7.
const GROUPS: [usize; 4] = [1, 8, 16, 32];

/// Stripes outstanding: a whole group of the largest size.
const WINDOW: usize = 32;

/// The number of keys, used in turn, so that the server's contents do not grow with the run.
const KEYS: u64 = 4096;

const RAIL: &str = "cpu";

/// Measures this part.
pub fn run(settings: &Settings) -> Result<Section, Failure> {
    let mut section = Section::new(
        "metadata",
        "without metadata against a key-value server that stores the coding device of each chunk \
         (Figure 7), RS-6-3, 64 KiB cells, rail cpu",
    );
    let mut server = match Server::start() {
        Ok(server) => server,
        Err(reason) => {
            let hint = "install Debian's memcached to measure this";
            section.notes.push(format!("left out: {reason}; {hint}"));
            return Ok(section);
        }
    };
    let engine = rails::engine(
        &[Kind::cpu()],
        rails::options(Scheduling::Single(RAIL.to_owned())),
    )?;
    for operation in Operation::ALL {
        let mut load = Load::new(operation, CELL_BYTES, WINDOW);
        let mut rates = vec![Vec::new(); GROUPS.len() + 1];
        for key in 0..KEYS {
            store(&mut server.client, key)?;
        }
        for contestant in turns(rates.len(), settings.repetitions) {
            // The last contestant has no metadata; its stripes are issued in groups too.
            let group = GROUPS.get(contestant).copied();
            let mut keeper = Keeper {
                client: &mut server.client,
                operation,
                number: 0,
            };
            load.poison()?;
            let keeper = group.is_some().then_some(&mut keeper);
            let rate = flow(
                &engine,
                &load,
                (group.unwrap_or(WINDOW), keeper),
                settings.window,
            )?;
            load.compare(WINDOW, RAIL)?;
            rates[contestant].push(rate);
        }
        points(&mut section, operation, &rates);
    }
    section.notes.push(format!(
        "{} on a Unix socket of this machine; one request at a time on a connection. Over a \
         network it costs more",
        server.version
    ));
    section.notes.push(
        "x: the rate without metadata over this one's. The paper has 4.2 to 1.3 for encode and 4.6 \
         to 1.4 for decode over memcached, with slower coders and a faster network"
            .to_owned(),
    );
    Ok(section)
}

/// The client of the server.
struct Keeper<'a> {
    client: &'a mut Client,
    operation: Operation,
    number: u64,
}

impl Keeper<'_> {
    fn before_group(&mut self) -> Result<(), Failure> {
        if self.operation == Operation::Encode {
            return Ok(());
        }
        let key = key(self.number);
        self.number += 1;
        let answer = self.client.value(&key);
        match answer
            .map_err(|error| Failure::unable("ask memcached", error))?
            .as_deref()
        {
            Some(RAIL) => Ok(()),
            other => Err(Failure::Wrong(format!(
                "Cannot decode group '{key}': memcached says {other:?}"
            ))),
        }
    }

    fn after_group(&mut self) -> Result<(), Failure> {
        if self.operation == Operation::Encode {
            store(self.client, self.number)?;
            self.number += 1;
        }
        Ok(())
    }
}

fn key(number: u64) -> String {
    format!("group:{}", number % KEYS)
}

fn store(client: &mut Client, number: u64) -> Result<(), Failure> {
    let stored = client.set(&key(number), RAIL);
    stored.map_err(|error| Failure::unable("store in memcached", error))
}

/// Codes group after group; returns 10^9 bytes of data per second.
fn flow(
    engine: &Engine,
    load: &Load,
    (group, mut keeper): (usize, Option<&mut Keeper<'_>>),
    measured: Duration,
) -> Result<f64, Failure> {
    let mut stream = Stream::new(engine, load);
    let (begin, mut done) = (Instant::now(), 0_u64);
    while begin.elapsed() < measured || done < WINDOW as u64 {
        if let Some(keeper) = &mut keeper {
            keeper.before_group()?;
        }
        for _ in 0..group {
            stream.make_room()?;
            stream.issue()?;
        }
        done += group as u64;
        if let Some(keeper) = &mut keeper {
            // Only a coded group may be stored; a request before decoding does not wait.
            while keeper.operation == Operation::Encode && stream.take_oldest()? {}
            keeper.after_group()?;
        }
    }
    while stream.take_oldest()? {}
    Ok((done * load.data_bytes() as u64) as f64 / 1e9 / begin.elapsed().as_secs_f64())
}

fn points(section: &mut Section, operation: Operation, rates: &[Vec<f64>]) {
    let free = rates.last().expect("the one without metadata");
    let names = GROUPS
        .iter()
        .map(|group| format!("a value per {group} chunk(s)"));
    let names = names.chain(["none".to_owned()]);
    for (name, rates) in names.zip(rates) {
        let ratios = free.iter().zip(rates).map(|(free, rate)| free / rate);
        let point = Point::new([
            ("metadata", name),
            ("operation", operation.name().to_owned()),
        ]);
        let point = point
            .spread("gbps", rates.iter().copied())
            .spread("x", ratios);
        section.points.push(point);
    }
}
