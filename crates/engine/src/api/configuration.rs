// SPDX-License-Identifier: Apache-2.0
//! An engine's configuration as text, the same for the interfaces in C and Java.
//!
//! One `key=value` a line; empty lines and lines that begin with `#` are skipped.
//!
//! | key | value | default |
//! |---|---|---|
//! | `rails` | `cpu`, `isal`, `cuda`, `plugin:PATH`, by commas; `auto`: CPU and every GPU | `auto` |
//! | `scheduling` | `rate-aware`, `fcfs`, `single:NAME` | `rate-aware` |
//! | `tasks-max` | most tasks outstanding | 1024 |
//! | `bytes-max` | most bytes of data outstanding | 1073741824 |
//! | `when-full` | `wait` or `refuse` | `wait` |
//! | `stall-ms` | milliseconds after which a rail is taken to hang | 250 |
//! | `quarantine-ms` | milliseconds that a failed rail stays out of service at first | 1000 |
//! | `retry-ms` | milliseconds within which a rail that added nothing to the total is tried again | 10000 |
//! | `check-every` | for each rail and kind: one piece in this many is compared, and the first 8; 0 for none | 1000 |
//! | `waiting-threads-help` | `true` or `false` | `true` |
//! | `measure-only` | `true` or `false`: whether `rails` may be `null`, which leaves outputs unchanged | `false` |
//! | `workers-max` | most workers of a rail, 0 for as many as it asks for | 0 |
//! | `tuning` | path of the table that `stripeline tune` wrote | built-in values |
//! | `node` | the processes that share the CPUs: `user`: those of this user (see [`node`](crate::node)); `off` | `user` |
//! | `node-weight` | this process' share in relation to others, 1 to 1000 | 100 |
//!
//! Encoded and decoded pieces are compared on a second rail, and not at all without one.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::api::error::{Error, ErrorKind};
use crate::api::options::{Options, Scheduling, WhenFull};
use crate::node;
use crate::tuning::{Table, TableError};

/// A configuration parsed from text.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The requested rails, as named in the text.
    pub rails: Vec<String>,
    /// All other options.
    pub options: Options,
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            rails: vec!["auto".to_owned()],
            options: Options {
                node: Some(node::Options::default()),
                ..Options::default()
            },
        }
    }
}

impl FromStr for Configuration {
    type Err = Error;

    /// Parses a configuration.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] with the invalid line.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut configuration = Self::default();
        // Set after all lines are read, because the weight may precede the line that it changes.
        let mut node_weight = None;
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let set = match line.split_once('=') {
                Some((key, value)) => match (key.trim(), value.trim()) {
                    ("node-weight", value) => weight(value).map(|value| node_weight = Some(value)),
                    (key, value) => configuration.set(key, value),
                },
                None => Err("is not key=value".to_owned()),
            };
            set.map_err(|why| {
                let text = format!("Cannot read the engine's configuration: '{line}' {why}");
                Error::new(ErrorKind::Configuration, text)
            })?;
        }
        if let (Some(node), Some(weight)) = (&mut configuration.options.node, node_weight) {
            node.weight = Some(weight);
        }
        Ok(configuration)
    }
}

impl Configuration {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        match key {
            "rails" => self.rails = names(value)?,
            "scheduling" => options.scheduling = scheduling(value)?,
            "tasks-max" => options.tasks_max = number(value, 1)?,
            "bytes-max" => options.bytes_max = number(value, 1)?,
            "when-full" => options.when_full = when_full(value)?,
            "stall-ms" => options.stall = Duration::from_millis(number(value, 1)? as u64),
            "quarantine-ms" => options.quarantine = Duration::from_millis(number(value, 1)? as u64),
            "retry-ms" => options.retry = Duration::from_millis(number(value, 1)? as u64),
            "check-every" => options.check_every = number(value, 0)?,
            "waiting-threads-help" => options.waiting_threads_help = truth(value)?,
            "measure-only" => options.measure_only = truth(value)?,
            "workers-max" => options.workers_max = number(value, 0)?,
            "tuning" => {
                let table = Table::load(Path::new(value));
                let unread = |error: TableError| format!("cannot be read: {}", error.reason());
                options.tuning = Arc::new(table.map_err(unread)?);
            }
            "node" => options.node = node_options(value)?,
            _ => return Err("has an unknown key".to_owned()),
        }
        Ok(())
    }
}

