// SPDX-License-Identifier: Apache-2.0
//! Which rails a machine has, of those that a configuration names.
//!
//! A rail that the machine lacks is out without a word; one that is there but cannot be used is out
//! with a warning. Either way [`Candidate`] keeps the reason.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

use crate::{Cpu, Cuda, FoundGpu, Isal, LoadError, Null, Plugin, Rail, known_answers};

/// What `auto` stands for.
const AUTO: [&str; 2] = ["cpu", "cuda"];

/// What begins the name of a plug-in; the path of its library follows.
const PLUGIN: &str = "plugin:";

/// Whether a rail whose lanes are costly is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Costly {
    Proven,
    Presumed,
}

/// How long a plug-in may take for all known answers, which take one that is in order milliseconds.
const TRIAL: Duration = Duration::from_secs(30);

/// Looks for the rails of one name. It may stand for several, such as one for each GPU.
type Find = fn(Costly) -> Vec<Candidate>;

const SOURCES: &[(&str, Find)] = &[
    ("cpu", |_| vec![Candidate::proven(Cpu::rail())]),
    ("isal", |_| vec![isal()]),
    ("cuda", gpus),
    ("null", |_| {
        vec![Candidate::new("null", Standing::In(Arc::new(Null::rail())))]
    }),
];

/// A rail that was asked for, in or out.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called, or as what it was asked for.
    pub name: String,
    /// Whether it is in.
    pub standing: Standing,
}

/// Whether a rail is in, or why not.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It is there and gives right answers. `null` is in without them, because it codes nothing, and
    /// what [`presume`] found and is costly to try is in until it is tried.
    In(Arc<dyn Rail>),
    /// The machine lacks the library or the device.
    Absent(String),
    /// It is there, but broken, or not what it was taken for.
    Unusable(String),
}

impl Candidate {
    /// A candidate as it stands.
    pub fn new(name: &str, standing: Standing) -> Self {
        Self {
            name: name.to_owned(),
            standing,
        }
    }

    /// A rail that is in if it knows the answers.
    pub fn proven(rail: impl Rail + 'static) -> Self {
        let checked = known_answers::check(&rail);
        Self::judged(Arc::new(rail), checked)
    }

    /// As [`proven`](Self::proven), for a rail whose calls may never return: they are made on another
    /// thread, which is left behind after `limit`.
    pub fn proven_within(rail: impl Rail + 'static, limit: Duration) -> Self {
        let rail: Arc<dyn Rail> = Arc::new(rail);
        let tried = Arc::clone(&rail);
        let (sender, receiver) = channel();
        let name = format!("stripeline-try-{}", rail.name());
        let spawned = Builder::new().name(name).spawn(move || {
            // Fails only when nobody waits any more.
            let _ = sender.send(known_answers::check(&*tried));
        });
        let checked = match spawned {
            Ok(_) => receiver.recv_timeout(limit).unwrap_or_else(|_| {
                let (name, limit) = (rail.name(), limit.as_secs_f64());
                Err(format!("Cannot trust rail {name}: no answer for {limit} s"))
            }),
            Err(error) => Err(format!("Cannot try rail {}: {error}", rail.name())),
        };
        Self::judged(rail, checked)
    }

    fn judged(rail: Arc<dyn Rail>, checked: Result<(), String>) -> Self {
        let name = rail.name().to_owned();
        let standing = match checked {
            Ok(()) => Standing::In(rail),
            Err(reason) => Standing::Unusable(reason),
        };
        Self { name, standing }
    }

    /// A rail that is in, to be proven when it is first used, if its lanes are costly: proving opens
    /// one. Any other is in if it knows the answers.
    pub fn presumed(rail: impl Rail + 'static) -> Self {
        if !rail.capability().costly_lanes {
            return Self::proven(rail);
        }
        let name = rail.name().to_owned();
        Self::new(&name, Standing::In(Arc::new(rail)))
    }

