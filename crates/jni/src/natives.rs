// SPDX-License-Identifier: Apache-2.0
//! The exported functions, one per native method of `NativeBridge`.

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
use crate::failure::{natives, string};
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
pub extern "system" fn Java_org_stripeline_natives_codec_NativeBridge_abiVersion(
    _env: *mut JNIEnv,
    _class: jclass,
) -> jint {
    ABI_VERSION.cast_signed()
}

natives! { env;
    /// `String describe()`
    fn Java_org_stripeline_natives_codec_NativeBridge_describe() -> jstring;
    "describe the library", std::ptr::null_mut() => {
        let counters = [("copied_heap_calls", heap::copied_calls())];
        string(env, Some(describe(ABI_VERSION, &counters)))
    }

    /// `long open(int code, int k, int m)`
    fn Java_org_stripeline_natives_codec_NativeBridge_open(
        code: jint, data_units: jint, parity_units: jint
    ) -> jlong;
    "open a codec", 0 => registry::open(code, data_units, parity_units)

    /// `void encodeChecksumsDirect(long, ByteBuffer[] in, int[], ByteBuffer[] out, int[], int
    /// length, int checksumKind, int bytesPerChecksum, int[] sums)`
    fn Java_org_stripeline_natives_codec_NativeBridge_encodeChecksumsDirect(
        codec: jlong, inputs: jobject, input_positions: jobject, outputs: jobject,
        output_positions: jobject, length: jint, kind: jint, bytes_per_checksum: jint, sums: jobject
    ) -> ();
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    ENCODE, () => unsafe {
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
    }

    /// `boolean dropPages(byte[] path)`
    fn Java_org_stripeline_natives_codec_NativeBridge_dropPages(path: jbyteArray) -> jboolean;
    "drop a file's pages", JNI_FALSE => {
        // SAFETY: an argument of this native, whose type the JVM has checked.
        let array: ByteArray = unsafe { present("path", path)? };
        let path = OsString::from_vec(env.bytes(array));
        Ok(jboolean::from(pages::drop_pages(path)))
    }

    /// `void panic()`: panics, for the tests of how panics are handled.
    fn Java_org_stripeline_natives_codec_NativeBridge_panic() -> ();
    "survive the panic that a test asked for", () => panic!("asked for by a test")
}

/// Defines the natives of the operations on units of one kind: direct buffers or arrays, here
/// `Object`, with the position of each.
macro_rules! operations {
    ($run:path, $encode:ident, $decode:ident, $verify:ident, $update:ident) => {
        natives! { env;
            /// `void encode(long codec, Object[] in, int[], Object[] out, int[], int length)`
            fn $encode(
                codec: jlong, inputs: jobject, input_positions: jobject, outputs: jobject,
                output_positions: jobject, length: jint
            ) -> ();
            // SAFETY: the arguments of this native, whose types the JVM has checked.
            ENCODE, () => unsafe {
                let (inputs, outputs) = ((inputs, input_positions), (outputs, output_positions));
                encode(env, $run, codec, inputs, outputs, length)
            }

            /// `void decode(long codec, Object[] in, int[], int[] erased, Object[] out, int[], int
            /// length)`
            fn $decode(
                codec: jlong, inputs: jobject, input_positions: jobject, erased: jobject,
                outputs: jobject, output_positions: jobject, length: jint
            ) -> ();
            // SAFETY: the arguments of this native, whose types the JVM has checked.
            DECODE, () => unsafe {
                let (inputs, outputs) = ((inputs, input_positions), (outputs, output_positions));
                decode(env, $run, codec, inputs, erased, outputs, length)
            }

            /// `int verify(long codec, Object[] units, int[], int length)`
            fn $verify(codec: jlong, units: jobject, positions: jobject, length: jint) -> jint;
            // SAFETY: the arguments of this native, whose types the JVM has checked.
            VERIFY, -1 => unsafe { verify(env, $run, codec, (units, positions), length) }

            /// `void update(long codec, int dataUnit, Object old, int, Object fresh, int, Object[]
            /// parity, int[], int length)`
            fn $update(
                codec: jlong, data_unit: jint, old: jobject, old_position: jint, fresh: jobject,
                fresh_position: jint, parity: jobject, parity_positions: jobject, length: jint
            ) -> ();
            // SAFETY: the arguments of this native, whose types the JVM has checked.
            UPDATE, () => unsafe {
                let (old, fresh) = ((old, old_position), (fresh, fresh_position));
                let parity = (parity, parity_positions);
                update(env, $run, codec, data_unit, old, fresh, parity, length)
            }
        }
    };
}

operations!(
    direct::run,
    Java_org_stripeline_natives_codec_NativeBridge_encodeDirect,
    Java_org_stripeline_natives_codec_NativeBridge_decodeDirect,
    Java_org_stripeline_natives_codec_NativeBridge_verifyDirect,
    Java_org_stripeline_natives_codec_NativeBridge_updateDirect
);
operations!(
    heap::run,
    Java_org_stripeline_natives_codec_NativeBridge_encodeHeap,
    Java_org_stripeline_natives_codec_NativeBridge_decodeHeap,
    Java_org_stripeline_natives_codec_NativeBridge_verifyHeap,
    Java_org_stripeline_natives_codec_NativeBridge_updateHeap
);
