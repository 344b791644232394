// SPDX-License-Identifier: Apache-2.0
//! The exported functions, one per native method of `EngineBridge`, in its order.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use jni_sys::{
    JNI_FALSE, JNIEnv, jboolean, jbyteArray, jclass, jint, jlong, jlongArray, jobject, jstring,
};
use stripeline_engine::Configuration;

use crate::arguments::present;
use crate::engine::completions::REPORT_LONGS;
use crate::engine::survey::survey;
use crate::engine::tasks::{self, Issue};
use crate::engine::{engines, report};
use crate::env::{ByteArray, Env, LongArray};
use crate::failure::{Failure, guard};

const ENCODE: &str = "encode the stripe";
const DECODE: &str = "decode the stripe";
const VERIFY: &str = "verify the stripe";
const UPDATE: &str = "update the stripe";
const LOOK: &str = "look at the engine";

/// The most reports returned by one call.
const REPORTS_MAX: usize = 256;

/// `long open(byte[] configuration)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_open(
    env: *mut JNIEnv,
    _class: jclass,
    configuration: jbyteArray,
) -> jlong {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "open the engine", 0, || {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: ByteArray = unsafe { present("configuration", configuration)? };
        let configuration: Configuration = String::from_utf8_lossy(&bytes(env, array)).parse()?;
        engines::open(&configuration)
    })
}

/// `void close(long engine)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_close(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "close the engine", (), || engines::close(engine));
}

/// `int take(long engine, long[] reports)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_take(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    reports: jlongArray,
) -> jint {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "take what has ended", -1, || {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: LongArray = unsafe { present("reports", reports)? };
        let room = env.long_array_length(array) / REPORT_LONGS;
        if room == 0 {
            return Err(Failure::argument("reports has no room for one"));
        }
        let mut reports = [[0; REPORT_LONGS]; REPORTS_MAX];
        let Some(taken) = engines::completions(engine)?.take(&mut reports[..room.min(REPORTS_MAX)])
        else {
            engines::retire(engine);
            return Ok(-1);
        };
        env.write_longs(array, reports[..taken].as_flattened());
        Ok(taken as jint)
    })
}

/// `String failure(long engine, long task)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_failure(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    task: jlong,
) -> jstring {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, LOOK, std::ptr::null_mut(), || {
        string(env, engines::completions(engine)?.failure(task))
    })
}

/// `String event(long engine)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_event(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
) -> jstring {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, LOOK, std::ptr::null_mut(), || {
        let event = engines::completions(engine)?.event();
        let sign = |good| if good { '+' } else { '-' };
        string(
            env,
            event.map(|(good, text)| format!("{}{text}", sign(good))),
        )
    })
}

/// `boolean cancel(long engine, long task)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_cancel(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    task: jlong,
) -> jboolean {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "cancel the task", JNI_FALSE, || {
        Ok(jboolean::from(engines::completions(engine)?.cancel(task)))
    })
}

/// `int statistics(long engine, long[] numbers)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_statistics(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    numbers: jlongArray,
) -> jint {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, LOOK, 0, || {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: LongArray = unsafe { present("numbers", numbers)? };
        let all = engines::visit(engine, |open| report::numbers(&open.engine.statistics()))?;
        let fitting = all.len().min(env.long_array_length(array));
        env.write_longs(array, &all[..fitting]);
        Ok(all.len() as jint)
    })
}

/// `String rails(long engine)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_rails(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
) -> jstring {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, LOOK, std::ptr::null_mut(), || {
        let names = engines::visit(engine, |open| report::names(&open.engine.statistics()))?;
        string(env, Some(names))
    })
}

/// `String describe(long engine)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_describe(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
) -> jstring {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, LOOK, std::ptr::null_mut(), || {
        string(env, Some(engines::visit(engine, report::json)?))
    })
}

