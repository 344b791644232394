// SPDX-License-Identifier: Apache-2.0
//! Finds out which of the configured rails a machine has.
//!
//! A rail that the machine lacks is left out silently; one that is present but cannot be used is
//! left out with a warning. Either way [`Candidate`] keeps the reason.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

use crate::{Cpu, Cuda, FoundGpu, Isal, LoadError, Null, Plugin, Rail, known_answers};

/// The rails that `auto` stands for.
const AUTO: [&str; 2] = ["cpu", "cuda"];

/// The prefix of a plug-in's name; the path of its library follows.
const PLUGIN: &str = "plugin:";

/// Whether rails whose lanes are costly are verified now or on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CostlyRails {
    Verify,
    Defer,
}

/// How long a plug-in may take for all known answers; one that works takes milliseconds.
const VERIFICATION_LIMIT: Duration = Duration::from_secs(30);

/// Looks for the rails of one name. It may stand for several, such as one for each GPU.
type Find = fn(CostlyRails) -> Vec<Candidate>;

const SOURCES: &[(&str, Find)] = &[
    ("cpu", |_| vec![Candidate::verified(Cpu::rail())]),
    ("isal", |_| vec![isal()]),
    ("cuda", gpus),
    ("null", |_| {
        vec![Candidate::new(
            "null",
            Availability::Available(Arc::new(Null::rail())),
        )]
    }),
];

/// A rail that was asked for, available or not.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name, or the name that it was asked for by.
    pub name: String,
    /// Whether it is available.
    pub availability: Availability,
}

/// Whether a rail is available, or why not.
#[derive(Clone, Debug)]
pub enum Availability {
    /// It is present and gives right answers. `null` is available without them, because it codes
    /// nothing; a rail with costly lanes from [`discover_unverified`] is available until it is
    /// verified.
    Available(Arc<dyn Rail>),
    /// The machine lacks the library or the device.
    Absent(String),
    /// It is present but broken, or is not what its name says.
    Unusable(String),
}

impl Candidate {
    /// Creates a candidate.
    pub fn new(name: &str, availability: Availability) -> Self {
        Self {
            name: name.to_owned(),
            availability,
        }
    }

    /// Returns a rail that is available if it gives the known answers.
    pub fn verified(rail: impl Rail + 'static) -> Self {
        let checked = known_answers::check(&rail);
        Self::from_result(Arc::new(rail), checked)
    }

    /// As [`verified`](Self::verified), for a rail whose calls may never return: they are made on
    /// another thread, which is detached after `limit`.
    pub fn verified_within(rail: impl Rail + 'static, limit: Duration) -> Self {
        let rail: Arc<dyn Rail> = Arc::new(rail);
        let tried = Arc::clone(&rail);
        let (sender, receiver) = channel();
        let name = format!("stripeline-try-{}", rail.name());
        let spawned = Builder::new().name(name).spawn(move || {
            // Fails only after the limit, when the receiver is gone.
            let _ = sender.send(known_answers::check(&*tried));
        });
        let checked = match spawned {
            Ok(_) => receiver.recv_timeout(limit).unwrap_or_else(|_| {
                let (name, limit) = (rail.name(), limit.as_secs_f64());
                Err(format!("Cannot trust rail {name}: no answer for {limit} s"))
            }),
            Err(error) => Err(format!("Cannot try rail {}: {error}", rail.name())),
        };
        Self::from_result(rail, checked)
    }

    fn from_result(rail: Arc<dyn Rail>, checked: Result<(), String>) -> Self {
        let name = rail.name().to_owned();
        let availability = match checked {
            Ok(()) => Availability::Available(rail),
            Err(reason) => Availability::Unusable(reason),
        };
        Self { name, availability }
    }

    /// A rail with costly lanes is available and must be verified on first use, because
    /// verification opens a lane. Any other rail is available if it gives the known answers.
    pub fn unverified(rail: impl Rail + 'static) -> Self {
        if !rail.capability().costly_lanes {
            return Self::verified(rail);
        }
        let name = rail.name().to_owned();
        Self::new(&name, Availability::Available(Arc::new(rail)))
    }

