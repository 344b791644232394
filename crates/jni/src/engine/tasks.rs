// SPDX-License-Identifier: Apache-2.0
//! The operations over direct buffers through an engine, blocking or issued.

use std::sync::Arc;
use std::time::Duration;

use arrayvec::ArrayVec;
use jni_sys::{JNI_FALSE, jboolean, jint, jlong, jobject};
use stripeline_boundary::UNITS_MAX;
use stripeline_codec::{Codec, StorePolicy, Verdict};
use stripeline_engine::{Priority, Request, Ticket};
use stripeline_rail::borrowed::scoped;
use stripeline_rail::{Buffers, Job, Piece, Region};

use crate::arguments::{Absence, Ints, Pointers, Units, non_negative, present, read_ints};
use crate::direct::Memory;
use crate::engine::engines::{self, Call};
use crate::env::Env;
use crate::failure::Failure;
use crate::registry;

/// A call in progress: what every operation has besides its units.
pub(crate) struct Order {
    call: Call,
    codec: &'static Codec,
    length: usize,
    /// The number under which the task is reported; 0 to wait for it.
    task: i64,
    request: Request,
}

type Regions = ArrayVec<Region, UNITS_MAX>;

impl Order {
    /// Enters the engine; `deadline` is the time that the task may take in nanoseconds, or a
    /// negative value for no limit.
    pub(crate) fn begin(
        engine: jlong,
        codec: jlong,
        length: jint,
        task: jlong,
        background: jboolean,
        deadline: jlong,
    ) -> Result<Self, Failure> {
        let deadline = u64::try_from(deadline).ok();
        let priority = match background {
            JNI_FALSE => Priority::Foreground,
            _ => Priority::Background,
        };
        Ok(Self {
            call: engines::enter(engine)?,
            codec: registry::get(codec)?,
            length: non_negative("length", length)?,
            task,
            request: Request {
                priority,
                deadline: deadline.map(Duration::from_nanos),
                // HDFS sends, checksums or copies the outputs at once.
                store: Some(StorePolicy::Temporal),
            },
        })
    }

    /// Runs the piece that `job` creates and returns the verdict, or issues it: the verdict is then
    /// reported, and the caller keeps the buffers until then.
    fn run(
        &self,
        job: impl FnOnce(Buffers) -> Result<Piece, stripeline_codec::Error>,
    ) -> Result<Option<Verdict>, Failure> {
        let (engine, completions) = (&self.call.engine, &self.call.completions);
        if self.task == 0 {
            let run = |piece| engine.run(piece, self.request);
            return Ok(Some(scoped(self.length, run, job)??));
        }
        let finish = completions.finish(self.task);
        let piece = job(Buffers {
            bytes: self.length,
            keep: Some(Box::new(Arc::clone(&finish))),
        })?;
        let prepare = |ticket: &Ticket| {
            completions.keep(self.task, ticket.clone());
            ticket.on_end(move |outcome| finish.note(outcome));
        };
        let issued = engine.issue_with(piece, self.request, prepare);
        issued
            .map(|_ticket| None)
            .map_err(|rejected| rejected.error.into())
    }
}

/// Computes all parity units.
///
/// # Safety
/// Lists must be `ByteBuffer[]` with `int[]`; for an issued task the caller keeps the buffers alive
/// until the task is reported, and until then outputs are not accessed and inputs are not changed.
pub(crate) unsafe fn encode(
    env: Env,
    order: Order,
    inputs: (jobject, jobject),
    outputs: (jobject, jobject),
) -> Result<(), Failure> {
    let codec = order.codec;
    let (k, m) = (codec.data_units(), codec.parity_units());
    env.ensure_local_capacity(k + m)?;
    // SAFETY: lists as the caller guarantees.
    let memory = unsafe {
        let mut inputs = Units::array("in", inputs.0, inputs.1);
        inputs.read(env, Some(k))?;
        let mut outputs = Units::array("out", outputs.0, outputs.1);
        outputs.read(env, Some(m))?;
        memory(env, &inputs, Absence::Refused, &outputs, order.length)?
    };
    let (inputs, outputs) = (regions(&memory.inputs), regions(&memory.outputs));
    // SAFETY: bounds and overlaps are checked; the rest as the caller guarantees.
    order.run(|buffers| unsafe { Job::encode(codec, &inputs, &outputs, buffers) })?;
    Ok(())
}