    /// The rail, if it is in.
    #[must_use]
    pub fn rail(&self) -> Option<&Arc<dyn Rail>> {
        match &self.standing {
            Standing::In(rail) => Some(rail),
            Standing::Absent(_) | Standing::Unusable(_) => None,
        }
    }

    /// Why it is out, if it is.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match &self.standing {
            Standing::In(_) => None,
            Standing::Absent(reason) | Standing::Unusable(reason) => Some(reason),
        }
    }

    /// What to warn of once, if it is unusable.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        match &self.standing {
            Standing::Unusable(reason) => Some(format!(
                "Cannot use rail {}, others code instead: {reason}",
                self.name
            )),
            Standing::In(_) | Standing::Absent(_) => None,
        }
    }
}

impl fmt::Display for Candidate {
    /// A line for people: what is behind it, or why it is out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.standing {
            Standing::In(rail) => write!(formatter, "{}: in, {}", self.name, rail.describe()),
            Standing::Absent(reason) => write!(formatter, "{}: absent: {reason}", self.name),
            Standing::Unusable(reason) => write!(formatter, "{}: out: {reason}", self.name),
        }
    }
}

/// Looks for every rail named, in this order: `cpu`, `isal`, `cuda`, `null`, `plugin:PATH`, and
/// `auto` for the CPU and every GPU. A rail named twice is in once.
///
/// Takes some milliseconds for each rail that is there, and loads its library, which then stays.
#[must_use]
pub fn discover<S: AsRef<str>>(names: &[S]) -> Vec<Candidate> {
    search(names, Costly::Proven)
}

/// As [`discover`], but a rail whose lanes are costly, such as a GPU, is in without having been proven:
/// that takes a context on the device, which whoever has no work for it need not pay for. It is to be
/// proven before it is used.
#[must_use]
pub fn presume<S: AsRef<str>>(names: &[S]) -> Vec<Candidate> {
    search(names, Costly::Presumed)
}

fn search<S: AsRef<str>>(names: &[S], costly: Costly) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let names = names.iter().map(AsRef::as_ref);
    let asked = names.flat_map(|name| match name {
        "auto" => AUTO.to_vec(),
        name => vec![name],
    });
    for candidate in asked.flat_map(|name| find(name, costly)) {
        if candidates.iter().all(|other| other.name != candidate.name) {
            candidates.push(candidate);
        }
    }
    candidates
}

fn find(name: &str, costly: Costly) -> Vec<Candidate> {
    if let Some(path) = name.strip_prefix(PLUGIN) {
        return vec![plugin(name, Path::new(path))];
    }
    match SOURCES.iter().find(|(source, _)| *source == name) {
        Some((_, find)) => find(costly),
        None => {
            let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
            let reason = format!("no such rail: there are {}, plugin:PATH", names.join(", "));
            vec![Candidate::new(name, Standing::Unusable(reason))]
        }
    }
}

fn isal() -> Candidate {
    match Isal::rail() {
        Ok(rail) => Candidate::proven(rail),
        Err(reason) => Candidate::new("isal", Standing::Absent(reason)),
    }
}

fn gpus(costly: Costly) -> Vec<Candidate> {
    let gpu = |found: FoundGpu| match found.rail {
        Ok(rail) if costly == Costly::Presumed => Candidate::presumed(rail),
        Ok(rail) => Candidate::proven(rail),
        Err(reason) => Candidate::new(&found.name, Standing::Unusable(reason)),
    };
    match Cuda::rails() {
        Ok(found) => found.into_iter().map(gpu).collect(),
        Err(reason) => vec![Candidate::new("cuda", Standing::Absent(reason))],
    }
}

/// A path is there because somebody wrote it down: even a file that is not there is worth a
/// warning.
fn plugin(name: &str, path: &Path) -> Candidate {
    match Plugin::load(path) {
        Ok(rail) => Candidate::proven_within(rail, TRIAL),
        Err(error @ (LoadError::Absent(_) | LoadError::Invalid(_))) => {
            Candidate::new(name, Standing::Unusable(error.to_string()))
        }
    }
}
