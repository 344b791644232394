// SPDX-License-Identifier: Apache-2.0
//! Tasks, and the clients that issue them.

use std::collections::VecDeque;
use std::ops::Range;

use super::Client;
use super::random::Random;
use stripeline_engine::Priority;
use stripeline_engine::schedule::{Class, Workload};

/// An issued task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) client: usize,
    pub(super) class: Class,
    pub(super) priority: Priority,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) bytes: usize,
    pub(super) issued_ns: u64,
    /// The ranges that are done, in the order of completion.
    done: Vec<Range<usize>>,
    left: usize,
}

impl Task {
    /// Returns the workload of `bytes` bytes of the task.
    pub(super) fn workload(&self, bytes: usize) -> Workload {
        Workload {
            class: self.class.sized(self.inputs * bytes),
            priority: self.priority,
            inputs: self.inputs,
            outputs: self.outputs,
            on_device: false,
            unstaged: false,
            bytes,
        }
    }

    /// Records that a range is done; returns whether it was the last one.
    pub(super) fn complete(&mut self, range: Range<usize>) -> bool {
        assert!(
            range.len() <= self.left,
            "{range:?} of {self:?} is done twice"
        );
        self.left -= range.len();
        self.done.push(range);
        if self.left > 0 {
            return false;
        }
        let mut done = std::mem::take(&mut self.done);
        done.sort_unstable_by_key(|range| range.start);
        let end = done.iter().fold(0, |end, range| {
            assert_eq!(range.start, end, "every byte of {self:?} is done once");
            range.end
        });
        assert_eq!(end, self.bytes, "all of {self:?} is done");
        true
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }
}

/// All clients and their tasks.
#[derive(Debug)]
pub(super) struct Clients<'a> {
    clients: &'a [Client],
    pub(super) tasks: Vec<Task>,
    /// The tasks in each client's window, oldest first.
    windows: Vec<VecDeque<usize>>,
}

impl<'a> Clients<'a> {
    pub(super) fn new(clients: &'a [Client]) -> Self {
        Self {
            clients,
            tasks: Vec::new(),
            windows: vec![VecDeque::new(); clients.len()],
        }
    }

    /// Frees places in the window of the client whose task is done.
    pub(super) fn free(&mut self, task: usize) {
        let client = self.tasks[task].client;
        let window = &mut self.windows[client];
        if !self.clients[client].in_order {
            window.retain(|&other| other != task);
        }
        while window
            .front()
            .is_some_and(|&oldest| self.tasks[oldest].is_done())
        {
            window.pop_front();
        }
    }

    /// Issues a task if a window has room; clients take turns.
    pub(super) fn issue(&mut self, now_ns: u64, random: &mut Random) -> Option<usize> {
        let room = |&client: &usize| self.windows[client].len() < self.clients[client].window;
        let emptiest = (0..self.clients.len())
            .filter(room)
            .min_by_key(|&client| self.windows[client].len());
        let client = emptiest?;
        let Client {
            priority,
            mode,
            inputs,
            outputs,
            ref sizes,
            ..
        } = self.clients[client];
        let bytes = sizes[random.below(sizes.len())];
        let task = self.tasks.len();
        self.windows[client].push_back(task);
        self.tasks.push(Task {
            client,
            class: Class::of(mode, outputs, inputs * bytes),
            priority,
            inputs,
            outputs,
            bytes,
            issued_ns: now_ns,
            done: Vec::new(),
            left: bytes,
        });
        Some(task)
    }

    pub(super) fn outstanding(&self) -> usize {
        self.windows.iter().map(VecDeque::len).sum()
    }
}