/// Computes the units `erased`.
///
/// # Safety
/// As [`encode`].
pub(crate) unsafe fn decode(
    env: Env,
    order: Order,
    inputs: (jobject, jobject),
    erased: jobject,
    outputs: (jobject, jobject),
) -> Result<(), Failure> {
    let codec = order.codec;
    let count = codec.data_units() + codec.parity_units();
    env.ensure_local_capacity(count + codec.parity_units())?;
    let mut erasures = ArrayVec::<usize, UNITS_MAX>::new();
    // SAFETY: lists as the caller guarantees.
    let memory = unsafe {
        let mut numbers = Ints::new();
        read_ints(env, "erased", present("erased", erased)?, &mut numbers)?;
        for number in &numbers {
            erasures.push(non_negative("an erased unit", *number)?);
        }
        let mut inputs = Units::array("in", inputs.0, inputs.1);
        inputs.read(env, Some(count))?;
        let mut outputs = Units::array("out", outputs.0, outputs.1);
        outputs.read(env, None)?;
        memory(env, &inputs, Absence::Allowed, &outputs, order.length)?
    };
    let region = |unit: &*const u8| (!unit.is_null()).then(|| Region::host(unit.cast_mut()));
    let units: ArrayVec<Option<Region>, UNITS_MAX> = memory.inputs.iter().map(region).collect();
    let outputs = regions(&memory.outputs);
    // SAFETY: as in `encode`.
    order.run(|buffers| unsafe { Job::decode(codec, &units, &erasures, &outputs, buffers) })?;
    Ok(())
}

/// Compares parity with data: returns -1 if it matches, else the first parity unit that differs;
/// returns -1 also for an issued task.
///
/// # Safety
/// As [`encode`].
pub(crate) unsafe fn verify(
    env: Env,
    order: Order,
    units: (jobject, jobject),
) -> Result<jint, Failure> {
    let codec = order.codec;
    let count = codec.data_units() + codec.parity_units();
    env.ensure_local_capacity(count)?;
    // SAFETY: lists as the caller guarantees.
    let memory = unsafe {
        let mut inputs = Units::array("units", units.0, units.1);
        inputs.read(env, Some(count))?;
        memory(env, &inputs, Absence::Refused, &Units::none(), order.length)?
    };
    let all = regions(&memory.inputs);
    let (data, parity) = all.split_at(codec.data_units());
    // SAFETY: as in `encode`.
    let verdict = order.run(|buffers| unsafe { Job::verify(codec, data, parity, buffers) })?;
    Ok(match verdict {
        None | Some(Verdict::Sound) => -1,
        Some(Verdict::Mismatch { parity_unit, .. }) => {
            jint::try_from(parity_unit).expect("at most 255 parity units")
        }
    })
}

/// Updates the parity after one data unit has changed; each buffer is passed with its position.
///
/// # Safety
/// As [`encode`].
pub(crate) unsafe fn update(
    env: Env,
    order: Order,
    data_unit: jint,
    change: [(jobject, jint); 2],
    parity: (jobject, jobject),
) -> Result<(), Failure> {
    let codec = order.codec;
    let data_unit = non_negative("the data unit", data_unit)?;
    env.ensure_local_capacity(codec.parity_units())?;
    let [old, fresh] = change;
    let inputs = Units::pair(("old", old.0, old.1), ("fresh", fresh.0, fresh.1));
    // SAFETY: lists as the caller guarantees.
    let memory = unsafe {
        let mut parity = Units::array("parity", parity.0, parity.1);
        parity.read(env, Some(codec.parity_units()))?;
        memory(env, &inputs, Absence::Refused, &parity, order.length)?
    };
    let changed = regions(&memory.inputs);
    let parity = regions(&memory.outputs);
    order.run(|buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::update(codec, data_unit, changed[0], changed[1], &parity, buffers) }
    })?;
    Ok(())
}

/// Returns the memory of both lists after checking it.
///
/// # Safety
/// The entries must be `ByteBuffer`s.
unsafe fn memory(
    env: Env,
    inputs: &Units,
    absence: Absence,
    outputs: &Units,
    length: usize,
) -> Result<Memory, Failure> {
    if length == 0 {
        // Java handles a call of no bytes itself; a job of no bytes cannot be created.
        return Err(Failure::argument("length is 0, at least 1 needed"));
    }
    let mut memory = Memory {
        inputs: Pointers::new(),
        outputs: Pointers::new(),
    };
    // SAFETY: as the caller guarantees.
    unsafe { memory.resolve(env, inputs, absence, outputs, length)? };
    Ok(memory)
}

fn regions(pointers: &Pointers) -> Regions {
    let region = |pointer: &*const u8| Region::host(pointer.cast_mut());
    pointers.iter().map(region).collect()
}
