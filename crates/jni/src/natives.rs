// SPDX-License-Identifier: Apache-2.0
//! The exported functions, one per native method of `NativeBridge`, in its order.

use std::ffi::{OsString, c_void};
use std::os::unix::ffi::OsStringExt;
use std::panic::catch_unwind;

use jni_sys::{
    JNI_ERR, JNI_FALSE, JNI_OK, JNI_VERSION_1_8, JNIEnv, JavaVM, jboolean, jbyteArray, jclass,
    jint, jlong, jobject, jstring,
};
use stripeline_boundary::describe;

use crate::arguments::{Units, non_negative, present};
use crate::calls::{decode, encode, update, verify};
use crate::checksums::{self, Sums};
use crate::env::{ByteArray, Env};
use crate::failure::{Failure, guard};
use crate::{direct, heap, pages, registry};

/// The version of `NativeBridge` that these natives implement; Java refuses any other.
const ABI_VERSION: u32 = 1;

const ENCODE: &str = "encode the stripe";
const DECODE: &str = "decode the stripe";
const VERIFY: &str = "verify the stripe";
const UPDATE: &str = "update the stripe";

/// Looks up the classes that the natives need; the JVM calls it once, when the library is loaded.
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn JNI_OnLoad(vm: *mut JavaVM, _reserved: *mut c_void) -> jint {
    let known = catch_unwind(|| {
        let mut env = std::ptr::null_mut();
        // SAFETY: a valid JVM, on a thread attached to it, and room for the pointer.
        let found = unsafe { ((**vm).v1_2.GetEnv)(vm, &raw mut env, JNI_VERSION_1_8) };
        // SAFETY: the environment of this thread, used before this function returns.
        found == JNI_OK
            && unsafe { Env::from_raw(env.cast()) }
                .look_up_known()
                .is_some()
    });
    if known.unwrap_or(false) {
        JNI_VERSION_1_8
    } else {
        JNI_ERR
    }
}

/// `int abiVersion()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_stripeline_natives_NativeBridge_abiVersion(
    _env: *mut JNIEnv,
    _class: jclass,
) -> jint {
    ABI_VERSION.cast_signed()
}

/// `String describe()`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_describe(
    env: *mut JNIEnv,
    _class: jclass,
) -> jstring {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "describe the library", std::ptr::null_mut(), || {
        let counters = [("copied_heap_calls", heap::copied_calls())];
        let text = env.new_string(&describe(ABI_VERSION, &counters));
        if text.is_null() {
            Err(Failure::Pending)
        } else {
            Ok(text)
        }
    })
}

/// `long open(int code, int k, int m)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_open(
    env: *mut JNIEnv,
    _class: jclass,
    code: jint,
    data_units: jint,
    parity_units: jint,
) -> jlong {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "open a codec", 0, || {
        registry::open(code, data_units, parity_units)
    })
}

/// `void encodeDirect(long, ByteBuffer[] in, int[], ByteBuffer[] out, int[], int length)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_encodeDirect(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, ENCODE, (), || unsafe {
        encode(
            env,
            direct::run,
            codec,
            (inputs, input_positions),
            (outputs, output_positions),
            length,
        )
    })
}

/// `void decodeDirect(long, ByteBuffer[] in, int[], int[] erased, ByteBuffer[] out, int[], int
/// length)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_decodeDirect(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    erased: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, DECODE, (), || unsafe {
        let outputs = (outputs, output_positions);
        decode(
            env,
            direct::run,
            codec,
            (inputs, input_positions),
            erased,
            outputs,
            length,
        )
    })
}

/// `int verifyDirect(long, ByteBuffer[] units, int[], int length)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_verifyDirect(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    units: jobject,
    positions: jobject,
    length: jint,
) -> jint {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, VERIFY, -1, || unsafe {
        verify(env, direct::run, codec, (units, positions), length)
    })
}

