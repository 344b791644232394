// SPDX-License-Identifier: Apache-2.0
//! `stripeline-bench-fingerprint`: how fast one core fingerprints blocks while it verifies their
//! checksums, compared with the checksums alone.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bench_common::machine::Machine;
use bench_common::statistics::{Spread, thread_cpu};
use clap::Parser;
use stripeline_codec::{ChecksumKind, Fingerprint, FingerprintFunction, Kernels};
use stripeline_reference::{Checksum, checksum, fingerprint::fingerprint as oracle};

const WINDOW_BYTES: usize = 1 << 20;
const BYTES_PER_CHECKSUM: usize = 512;
const SEED: u64 = 0x5eed;

/// Bytes of one read and of one call.
const READ_BYTES: usize = 128 << 10;

/// Times fingerprints and checksums of a file in the page cache, and of data in the cache. Prints
/// GB/s (10^9 bytes per second of CPU time, of one thread) and the ratio to CRC-32C alone.
#[derive(Parser)]
#[command(name = "stripeline-bench-fingerprint")]
struct Arguments {
    /// Seconds instead of minutes: 4 MiB once; checks every result, says nothing about speed
    #[arg(long)]
    quick: bool,
    /// MiB of the file
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    mib: u64,
    /// How often each case is measured; the median counts
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u64).range(1..=999))]
    repetitions: u64,
}

/// What is computed of each piece.
#[derive(Clone, Copy)]
struct Work {
    sums: Option<usize>,
    checksum: Option<ChecksumKind>,
}

impl Work {
    const ALL: [Self; 10] = {
        const fn work(sums: Option<usize>, checksum: Option<ChecksumKind>) -> Work {
            Work { sums, checksum }
        }
        use ChecksumKind::{Crc32, Crc32c};
        [
            work(None, None),
            work(None, Some(Crc32c)),
            work(None, Some(Crc32)),
            work(Some(1), None),
            work(Some(2), None),
            work(Some(4), None),
            work(Some(1), Some(Crc32c)),
            work(Some(2), Some(Crc32c)),
            work(Some(4), Some(Crc32c)),
            work(Some(2), Some(Crc32)),
        ]
    };

    fn name(self) -> String {
        let checksum = match self.checksum {
            None => "no checksum",
            Some(ChecksumKind::Crc32c) => "crc32c",
            Some(ChecksumKind::Crc32) => "crc32",
        };
        match self.sums {
            None => checksum.to_owned(),
            Some(sums) => format!("fingerprint t={sums}, {checksum}"),
        }
    }
}

/// Where the bytes come from.
enum Source {
    /// A file, read by pread(): one copy from the page cache.
    PageCache(File),
    /// The same bytes again and again.
    Cache,
}

/// One case, ready to run.
struct Case {
    work: Work,
    fingerprint: Fingerprint,
    checksums: Vec<u32>,
    buffer: Vec<u8>,
    /// The fingerprint of the first window and the checksums of its first piece.
    first: (Vec<u8>, Vec<u32>),
}

impl Case {
    fn new(work: Work, bytes: &[u8]) -> Self {
        let function = FingerprintFunction::new(SEED, work.sums.unwrap_or(1), WINDOW_BYTES);
        Self {
            work,
            fingerprint: Fingerprint::new(Arc::new(function.expect("valid parameters"))),
            checksums: vec![0; READ_BYTES / BYTES_PER_CHECKSUM],
            buffer: bytes[..READ_BYTES].to_vec(),
            first: (Vec::new(), Vec::new()),
        }
    }

    /// Processes `total` bytes, a whole number of windows; returns the CPU time.
    fn run(&mut self, source: &Source, total: u64) -> std::io::Result<Duration> {
        let start = thread_cpu();
        for offset in (0..total).step_by(READ_BYTES) {
            if let Source::PageCache(file) = source {
                file.read_exact_at(&mut self.buffer, offset)?;
            }
            self.process();
            if offset == 0 {
                self.first.1.clone_from(&self.checksums);
            }
            if self.fingerprint.remaining_bytes() == 0 {
                if offset < WINDOW_BYTES as u64 {
                    self.first.0 = self.fingerprint.bytes().to_vec();
                }
                self.fingerprint.reset();
            }
        }
        Ok(thread_cpu() - start)
    }

