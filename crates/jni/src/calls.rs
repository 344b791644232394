// SPDX-License-Identifier: Apache-2.0
//! The operations, in one version for direct buffers and for arrays.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use jni_sys::{jint, jlong, jobject};
use stripeline_boundary::{Exclusive, Optional, Shared, UNITS_MAX, exclusive, optional, shared};
use stripeline_codec::Verdict;

use crate::arguments::{Absence, Ints, Step, Units, non_negative, present, read_ints};
use crate::env::Env;
use crate::failure::Failure;
use crate::registry;

/// The function that gives access to the units of a call: `direct::run` or `heap::run`.
pub(crate) type Run =
    unsafe fn(Env, &Units, Absence, &Units, usize, &mut Step<'_>) -> Result<(), Failure>;

/// Encodes units that `run` gives access to.
///
/// # Safety
/// Arguments must be those of a native whose lists have entries of the type that `run` takes.
#[inline]
pub(crate) unsafe fn encode(
    env: Env,
    run: Run,
    codec: jlong,
    inputs: (jobject, jobject),
    outputs: (jobject, jobject),
    length: jint,
) -> Result<(), Failure> {
    let codec = registry::get(codec)?;
    let length = non_negative("length", length)?;
    env.ensure_local_capacity(codec.data_units() + codec.parity_units())?;
    let (k, m) = (codec.data_units(), codec.parity_units());
    // SAFETY: lists as the caller guarantees; `run` hands out memory that lives until the step
    // returns and whose outputs overlap nothing.
    unsafe {
        let mut inputs = Units::array("in", inputs.0, inputs.1);
        inputs.read(env, Some(k))?;
        let mut outputs = Units::array("out", outputs.0, outputs.1);
        outputs.read(env, Some(m))?;
        run(
            env,
            &inputs,
            Absence::Refused,
            &outputs,
            length,
            &mut |inputs, outputs, bytes| {
                let (mut data, mut parity) = (Shared::new(), Exclusive::new());
                shared(inputs, 0, bytes, &mut data);
                exclusive(outputs, 0, bytes, &mut parity);
                codec.encode(&data, &mut parity)?;
                Ok(ControlFlow::Continue(()))
            },
        )
    }
}

/// Decodes units that `run` gives access to.
///
/// # Safety
/// As [`encode`].
#[inline]
pub(crate) unsafe fn decode(
    env: Env,
    run: Run,
    codec: jlong,
    inputs: (jobject, jobject),
    erased: jobject,
    outputs: (jobject, jobject),
    length: jint,
) -> Result<(), Failure> {
    let codec = registry::get(codec)?;
    let length = non_negative("length", length)?;
    let units = codec.data_units() + codec.parity_units();
    env.ensure_local_capacity(units + codec.parity_units())?;
    // SAFETY: as `encode`.
    unsafe {
        let mut numbers = Ints::new();
        read_ints(env, "erased", present("erased", erased)?, &mut numbers)?;
        let mut erased = ArrayVec::<usize, UNITS_MAX>::new();
        for number in &numbers {
            erased.push(non_negative("an erased unit", *number)?);
        }
        let mut inputs = Units::array("in", inputs.0, inputs.1);
        inputs.read(env, Some(units))?;
        let mut outputs = Units::array("out", outputs.0, outputs.1);
        outputs.read(env, None)?;
        run(
            env,
            &inputs,
            Absence::Allowed,
            &outputs,
            length,
            &mut |inputs, outputs, bytes| {
                let (mut units, mut decoded) = (Optional::new(), Exclusive::new());
                optional(inputs, 0, bytes, &mut units);
                exclusive(outputs, 0, bytes, &mut decoded);
                codec.decode(&units, &erased, &mut decoded)?;
                Ok(ControlFlow::Continue(()))
            },
        )
    }
}

/// Verifies units that `run` gives access to; returns -1 if they are sound, else the first parity
/// unit that differs.
///
/// # Safety
/// As [`encode`].
#[inline]
pub(crate) unsafe fn verify(
    env: Env,
    run: Run,
    codec: jlong,
    units: (jobject, jobject),
    length: jint,
) -> Result<jint, Failure> {
    let codec = registry::get(codec)?;
    let length = non_negative("length", length)?;
    let count = codec.data_units() + codec.parity_units();
    env.ensure_local_capacity(count)?;
    let mut differing = -1;
    // SAFETY: as `encode`.
    unsafe {
        let mut units = Units::array("units", units.0, units.1);
        units.read(env, Some(count))?;
        let none = Units::none();
        run(
            env,
            &units,
            Absence::Refused,
            &none,
            length,
            &mut |units, _, bytes| {
                let mut all = Shared::new();
                shared(units, 0, bytes, &mut all);
                let (data, parity) = all.split_at(codec.data_units());
                Ok(match codec.verify(data, parity)? {
                    Verdict::Sound => ControlFlow::Continue(()),
                    Verdict::Mismatch { parity_unit, .. } => {
                        differing = jint::try_from(parity_unit).expect("at most 255 parity units");
                        ControlFlow::Break(())
                    }
                })
            },
        )?;
    }
    Ok(differing)
}

/// Updates parity that `run` gives access to; each buffer is passed with its position.
///
/// # Safety
/// As [`encode`].
#[inline]
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
pub(crate) unsafe fn update(
    env: Env,
    run: Run,
    codec: jlong,
    data_unit: jint,
    old: (jobject, jint),
    fresh: (jobject, jint),
    parity: (jobject, jobject),
    length: jint,
) -> Result<(), Failure> {
    let codec = registry::get(codec)?;
    let length = non_negative("length", length)?;
    let data_unit = non_negative("the data unit", data_unit)?;
    env.ensure_local_capacity(codec.parity_units())?;
    let inputs = Units::pair(("old", old.0, old.1), ("fresh", fresh.0, fresh.1));
    // SAFETY: as `encode`.
    unsafe {
        let m = codec.parity_units();
        let mut parity = Units::array("parity", parity.0, parity.1);
        parity.read(env, Some(m))?;
        run(
            env,
            &inputs,
            Absence::Refused,
            &parity,
            length,
            &mut |inputs, parity, bytes| {
                let (mut changed, mut updated) = (Shared::new(), Exclusive::new());
                shared(inputs, 0, bytes, &mut changed);
                exclusive(parity, 0, bytes, &mut updated);
                codec.update(data_unit, changed[0], changed[1], &mut updated)?;
                Ok(ControlFlow::Continue(()))
            },
        )
    }
}
