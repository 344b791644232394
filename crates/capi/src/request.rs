// SPDX-License-Identifier: Apache-2.0
//! The options of one task.

use std::ffi::c_void;
use std::time::Duration;

use ::stripeline_engine::{Priority, Request};

use crate::arguments::Call;
use crate::completion::Notice;
use crate::failure::{Failure, stripeline_status};

/// Which tasks go first. Values are never reused.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_priority {
    /// Somebody waits for it.
    STRIPELINE_FOREGROUND = 0,
    /// Repair and scrubbing: begun only while no foreground task waits.
    STRIPELINE_BACKGROUND = 1,
}

/// Told that a task has ended, once, before a wait for its future returns.
///
/// It runs on whichever thread ended the task: one of the engine's; one that codes while it
/// waits for another task or for room; the one that cancels it or closes the engine; the one that
/// issues it, for units of 0 bytes or with no rail in service. No lock that such a thread may hold
/// must be taken here. If this ends other tasks, their callbacks run on the same thread after it.
///
/// It must be short, must wait for no future and close no engine; it may issue tasks where the engine
/// is set up to refuse what is too much (`when-full=refuse`), and release its future, which has been
/// stored by then. It must not throw. While it runs, stripeline_last_error() says why the task
/// failed, if it did; afterwards the thread has the text that it had before.
///
/// @param context  as in the request
/// @param status   how the task ended
#[allow(non_camel_case_types, reason = "the name in C")]
pub type stripeline_callback =
    Option<unsafe extern "C" fn(context: *mut c_void, status: stripeline_status)>;

/// What is asked of one task. Set everything to 0 and then what is needed:
///
/// ```c
/// stripeline_request request = {.size = sizeof request, .deadline_ns = 50000000};
/// ```
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct stripeline_request {
    /// sizeof(stripeline_request): with it the library knows which fields the program knows.
    pub size: usize,
    /// A stripeline_priority.
    pub priority: i32,
    /// Of a non-blocking call: an eventfd to which 8 bytes, the number 1, are written when the task
    /// has ended, before a wait for its future returns; it must stay open until then. 0 for none,
    /// unless `flags` has STRIPELINE_REQUEST_EVENT_FD.
    pub event_fd: i32,
    /// How long the task may take, in nanoseconds from the call; 0 for as long as it takes. What a
    /// rail is working on by then is finished, and only then has the task ended. It is looked at
    /// every 5 milliseconds.
    pub deadline_ns: u64,
    /// Of a non-blocking call: told when the task has ended; NULL for nobody.
    pub callback: stripeline_callback,
    /// Handed to `callback`.
    pub context: *mut c_void,
    /// STRIPELINE_REQUEST_EVENT_FD or 0. A structure of `size` 40, of a program that was compiled
    /// before there was this field, has no flags.
    pub flags: u64,
}

/// In the flags of a request: `event_fd` is a descriptor whatever its number, also 0.
pub const STRIPELINE_REQUEST_EVENT_FD: u64 = 1;

/// The size of a request before it had flags.
const SIZE_WITHOUT_FLAGS: usize = std::mem::offset_of!(stripeline_request, flags);

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
        let asked = unsafe { self.sized("request", request, SIZE_WITHOUT_FLAGS) }?;
        let priority = match asked.priority {
            0 => Priority::Foreground,
            1 => Priority::Background,
            other => return Err(Failure::UnknownPriority(self.0, other)),
        };
        if asked.flags & !STRIPELINE_REQUEST_EVENT_FD != 0 {
            return Err(Failure::UnknownFlags(self.0, asked.flags));
        }
        let has_event_fd = asked.event_fd > 0 || asked.flags & STRIPELINE_REQUEST_EVENT_FD != 0;
        if asked.event_fd < 0 {
            return Err(Failure::NegativeDescriptor(self.0, asked.event_fd));
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
            return Err(Failure::NobodyToTell(self.0));
        }
        Ok(request)
    }
}