/// `void encode(long engine, long codec, ByteBuffer[] in, int[], ByteBuffer[] out, int[], int
/// length, long task, boolean background, long deadline)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_encode(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
    task: jlong,
    background: jboolean,
    deadline: jlong,
) {
    let issue = issue(engine, codec, length, task, background, deadline);
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    let (inputs, outputs) = ((inputs, input_positions), (outputs, output_positions));
    // SAFETY: the arguments of this native, whose types the JVM has checked; Java keeps them.
    guard(env, ENCODE, (), || unsafe {
        tasks::encode(env, issue, inputs, outputs)
    });
}

/// `void decode(long engine, long codec, ByteBuffer[] in, int[], int[] erased, ByteBuffer[] out,
/// int[], int length, long task, boolean background, long deadline)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_decode(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    erased: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
    task: jlong,
    background: jboolean,
    deadline: jlong,
) {
    let issue = issue(engine, codec, length, task, background, deadline);
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    let (inputs, outputs) = ((inputs, input_positions), (outputs, output_positions));
    // SAFETY: as in `encode`.
    guard(env, DECODE, (), || unsafe {
        tasks::decode(env, issue, inputs, erased, outputs)
    });
}

/// `int verify(long engine, long codec, ByteBuffer[] units, int[], int length, long task, boolean
/// background, long deadline)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_verify(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    codec: jlong,
    units: jobject,
    positions: jobject,
    length: jint,
    task: jlong,
    background: jboolean,
    deadline: jlong,
) -> jint {
    let issue = issue(engine, codec, length, task, background, deadline);
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: as in `encode`.
    guard(env, VERIFY, -1, || unsafe {
        tasks::verify(env, issue, (units, positions))
    })
}

/// `void update(long engine, long codec, int dataUnit, ByteBuffer old, int, ByteBuffer fresh, int,
/// ByteBuffer[] parity, int[], int length, long task, boolean background, long deadline)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_update(
    env: *mut JNIEnv,
    _class: jclass,
    engine: jlong,
    codec: jlong,
    data_unit: jint,
    old: jobject,
    old_position: jint,
    fresh: jobject,
    fresh_position: jint,
    parity: jobject,
    parity_positions: jobject,
    length: jint,
    task: jlong,
    background: jboolean,
    deadline: jlong,
) {
    let issue = issue(engine, codec, length, task, background, deadline);
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    let change = [(old, old_position), (fresh, fresh_position)];
    let parity = (parity, parity_positions);
    // SAFETY: as in `encode`.
    guard(env, UPDATE, (), || unsafe {
        tasks::update(env, issue, data_unit, change, parity)
    });
}

/// `String survey(byte[] configuration, long milliseconds, byte[] path)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_EngineBridge_survey(
    env: *mut JNIEnv,
    _class: jclass,
    configuration: jbyteArray,
    milliseconds: jlong,
    path: jbyteArray,
) -> jstring {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "look for rails", std::ptr::null_mut(), || {
        // SAFETY: arguments of this native, whose types the JVM has checked.
        let configuration = bytes(env, unsafe { present("configuration", configuration)? });
        let path = match path.is_null() {
            true => None,
            // SAFETY: likewise.
            false => Some(OsString::from_vec(bytes(env, unsafe {
                present("path", path)?
            }))),
        };
        let budget = Duration::from_millis(milliseconds.max(0).cast_unsigned());
        let configuration = String::from_utf8_lossy(&configuration);
        let path = path.as_deref().map(Path::new);
        string(env, Some(survey(&configuration, budget, path)?))
    })
}

fn bytes(env: Env, array: ByteArray) -> Vec<u8> {
    let mut bytes = vec![0; env.byte_array_length(array)];
    env.read_bytes(array, 0, &mut bytes);
    bytes
}

fn issue(
    engine: jlong,
    codec: jlong,
    length: jint,
    task: jlong,
    background: jboolean,
    deadline: jlong,
) -> Issue {
    Issue {
        engine,
        codec,
        length,
        task,
        background: background != JNI_FALSE,
        deadline,
    }
}

fn string(env: Env, text: Option<String>) -> Result<jstring, Failure> {
    let Some(text) = text else {
        return Ok(std::ptr::null_mut());
    };
    let string = env.new_string(&text);
    match string.is_null() {
        true => Err(Failure::Pending),
        false => Ok(string),
    }
}
