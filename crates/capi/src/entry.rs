// SPDX-License-Identifier: Apache-2.0
//! The wrapper that every function of the interface runs in.

use std::cell::RefCell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use stripeline_boundary::panic_text;

use crate::failure::{Failure, stripeline_status};

thread_local! {
    /// The text of this thread's last refused call. Its buffer is reused, so that refusals do not
    /// allocate either once the buffer has grown to the longest text.
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the body of a function: an error becomes its status and text, a panic becomes
/// STRIPELINE_INTERNAL.
///
/// A panic must not unwind into C. The assertion of unwind safety is sound here: the only state
/// that a body shares with later calls is the codec, whose cache entries are replaced as a whole.
pub(crate) fn guard(
    operation: &'static str,
    body: impl FnOnce() -> Result<(), Failure>,
) -> stripeline_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => stripeline_status::STRIPELINE_OK,
        Ok(Err(failure)) => {
            remember(|text| write!(text, "{failure}"));
            failure.status()
        }
        Err(payload) => {
            let why = panic_text(payload.as_ref());
            remember(|text| write!(text, "Cannot {operation}: panic: {why}"));
            stripeline_status::STRIPELINE_INTERNAL
        }
    }
}

/// As [`guard`], for bodies whose result may not be available yet: `None` becomes
/// STRIPELINE_PENDING, which is not an error and leaves the text unchanged.
pub(crate) fn guard_pending(
    operation: &'static str,
    body: impl FnOnce() -> Result<Option<()>, Failure>,
) -> stripeline_status {
    let mut is_pending = false;
    let status = guard(operation, || {
        is_pending = body()?.is_none();
        Ok(())
    });
    match (status, is_pending) {
        (stripeline_status::STRIPELINE_OK, true) => stripeline_status::STRIPELINE_PENDING,
        (status, _) => status,
    }
}

/// Passes the text of this thread's last refused call to `read`; it is empty before the first
/// refusal, and when an exiting thread has destroyed it.
pub(crate) fn with_last_error<T>(read: impl Fn(&str) -> T) -> T {
    LAST_ERROR
        .try_with(|text| read(&text.borrow()))
        .unwrap_or_else(|_| read(""))
}

/// Runs `call` with the text of a failure as this thread's error text, and then restores the
/// thread's own: the thread may be waiting for another task.
pub(crate) fn with_error(failure: &Failure, call: impl FnOnce()) {
    let exchange = |text| LAST_ERROR.try_with(|mine| mine.replace(text));
    let before = exchange(failure.to_string());
    call();
    if let Ok(before) = before {
        let _ = exchange(before);
    }
}

fn remember(write: impl FnOnce(&mut String) -> std::fmt::Result) {
    // The thread-local of an exiting thread may be destroyed; its text is no longer needed.
    let _ = LAST_ERROR.try_with(|text| {
        let mut text = text.borrow_mut();
        text.clear();
        write(&mut text).expect("writing to a String cannot fail");
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    #[test]
    fn a_panic_becomes_a_status_and_a_text() {
        let status = guard("encode", || panic!("coefficient {} of {}", 7, 6));
        assert_eq!(status, stripeline_status::STRIPELINE_INTERNAL);
        with_last_error(|text| assert_eq!(text, "Cannot encode: panic: coefficient 7 of 6"));
    }

    #[test]
    fn the_text_is_of_this_thread_and_outlives_a_success() {
        let refused = || Err(Failure::UnknownCode(9));
        let status = guard("open a codec", refused);
        assert_eq!(status, stripeline_status::STRIPELINE_INVALID_PARAMETERS);
        assert_eq!(guard("encode", || Ok(())), stripeline_status::STRIPELINE_OK);
        with_last_error(|text| {
            assert!(text.starts_with("Cannot open a codec: code is 9"), "{text}")
        });
        std::thread::spawn(|| with_last_error(|text| assert_eq!(text, "")))
            .join()
            .expect("the other thread has no text");
    }

    /// Sends the error text when it is destroyed.
    struct AtExit(Sender<String>);

    impl Drop for AtExit {
        fn drop(&mut self) {
            with_last_error(|text| self.0.send(text.to_owned()).expect("it is received"));
        }
    }

    thread_local! {
        static AT_EXIT: RefCell<Option<AtExit>> = const { RefCell::new(None) };
    }

    #[test]
    fn an_exiting_thread_has_no_text() {
        let (sender, receiver) = channel();
        let exiting = std::thread::spawn(|| {
            // Thread-locals are destroyed in the reverse order of their first use.
            AT_EXIT.set(Some(AtExit(sender)));
            guard("encode", || Err(Failure::UnknownCode(9)));
        });
        exiting.join().expect("no panic");
        assert_eq!(receiver.recv().as_deref(), Ok(""));
    }
}
