// SPDX-License-Identifier: Apache-2.0
//! The multi-rail engine for Java.
//!
//! Java numbers its tasks and keeps their buffers reachable until it is told that a task has ended.
//! It is told when nothing holds the task's job any more, so that no rail touches the buffers: the
//! job and the task each hold a share of a [`completions::Finish`], and dropping the last one
//! reports the task. Reports wait in a queue that one Java thread empties in batches, so that no
//! thread of the engine is ever attached to the JVM.
//!
//! * [`engines`] turns handles into open engines and knows when one may be closed.
//! * [`completions`] is what has ended and what there is to tell.
//! * [`tasks`] are the operations over direct buffers, waited for or issued.
//! * [`report`] is what an engine has done, as numbers and as JSON.
//! * [`survey`] looks for rails and measures them.
//! * [`natives`] are the exported functions.

mod completions;
mod engines;
mod natives;
mod report;
mod survey;
mod tasks;

pub use natives::*;
