// SPDX-License-Identifier: Apache-2.0
//! Tables as TOML.

use std::fmt::{Display, Write};
use std::ops::RangeInclusive;

use serde::Deserialize;
use toml::{Spanned, Value};

use super::entry::RailTuning;
use super::table_file::{Machine, TableFile};

const VERSION: i64 = 3;
const CPUS: RangeInclusive<i64> = 1..=65536;
const LANES: RangeInclusive<i64> = 1..=1024;
/// Up to a tebibyte, which no buffer reaches.
const BYTES: RangeInclusive<i64> = 1..=1 << 40;
/// In 10^6 bytes a second: more than any memory moves, but a rail that does nothing reaches it.
pub(super) const MEGABYTES_MAX: u64 = 1_000_000_000;
const RATES: RangeInclusive<i64> = 1..=MEGABYTES_MAX as i64;
type Number = Spanned<i64>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(rename = "version")]
    _version: i64,
    #[serde(default)]
    machine: Vec<RawMachine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMachine {
    cpu: Spanned<String>,
    cpus: Number,
    #[serde(default)]
    rail: Vec<RawRail>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRail {
    name: Spanned<String>,
    device: String,
    lanes: Number,
    smallest_data_bytes: Number,
    stream_from_bytes: Option<Number>,
    piece_bytes: Number,
    megabytes_per_second: Number,
}

/// Parses a file; an error names the line.
pub(super) fn read(content: &str) -> Result<TableFile, String> {
    let reader = Reader { content };
    reader.check_version()?;
    let raw: RawFile = toml::from_str(content).map_err(|error| reader.explain(&error))?;
    let mut file = TableFile::default();
    for machine in raw.machine {
        let (cpu, cpus) = (machine.cpu.get_ref(), *machine.cpus.get_ref());
        let same = |other: &Machine| other.cpu == *cpu && other.cpus as i64 == cpus;
        if file.machines.iter().any(same) {
            let reason = format!("cpu {cpu:?} with {cpus} CPUs occurs twice");
            return Err(reader.at(&machine.cpu, reason));
        }
        let machine = reader.machine(machine)?;
        file.machines.push(machine);
    }
    Ok(file)
}

struct Reader<'a> {
    content: &'a str,
}

impl Reader<'_> {
    /// Checked first, because another version may define the keys differently.
    fn check_version(&self) -> Result<(), String> {
        let table: toml::Table =
            toml::from_str(self.content).map_err(|error| self.explain(&error))?;
        match table.get("version") {
            Some(Value::Integer(VERSION)) => Ok(()),
            Some(other) => Err(format!(
                "version is {other}, this library reads version {VERSION}; \
                 remove it and measure the machine again with `stripeline tune`"
            )),
            None => Err(format!(
                "version is missing, this library reads version {VERSION}"
            )),
        }
    }

    fn machine(&self, raw: RawMachine) -> Result<Machine, String> {
        let mut rails: Vec<RailTuning> = Vec::new();
        for raw in raw.rail {
            let key =
                |rail: &RailTuning| rail.name == *raw.name.get_ref() && rail.device == raw.device;
            if rails.iter().any(key) {
                let name = raw.name.get_ref();
                return Err(self.at(
                    &raw.name,
                    format!("rail {name:?} with this device occurs twice"),
                ));
            }
            rails.push(self.rail(raw)?);
        }
        Ok(Machine {
            cpus: self.number("cpus", &raw.cpus, CPUS)?,
            cpu: raw.cpu.into_inner(),
            rails,
        })
    }

    fn rail(&self, raw: RawRail) -> Result<RailTuning, String> {
        let stream = raw.stream_from_bytes.as_ref();
        Ok(RailTuning {
            lanes: self.number("lanes", &raw.lanes, LANES)?,
            smallest_data_bytes: self.number(
                "smallest_data_bytes",
                &raw.smallest_data_bytes,
                BYTES,
            )?,
            stream_from_bytes: stream
                .map(|bytes| self.number("stream_from_bytes", bytes, BYTES))
                .transpose()?,
            piece_bytes: self.number("piece_bytes", &raw.piece_bytes, BYTES)?,
            bytes_per_second: 1_000_000
                * self.number("megabytes_per_second", &raw.megabytes_per_second, RATES)? as u64,
            name: raw.name.into_inner(),
            device: raw.device,
        })
    }

    fn number(
        &self,
        key: &str,
        value: &Number,
        allowed: RangeInclusive<i64>,
    ) -> Result<usize, String> {
        let number = *value.get_ref();
        let inside = allowed.contains(&number).then_some(number);
        let fits = inside.and_then(|number| usize::try_from(number).ok());
        let (least, most) = allowed.into_inner();
        fits.ok_or_else(|| {
            self.at(
                value,
                format!("{key} is {number}, must be {least} to {most}"),
            )
        })
    }

    fn at<T>(&self, value: &Spanned<T>, reason: impl Display) -> String {
        format!("line {}: {reason}", self.line(value.span().start))
    }

    fn explain(&self, error: &toml::de::Error) -> String {
        let line = error.span().map_or(1, |span| self.line(span.start));
        format!("line {line}: {}", error.message().trim_end())
    }

    fn line(&self, offset: usize) -> usize {
        let before = &self.content.as_bytes()[..offset.min(self.content.len())];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }
}

/// Formats a file without a serializer, which would leave no room for comments.
pub(super) fn write(file: &TableFile) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_file(&mut text, file);
    text
}

fn write_file(text: &mut String, file: &TableFile) -> std::fmt::Result {
    writeln!(
        text,
        "# Tuning table of Stripeline, written by `stripeline tune`; may be edited."
    )?;
    writeln!(
        text,
        "# data_bytes: all inputs of a task together. piece_bytes: of each buffer."
    )?;
    writeln!(
        text,
        "# megabytes_per_second: 10^6 data bytes of all lanes together."
    )?;
    writeln!(text, "version = {VERSION}")?;
    for machine in &file.machines {
        let cpu = quoted(&machine.cpu);
        writeln!(text, "\n[[machine]]\ncpu = {cpu}\ncpus = {}", machine.cpus)?;
        for rail in &machine.rails {
            write_rail(text, rail)?;
        }
    }
    Ok(())
}

fn write_rail(text: &mut String, rail: &RailTuning) -> std::fmt::Result {
    writeln!(text, "\n[[machine.rail]]")?;
    writeln!(
        text,
        "name = {}\ndevice = {}",
        quoted(&rail.name),
        quoted(&rail.device)
    )?;
    writeln!(text, "lanes = {}", rail.lanes)?;
    writeln!(text, "smallest_data_bytes = {}", rail.smallest_data_bytes)?;
    match rail.stream_from_bytes {
        Some(bytes) => writeln!(text, "stream_from_bytes = {bytes}")?,
        None => writeln!(
            text,
            "# No stream_from_bytes: stores that bypass the cache are never faster."
        )?,
    }
    writeln!(text, "piece_bytes = {}", rail.piece_bytes)?;
    let megabytes = rail.bytes_per_second / 1_000_000;
    writeln!(text, "megabytes_per_second = {megabytes}")
}

fn quoted(text: &str) -> Value {
    Value::String(text.to_owned())
}
