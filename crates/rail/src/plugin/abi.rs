// SPDX-License-Identifier: Apache-2.0
//! The C interface of plug-ins; `include/stripeline_plugin.h` is made from this file.

use std::ffi::{c_char, c_void};

/// The version that this header describes. Fields and functions keep their meaning within a
/// version.
pub const STRIPELINE_PLUGIN_ABI: u32 = 1;

/// The product was computed, or the call succeeded.
pub const STRIPELINE_PLUGIN_DONE: i32 = 0;
/// The coder works but cannot compute this product, and has not changed any output: another rail
/// computes it, and this rail stays in service. For a product of mode STRIPELINE_PLUGIN_ADD of
/// which an output has changed, return STRIPELINE_PLUGIN_FAILED instead: it would be added twice.
pub const STRIPELINE_PLUGIN_REFUSED: i32 = 1;
/// The coder failed: the rail is taken out of service for some time and then tried again.
pub const STRIPELINE_PLUGIN_FAILED: i32 = 2;
/// The device no longer exists. The rail is taken out of service and tried again as after
/// STRIPELINE_PLUGIN_FAILED.
pub const STRIPELINE_PLUGIN_GONE: i32 = 3;

/// Outputs become the products.
pub const STRIPELINE_PLUGIN_SET: u32 = 0;
/// Products are added (XOR) to outputs; only with STRIPELINE_PLUGIN_ADDS.
pub const STRIPELINE_PLUGIN_ADD: u32 = 1;
/// Products are compared with outputs, which are only read; only with STRIPELINE_PLUGIN_COMPARES.
pub const STRIPELINE_PLUGIN_COMPARE: u32 = 2;

/// The code `rs`: Cauchy, a(i,j) = 1/(i xor j).
pub const STRIPELINE_PLUGIN_RS: u32 = 0;
/// The code `rs-legacy`: generator polynomial.
pub const STRIPELINE_PLUGIN_RS_LEGACY: u32 = 1;
/// The code `xor`: one parity unit.
pub const STRIPELINE_PLUGIN_XOR: u32 = 2;
/// A code that this header does not know yet. The matrix defines the product in any case.
pub const STRIPELINE_PLUGIN_OTHER: u32 = 255;

/// Works on the caller's buffers, without copies. The loader then waits for calls without a limit,
/// so set it only if a hang is impossible or would also hang the CPU. Without it the loader passes
/// copies, and abandons them if the device hangs.
pub const STRIPELINE_PLUGIN_IN_PLACE: u64 = 1;
/// Supports STRIPELINE_PLUGIN_ADD. Without IN_PLACE this is not used: the loader adds.
pub const STRIPELINE_PLUGIN_ADDS: u64 = 2;
/// Supports STRIPELINE_PLUGIN_COMPARE. Without IN_PLACE this is not used: the loader compares.
pub const STRIPELINE_PLUGIN_COMPARES: u64 = 4;
/// Accepts lengths that are not a multiple of the granule. Without it the loader pads its copies,
/// and with IN_PLACE copies buffers of such lengths.
pub const STRIPELINE_PLUGIN_TAKES_TAILS: u64 = 8;
/// Once `cancel` has returned STRIPELINE_PLUGIN_DONE, the product's buffers are never accessed
/// again.
pub const STRIPELINE_PLUGIN_CANCEL_IS_FINAL: u64 = 16;
/// Computes lost data units but not lost parity units, as the recovery of NVIDIA DOCA does.
pub const STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY: u64 = 32;
/// Also accepts memory of the device with number `device`; only with IN_PLACE.
pub const STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY: u64 = 64;

/// A buffer in ordinary memory.
pub const STRIPELINE_PLUGIN_HOST: u8 = 0;
/// A buffer in memory that is locked and registered with a device's driver.
pub const STRIPELINE_PLUGIN_HOST_PINNED: u8 = 1;
/// A buffer in memory of the device; its address is an address of the device.
pub const STRIPELINE_PLUGIN_DEVICE: u8 = 2;

/// The value of `row` after a comparison that found no difference.
pub const STRIPELINE_PLUGIN_SOUND: u32 = u32::MAX;

/// The capability of the coder. Read once, when the library is loaded.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Capability {
    /// sizeof(stripeline_plugin_capability).
    pub size_bytes: u32,
    /// The number of the device whose memory it accepts.
    pub device: u32,
    /// Any of the flags STRIPELINE_PLUGIN_IN_PLACE to STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY.
    pub flags: u64,
    /// Maximum inputs of one product, 1 to 255; at least 2 to support updates.
    pub inputs_max: u32,
    /// Maximum outputs of one product, 1 to 255.
    pub outputs_max: u32,
    /// Lengths are a multiple of this: a power of two, 1 to 4096.
    pub granule_bytes: u32,
    /// Addresses of buffers are a multiple of this: a power of two, 1 to 4096. Other buffers are
    /// copied.
    pub alignment_bytes: u32,
    /// The number of lanes that raise the rate, 1 to 256. Each is used by one thread at a time.
    pub lanes: u32,
    /// The maximum number of products in flight on a lane, 1 to 1024.
    pub depth: u32,
    /// The preferred maximum bytes of each buffer in one product: a multiple of the granule, at
    /// most 1 GiB. Longer buffers may occur.
    pub piece_bytes: u64,
}

