// SPDX-License-Identifier: Apache-2.0
//! The allocator of a test program, which counts what each thread allocates. The tests of the C
//! interface use this file too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Per thread, so that allocations of the test harness are not counted.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };

    /// Bytes allocated minus bytes freed by this thread; frees by other threads are not counted.
    static BYTES_HELD: Cell<isize> = const { Cell::new(0) };
}

fn count(before: usize, after: usize) {
    if after > 0 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    }
    BYTES_HELD.set(BYTES_HELD.get() + after as isize - before as isize);
}

struct Counting;

// SAFETY: every method passes its arguments on to the system allocator, whose contract is this one;
// the counter is a thread local without destructor or lazy initialisation, so it never allocates
// itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout.size(), size);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns how often `run` allocates on this thread.
pub fn allocations(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

/// Returns the bytes that this thread has allocated and not freed.
pub fn bytes_held() -> isize {
    BYTES_HELD.get()
}
