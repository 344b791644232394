// SPDX-License-Identifier: Apache-2.0
//! A process with one engine that encodes at the same time as others, as [`crate::instances`]
//! tells it: an order is a line of its standard input, the answer a line of its standard output.
//!
//! The process ends when its standard input is closed, that is, with the process that started it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use stripeline_engine::node::{self, Place};
use stripeline_engine::{Engine, Options, Scheduling};

use crate::drive::Stream;
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::node_directory::NodeDirectory;
use crate::parts::CELL_BYTES;
use crate::rails::{self, Kind};

/// Starts coding.
pub const CODE: &str = "code";
/// Asks for the number of threads that may code on the CPU.
pub const THREADS: &str = "threads";
/// Measures a window; answered with 10^9 bytes of data per second and the number of threads.
pub const MEASURE: &str = "measure";
/// Ends coding; answered when every output has been compared.
pub const STOP: &str = "stop";

/// The first word of the answer to an order that was carried out, and of the first line.
pub const DONE: &str = "done";
/// The first word of the answer after a wrong byte.
pub const WRONG: &str = "wrong";
/// The first word of the answer after any other failure.
pub const UNABLE: &str = "unable";

/// Carries out orders until there are no more.
///
/// The engine shares the CPUs with others through a table in `directory`, if there is one.
pub fn run(directory: Option<PathBuf>, window: Duration) -> ExitCode {
    let directory = directory.map(NodeDirectory::at);
    let table = directory.as_ref().map(NodeDirectory::table);
    let orders = listen(directory);
    let (word, text) = match serve(&orders, table, window) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Wrong(text)) => (WRONG, text),
        Err(Failure::Unable(text)) => (UNABLE, text),
    };
    answer(word, text.replace('\n', " "));
    ExitCode::FAILURE
}

/// Reads orders on a thread of its own, which ends the process and removes the directory when the
/// input is closed, whatever the other threads do.
fn listen(directory: Option<NodeDirectory>) -> Receiver<String> {
    let (sender, orders) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            // The receiver is gone if coding has failed; the process is then about to end.
            let _ = sender.send(line);
        }
        drop(directory);
        process::exit(0);
    });
    orders
}

fn serve(
    orders: &Receiver<String>,
    table: Option<PathBuf>,
    window: Duration,
) -> Result<(), Failure> {
    let options = Options {
        node: table.map(|path| node::Options {
            place: Place(path),
            ..node::Options::default()
        }),
        ..rails::options(Scheduling::Single("cpu".to_owned()))
    };
    let (engine, lanes) = (rails::engine(&[Kind::cpu()], options)?, lanes());
    // Some more stripes than threads, so that no thread waits for the caller.
    let mut load = Load::new(Operation::Encode, CELL_BYTES, 8.max(2 * lanes));
    load.poison()?;
    answer(DONE, "ready");
    if orders.recv().as_deref() != Ok(CODE) {
        return Ok(());
    }
    answer(DONE, "coding");
    code(orders, &engine, &load, window)?;
    load.compare(load.stripes(), "cpu")?;
    answer(DONE, "compared");
    Ok(())
}

fn code(
    orders: &Receiver<String>,
    engine: &Engine,
    load: &Load,
    window: Duration,
) -> Result<(), Failure> {
    let mut stream = Stream::new(engine, load);
    // The start of the window, and the stripes that have ended since.
    let mut measured: Option<(Instant, u64)> = None;
    loop {
        match orders.try_recv().as_deref() {
            Ok(THREADS) => answer(DONE, threads_allowed(engine)),
            Ok(MEASURE) => measured = Some((Instant::now(), 0)),
            Ok(_) => break,
            Err(_) => {}
        }
        let ended = stream.make_room()?;
        stream.issue()?;
        let Some((from, stripes)) = &mut measured else {
            continue;
        };
        *stripes += u64::from(ended);
        let wall = from.elapsed();
        if *stripes > 0 && wall >= window {
            let gigabytes = (*stripes * load.data_bytes() as u64) as f64 / 1e9;
            let rate = gigabytes / wall.as_secs_f64();
            answer(DONE, format!("{rate} {}", threads_allowed(engine)));
            measured = None;
        }
    }
    while stream.take_oldest()? {}
    Ok(())
}

/// Returns the number of threads that may code on the CPU: its share, or all workers.
fn threads_allowed(engine: &Engine) -> usize {
    let share = engine.statistics().threads_allowed;
    share.unwrap_or_else(lanes)
}

fn lanes() -> usize {
    Kind::cpu().open().capability().lanes
}

/// Writes an answer. An error means that the reader has ended; the input is then closed as well.
fn answer(word: &str, text: impl std::fmt::Display) {
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{word} {text}").and_then(|()| output.flush());
}
