// SPDX-License-Identifier: Apache-2.0
//! The multi-rail engine for Java.
//!
//! Java numbers its tasks and keeps their buffers reachable until a task is reported as ended. A
//! task is reported when nothing holds its job any more, so that no rail accesses the buffers: the
//! job and the task each hold a reference to a [`Finish`](stripeline_boundary::Finish), and
//! dropping the last one reports the task. Reports wait in a queue that one Java thread empties in
//! batches, so that no thread of the engine is ever attached to the JVM.
//!
//! * [`engines`] maps handles to open engines and decides when an engine may be closed.
//! * [`completions`] holds ended tasks and events until Java takes them.
//! * [`tasks`] contains the operations over direct buffers, blocking or issued.
//! * [`report`] returns an engine's statistics, as numbers and as JSON.
//! * [`survey`] discovers rails and measures them.
//! * [`natives`] contains the exported functions.

mod completions;
mod engines;
mod natives;
mod report;
mod survey;
mod tasks;

pub use natives::*;
