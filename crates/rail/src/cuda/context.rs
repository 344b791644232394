// SPDX-License-Identifier: Apache-2.0
//! A device's primary context with the kernel loaded, and its teardown.
//!
//! A program's own allocations on the device belong to the primary context, so the kernel can
//! access them. The context is shared with all other users of the device in the process.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLockReadGuard};
use std::time::Duration;

use super::device::Device;
use super::driver::Handle;
use super::slot::Slot;
use super::status::ends_stream;
use super::tables::ROWS_MAX;
use crate::pages::Pages;
use crate::{Fault, FaultKind};

/// The kernel; `scripts/cuda-ptx.sh` compiles it from `kernel.cu`. The driver requires a 0 at the
/// end.
const PTX: &str = concat!(include_str!("generated/kernel.ptx"), "\0");

/// The kernels by number of rows minus one.
const KERNELS: [&std::ffi::CStr; ROWS_MAX] =
    [c"product_1", c"product_2", c"product_3", c"product_4"];

/// A retained primary context.
#[derive(Debug)]
pub(super) struct Context {
    pub device: Arc<Device>,
    handle: Handle,
    module: Handle,
    kernels: [Handle; ROWS_MAX],
    /// Set if an error has left the context unusable; a new context may work.
    broken: AtomicBool,
    /// The generation of the primary context to which the objects belong.
    generation: u64,
    /// Slots of dropped lanes: the driver's calls that free memory wait for all work on the device,
    /// so nothing is freed while any piece is in flight. They keep this context alive, so a device
    /// that never answers costs their memory, and no memory in use is freed.
    left: Mutex<Vec<Slot>>,
    /// Registered memory that its owner has released; it is unregistered when no piece is in
    /// flight, for the same reason.
    left_pages: Mutex<Vec<Arc<Pages>>>,
}

impl Context {
    /// Retains the context and loads the kernel.
    pub fn new(device: &Arc<Device>) -> Result<Arc<Self>, Fault> {
        let (driver, primary) = (&device.driver, &device.primary);
        // It must not end before its objects are known to belong to it.
        let generation = primary.generation();
        let user = primary.enter(generation).ok_or_else(torn_down)?;
        let mut handle = Handle::NONE;
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (driver.functions.context_retain)(&raw mut handle, device.id) };
        driver.check("open a context on the device", status)?;
        let mut context = Self {
            device: Arc::clone(device),
            handle,
            module: Handle::NONE,
            kernels: [Handle::NONE; ROWS_MAX],
            broken: AtomicBool::new(false),
            generation,
            left: Mutex::default(),
            left_pages: Mutex::default(),
        };
        let loaded = context.push(user).map_err(NotEntered::into_fault);
        (context.module, context.kernels) = loaded.and_then(|entered| entered.load())?;
        Ok(Arc::new(context))
    }

    /// Returns the kernel for a number of rows.
    pub fn kernel(&self, rows: usize) -> Handle {
        self.kernels[rows - 1]
    }

    /// Makes the context current on this thread and prevents its end while the result lives.
    pub fn enter(&self) -> Result<Entered<'_>, Fault> {
        let entered = self.try_enter().ok_or_else(torn_down)?;
        entered.map_err(NotEntered::into_fault)
    }

    /// As [`Context::enter`]; `None` if the context is being ended or has ended.
    pub fn try_enter(&self) -> Option<Result<Entered<'_>, NotEntered>> {
        let user = self.device.primary.enter(self.generation);
        user.map(|user| self.push(user))
    }

    /// Returns whether the device no longer accesses any memory of the context.
    pub fn has_ended(&self) -> bool {
        self.device.primary.has_ended(self.generation)
    }

    fn push<'a>(&'a self, user: RwLockReadGuard<'a, ()>) -> Result<Entered<'a>, NotEntered> {
        let driver = &self.device.driver;
        // SAFETY: the context is retained.
        let status = unsafe { (driver.functions.context_push)(self.handle) };
        let entered = driver.check("enter the device's context", status);
        entered.map_err(|fault| NotEntered {
            fault,
            has_ended: ends_stream(status),
        })?;
        Ok(Entered {
            context: self,
            _user: user,
        })
    }

    /// Returns whether the context is being ended and the device may still work.
    pub fn is_ending(&self) -> bool {
        self.device.primary.is_ending(self.generation)
    }

    /// Records a fault: faults other than a lack of memory persist in a context.
    pub fn note(&self, fault: &Fault) {
        if fault.kind() != FaultKind::Refused {
            self.broken.store(true, Ordering::Release);
        }
    }

    /// Returns whether an error or its end has left the context unusable.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire) || !self.device.primary.is_current(self.generation)
    }

    /// Ends this and all other contexts of the device.
    ///
    /// # Errors
    /// As [`Primary::end`](super::primary::Primary::end).
    pub fn tear_down(&self, limit: Duration) -> Result<(), Fault> {
        self.device.end_context(self.generation, limit)
    }

    /// Keeps the slots of a dropped lane.
    pub fn keep(&self, slots: impl Iterator<Item = Slot>) {
        self.left_slots().extend(slots);
    }

    /// Frees the slots of dropped lanes, unless a piece is in flight: then another lane uses them,
    /// or they are freed later. Returns the number of those that the device has not finished with.
    pub fn free_finished(&self) -> usize {
        self.free_pages();
        let finished: Vec<_> = self
            .left_slots()
            .iter_mut()
            .filter_map(Slot::take_finished)
            .collect();
        // Not under the lock: the end of a job may call the program back.
        drop(finished);
        let mut left = self.left_slots();
        let stuck = left.iter().filter(|slot| !slot.is_idle()).count();
        let is_unused = self.has_ended() || !self.is_ending() && self.device.primary.is_idle();
        if stuck > 0 || !is_unused {
            return stuck;
        }
        let unused = std::mem::take(&mut *left);
        drop(left);
        // Not under the lock: the last slot may hold the last reference to this context.
        drop(unused);
        0
    }

    /// Returns whether a dropped lane has left a piece that the device may still write in place.
    pub fn has_left_in_place(&self) -> bool {
        let left = self.left_slots();
        left.iter().any(|slot| slot.working_in_place().is_some())
    }

    /// Takes at most `count` slots of this size that dropped lanes have left and that have nothing
    /// in flight.
    pub fn take_left(&self, count: usize, slot_bytes: usize) -> Vec<Slot> {
        let mut left = self.left_slots();
        let idle = left.extract_if(.., |slot| slot.is_idle() && slot.is_of(slot_bytes));
        idle.take(count).collect()
    }

    /// Takes registered memory back, which is freed at once if no piece is in flight.
    pub fn unregister(&self, pages: Arc<Pages>) {
        self.left_pages().push(pages);
        self.free_pages();
    }

    /// Takes registered memory of this size that its owner has released, filled with zeros.
    pub fn take_left_pages(&self, bytes: usize) -> Option<Arc<Pages>> {
        let mut left = self.left_pages();
        let index = left.iter().position(|pages| pages.bytes() == bytes)?;
        let pages = left.swap_remove(index);
        // SAFETY: the owner gave up its access, which it may only do when every job that used the
        // memory is gone; a job is kept while the device may access its buffers.
        unsafe { pages.clear() };
        Some(pages)
    }

    /// Frees memory from [`Context::unregister`], unless the device may access any memory. What the
    /// driver does not unregister is kept: at its address the driver takes other memory for it.
    fn free_pages(&self) {
        let mut left = self.left_pages();
        left.extend(self.device.primary.take_pages(self.generation));
        match self.enter() {
            Ok(entered) if self.device.primary.is_idle() => {
                left.retain(|pages| {
                    let start = pages.start().as_ptr().cast::<c_void>();
                    let functions = &self.device.driver.functions;
                    // SAFETY: registered in this context, and no work uses it.
                    unsafe { (functions.host_unregister)(start) != 0 }
                });
                drop(entered);
            }
            Ok(_) => {}
            // Registrations end with their context.
            Err(_) if self.has_ended() => left.clear(),
            Err(_) => {}
        }
    }

    fn left_pages(&self) -> MutexGuard<'_, Vec<Arc<Pages>>> {
        let left = self.left_pages.lock();
        left.unwrap_or_else(PoisonError::into_inner)
    }

    fn left_slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.free_pages();
        let left = self.left_pages.get_mut();
        let left = left.unwrap_or_else(PoisonError::into_inner);
        // Not unmapped; see `free_pages`.
        self.device
            .primary
            .keep_pages(self.generation, left.drain(..));
        if self.is_ending() {
            // The driver has not ended the context, and may never do so.
            return;
        }
        let functions = &self.device.driver.functions;
        if let Ok(entered) = self.enter() {
            // SAFETY: there is no slot left that could launch the kernel, and no unfinished work:
            // slots keep the context alive.
            unsafe { (functions.module_unload)(self.module) };
            drop(entered);
        }
        // SAFETY: retained once in `new`; a reset does not release it. An error means that the
        // context was broken before.
        unsafe { (functions.context_release)(self.device.id) };
    }
}