    /// Returns the rail, if it is available.
    #[must_use]
    pub fn rail(&self) -> Option<&Arc<dyn Rail>> {
        match &self.availability {
            Availability::Available(rail) => Some(rail),
            Availability::Absent(_) | Availability::Unusable(_) => None,
        }
    }

    /// Returns why it is not available.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match &self.availability {
            Availability::Available(_) => None,
            Availability::Absent(reason) | Availability::Unusable(reason) => Some(reason),
        }
    }

    /// Returns the warning to issue once, if the rail is unusable.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        match &self.availability {
            Availability::Unusable(reason) => Some(format!(
                "Cannot use rail {}, using the others instead: {reason}",
                self.name
            )),
            Availability::Available(_) | Availability::Absent(_) => None,
        }
    }
}

impl fmt::Display for Candidate {
    /// Returns a line for people: the description of the rail, or why it is not available.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.availability {
            Availability::Available(rail) => {
                write!(formatter, "{}: in, {}", self.name, rail.describe())
            }
            Availability::Absent(reason) => write!(formatter, "{}: absent: {reason}", self.name),
            Availability::Unusable(reason) => write!(formatter, "{}: out: {reason}", self.name),
        }
    }
}

/// Looks for every rail named, in this order: `cpu`, `isal`, `cuda`, `null`, `plugin:PATH`, and
/// `auto` for the CPU and every GPU. A rail named twice is returned once.
///
/// Takes some milliseconds for each rail that is there, and loads its library, which then stays.
#[must_use]
pub fn discover<S: AsRef<str>>(names: &[S]) -> Vec<Candidate> {
    search(names, CostlyRails::Verify)
}

/// As [`discover`], but a rail whose lanes are costly, such as a GPU, is available without having
/// been verified: verification needs a context on the device, and a process without work for the
/// device should not pay for one. The caller must verify the rail before it uses it.
#[must_use]
pub fn discover_unverified<S: AsRef<str>>(names: &[S]) -> Vec<Candidate> {
    search(names, CostlyRails::Defer)
}

fn search<S: AsRef<str>>(names: &[S], costly: CostlyRails) -> Vec<Candidate> {
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

fn find(name: &str, costly: CostlyRails) -> Vec<Candidate> {
    if let Some(path) = name.strip_prefix(PLUGIN) {
        return vec![plugin(name, Path::new(path))];
    }
    match SOURCES.iter().find(|(source, _)| *source == name) {
        Some((_, find)) => find(costly),
        None => {
            let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
            let reason = format!("no such rail: known are {}, plugin:PATH", names.join(", "));
            vec![Candidate::new(name, Availability::Unusable(reason))]
        }
    }
}

fn isal() -> Candidate {
    match Isal::rail() {
        Ok(rail) => Candidate::verified(rail),
        Err(reason) => Candidate::new("isal", Availability::Absent(reason)),
    }
}

fn gpus(costly: CostlyRails) -> Vec<Candidate> {
    let gpu = |found: FoundGpu| match found.rail {
        Ok(rail) if costly == CostlyRails::Defer => Candidate::unverified(rail),
        Ok(rail) => Candidate::verified(rail),
        Err(reason) => Candidate::new(&found.name, Availability::Unusable(reason)),
    };
    match Cuda::rails() {
        Ok(found) => found.into_iter().map(gpu).collect(),
        Err(reason) => vec![Candidate::new("cuda", Availability::Absent(reason))],
    }
}

/// A path was configured explicitly, so even a missing file is worth a warning.
fn plugin(name: &str, path: &Path) -> Candidate {
    match Plugin::load(path) {
        Ok(rail) => Candidate::verified_within(rail, VERIFICATION_LIMIT),
        Err(error @ (LoadError::Absent(_) | LoadError::Invalid(_))) => {
            Candidate::new(name, Availability::Unusable(error.to_string()))
        }
    }
}
