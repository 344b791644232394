// SPDX-License-Identifier: Apache-2.0
//! The operations over direct buffers through an engine, blocking or issued.

use std::sync::Arc;
use std::time::Duration;

use arrayvec::ArrayVec;
use jni_sys::{jint, jlong, jobject};
use stripeline_boundary::{Exclusive, Optional, Shared, UNITS_MAX, exclusive, optional, shared};
use stripeline_codec::{Codec, StorePolicy, Verdict};
use stripeline_engine::{Priority, Request, Ticket};
use stripeline_rail::{Buffers, Job, Piece, Region};

use crate::arguments::{Absence, Ints, Pointers, Units, non_negative, present, read_ints};
use crate::direct::Memory;
use crate::engine::completions::Finish;
use crate::engine::engines::{self, Call};
use crate::env::Env;
use crate::failure::Failure;
use crate::registry;

/// The arguments of every operation besides its units.
#[derive(Clone, Copy)]
pub(crate) struct Issue {
    pub(crate) engine: jlong,
    pub(crate) codec: jlong,
    pub(crate) length: jint,
    /// The number under which the task is reported; 0 to wait for it.
    pub(crate) task: jlong,
    pub(crate) background: bool,
    /// The time that the task may take in nanoseconds, or a negative value for no limit.
    pub(crate) deadline: jlong,
}

/// A call in progress.
struct Order {
    call: Call,
    codec: &'static Codec,
    length: usize,
    task: i64,
    request: Request,
}

type Regions = ArrayVec<Region, UNITS_MAX>;

impl Issue {
    fn begin(self) -> Result<Order, Failure> {
        let deadline = u64::try_from(self.deadline).ok();
        let priority = match self.background {
            true => Priority::Background,
            false => Priority::Foreground,
        };
        Ok(Order {
            call: engines::enter(self.engine)?,
            codec: registry::get(self.codec)?,
            length: non_negative("length", self.length)?,
            task: self.task,
            request: Request {
                priority,
                deadline: deadline.map(Duration::from_nanos),
                // HDFS sends, checksums or copies the outputs at once.
                store: Some(StorePolicy::Temporal),
            },
        })
    }
}

