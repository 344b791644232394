// SPDX-License-Identifier: Apache-2.0
//! A GPU's memory and copies without the rail: the memory on which the rail is measured, and the
//! copies it is compared with.
//!
//! All objects belong to the device's primary context, which the rail uses too. This file contains
//! all `unsafe` code that the driver requires.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use libloading::Library;
use stripeline_rail::{CudaSettings, MemoryKind, PinnedBuffer, Rail, Region};

use crate::failure::Failure;

/// The number of streams: copies in different streams may run at the same time.
const STREAMS: usize = 2;

/// `CU_STREAM_NON_BLOCKING`, the same as the rail's.
const STREAM_NON_BLOCKING: c_uint = 1;

/// `CUDA_SUCCESS`.
const SUCCESS: c_int = 0;

/// `CUDA_ERROR_NOT_READY`: a stream has unfinished work.
const NOT_READY: c_int = 600;

/// The interval at which a stream is polled: negligible compared with a window of copies.
const PAUSE: Duration = Duration::from_micros(20);

macro_rules! calls {
    ($($name:ident = $symbol:literal ($($parameter:ty),*);)*) => {
        /// The driver's functions. Contexts and streams are numbers here.
        struct Calls {
            $($name: unsafe extern "C" fn($($parameter),*) -> c_int,)*
        }

        impl Calls {
            /// # Safety
            /// The library is a CUDA driver.
            unsafe fn find(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: a CUDA driver's symbols of these names have these signatures.
                    $($name: *unsafe { library.get($symbol.to_bytes_with_nul()) }?,)*
                })
            }
        }
    };
}

calls! {
    initialize = c"cuInit" (c_uint);
    device = c"cuDeviceGet" (*mut c_int, c_int);
    context_retain = c"cuDevicePrimaryCtxRetain" (*mut usize, c_int);
    context_release = c"cuDevicePrimaryCtxRelease_v2" (c_int);
    context_push = c"cuCtxPushCurrent_v2" (usize);
    context_pop = c"cuCtxPopCurrent_v2" (*mut usize);
    device_allocate = c"cuMemAlloc_v2" (*mut u64, usize);
    device_free = c"cuMemFree_v2" (u64);
    copy_in = c"cuMemcpyHtoDAsync_v2" (u64, *const c_void, usize, usize);
    copy_out = c"cuMemcpyDtoHAsync_v2" (*mut c_void, u64, usize, usize);
    copy_within = c"cuMemcpyDtoDAsync_v2" (u64, u64, usize, usize);
    stream_create = c"cuStreamCreate" (*mut usize, c_uint);
    stream_destroy = c"cuStreamDestroy_v2" (usize);
    stream_query = c"cuStreamQuery" (usize);
    error_text = c"cuGetErrorString" (c_int, *mut *const c_char);
}

impl Calls {
    fn check(&self, action: &str, status: c_int) -> Result<(), Failure> {
        if status == SUCCESS {
            return Ok(());
        }
        let mut text = std::ptr::null();
        // SAFETY: the result goes to a local variable.
        let known = unsafe { (self.error_text)(status, &raw mut text) };
        if known != SUCCESS || text.is_null() {
            return Err(Failure::unable(action, format!("CUDA error {status}")));
        }
        // SAFETY: the driver's texts end with a 0 and live as long as the driver, which stays
        // loaded.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        Err(Failure::unable(
            action,
            format!("{text} (CUDA error {status})"),
        ))
    }
}

/// A GPU whose primary context is kept alive.
pub struct Gpu {
    calls: Calls,
    /// Its rail, which allocates pinned memory.
    rail: Arc<dyn Rail>,
    ordinal: u16,
    device: c_int,
    context: usize,
    /// Never unloaded, as in the rail.
    _library: ManuallyDrop<Library>,
}