/// `void updateDirect(long, int dataUnit, ByteBuffer old, int, ByteBuffer fresh, int, ByteBuffer[]
/// parity, int[], int length)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_updateDirect(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    data_unit: jint,
    old: jobject,
    old_position: jint,
    fresh: jobject,
    fresh_position: jint,
    parity: jobject,
    parity_positions: jobject,
    length: jint,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, UPDATE, (), || unsafe {
        let (old, fresh) = ((old, old_position), (fresh, fresh_position));
        update(
            env,
            direct::run,
            codec,
            data_unit,
            old,
            fresh,
            (parity, parity_positions),
            length,
        )
    })
}

/// `void encodeHeap(long, byte[][] in, int[], byte[][] out, int[], int length)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_encodeHeap(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, ENCODE, (), || unsafe {
        encode(
            env,
            heap::run,
            codec,
            (inputs, input_positions),
            (outputs, output_positions),
            length,
        )
    })
}

/// `void decodeHeap(long, byte[][] in, int[], int[] erased, byte[][] out, int[], int length)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_decodeHeap(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    erased: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, DECODE, (), || unsafe {
        let outputs = (outputs, output_positions);
        decode(
            env,
            heap::run,
            codec,
            (inputs, input_positions),
            erased,
            outputs,
            length,
        )
    })
}

/// `int verifyHeap(long, byte[][] units, int[], int length)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_verifyHeap(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    units: jobject,
    positions: jobject,
    length: jint,
) -> jint {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, VERIFY, -1, || unsafe {
        verify(env, heap::run, codec, (units, positions), length)
    })
}

/// `void updateHeap(long, int dataUnit, byte[] old, int, byte[] fresh, int, byte[][] parity, int[],
/// int length)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_updateHeap(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    data_unit: jint,
    old: jobject,
    old_position: jint,
    fresh: jobject,
    fresh_position: jint,
    parity: jobject,
    parity_positions: jobject,
    length: jint,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, UPDATE, (), || unsafe {
        let (old, fresh) = ((old, old_position), (fresh, fresh_position));
        update(
            env,
            heap::run,
            codec,
            data_unit,
            old,
            fresh,
            (parity, parity_positions),
            length,
        )
    })
}

/// `void encodeChecksumsDirect(long, ByteBuffer[] in, int[], ByteBuffer[] out, int[], int length,
/// int checksumKind, int bytesPerChecksum, int[] sums)`
///
/// # Safety
/// Only the JVM calls it.
#[allow(clippy::too_many_arguments, reason = "they are the native's")]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_encodeChecksumsDirect(
    env: *mut JNIEnv,
    _class: jclass,
    codec: jlong,
    inputs: jobject,
    input_positions: jobject,
    outputs: jobject,
    output_positions: jobject,
    length: jint,
    kind: jint,
    bytes_per_checksum: jint,
    sums: jobject,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    guard(env, ENCODE, (), || unsafe {
        let codec = registry::get(codec)?;
        let length = non_negative("length", length)?;
        let (k, m) = (codec.data_units(), codec.parity_units());
        env.ensure_local_capacity(k + m)?;
        let sums = present("sums", sums)?;
        let sums = Sums::new(env, sums, kind, bytes_per_checksum, length, k + m)?;
        let mut inputs = Units::array("in", inputs, input_positions);
        inputs.read(env, Some(k))?;
        let mut outputs = Units::array("out", outputs, output_positions);
        outputs.read(env, Some(m))?;
        checksums::encode(env, codec, &inputs, &outputs, length, &sums)
    })
}

/// `boolean dropPages(byte[] path)`
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_dropPages(
    env: *mut JNIEnv,
    _class: jclass,
    path: jbyteArray,
) -> jboolean {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "drop a file's pages", JNI_FALSE, || {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: ByteArray = unsafe { present("path", path)? };
        let mut path = vec![0; env.byte_array_length(array)];
        env.read_bytes(array, 0, &mut path);
        Ok(jboolean::from(pages::drop_pages(OsString::from_vec(path))))
    })
}

/// `void panic()`: panics, for the tests of how panics are handled.
///
/// # Safety
/// Only the JVM calls it.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_org_stripeline_natives_NativeBridge_panic(
    env: *mut JNIEnv,
    _class: jclass,
) {
    // SAFETY: the environment of this call.
    let env = unsafe { Env::from_raw(env) };
    guard(env, "survive the panic that a test asked for", (), || {
        panic!("asked for by a test")
    });
}
