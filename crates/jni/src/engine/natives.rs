// SPDX-License-Identifier: Apache-2.0
//! The exported functions, one per native method of `EngineBridge`, in its order.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use jni_sys::{JNI_FALSE, jboolean, jbyteArray, jint, jlong, jlongArray, jobject, jstring};
use stripeline_engine::Configuration;

use crate::arguments::present;
use crate::engine::completions::REPORT_LONGS;
use crate::engine::survey::survey;
use crate::engine::tasks::{self, Order};
use crate::engine::{engines, report};
use crate::env::{ByteArray, LongArray};
use crate::failure::{Failure, natives, string};

const ENCODE: &str = "encode the stripe";
const DECODE: &str = "decode the stripe";
const VERIFY: &str = "verify the stripe";
const UPDATE: &str = "update the stripe";
const QUERY: &str = "query the engine";

/// The most reports returned by one call.
const REPORTS_MAX: usize = 256;

natives! { env;
    /// `long open(byte[] configuration)`
    fn Java_org_stripeline_natives_engine_EngineBridge_open(configuration: jbyteArray) -> jlong;
    "open the engine", 0 => {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: ByteArray = unsafe { present("configuration", configuration)? };
        let configuration: Configuration = String::from_utf8_lossy(&env.bytes(array)).parse()?;
        engines::open(&configuration)
    }

    /// `void close(long engine)`
    fn Java_org_stripeline_natives_engine_EngineBridge_close(engine: jlong) -> ();
    "close the engine", () => engines::close(engine)

    /// `int take(long engine, long[] reports)`
    fn Java_org_stripeline_natives_engine_EngineBridge_take(
        engine: jlong,
        reports: jlongArray,
    ) -> jint;
    "fetch finished tasks", -1 => {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: LongArray = unsafe { present("reports", reports)? };
        let room = env.length(array) / REPORT_LONGS;
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
    }

    /// `String failure(long engine, long task)`
    fn Java_org_stripeline_natives_engine_EngineBridge_failure(
        engine: jlong,
        task: jlong,
    ) -> jstring;
    QUERY, std::ptr::null_mut() => string(env, engines::completions(engine)?.failure(task))

    /// `String event(long engine)`
    fn Java_org_stripeline_natives_engine_EngineBridge_event(engine: jlong) -> jstring;
    QUERY, std::ptr::null_mut() => {
        let event = engines::completions(engine)?.event();
        let sign = |good| if good { '+' } else { '-' };
        string(
            env,
            event.map(|(good, text)| format!("{}{text}", sign(good))),
        )
    }

    /// `boolean cancel(long engine, long task)`
    fn Java_org_stripeline_natives_engine_EngineBridge_cancel(
        engine: jlong,
        task: jlong,
    ) -> jboolean;
    "cancel the task", JNI_FALSE => Ok(jboolean::from(engines::completions(engine)?.cancel(task)))

    /// `int statistics(long engine, long[] numbers)`
    fn Java_org_stripeline_natives_engine_EngineBridge_statistics(
        engine: jlong, numbers: jlongArray
    ) -> jint;
    QUERY, 0 => {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: LongArray = unsafe { present("numbers", numbers)? };
        let all = engines::visit(engine, |open| report::numbers(&open.engine.statistics()))?;
        let fitting = all.len().min(env.length(array));
        env.write_longs(array, &all[..fitting]);
        Ok(all.len() as jint)
    }

    /// `String rails(long engine)`
    fn Java_org_stripeline_natives_engine_EngineBridge_rails(engine: jlong) -> jstring;
    QUERY, std::ptr::null_mut() => {
        let names = engines::visit(engine, |open| report::names(&open.engine.statistics()))?;
        string(env, Some(names))
    }

    /// `String describe(long engine)`
    fn Java_org_stripeline_natives_engine_EngineBridge_describe(engine: jlong) -> jstring;
    QUERY, std::ptr::null_mut() => string(env, Some(engines::visit(engine, report::json)?))

    /// `void encode(long engine, long codec, ByteBuffer[] in, int[], ByteBuffer[] out, int[], int
    /// length, long task, boolean background, long deadline)`
    fn Java_org_stripeline_natives_engine_EngineBridge_encode(
        engine: jlong, codec: jlong, inputs: jobject, input_positions: jobject, outputs: jobject,
        output_positions: jobject, length: jint, task: jlong, background: jboolean, deadline: jlong
    ) -> ();
    // SAFETY: the arguments of this native, whose types the JVM has checked; Java keeps them.
    ENCODE, () => unsafe {
        let order = Order::begin(engine, codec, length, task, background, deadline)?;
        let (inputs, outputs) = ((inputs, input_positions), (outputs, output_positions));
        tasks::encode(env, order, inputs, outputs)
    }

    /// `void decode(long engine, long codec, ByteBuffer[] in, int[], int[] erased, ByteBuffer[]
    /// out, int[], int length, long task, boolean background, long deadline)`
    fn Java_org_stripeline_natives_engine_EngineBridge_decode(
        engine: jlong, codec: jlong, inputs: jobject, input_positions: jobject, erased: jobject,
        outputs: jobject, output_positions: jobject, length: jint, task: jlong,
        background: jboolean, deadline: jlong
    ) -> ();
    // SAFETY: as in `encode`.
    DECODE, () => unsafe {
        let order = Order::begin(engine, codec, length, task, background, deadline)?;
        let (inputs, outputs) = ((inputs, input_positions), (outputs, output_positions));
        tasks::decode(env, order, inputs, erased, outputs)
    }

    /// `int verify(long engine, long codec, ByteBuffer[] units, int[], int length, long task,
    /// boolean background, long deadline)`
    fn Java_org_stripeline_natives_engine_EngineBridge_verify(
        engine: jlong, codec: jlong, units: jobject, positions: jobject, length: jint, task: jlong,
        background: jboolean, deadline: jlong
    ) -> jint;
    // SAFETY: as in `encode`.
    VERIFY, -1 => unsafe {
        let order = Order::begin(engine, codec, length, task, background, deadline)?;
        tasks::verify(env, order, (units, positions))
    }

    /// `void update(long engine, long codec, int dataUnit, ByteBuffer old, int, ByteBuffer fresh,
    /// int, ByteBuffer[] parity, int[], int length, long task, boolean background, long deadline)`
    fn Java_org_stripeline_natives_engine_EngineBridge_update(
        engine: jlong, codec: jlong, data_unit: jint, old: jobject, old_position: jint,
        fresh: jobject, fresh_position: jint, parity: jobject, parity_positions: jobject,
        length: jint, task: jlong, background: jboolean, deadline: jlong
    ) -> ();
    // SAFETY: as in `encode`.
    UPDATE, () => unsafe {
        let order = Order::begin(engine, codec, length, task, background, deadline)?;
        let change = [(old, old_position), (fresh, fresh_position)];
        let parity = (parity, parity_positions);
        tasks::update(env, order, data_unit, change, parity)
    }

    /// `String survey(byte[] configuration, long milliseconds, byte[] path)`
    fn Java_org_stripeline_natives_engine_EngineBridge_survey(
        configuration: jbyteArray, milliseconds: jlong, path: jbyteArray
    ) -> jstring;
    "probe for rails", std::ptr::null_mut() => {
        // SAFETY: arguments of this native, whose types the JVM has checked.
        let configuration = env.bytes(unsafe { present("configuration", configuration)? });
        let path = match path.is_null() {
            true => None,
            // SAFETY: likewise.
            false => Some(OsString::from_vec(env.bytes(unsafe { present("path", path)? }))),
        };
        let budget = Duration::from_millis(milliseconds.max(0).cast_unsigned());
        let configuration = String::from_utf8_lossy(&configuration);
        let path = path.as_deref().map(Path::new);
        string(env, Some(survey(&configuration, budget, path)?))
    }
}
