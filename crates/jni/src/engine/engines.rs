// SPDX-License-Identifier: Apache-2.0
//! The engines that Java has opened.
//!
//! A handle is an index with a generation, never an address: a handle that is closed or was never
//! returned is refused. An engine closes when no call is inside it; closing refuses new calls,
//! except those that only read or cancel.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use stripeline_boundary::Gate;
use stripeline_engine::{Candidate, Configuration, Engine, Event, Scheduling};

use crate::engine::completions::Completions;
use crate::failure::Failure;

/// The most engines open at once in one process; each engine has its own threads.
const ENGINES_MAX: usize = 64;

/// "SE" in the upper half distinguishes a handle from an arbitrary number.
const TAG: i64 = 0x5345 << 48;

static SLOTS: [RwLock<Slot>; ENGINES_MAX] = [const { RwLock::new(Slot::new()) }; ENGINES_MAX];

struct Slot {
    generation: u32,
    open: Option<Arc<Open>>,
    /// Present until Java has taken all reports.
    completions: Option<Arc<Completions>>,
}

impl Slot {
    const fn new() -> Self {
        Self {
            generation: 0,
            open: None,
            completions: None,
        }
    }
}

/// An open engine.
pub(crate) struct Open {
    pub(crate) engine: Engine,
    pub(crate) scheduling: Scheduling,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) completions: Arc<Completions>,
    /// Counts the calls inside that may issue or wait. Separate from the engine, so that a call
    /// drops its reference to the engine before it leaves the gate.
    gate: Arc<Gate>,
}

/// A call inside an engine, which cannot close before the call has left.
pub(crate) struct Call {
    /// `None` only while the call leaves.
    open: Option<Arc<Open>>,
    gate: Arc<Gate>,
}

impl Deref for Call {
    type Target = Open;

    fn deref(&self) -> &Open {
        self.open.as_ref().expect("inside")
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // Dropped first, so that the closing thread then holds the last reference and ends the
        // engine.
        drop(self.open.take());
        self.gate.leave();
    }
}

/// Opens an engine with a configuration and returns its handle.
pub(crate) fn open(configuration: &Configuration) -> Result<i64, Failure> {
    let completions = Arc::new(Completions::default());
    let mut configuration = configuration.clone();
    let told = Arc::clone(&completions);
    configuration.options.listener = Arc::new(move |event: &Event| told.tell(event.clone()));
    let (engine, candidates) = Engine::open(&configuration)?;
    let open = Arc::new(Open {
        engine,
        scheduling: configuration.options.scheduling,
        candidates,
        completions: Arc::clone(&completions),
        gate: Arc::default(),
    });
    for (index, slot) in SLOTS.iter().enumerate() {
        let mut slot = slot.write().unwrap_or_else(PoisonError::into_inner);
        if slot.completions.is_none() {
            slot.generation = slot.generation.wrapping_add(1);
            (slot.open, slot.completions) = (Some(open), Some(completions));
            return Ok(TAG | i64::from(slot.generation) << 8 | index as i64);
        }
    }
    Err(Failure::argument(format_args!(
        "{ENGINES_MAX} engines are open in this process, the most allowed"
    )))
}

/// Enters an engine for a call that may issue or wait.
pub(crate) fn enter(handle: i64) -> Result<Call, Failure> {
    let slot = look(handle)?;
    let open = slot.open.as_ref().filter(|open| open.gate.enter());
    open.map(|open| Call {
        open: Some(Arc::clone(open)),
        gate: Arc::clone(&open.gate),
    })
    .ok_or(Failure::EngineClosed)
}

/// Runs a function that only reads an engine or cancels tasks; allowed while the engine is closing.
pub(crate) fn visit<T>(handle: i64, look_at: impl FnOnce(&Open) -> T) -> Result<T, Failure> {
    let slot = look(handle)?;
    slot.open
        .as_deref()
        .map(look_at)
        .ok_or(Failure::EngineClosed)
}

/// Returns the reports of an engine; they stay available after its close until all have been taken.
pub(crate) fn completions(handle: i64) -> Result<Arc<Completions>, Failure> {
    let slot = look(handle)?;
    slot.completions.clone().ok_or(Failure::EngineClosed)
}

/// Frees the handle's reports; there is nothing left to report.
pub(crate) fn retire(handle: i64) {
    if let Ok(slot) = look(handle) {
        drop(slot);
        let mut slot = slot_of(handle)
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        slot.completions = None;
    }
}

/// Refuses further calls, waits for those inside, and ends the engine as dropping it does: pieces
/// in progress on a rail are finished, waiting tasks end as closed.
pub(crate) fn close(handle: i64) -> Result<(), Failure> {
    let open = {
        let slot = look(handle)?;
        let open = slot.open.as_ref();
        let first = open.filter(|open| open.gate.close());
        first.map(Arc::clone).ok_or(Failure::EngineClosed)?
    };
    open.gate.wait_until_left();
    // Waits for readers; afterwards no other thread has a reference to the engine.
    let kept = {
        let slot = slot_of(handle).write();
        slot.unwrap_or_else(PoisonError::into_inner).open.take()
    };
    drop(kept);
    let completions = Arc::clone(&open.completions);
    drop(open);
    completions.close();
    Ok(())
}

fn slot_of(handle: i64) -> &'static RwLock<Slot> {
    &SLOTS[(handle & 0xff) as usize % ENGINES_MAX]
}

fn look(handle: i64) -> Result<RwLockReadGuard<'static, Slot>, Failure> {
    let slot = slot_of(handle)
        .read()
        .unwrap_or_else(PoisonError::into_inner);
    let given = TAG | i64::from(slot.generation) << 8 | (handle & 0xff);
    let known = given == handle && slot.generation > 0 && (handle & 0xff) < ENGINES_MAX as i64;
    match known {
        true => Ok(slot),
        false => Err(Failure::EngineClosed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> Configuration {
        "rails=cpu\nworkers-max=1".parse().expect("right")
    }

    #[test]
    fn unknown_and_closed_handles_are_refused() {
        let handle = open(&configuration()).expect("an engine");
        assert!(enter(handle).is_ok());
        for stray in [0, 1, -1, i64::MIN, handle + 1, handle + 256, handle ^ TAG] {
            assert!(enter(stray).is_err(), "{stray} must be refused");
        }
        close(handle).expect("closes once");
        assert!(close(handle).is_err());
        assert!(enter(handle).is_err());
        assert!(visit(handle, |_| ()).is_err());
        let reports = completions(handle).expect("until all was taken");
        assert_eq!(reports.take(&mut [[0; 3]; 1]), None);
        retire(handle);
        assert!(completions(handle).is_err());
    }

    #[test]
    fn closing_waits_for_calls_inside_and_refuses_others() {
        let handle = open(&configuration()).expect("an engine");
        let call = enter(handle).expect("open");
        let closer = std::thread::spawn(move || close(handle).is_ok());
        while enter(handle).is_ok() {
            std::thread::yield_now();
        }
        assert!(
            visit(handle, |_| ()).is_ok(),
            "still open to those who look"
        );
        assert!(!closer.is_finished());
        drop(call);
        assert!(closer.join().expect("no panic"));
        retire(handle);
    }

    #[test]
    fn handles_differ_from_one_opening_to_the_next() {
        let one = open(&configuration()).expect("an engine");
        close(one).expect("closes");
        retire(one);
        let other = open(&configuration()).expect("an engine");
        assert_ne!(one, other);
        assert!(enter(one).is_err());
        close(other).expect("closes");
        retire(other);
    }
}