impl Order {
    /// Issues the piece that `job` creates. The caller keeps its buffers until the task is
    /// reported.
    fn issue(
        &self,
        job: impl FnOnce(Buffers) -> Result<Piece, stripeline_codec::Error>,
    ) -> Result<(), Failure> {
        let completions = &self.call.completions;
        let finish = Arc::new(Finish::new(self.task, completions));
        let piece = job(Buffers {
            bytes: self.length,
            keep: Some(Box::new(Arc::clone(&finish))),
        })?;
        // The task's end is reported once the callback's reference to `finish` is dropped.
        let prepare = |ticket: &Ticket| {
            completions.keep(self.task, ticket.clone());
            ticket.on_end(move |outcome| finish.note(outcome));
        };
        let issued = self.call.engine.issue_with(piece, self.request, prepare);
        issued
            .map(|_ticket| ())
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
    issue: Issue,
    inputs: (jobject, jobject),
    outputs: (jobject, jobject),
) -> Result<(), Failure> {
    let order = issue.begin()?;
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
    if order.task == 0 {
        let (mut data, mut parity) = (Shared::new(), Exclusive::new());
        // SAFETY: `memory` has checked bounds and overlaps; the buffers live during this call.
        unsafe {
            shared(&memory.inputs, 0, order.length, &mut data);
            exclusive(&memory.outputs, 0, order.length, &mut parity);
        }
        let engine = &order.call.engine;
        return Ok(engine.encode(codec, &data, &mut parity, order.request)?);
    }
    let (inputs, outputs) = (regions(&memory.inputs), regions(&memory.outputs));
    // SAFETY: bounds and overlaps are checked; the rest as the caller guarantees.
    order.issue(|buffers| unsafe { Job::encode(codec, &inputs, &outputs, buffers) })
}

/// Computes the units `erased`.
///
/// # Safety
/// As [`encode`].
pub(crate) unsafe fn decode(
    env: Env,
    issue: Issue,
    inputs: (jobject, jobject),
    erased: jobject,
    outputs: (jobject, jobject),
) -> Result<(), Failure> {
    let order = issue.begin()?;
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
    if order.task == 0 {
        let (mut units, mut decoded) = (Optional::new(), Exclusive::new());
        // SAFETY: as in `encode`.
        unsafe {
            optional(&memory.inputs, 0, order.length, &mut units);
            exclusive(&memory.outputs, 0, order.length, &mut decoded);
        }
        let engine = &order.call.engine;
        return Ok(engine.decode(codec, &units, &erasures, &mut decoded, order.request)?);
    }
    let region = |unit: &*const u8| (!unit.is_null()).then(|| Region::host(unit.cast_mut()));
    let units: ArrayVec<Option<Region>, UNITS_MAX> = memory.inputs.iter().map(region).collect();
    let outputs = regions(&memory.outputs);
    // SAFETY: as in `encode`.
    order.issue(|buffers| unsafe { Job::decode(codec, &units, &erasures, &outputs, buffers) })
}

/// Compares parity with data: returns -1 if it matches, else the first parity unit that differs;
/// returns -1 also for an issued task.
///
/// # Safety
/// As [`encode`].
pub(crate) unsafe fn verify(
    env: Env,
    issue: Issue,
    units: (jobject, jobject),
) -> Result<jint, Failure> {
    let order = issue.begin()?;
    let codec = order.codec;
    let count = codec.data_units() + codec.parity_units();
    env.ensure_local_capacity(count)?;
    // SAFETY: lists as the caller guarantees.
    let memory = unsafe {
        let mut inputs = Units::array("units", units.0, units.1);
        inputs.read(env, Some(count))?;
        memory(env, &inputs, Absence::Refused, &Units::none(), order.length)?
    };
    if order.task == 0 {
        let mut all = Shared::new();
        // SAFETY: as in `encode`.
        unsafe { shared(&memory.inputs, 0, order.length, &mut all) };
        let (data, parity) = all.split_at(codec.data_units());
        let verdict = order
            .call
            .engine
            .verify(codec, data, parity, order.request)?;
        return Ok(match verdict {
            Verdict::Sound => -1,
            Verdict::Mismatch { parity_unit, .. } => {
                jint::try_from(parity_unit).expect("at most 255 parity units")
            }
        });
    }
    let all = regions(&memory.inputs);
    let (data, parity) = all.split_at(codec.data_units());
    // SAFETY: as in `encode`.
    order.issue(|buffers| unsafe { Job::verify(codec, data, parity, buffers) })?;
    Ok(-1)
}

/// Updates the parity after one data unit has changed; each buffer is passed with its position.
///
/// # Safety
/// As [`encode`].
pub(crate) unsafe fn update(
    env: Env,
    issue: Issue,
    data_unit: jint,
    change: [(jobject, jint); 2],
    parity: (jobject, jobject),
) -> Result<(), Failure> {
    let order = issue.begin()?;
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
    if order.task == 0 {
        let (mut changed, mut parity) = (Shared::new(), Exclusive::new());
        // SAFETY: as in `encode`.
        unsafe {
            shared(&memory.inputs, 0, order.length, &mut changed);
            exclusive(&memory.outputs, 0, order.length, &mut parity);
        }
        let [old, fresh] = [changed[0], changed[1]];
        let engine = &order.call.engine;
        return Ok(engine.update(codec, data_unit, old, fresh, &mut parity, order.request)?);
    }
    let changed = regions(&memory.inputs);
    let parity = regions(&memory.outputs);
    order.issue(|buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::update(codec, data_unit, changed[0], changed[1], &parity, buffers) }
    })
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
