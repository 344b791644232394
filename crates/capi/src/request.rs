// SPDX-License-Identifier: Apache-2.0
//! The options of one task.

use std::ffi::c_void;
use std::time::Duration;

use ::stripeline_engine::{Priority, Request};

use crate::arguments::Call;
use crate::completion::Notice;
use crate::failure::{Failure, Mistake, stripeline_status};

/// The order in which tasks run. Values are never reused.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_priority {
    /// A caller waits for the result.
    STRIPELINE_FOREGROUND = 0,
    /// Repair and scrubbing: started only while no foreground task waits.
    STRIPELINE_BACKGROUND = 1,
}

/// Called once when a task has ended, before a wait for its future returns; never after the engine
/// was closed.
///
/// It runs on the thread that ended the task: a thread of the engine; a thread that codes while it
/// waits for another task or for room; the thread that cancels the task or closes the engine; or
/// the thread that issues it, for units of 0 bytes or if no rail is in service. A callback must not
/// take a lock that such a thread may hold. If a callback ends other tasks, their callbacks run on
/// the same thread after it.
///
/// It must return quickly, must not wait for a future, close an engine or throw. It may issue tasks
/// if the engine refuses tasks when it is full (`when-full=refuse`), and may release its future,
/// which is stored before the callback runs. If the task failed, stripeline_last_error() returns
/// the reason while the callback runs; afterwards the thread has its previous text.
///
/// @param context  as in the request
/// @param status   how the task ended
#[allow(non_camel_case_types, reason = "the name in C")]
pub type stripeline_callback =
    Option<unsafe extern "C" fn(context: *mut c_void, status: stripeline_status)>;

/// The options of one task. Set everything to 0 and then the fields that are needed:
///
/// ```c
/// stripeline_request request = {.size = sizeof request, .deadline_ns = 50000000};
/// ```
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct stripeline_request {
    /// sizeof(stripeline_request), which tells the library the fields that the program knows.
    pub size: usize,
    /// A stripeline_priority.
    pub priority: i32,
    /// For a non-blocking call: an eventfd to which 8 bytes, the number 1, are written when the
    /// task has ended, before a wait for its future returns; it must stay open until then, or until
    /// the engine is closed. 0 for none, unless `flags` has STRIPELINE_REQUEST_EVENT_FD.
    pub event_fd: i32,
    /// The time limit of the task in nanoseconds from the call; 0 for none. At the deadline, pieces
    /// that a rail is working on are finished before the task ends. Deadlines are checked every 5
    /// milliseconds.
    pub deadline_ns: u64,
    /// For a non-blocking call: called when the task has ended; NULL for none.
    pub callback: stripeline_callback,
    /// Passed to `callback`.
    pub context: *mut c_void,
    /// STRIPELINE_REQUEST_EVENT_FD or 0.
    pub flags: u64,
}

/// In the flags of a request: `event_fd` is a descriptor even if it is 0.
pub const STRIPELINE_REQUEST_EVENT_FD: u64 = 1;

impl Call {
    /// Reads a request; null means the default options.
    ///
    /// # Safety
    /// `request` must be null or point to a request of the size in its `size` field.
    pub(crate) unsafe fn request(
        self,
        request: *const stripeline_request,
    ) -> Result<(Request, Notice), Failure> {
        if request.is_null() {
            return Ok((Request::default(), Notice::default()));
        }
        // SAFETY: as the caller guarantees.
        let asked = unsafe { self.sized("request", request) }?;
        let priority = match asked.priority {
            0 => Priority::Foreground,
            1 => Priority::Background,
            other => return Err(self.refuse(Mistake::UnknownPriority(other))),
        };
        if asked.flags & !STRIPELINE_REQUEST_EVENT_FD != 0 {
            return Err(self.refuse(Mistake::UnknownFlags(asked.flags)));
        }
        let has_event_fd = asked.event_fd > 0 || asked.flags & STRIPELINE_REQUEST_EVENT_FD != 0;
        if asked.event_fd < 0 {
            return Err(self.refuse(Mistake::NegativeDescriptor(asked.event_fd)));
        }
        let deadline = (asked.deadline_ns > 0).then(|| Duration::from_nanos(asked.deadline_ns));
        let notice = Notice {
            callback: asked.callback,
            context: asked.context,
            event_fd: has_event_fd.then_some(asked.event_fd),
            ..Notice::default()
        };
        let request = Request {
            priority,
            deadline,
            store: None,
        };
        Ok((request, notice))
    }

    /// Reads the request of a blocking call, which must not ask for a notification.
    ///
    /// # Safety
    /// As [`Call::request`].
    pub(crate) unsafe fn request_of_waiter(
        self,
        request: *const stripeline_request,
    ) -> Result<Request, Failure> {
        // SAFETY: as the caller guarantees.
        let (request, notice) = unsafe { self.request(request) }?;
        if notice.is_wanted() {
            return Err(self.refuse(Mistake::NobodyToTell));
        }
        Ok(request)
    }
}
