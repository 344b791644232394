// SPDX-License-Identifier: Apache-2.0
//! Rails that fail on command, stripes, and calls that several tests make.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use stripeline_codec::{Code, Codec, Isa, Kernels, Verdict};
use stripeline_engine::{Engine, ErrorKind, Event, EventKind, Issued, Options, Request};
use stripeline_rail::{Capability, Cpu, Rail, Synchronous};
use stripeline_testkit::faulty::{FaultyRail, Script};
use stripeline_testkit::{Gate, Stripe, slices, slices_mut};

/// Longer than any operation takes.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Returns a rail of that name with `lanes` lanes, which fails by the script.
pub fn faulty(name: &str, lanes: usize, script: Script) -> FaultyRail {
    let capability = Capability {
        lanes,
        ..Capability::synchronous()
    };
    let rail = Synchronous::new(name, capability, Cpu::portable());
    FaultyRail::new(Arc::new(rail), script)
}

/// As [`faulty`], but declared to share the CPUs, with a lane for each.
pub fn faulty_cpu(name: &str, script: Script) -> FaultyRail {
    let kernels = Kernels::for_isa(Isa::Portable).expect("runs everywhere");
    FaultyRail::new(Arc::new(Cpu::with_kernels(name, kernels)), script)
}

/// Returns a rail with one lane on which each piece waits at the gate of its number; pieces beyond
/// the last gate do not wait.
pub fn gated(gates: &[Arc<Gate>]) -> Arc<dyn Rail> {
    Arc::new(faulty("gated", 1, Script::nothing()).gated(gates))
}

/// Returns gates that are shut.
pub fn gates<const COUNT: usize>() -> [Arc<Gate>; COUNT] {
    [(); COUNT].map(|()| Arc::new(Gate::default()))
}

/// Returns the CPU rail.
pub fn cpu() -> Arc<dyn Rail> {
    Arc::new(Cpu::rail())
}

/// Returns the rail and that of the CPU.
pub fn with_cpu(rail: impl Into<Arc<FaultyRail>>) -> Vec<Arc<dyn Rail>> {
    vec![rail.into() as Arc<dyn Rail>, cpu()]
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

/// Waits until it is so.
pub fn await_that(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "by then");
        std::thread::yield_now();
    }
}

/// Returns a codec and a stripe of its code.
pub fn stripe(bytes: usize) -> (Codec, Stripe) {
    let stripe = Stripe::random(Code::Rs, 6, 3, bytes);
    (stripe.codec(), stripe)
}

/// Issues the encoding of a stripe.
pub fn issue(engine: &Engine, codec: &Codec, stripe: &Stripe, request: Request) -> Issued {
    let issued = engine.iencode(codec, stripe.to_encode(), request);
    issued.expect("room for a task")
}

/// Waits for the encoding of a stripe and expects right bytes.
pub fn expect_right(issued: Issued, stripe: &Stripe) {
    let (outcome, units) = issued.wait();
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert!(units.outputs == stripe.parity(), "{}", stripe.name());
}

/// Encodes a stripe by a task and expects right bytes.
pub fn encode_right(engine: &Engine, codec: &Codec, stripe: &Stripe) {
    expect_right(issue(engine, codec, stripe, Request::default()), stripe);
}

/// Encodes a stripe by a blocking call; the bytes must be right if it succeeds.
pub fn encode(
    engine: &Engine,
    codec: &Codec,
    stripe: &Stripe,
    request: Request,
) -> Result<(), ErrorKind> {
    let mut parity = stripe.to_encode().outputs;
    let data = slices(stripe.data());
    let encoded = engine.encode(codec, &data, &mut slices_mut(&mut parity), request);
    if encoded.is_ok() {
        assert!(parity == stripe.parity(), "{}", stripe.name());
    }
    encoded.map_err(|error| error.kind())
}