    fn process(&mut self) {
        let (buffer, chunk) = (&self.buffer[..], BYTES_PER_CHECKSUM);
        match (self.work.sums, self.work.checksum) {
            (None, None) => {}
            (None, Some(kind)) => {
                Kernels::active().chunk_checksums(kind, buffer, chunk, &mut self.checksums);
            }
            (Some(_), None) => self.fingerprint.update(buffer).expect("fits"),
            (Some(_), Some(kind)) => {
                let sums = &mut self.checksums[..];
                let result = self
                    .fingerprint
                    .update_with_checksums(buffer, kind, chunk, sums);
                result.expect("fits");
            }
        }
    }

    /// Compares the first results with the oracle's.
    fn is_right(&self, window: &[u8]) -> bool {
        let kind = match self.work.checksum {
            Some(ChecksumKind::Crc32) => Checksum::Crc32,
            _ => Checksum::Crc32c,
        };
        let chunks = window[..READ_BYTES].chunks(BYTES_PER_CHECKSUM);
        let sums: Vec<u32> = chunks.map(|chunk| checksum(kind, chunk)).collect();
        let right = |count| oracle(SEED, count, window) == self.first.0;
        (self.work.checksum.is_none() || sums == self.first.1) && self.work.sums.is_none_or(right)
    }
}

fn main() -> ExitCode {
    let mut arguments = Arguments::parse();
    if arguments.quick {
        (arguments.mib, arguments.repetitions) = (4, 1);
    }
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("Cannot measure fingerprints: {error}");
            ExitCode::from(3)
        }
    }
}

/// Measures and prints all cases; returns whether all results were right.
fn run(arguments: &Arguments) -> std::io::Result<bool> {
    let machine = Machine::read();
    println!(
        "{}, {} CPUs, {}, load {}",
        machine.cpu,
        machine.cpus,
        Kernels::active().isa(),
        machine.load_average
    );
    println!(
        "{} MiB, {} repetitions, window 1 MiB, 512 bytes per checksum; GB/s of CPU time",
        arguments.mib, arguments.repetitions
    );
    let total = arguments.mib << 20;
    let window: Vec<u8> = bytes(0);
    let sources = [
        ("page cache", Source::PageCache(file(arguments.mib)?)),
        ("cache", Source::Cache),
    ];
    let mut all_right = true;
    for (place, source) in sources {
        // Data in the cache is one piece again and again.
        let first = match source {
            Source::PageCache(_) => window.clone(),
            Source::Cache => window[..READ_BYTES].repeat(WINDOW_BYTES / READ_BYTES),
        };
        let mut cases: Vec<Case> = Work::ALL.map(|work| Case::new(work, &window)).into();
        let mut times = vec![Vec::new(); cases.len()];
        for _ in 0..arguments.repetitions {
            for (case, times) in cases.iter_mut().zip(&mut times) {
                times.push(case.run(&source, total)?);
            }
        }
        let median = |times: Vec<Duration>| {
            let seconds = times.iter().map(Duration::as_secs_f64);
            Spread::of(seconds).median.max(1e-9)
        };
        let medians: Vec<f64> = times.into_iter().map(median).collect();
        println!("\n{place:<32} GB/s  of crc32c  of its own checksum");
        for (case, seconds) in cases.iter().zip(&medians) {
            if !case.is_right(&first) {
                eprintln!("{place}, {}: wrong result", case.work.name());
                all_right = false;
            }
            let alone = match case.work.checksum {
                Some(ChecksumKind::Crc32) => medians[2],
                _ => medians[1],
            };
            if matches!(
                (&source, case.work.sums, case.work.checksum),
                (Source::Cache, None, None)
            ) {
                continue;
            }
            println!(
                "{:<30} {:>6.2} {:>9.0} % {:>9.0} %",
                case.work.name(),
                total as f64 / seconds / 1e9,
                100.0 * medians[1] / seconds,
                100.0 * alone / seconds
            );
        }
    }
    Ok(all_right)
}

/// Writes the file, which has no name any more when it is returned.
fn file(mib: u64) -> std::io::Result<File> {
    let name = format!("stripeline-bench-fingerprint-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file = File::options();
    let mut file = file
        .clone()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    std::fs::remove_file(&path)?;
    for number in 0..mib {
        file.write_all(&bytes(number))?;
    }
    Ok(file)
}

/// Returns the bytes of one MiB of the file.
fn bytes(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = vec![0; WINDOW_BYTES];
    for word in bytes.as_chunks_mut::<8>().0 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *word = state.to_le_bytes();
    }
    bytes
}