/// The reason why a context could not be made current.
#[derive(Debug)]
pub(super) struct NotEntered {
    pub fault: Fault,
    /// Whether it also says that the context does no more work.
    pub has_ended: bool,
}

impl NotEntered {
    fn into_fault(self) -> Fault {
        self.fault
    }
}

/// Keeps the context current on this thread until it is dropped.
#[derive(Debug)]
pub(super) struct Entered<'a> {
    context: &'a Context,
    _user: RwLockReadGuard<'a, ()>,
}

impl Entered<'_> {
    /// Loads the kernel.
    fn load(&self) -> Result<(Handle, [Handle; ROWS_MAX]), Fault> {
        let driver = &self.context.device.driver;
        let (mut module, mut kernels) = (Handle::NONE, [Handle::NONE; ROWS_MAX]);
        // SAFETY: the image is PTX text with a 0 at the end; the result goes to a local variable.
        let status = unsafe {
            (driver.functions.module_load)(&raw mut module, PTX.as_ptr().cast::<c_void>())
        };
        driver.check("load the kernel", status)?;
        for (kernel, name) in kernels.iter_mut().zip(KERNELS) {
            // SAFETY: a loaded module and a name with a 0 at its end.
            let status =
                unsafe { (driver.functions.module_function)(kernel, module, name.as_ptr()) };
            driver.check("find the kernel", status)?;
        }
        Ok((module, kernels))
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut popped = Handle::NONE;
        // SAFETY: undoes the push of `enter` on the same thread: this value is not `Send`.
        unsafe { (self.context.device.driver.functions.context_pop)(&raw mut popped) };
    }
}

/// Returns the fault of work whose context was torn down.
pub(super) fn torn_down() -> Fault {
    Fault::new(
        FaultKind::Gone,
        "the device did not finish in time and its context was ended",
    )
}
