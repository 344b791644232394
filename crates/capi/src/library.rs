// SPDX-License-Identifier: Apache-2.0
//! Functions about the library itself.

use std::ffi::c_char;

use stripeline_boundary::describe;

use crate::entry::{guard, with_last_error};
use crate::failure::{name_of, stripeline_status};

/// The version of the interface that this header describes.
pub const STRIPELINE_ABI_VERSION: u32 = 3;

/// The version of the interface that the library implements. A program runs with a library whose
/// version is at least that of its header, STRIPELINE_ABI_VERSION: functions are added, never
/// changed.
#[unsafe(no_mangle)]
pub extern "C" fn stripeline_abi_version() -> u32 {
    STRIPELINE_ABI_VERSION
}

/// Returns the name of a status, such as `STRIPELINE_BUSY`, for logs.
///
/// @param status  any number
/// @return        a text that is never freed; `unknown status` for a value that this version of
///                the library does not know
#[unsafe(no_mangle)]
pub extern "C" fn stripeline_status_name(status: i32) -> *const c_char {
    name_of(status).as_ptr()
}

/// Copies the error message of the last call on this thread that returned neither STRIPELINE_OK nor
/// STRIPELINE_PENDING.
///
/// The text reads `Cannot <verb> <object>: <reason with values>` in UTF-8; it is empty before the
/// first such call and does not change until the next.
///
/// @param text  the destination, always terminated by a NUL; may be NULL if size is 0
/// @param size  the size of `text` in bytes; a longer text is truncated
/// @return      the length of the whole text in bytes without the NUL
///
/// # Safety
/// `text` must have `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_last_error(text: *mut c_char, size: usize) -> usize {
    // SAFETY: as the caller guarantees.
    with_last_error(|error| unsafe { copy_text(error, text, size) })
}

/// Describes the library as a JSON object: `version`, `abi`, `architecture`, `isa` (the active
/// instruction set), `selection` (`detected`, `forced` by the environment variable STRIPELINE_ISA,
/// or `refused: <why>`), `features` (the CPU features of this machine that the library can use).
///
/// @param text  the destination, always terminated by a NUL; may be NULL if size is 0
/// @param size  the size of `text` in bytes; a longer text is truncated
/// @return      the length of the whole text in bytes without the NUL; 0 on failure because of a
///              bug, which stripeline_last_error() then describes
///
/// # Safety
/// `text` must have `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_describe(text: *mut c_char, size: usize) -> usize {
    let mut json = String::new();
    let status = guard("describe the library", || {
        json = describe(STRIPELINE_ABI_VERSION, &[]);
        Ok(())
    });
    debug_assert!(status == stripeline_status::STRIPELINE_OK || json.is_empty());
    // SAFETY: as the caller guarantees.
    unsafe { copy_text(&json, text, size) }
}

/// # Safety
/// `target` must be null or have `size` writable bytes.
pub(crate) unsafe fn copy_text(source: &str, target: *mut c_char, size: usize) -> usize {
    if !target.is_null() && size > 0 {
        let bytes = source.len().min(size - 1);
        // SAFETY: `bytes` < `size`, and a String of ours does not overlap the caller's buffer.
        unsafe {
            target.copy_from_nonoverlapping(source.as_ptr().cast(), bytes);
            target.add(bytes).write(0);
        }
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn texts_are_cut_to_the_room_given() {
        let mut buffer = [0x55; 8];
        let pointer = buffer.as_mut_ptr();
        // SAFETY: never more than the 8 bytes of the buffer.
        unsafe {
            assert_eq!(copy_text("abc", std::ptr::null_mut(), 0), 3);
            assert_eq!(copy_text("abc", std::ptr::null_mut(), 8), 3);
            assert_eq!(copy_text("abc", pointer, 0), 3);
            assert_eq!(*pointer, 0x55);
            assert_eq!(copy_text("abc", pointer, 1), 3);
            assert_eq!(CStr::from_ptr(pointer), c"");
            assert_eq!(copy_text("abc", pointer, 3), 3);
            assert_eq!(CStr::from_ptr(pointer), c"ab");
            assert_eq!(copy_text("abc", pointer, 4), 3);
            assert_eq!(CStr::from_ptr(pointer), c"abc");
        }
        assert_eq!(buffer[4..], [0x55; 4]);
    }
}