impl Gpu {
    /// Opens the GPU of the rail `cuda:ordinal`.
    ///
    /// # Errors
    /// If the driver or the device does not answer.
    pub fn open(ordinal: u16, rail: &Arc<dyn Rail>) -> Result<Rc<Self>, Failure> {
        let path = CudaSettings::default().library;
        let unusable = |error| Failure::unable(&format!("use {}", path.display()), error);
        // SAFETY: the rail's driver, which the rail has loaded already.
        let library = ManuallyDrop::new(unsafe { Library::new(&path) }.map_err(unusable)?);
        // SAFETY: as above.
        let calls = unsafe { Calls::find(&library) }.map_err(unusable)?;
        // SAFETY: 0 is the only value of the parameter.
        calls.check("start the driver", unsafe { (calls.initialize)(0) })?;
        let (mut device, mut context) = (0, 0);
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (calls.device)(&raw mut device, c_int::from(ordinal)) };
        calls.check("open the GPU", status)?;
        // SAFETY: as above.
        let status = unsafe { (calls.context_retain)(&raw mut context, device) };
        calls.check("open a context on the GPU", status)?;
        Ok(Rc::new(Self {
            calls,
            rail: Arc::clone(rail),
            ordinal,
            device,
            context,
            _library: library,
        }))
    }

    /// Returns the kind of the device's memory.
    pub fn memory_kind(&self) -> MemoryKind {
        MemoryKind::Device {
            ordinal: self.ordinal,
        }
    }

    /// Puts all copies, in their order, `rounds` times into their streams and waits for them.
    /// Returns the time from the start of the first copy to the end of the last.
    ///
    /// # Errors
    /// If the device fails.
    pub fn copy(&self, copies: &[Copy<'_>], rounds: usize) -> Result<Duration, Failure> {
        self.within(|| {
            let streams: Vec<_> = (0..STREAMS)
                .map(|_| Stream::new(self))
                .collect::<Result<_, _>>()?;
            let begin = Instant::now();
            let mut rounds = 0..rounds;
            let put =
                rounds.try_for_each(|_| copies.iter().try_for_each(|copy| copy.put(&streams)));
            // Copies that were enqueued before a fault still use the memory.
            let mut ended = streams.iter().map(Stream::wait);
            let ended = ended.by_ref().fold(Ok(()), Result::and);
            let time = begin.elapsed();
            put.and(ended).map(|()| time)
        })
    }

    /// Allocates memory that the device accesses directly, as programs do.
    ///
    /// # Errors
    /// If there is not enough memory, or if the device cannot lock it.
    pub fn pinned(&self, bytes: usize) -> Result<PinnedBuffer, Failure> {
        let action = format!("allocate {bytes} bytes of pinned memory");
        let allocated = self.rail.allocate_pinned(bytes);
        let buffer = allocated
            .unwrap_or_else(|| PinnedBuffer::ordinary(bytes))
            .map_err(|fault| Failure::unable(&action, fault))?;
        match buffer.is_locked() {
            true => Ok(buffer),
            false => Err(Failure::unable(&action, "the device has not locked it")),
        }
    }

    /// Runs `action` while the context is current on this thread.
    fn within<R>(&self, action: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
        // SAFETY: the context is retained.
        let status = unsafe { (self.calls.context_push)(self.context) };
        self.calls.check("enter the GPU's context", status)?;
        let result = action();
        let mut popped = 0;
        // SAFETY: undoes the push above on the same thread.
        unsafe { (self.calls.context_pop)(&raw mut popped) };
        result
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: retained once in `open`; all memory holds a reference to the GPU and has been
        // dropped.
        unsafe { (self.calls.context_release)(self.device) };
    }
}

/// Memory of the device, or of the host with direct access by the device. Only one thread uses it,
/// except for the regions that it returns.
pub struct Memory {
    gpu: Rc<Gpu>,
    start: *mut u8,
    bytes: usize,
    /// The owner of the host's memory; `None` for the device's.
    pinned: Option<PinnedBuffer>,
}

