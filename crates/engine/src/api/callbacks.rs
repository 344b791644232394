// SPDX-License-Identifier: Apache-2.0
//! Runs the call-backs of a thread one after another.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::core::sync::thread_local;

type Call = Box<dyn FnOnce()>;

thread_local! {
    /// The call-backs that wait for the one that this thread runs; `None` while it runs none.
    static WAITING: RefCell<Option<VecDeque<Call>>> = RefCell::new(None);
}

/// Runs a call-back: at once, or, if this thread runs one already, after that one.
///
/// A call-back may end other tasks, by cancelling them or by issuing tasks that fail at once, and
/// their call-backs may do the same. Nested calls would exhaust the stack.
pub fn in_turn(call: impl FnOnce() + 'static) {
    let mut call = Some(call);
    let queued = WAITING.try_with(|waiting| match &mut *waiting.borrow_mut() {
        Some(waiting) => waiting.extend(call.take().map(|call| Box::new(call) as Call)),
        first => *first = Some(VecDeque::new()),
    });
    let Some(call) = call else { return };
    // While a thread exits, its thread locals are gone.
    let _rest = queued.is_ok().then_some(RunWaitingOnDrop);
    call();
}

/// Returns whether this thread runs a call-back.
pub(crate) fn is_in_turn() -> bool {
    let running = WAITING.try_with(|waiting| waiting.borrow().is_some());
    running.unwrap_or(false)
}

/// Runs the call-backs that wait on this thread when it is dropped, also by a panic.
struct RunWaitingOnDrop;

impl Drop for RunWaitingOnDrop {
    fn drop(&mut self) {
        while let Some(call) = next() {
            // Its panic was reported already and must not prevent the others.
            let _ = catch_unwind(AssertUnwindSafe(call));
        }
    }
}

fn next() -> Option<Call> {
    let next = WAITING.try_with(|waiting| {
        let mut waiting = waiting.borrow_mut();
        let next = waiting.as_mut()?.pop_front();
        if next.is_none() {
            *waiting = None;
        }
        next
    });
    next.ok().flatten()
}

#[cfg(all(test, not(feature = "permute")))]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn calls_run_one_after_another_in_order() {
        let told = Rc::new(RefCell::new(Vec::new()));
        let tell = |number| {
            let told = Rc::clone(&told);
            move || told.borrow_mut().push(number)
        };
        let (before, second, third, after) = (tell(0), tell(2), tell(3), tell(1));
        in_turn(move || {
            before();
            in_turn(move || {
                in_turn(third);
                second();
            });
            after();
        });
        assert_eq!(*told.borrow(), [0, 1, 2, 3]);
    }

    #[test]
    fn a_panic_does_not_stop_other_callbacks() {
        let told = Rc::new(RefCell::new(0));
        let tell = || {
            let told = Rc::clone(&told);
            move || *told.borrow_mut() += 1
        };
        let (second, third) = (tell(), tell());
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            in_turn(move || {
                in_turn(move || {
                    in_turn(third);
                    panic!("the second");
                });
                in_turn(second);
                panic!("the first");
            });
        }));
        assert!(panicked.is_err());
        in_turn(tell());
        assert_eq!(*told.borrow(), 3);
    }
}
