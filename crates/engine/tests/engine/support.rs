// SPDX-License-Identifier: Apache-2.0
//! Rails that fail on command, and stripes for them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use stripeline_codec::{Code, Codec, Verdict};
use stripeline_engine::{Engine, Event, EventKind, Options};
use stripeline_rail::owned::Units;
use stripeline_rail::{Capability, Coder, Cpu, Fault, FaultKind, Piece, Rail, Synchronous};
use stripeline_testkit::Stripe;

/// A gate that pieces wait at.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<(bool, usize)>,
    changed: Condvar,
}

impl Gate {
    /// Lets all threads pass from now on.
    pub fn open(&self) {
        self.state.lock().expect("not poisoned").0 = true;
        self.changed.notify_all();
    }

    /// Waits until the gate is open.
    pub fn pass(&self) {
        let mut state = self.state.lock().expect("not poisoned");
        state.1 += 1;
        self.changed.notify_all();
        let waited = self.changed.wait_while(state, |state| !state.0);
        drop(waited.expect("not poisoned"));
    }

    /// Returns the number of arrivals at the gate.
    pub fn arrivals(&self) -> usize {
        self.state.lock().expect("not poisoned").1
    }

    /// Waits until `count` threads have arrived at the gate.
    pub fn await_arrivals(&self, count: usize) {
        let state = self.state.lock().expect("not poisoned");
        let waited = self.changed.wait_while(state, |state| state.1 < count);
        drop(waited.expect("not poisoned"));
    }
}

/// The fault of a coder.
#[derive(Debug)]
pub enum CoderFault {
    /// Refuses the given number of first pieces.
    Refuse(usize),
    /// Fails the given number of first pieces.
    Err(usize),
    /// Writes a wrong byte into every piece.
    Lie,
    /// Reports an offset one byte after that of every mismatch.
    Misplace,
    /// Panics at every piece.
    Panic,
    /// Panics at the given number of first pieces.
    PanicFirst(usize),
    /// Waits at a gate and then codes correctly.
    Wait(Arc<Gate>),
    /// Waits, each piece at the gate of its number; pieces beyond the last gate do not wait.
    WaitInTurn(Vec<Arc<Gate>>),
}

/// The CPU's coder with a fault.
#[derive(Debug)]
pub struct FaultyCoder {
    coder: Cpu,
    fault: CoderFault,
    seen: AtomicUsize,
}

impl FaultyCoder {
    /// Returns a rail of that name with one lane.
    pub fn rail(name: &str, fault: CoderFault) -> Arc<dyn Rail> {
        Self::rail_of(name, fault, 1)
    }

    /// Returns a rail of that name with `lanes` lanes.
    pub fn rail_of(name: &str, fault: CoderFault, lanes: usize) -> Arc<dyn Rail> {
        let coder = Self {
            coder: Cpu::portable(),
            fault,
            seen: AtomicUsize::new(0),
        };
        let capability = Capability {
            lanes,
            ..Capability::synchronous()
        };
        Arc::new(Synchronous::new(name, capability, coder))
    }
}

impl Coder for FaultyCoder {
    type Memory = ();

    fn describe(&self) -> String {
        format!("{:?}", self.fault)
    }

    fn run(&self, piece: &mut Piece, (): &mut ()) -> Result<Verdict, Fault> {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        match &self.fault {
            CoderFault::Refuse(count) if seen < *count => {
                return Err(Fault::new(FaultKind::Refused, "not this one"));
            }
            CoderFault::Err(count) if seen < *count => {
                return Err(Fault::new(FaultKind::Failed, "injected"));
            }
            CoderFault::Panic => panic!("injected"),
            CoderFault::PanicFirst(count) if seen < *count => panic!("injected"),
            CoderFault::Wait(gate) => gate.pass(),
            CoderFault::WaitInTurn(gates) => {
                gates.get(seen).into_iter().for_each(|gate| gate.pass())
            }
            _ => (),
        }
        let mut verdict = self.coder.code(piece);
        if let (CoderFault::Misplace, Verdict::Mismatch { offset, .. }) =
            (&self.fault, &mut verdict)
        {
            *offset += 1;
        }
        if let CoderFault::Lie = self.fault
            && verdict == Verdict::Sound
            && piece.job().mode() != stripeline_rail::Mode::Compare
        {
            piece.write(|_, outputs| outputs[0][0] ^= 1);
        }
        Ok(verdict)
    }
}

/// Returns the CPU rail.
pub fn cpu() -> Arc<dyn Rail> {
    Arc::new(Cpu::rail())
}

/// Returns an engine, and the list of its events.
pub fn engine(rails: Vec<Arc<dyn Rail>>, options: Options) -> (Engine, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&events);
    let listener =
        Arc::new(move |event: &Event| told.lock().expect("not poisoned").push(event.clone()));
    let options = Options {
        listener,
        ..options
    };
    (
        Engine::start(rails, options).expect("right options"),
        events,
    )
}

/// Returns the kinds of events about a rail.
pub fn kinds(events: &Mutex<Vec<Event>>, rail: &str) -> Vec<EventKind> {
    let events = events.lock().expect("not poisoned");
    let of_rail = events.iter().filter(|event| event.rail == rail);
    of_rail.map(|event| event.kind).collect()
}

/// Returns a codec and a stripe of its code.
pub fn stripe(bytes: usize) -> (Codec, Stripe) {
    let codec = Codec::new(Code::Rs, 6, 3).expect("a shape of HDFS");
    (codec, Stripe::random(Code::Rs, 6, 3, bytes))
}

/// Returns the data of a stripe, and room for its parity.
pub fn to_encode(stripe: &Stripe) -> Units {
    Units {
        inputs: stripe.data().to_vec(),
        outputs: vec![vec![0xa5; stripe.length()]; stripe.parity_units],
    }
}