/// A product `outputs = matrix x inputs` over GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d),
/// byte by byte.
///
/// Matrix, inputs and outputs define the product; the other fields are for devices that know codes.
/// Everything that it points to stays valid until the product is done, failed, or was finally
/// cancelled; all of it is read-only except `outputs`.
#[derive(Debug)]
#[repr(C)]
pub struct Product {
    /// sizeof(stripeline_plugin_product) of the caller; later versions add fields at the end.
    pub size_bytes: u32,
    /// STRIPELINE_PLUGIN_SET, _ADD or _COMPARE.
    pub mode: u32,
    /// STRIPELINE_PLUGIN_RS, _RS_LEGACY, _XOR or _OTHER.
    pub code: u32,
    /// The number of outputs.
    pub rows: u32,
    /// The number of inputs.
    pub columns: u32,
    /// k, the data units of the stripe.
    pub data_units: u32,
    /// m, the parity units of the stripe.
    pub parity_units: u32,
    /// Padding, 0.
    pub reserved: u32,
    /// The length of every buffer in bytes, at least 1.
    pub length: u64,
    /// rows x columns coefficients, row by row.
    pub matrix: *const u8,
    /// The m x k coefficients that give parity from data, row by row.
    pub parity_matrix: *const u8,
    /// For each input its number in the stripe: 0..k-1 data, k..k+m-1 parity. For an update, the
    /// data unit occurs twice, with the old and the new bytes.
    pub input_units: *const u8,
    /// For each output its number in the stripe. Unless these are the units of an encoding
    /// (k..k+m-1 in order), they are the lost units.
    pub output_units: *const u8,
    /// For each input, then each output: STRIPELINE_PLUGIN_HOST, _HOST_PINNED or _DEVICE.
    pub memory: *const u8,
    /// The inputs.
    pub inputs: *const *const u8,
    /// The outputs.
    pub outputs: *const *mut u8,
}

/// The first difference that a comparison found: the lowest offset, and at this offset the lowest
/// row.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Mismatch {
    /// The offset in the buffers, 0 to length-1.
    pub offset: u64,
    /// The output, or STRIPELINE_PLUGIN_SOUND.
    pub row: u32,
    /// Padding, 0.
    pub reserved: u32,
}

/// A product that completed or failed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Completion {
    /// The ticket with which it was submitted.
    pub ticket: u64,
    /// The result of a comparison; otherwise ignored.
    pub mismatch: Mismatch,
    /// STRIPELINE_PLUGIN_DONE, _REFUSED, _FAILED or _GONE.
    pub status: i32,
    /// Padding, 0.
    pub reserved: u32,
}

/// The table that a plug-in returns to the loader. The table, and everything that it points to,
/// must stay valid until the process ends; the library is never unloaded.
///
/// A blocking plug-in has `run`; unless it works in place, it is called on separate threads, one
/// for each lane. An asynchronous plug-in has `submit` and `poll`, which are called on the thread
/// that uses the lane. Different threads use different lanes at the same time.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Table {
    /// sizeof(stripeline_plugin_table).
    pub size_bytes: u32,
    /// STRIPELINE_PLUGIN_ABI.
    pub abi_version: u32,
    /// 1 to 32 of a-z, 0-9, `-` and `_`; the rail has the name `plugin:` followed by this.
    pub name: *const c_char,
    /// Library, version and device as text for users. At most 255 bytes of UTF-8; may be null.
    pub description: *const c_char,
    /// The capability of the coder.
    pub capability: *const Capability,
    /// Opens a lane: stores a handle of the plug-in's choice, null included, in `lane`. Returns a
    /// status.
    pub open_lane: Option<unsafe extern "C" fn(lane: *mut *mut c_void) -> i32>,
    /// Closes a lane that has nothing in flight.
    pub close_lane: Option<unsafe extern "C" fn(lane: *mut c_void)>,
    /// Blocking: computes the product and returns a status. Before the call, `mismatch->row` is
    /// STRIPELINE_PLUGIN_SOUND.
    pub run: Option<
        unsafe extern "C" fn(
            lane: *mut c_void,
            product: *const Product,
            mismatch: *mut Mismatch,
        ) -> i32,
    >,
    /// Asynchronous: starts the product. Returns a status; unless it is STRIPELINE_PLUGIN_DONE,
    /// nothing was started and the ticket never completes. Must not block.
    pub submit: Option<
        unsafe extern "C" fn(lane: *mut c_void, ticket: u64, product: *const Product) -> i32,
    >,
    /// Asynchronous: stores up to `completions_max` completions and returns their number. Every
    /// submitted ticket completes once, in any order. If nothing is complete it may wait, for at
    /// most `timeout_us` microseconds; if it returns 0 early, the loader pauses before the next
    /// call. A negative number means that the lane is unusable: no submitted product completes
    /// after that, and its buffers are no longer accessed.
    pub poll: Option<
        unsafe extern "C" fn(
            lane: *mut c_void,
            timeout_us: u32,
            completions: *mut Completion,
            completions_max: u32,
        ) -> i32,
    >,
    /// Asynchronous, called only with STRIPELINE_PLUGIN_CANCEL_IS_FINAL, may be null: cancels a
    /// submitted product. After STRIPELINE_PLUGIN_DONE its ticket never completes; after any other
    /// status it completes as without the call.
    pub cancel: Option<unsafe extern "C" fn(lane: *mut c_void, ticket: u64) -> i32>,
    /// May be null: writes the reason why the last call on this lane failed, at most `bytes` bytes
    /// with the final 0, lower case and without a full stop. `lane` is null if no lane could be
    /// opened.
    pub last_error:
        Option<unsafe extern "C" fn(lane: *mut c_void, text: *mut c_char, bytes: usize)>,
}

/// The only function that a plug-in exports, with the name `stripeline_plugin`. It returns null if
/// the plug-in does not support this version.
pub type Entry = Option<unsafe extern "C" fn(abi_version: u32) -> *const Table>;