impl Memory {
    /// Allocates zeroed pinned memory, or device memory with arbitrary contents.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(gpu: &Rc<Gpu>, kind: MemoryKind, bytes: usize) -> Result<Self, Failure> {
        let (start, pinned) = match kind {
            MemoryKind::Device { .. } => {
                let mut start = 0;
                gpu.within(|| {
                    // SAFETY: the result goes to a local variable.
                    let status = unsafe { (gpu.calls.device_allocate)(&raw mut start, bytes) };
                    let action = format!("allocate {bytes} bytes on the GPU");
                    gpu.calls.check(&action, status)
                })?;
                (std::ptr::without_provenance_mut(start as usize), None)
            }
            MemoryKind::Host | MemoryKind::HostPinned => {
                let mut pinned = gpu.pinned(bytes)?;
                (pinned.as_mut_ptr(), Some(pinned))
            }
        };
        Ok(Self {
            gpu: Rc::clone(gpu),
            start,
            bytes,
            pinned,
        })
    }

    /// Returns the region that starts `offset` bytes from the start.
    pub fn region(&self, offset: usize) -> Region {
        assert!(offset < self.bytes, "inside the memory");
        let kind = match self.pinned {
            Some(_) => MemoryKind::HostPinned,
            None => self.gpu.memory_kind(),
        };
        Region::new(self.start.wrapping_add(offset), kind)
    }

    /// Returns whether the CPU can access it.
    pub fn is_on_host(&self) -> bool {
        self.pinned.is_some()
    }

    /// Returns bytes of pinned memory; no job or copy may write to them during the borrow.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        let start = self.host(&range);
        // SAFETY: initialised memory that lives as long as this value; callers that pass its
        // regions to jobs read it only after the jobs have ended, and copies end before they
        // return. A rail that resets the context fails its tasks, which ends the run.
        unsafe { std::slice::from_raw_parts(start, range.len()) }
    }

    /// As [`Memory::slice`], but mutable; no job or copy may read the bytes during the borrow.
    pub fn slice_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        let start = self.host(&range);
        // SAFETY: as for `slice`, and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(start, range.len()) }
    }

    fn host(&self, range: &Range<usize>) -> *mut u8 {
        assert!(self.is_on_host(), "the CPU cannot read GPU memory");
        assert!(range.start <= range.end && range.end <= self.bytes);
        self.start.wrapping_add(range.start)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.is_on_host() {
            return;
        }
        let calls = &self.gpu.calls;
        // After an error the memory stays allocated until the process ends, which is soon.
        drop(self.gpu.within(|| {
            // SAFETY: allocated in `new`; copies end before they return, and jobs end before their
            // load is dropped.
            let status = unsafe { (calls.device_free)(self.start.addr() as u64) };
            calls.check("free memory", status)
        }));
    }
}

/// A copy of `bytes` bytes between memories of one GPU, at least one of which is the device's.
pub struct Copy<'a> {
    /// The number of its stream: 0 or 1.
    pub stream: usize,
    /// The target and the offset in it.
    pub to: (&'a Memory, usize),
    /// The source and the offset in it.
    pub from: (&'a Memory, usize),
    /// The number of bytes.
    pub bytes: usize,
}

impl Copy<'_> {
    fn put(&self, streams: &[Stream<'_>]) -> Result<(), Failure> {
        let place = |(memory, offset): (&Memory, usize)| {
            assert!(offset + self.bytes <= memory.bytes, "inside the memory");
            memory.start.wrapping_add(offset)
        };
        let (to, from) = (place(self.to), place(self.from));
        let (device_to, device_from) = (to.addr() as u64, from.addr() as u64);
        let Stream { gpu, handle } = &streams[self.stream];
        let (calls, bytes) = (&gpu.calls, self.bytes);
        // SAFETY: both have the given number of bytes, which stay borrowed until the streams have
        // ended in `Gpu::copy`.
        let status = unsafe {
            match (self.to.0.is_on_host(), self.from.0.is_on_host()) {
                (false, true) => (calls.copy_in)(device_to, from.cast(), bytes, *handle),
                (true, false) => (calls.copy_out)(to.cast(), device_from, bytes, *handle),
                (false, false) => (calls.copy_within)(device_to, device_from, bytes, *handle),
                (true, true) => unreachable!("the device copies, so it takes part"),
            }
        };
        calls.check("copy", status)
    }
}

/// A stream, used while the context is current.
struct Stream<'a> {
    gpu: &'a Gpu,
    handle: usize,
}

impl<'a> Stream<'a> {
    fn new(gpu: &'a Gpu) -> Result<Self, Failure> {
        let mut handle = 0;
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (gpu.calls.stream_create)(&raw mut handle, STREAM_NON_BLOCKING) };
        gpu.calls.check("make a stream", status)?;
        Ok(Self { gpu, handle })
    }

    fn wait(&self) -> Result<(), Failure> {
        loop {
            // SAFETY: the stream exists until it is dropped.
            let status = unsafe { (self.gpu.calls.stream_query)(self.handle) };
            if status != NOT_READY {
                return self.gpu.calls.check("copy", status);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, in the context that is still current.
        unsafe { (self.gpu.calls.stream_destroy)(self.handle) };
    }
}