fn names(value: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = value
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect();
    if names.iter().any(String::is_empty) {
        return Err("names no rail between commas".to_owned());
    }
    Ok(names)
}

fn scheduling(value: &str) -> Result<Scheduling, String> {
    match value {
        "rate-aware" => Ok(Scheduling::RateAware),
        "fcfs" => Ok(Scheduling::FirstCome),
        _ => match value.strip_prefix("single:") {
            Some(name) if !name.is_empty() => Ok(Scheduling::Single(name.to_owned())),
            _ => Err("must be rate-aware, fcfs or single:NAME".to_owned()),
        },
    }
}

fn when_full(value: &str) -> Result<WhenFull, String> {
    match value {
        "wait" => Ok(WhenFull::Wait),
        "refuse" => Ok(WhenFull::Refuse),
        _ => Err("must be wait or refuse".to_owned()),
    }
}

fn node_options(value: &str) -> Result<Option<node::Options>, String> {
    match value {
        "off" => Ok(None),
        "user" => Ok(Some(node::Options::default())),
        _ => Err("must be user or off".to_owned()),
    }
}

fn weight(value: &str) -> Result<u16, String> {
    let weight = number(value, 1)?.min(usize::from(node::WEIGHT_MAX));
    Ok(weight as u16)
}

fn truth(value: &str) -> Result<bool, String> {
    value
        .parse()
        .map_err(|_| "must be true or false".to_owned())
}

fn number(value: &str, least: usize) -> Result<usize, String> {
    let number = value.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("must be a whole number from {least}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_key() {
        let text = "# all\n\nrails = cpu, plugin:/opt/x.so\nscheduling=single:cpu\ntasks-max=7\n\
                    bytes-max=8\n\
                    when-full=refuse\nstall-ms=9\nquarantine-ms=10\nretry-ms=11\ncheck-every=0\n\
                    waiting-threads-help=false\nmeasure-only=true\nworkers-max=3\n\
                    node=user\nnode-weight=7\n";
        let read: Configuration = text.parse().expect("right");
        assert_eq!(read.rails, ["cpu", "plugin:/opt/x.so"]);
        let options = read.options;
        assert_eq!(options.scheduling, Scheduling::Single("cpu".to_owned()));
        assert_eq!((options.tasks_max, options.bytes_max), (7, 8));
        assert_eq!(options.when_full, WhenFull::Refuse);
        assert_eq!(options.stall, Duration::from_millis(9));
        assert_eq!(options.quarantine, Duration::from_millis(10));
        assert_eq!(options.retry, Duration::from_millis(11));
        assert_eq!((options.check_every, options.workers_max), (0, 3));
        assert!(!options.waiting_threads_help && options.measure_only);
        let node = options.node.expect("shared");
        assert_eq!(node.place, node::Place::default());
        assert_eq!(node.weight, Some(7));
        let read: Configuration = "node=off".parse().expect("right");
        assert!(read.options.node.is_none());
    }

    #[test]
    fn the_weight_holds_wherever_it_stands() {
        for text in [
            "node-weight=7\nnode=user",
            "node=off\nnode-weight=7\nnode=user",
        ] {
            let read: Configuration = text.parse().expect("right");
            assert_eq!(read.options.node.expect("shared").weight, Some(7), "{text}");
        }
    }

    #[test]
    fn names_the_wrong_line() {
        let wrong = [
            ("colour=red", "has an unknown key"),
            ("rails", "is not key=value"),
            ("rails=cpu,,isal", "names no rail between commas"),
            ("scheduling=fast", "must be rate-aware, fcfs or single:NAME"),
            (
                "scheduling=single:",
                "must be rate-aware, fcfs or single:NAME",
            ),
            ("tasks-max=0", "must be a whole number from 1"),
            ("check-every=-1", "must be a whole number from 0"),
            ("when-full=panic", "must be wait or refuse"),
            ("node-weight=0", "must be a whole number from 1"),
            ("node=all", "must be user or off"),
            ("waiting-threads-help=yes", "must be true or false"),
            ("measure-only=1", "must be true or false"),
            (
                "tuning=/dev/null/table",
                "cannot be read: Not a directory (os error 20)",
            ),
        ];
        for (line, why) in wrong {
            let error = line.parse::<Configuration>().expect_err("wrong");
            assert_eq!(error.kind(), ErrorKind::Configuration);
            let text = format!("Cannot read the engine's configuration: '{line}' {why}");
            assert_eq!(error.to_string(), text);
        }
    }
}
