// SPDX-License-Identifier: Apache-2.0
//! The memory and the stream of a slot, which belong to a context and end with it.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use super::context::{Context, Entered};
use super::driver::{DeviceAddress, Handle};
use super::status::{NOT_READY, ends_stream};
use crate::Fault;

/// `CU_STREAM_NON_BLOCKING`: the stream does not wait for the program's own work on the default
/// stream.
const STREAM_NON_BLOCKING: u32 = 1;

/// Host memory that the device copies from and to without the CPU.
#[derive(Debug)]
pub(super) struct Pinned {
    context: Arc<Context>,
    start: NonNull<u8>,
    pub bytes: usize,
}

// SAFETY: ordinary memory with one owner.
unsafe impl Send for Pinned {}

impl Pinned {
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Fault> {
        let driver = &context.device.driver;
        let entered = context.enter()?;
        let mut start = std::ptr::null_mut::<c_void>();
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (driver.functions.pinned_allocate)(&raw mut start, bytes, 0) };
        driver.check(&format!("allocate {bytes} bytes of pinned memory"), status)?;
        let start: NonNull<u8> =
            NonNull::new(start.cast()).expect("the driver allocates what it says it did");
        // SAFETY: new memory of this length without other references; the zeros initialise it. The
        // context, which is entered, keeps it allocated.
        unsafe { start.write_bytes(0, bytes) };
        drop(entered);
        Ok(Self {
            context: Arc::clone(context),
            start,
            bytes,
        })
    }

    /// Returns the bytes while the context is entered. The stream that copies them must be idle.
    pub fn slice<'a>(&'a self, _alive: &'a Entered<'_>, range: Range<usize>) -> &'a [u8] {
        assert!(range.start <= range.end && range.end <= self.bytes);
        // SAFETY: inside initialised memory that the context keeps allocated; slots call this only
        // while their stream is idle.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(range.start), range.len()) }
    }

    /// As [`Pinned::slice`], but mutable.
    pub fn slice_mut<'a>(
        &'a mut self,
        _alive: &'a Entered<'_>,
        range: Range<usize>,
    ) -> &'a mut [u8] {
        assert!(range.start <= range.end && range.end <= self.bytes);
        // SAFETY: as for `slice`, and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().add(range.start), range.len()) }
    }

    /// Returns the address of a byte, for the device's copies.
    pub fn address(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.bytes);
        self.start.as_ptr().wrapping_add(offset)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let Ok(entered) = self.context.enter() else {
            return;
        };
        // SAFETY: allocated in `new`, and the context is alive; slots are dropped only when idle.
        unsafe { (self.context.device.driver.functions.pinned_free)(self.start.as_ptr().cast()) };
        drop(entered);
    }
}

/// Memory of the device.
#[derive(Debug)]
pub(super) struct OnDevice {
    context: Arc<Context>,
    pub start: DeviceAddress,
    pub bytes: usize,
}

impl OnDevice {
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Fault> {
        let driver = &context.device.driver;
        let entered = context.enter()?;
        let mut start = 0;
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (driver.functions.device_allocate)(&raw mut start, bytes) };
        driver.check(&format!("allocate {bytes} bytes on the device"), status)?;
        drop(entered);
        Ok(Self {
            context: Arc::clone(context),
            start,
            bytes,
        })
    }
}

impl Drop for OnDevice {
    fn drop(&mut self) {
        let Ok(entered) = self.context.enter() else {
            return;
        };
        // SAFETY: as for `Pinned`.
        unsafe { (self.context.device.driver.functions.device_free)(self.start) };
        drop(entered);
    }
}

/// A queue of operations that the device executes in order.
#[derive(Debug)]
pub(super) struct Stream {
    context: Arc<Context>,
    pub handle: Handle,
}

impl Stream {
    pub fn new(context: &Arc<Context>) -> Result<Self, Fault> {
        let driver = &context.device.driver;
        let entered = context.enter()?;
        let mut handle = Handle::NONE;
        // SAFETY: the result goes to a local variable.
        let status =
            unsafe { (driver.functions.stream_create)(&raw mut handle, STREAM_NON_BLOCKING) };
        driver.check("make a stream", status)?;
        drop(entered);
        Ok(Self {
            context: Arc::clone(context),
            handle,
        })
    }

    /// Copies from host memory to device memory.
    ///
    /// # Safety
    /// Both ranges must have `bytes` bytes until the stream has executed the copy.
    pub unsafe fn copy_in(
        &self,
        _alive: &Entered<'_>,
        to: DeviceAddress,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), Fault> {
        let driver = &self.context.device.driver;
        // SAFETY: the caller guarantees it.
        let status =
            unsafe { (driver.functions.copy_in)(to, from.cast::<c_void>(), bytes, self.handle) };
        driver.check("copy to the device", status)
    }

    /// Copies from device memory to host memory.
    ///
    /// # Safety
    /// As [`Stream::copy_in`].
    pub unsafe fn copy_out(
        &self,
        _alive: &Entered<'_>,
        to: *mut u8,
        from: DeviceAddress,
        bytes: usize,
    ) -> Result<(), Fault> {
        let driver = &self.context.device.driver;
        // SAFETY: the caller guarantees it.
        let status =
            unsafe { (driver.functions.copy_out)(to.cast::<c_void>(), from, bytes, self.handle) };
        driver.check("copy from the device", status)
    }

    /// Copies within device memory.
    ///
    /// # Safety
    /// As [`Stream::copy_in`].
    pub unsafe fn copy_within(
        &self,
        _alive: &Entered<'_>,
        to: DeviceAddress,
        from: DeviceAddress,
        bytes: usize,
    ) -> Result<(), Fault> {
        let driver = &self.context.device.driver;
        // SAFETY: the caller guarantees it.
        let status = unsafe { (driver.functions.copy_within)(to, from, bytes, self.handle) };
        driver.check("copy on the device", status)
    }

    /// Returns the result of all operations put into the stream once they have ended; `None` before
    /// that.
    ///
    /// # Arguments
    /// `is_in_place`: whether they work on a caller's own memory. Then an error that need not end
    /// them is no result, and the context is ended when the device counts as hanging.
    pub fn poll(&self, _alive: &Entered<'_>, is_in_place: bool) -> Option<Result<(), Fault>> {
        let driver = &self.context.device.driver;
        // SAFETY: the stream belongs to the context, which is alive.
        let status = unsafe { (driver.functions.stream_query)(self.handle) };
        let has_ended = status != NOT_READY && (!is_in_place || ends_stream(status));
        has_ended.then(|| driver.check("code on the device", status))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Ok(entered) = self.context.enter() else {
            return;
        };
        // SAFETY: made in `new`, and the context is alive.
        unsafe { (self.context.device.driver.functions.stream_destroy)(self.handle) };
        drop(entered);
    }
}
