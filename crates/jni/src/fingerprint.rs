// SPDX-License-Identifier: Apache-2.0
//! The native of `org.stripeline.natives.fingerprint.FingerprintBridge`.
//!
//! Coefficients and sums are Java's memory, so there is no handle: no order of calls can use
//! something that has been freed.

use jni_sys::{jint, jobject};
use stripeline_codec::{BorrowedFingerprint, FINGERPRINT_ROW_BYTES};

use crate::arguments::{checksum_kind, non_negative, present};
use crate::env::{Buffer, ByteArray, Env, IntArray};
use crate::failure::{Failure, natives};

const ADD: &str = "add to the fingerprint";

natives! { env;
    /// `void update(ByteBuffer coefficients, byte[] sums, int position, ByteBuffer bytes, int
    /// offset, int length, int checksumKind, int bytesPerChecksum, int[] checksums)`; no checksums
    /// are computed if the last is null.
    fn Java_org_stripeline_natives_fingerprint_FingerprintBridge_update(
        coefficients: jobject, sums: jobject, position: jint, bytes: jobject, offset: jint,
        length: jint, kind: jint, bytes_per_checksum: jint, checksums: jobject
    ) -> ();
    // SAFETY: the arguments of this native, whose types the JVM has checked.
    ADD, () => unsafe {
        let (coefficients, sums) = (present("coefficients", coefficients)?, present("sums", sums)?);
        let call = Call { env, coefficients, sums, position: non_negative("position", position)? };
        let bytes = present("bytes", bytes)?;
        let offset = non_negative("offset", offset)?;
        let bytes = direct(env, "bytes", bytes, offset, non_negative("length", length)?)?;
        match checksums.is_null() {
            true => call.update(bytes),
            false => {
                let checksums = present("checksums", checksums)?;
                call.update_with_checksums(bytes, kind, bytes_per_checksum, checksums)
            }
        }
    }
}

/// The window of one call.
struct Call {
    env: Env,
    coefficients: Buffer,
    sums: ByteArray,
    position: usize,
}

impl Call {
    fn update(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.with_window(|window| Ok(window.update(bytes)?))
    }

    fn update_with_checksums(
        &self,
        bytes: &[u8],
        kind: jint,
        bytes_per_checksum: jint,
        checksums: IntArray,
    ) -> Result<(), Failure> {
        let kind = checksum_kind(kind)?;
        let bytes_per_checksum = non_negative("bytes per checksum", bytes_per_checksum)?;
        // No more than the array has are computed; the window refuses another number.
        let mut computed = vec![0; self.env.length(checksums).min(bytes.len())];
        self.with_window(|window| {
            window.update_with_checksums(bytes, kind, bytes_per_checksum, &mut computed)?;
            Ok(())
        })?;
        self.env.write_ints(checksums, &computed);
        Ok(())
    }

    /// Runs `call` on a copy of the sums, which is written back if it succeeds.
    fn with_window(
        &self,
        call: impl FnOnce(&mut BorrowedFingerprint<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some((_, capacity)) = self.env.direct_memory(self.coefficients) else {
            return Err(Failure::argument("coefficients is not a direct buffer"));
        };
        // SAFETY: Java's fingerprinting function, which made the buffer, never writes to it again.
        let coefficients =
            unsafe { direct(self.env, "coefficients", self.coefficients, 0, capacity)? };
        let mut sums = self.env.bytes(self.sums);
        let (rows, rest) = sums.as_chunks_mut::<FINGERPRINT_ROW_BYTES>();
        if !rest.is_empty() {
            let bytes = rows.len() * FINGERPRINT_ROW_BYTES + rest.len();
            return Err(Failure::argument(format_args!(
                "sums has {bytes} bytes, needed is a multiple of {FINGERPRINT_ROW_BYTES}"
            )));
        }
        let mut window = BorrowedFingerprint::resume(coefficients, rows, self.position)?;
        call(&mut window)?;
        self.env.write_bytes(self.sums, 0, &sums);
        Ok(())
    }
}

/// Views `length` bytes of a direct buffer from `offset` on.
///
/// # Safety
/// Nothing may write to the range for `'a`.
unsafe fn direct<'a>(
    env: Env,
    name: &'static str,
    buffer: Buffer,
    offset: usize,
    length: usize,
) -> Result<&'a [u8], Failure> {
    let Some((address, capacity)) = env.direct_memory(buffer) else {
        return Err(Failure::argument(format_args!(
            "{name} is not a direct buffer"
        )));
    };
    // No sum overflows: both are less than 2^31.
    if offset + length > capacity {
        return Err(Failure::argument(format_args!(
            "{name} has {capacity} bytes, needed are {length} at position {offset}"
        )));
    }
    if length == 0 {
        return Ok(&[]);
    }
    if address.is_null() {
        return Err(Failure::argument(format_args!("{name} has no memory")));
    }
    // SAFETY: within a direct buffer's memory, which the reference of this call keeps; the caller
    // guarantees the rest.
    Ok(unsafe { std::slice::from_raw_parts(address.add(offset), length) })
}
