// SPDX-License-Identifier: Apache-2.0
//! Runs this test executable again as a separate member, controlled by lines of commands.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use stripeline_engine::node::{Coordination, Membership, Options, Place};

use crate::scratch::options;

const ROLE: &str = "STRIPELINE_TEST_MEMBER";

/// A member process's report after a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub allowed: usize,
    /// Empty while it shares.
    pub why: String,
}

pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a member of the table of this user.
    pub fn user(path: &Path, weight: u16) -> Self {
        Self::start(&mut command(path, weight))
    }

    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub fn tell(&mut self, order: &str) {
        writeln!(self.input, "{order}").unwrap();
    }

    /// Returns the next report; `None` if the process has ended.
    pub fn hear(&mut self) -> Option<Word> {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            // The test harness prints its own lines, and the text before a report does not end with
            // a line end.
            if let Some((_, word)) = line.split_once("@ ") {
                let (allowed, why) = word.trim_end_matches('\n').split_once(' ').unwrap();
                return Some(Word {
                    allowed: allowed.parse().unwrap(),
                    why: why.to_owned(),
                });
            }
            line.clear();
        }
        None
    }

    pub fn ask(&mut self, order: &str) -> Word {
        self.tell(order);
        self.hear().unwrap()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs this executable as a member.
pub fn command(path: &Path, weight: u16) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "process::member", "--nocapture", "--quiet"])
        .env(ROLE, format!("{weight} {}", path.display()));
    command
}

/// Makes all refresh twice; returns their reports after that.
pub fn settle(processes: &mut [Process]) -> Vec<Word> {
    for process in &mut *processes {
        process.ask("refresh");
    }
    processes
        .iter_mut()
        .map(|process| process.ask("refresh"))
        .collect()
}

/// The member process: does nothing unless it was started as one.
#[test]
fn member() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let (weight, path) = role.split_once(' ').unwrap();
    let membership = Membership::join(Options {
        weight: Some(weight.parse().unwrap()),
        ..options(Place(path.into()))
    });
    obey(&membership);
}

fn obey(membership: &Membership) {
    // Ends with the input, that is, with the parent process.
    say(membership);
    for line in std::io::stdin().lines() {
        if line.unwrap() == "busy" {
            membership.report(true);
        }
        let _ = membership.refresh();
        say(membership);
    }
}

fn say(membership: &Membership) {
    let why = match membership.coordination() {
        Coordination::Shared => String::new(),
        Coordination::Alone { why } => why,
    };
    let mut output = std::io::stdout().lock();
    writeln!(output, "@ {} {why}", membership.threads_allowed()).unwrap();
    output.flush().unwrap();
}
