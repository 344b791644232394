// SPDX-License-Identifier: Apache-2.0
//! Processes of this program that encode at the same time; [`crate::instance`] is one of them.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::str::FromStr;
use std::time::Duration;

use crate::failure::Failure;
use crate::instance::{DONE, UNABLE, WRONG};

const WHAT: &str = "measure instances";

/// A running process; killed and waited for when dropped.
struct Instance {
    process: Child,
    /// The other end is the process's standard input and output.
    socket: BufReader<UnixStream>,
    limit: Duration,
}

impl Instance {
    fn start(mut command: Command, limit: Duration) -> io::Result<Self> {
        let (own, other) = UnixStream::pair()?;
        own.set_read_timeout(Some(limit))?;
        let output = other.try_clone()?;
        // In its own process group, so that an interrupt from the terminal ends only this process
        // and the instance can still clean up.
        command
            .process_group(0)
            .stdin(OwnedFd::from(other))
            .stdout(OwnedFd::from(output));
        Ok(Self {
            process: command.spawn()?,
            socket: BufReader::new(own),
            limit,
        })
    }

    /// Sends an order. Errors are ignored: a process that has ended also gives no answer.
    fn tell(&mut self, order: &str) {
        let _ = writeln!(self.socket.get_mut(), "{order}");
    }

    /// Returns the next answer.
    fn hear(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        match self.socket.read_line(&mut line) {
            Ok(1..) => understand(line.trim_end()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                let why = format!("one has not answered for {} s", self.limit.as_secs_f64());
                Err(Failure::unable(WHAT, why))
            }
            Ok(0) | Err(_) => Err(self.ended()),
        }
    }

    fn ended(&mut self) -> Failure {
        match self.process.wait() {
            Ok(status) => Failure::unable(WHAT, format!("one has ended: {status}")),
            Err(error) => Failure::unable(WHAT, error),
        }
    }
}

impl Drop for Instance {
    /// An error means that the process has already ended, and is ignored.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn understand(line: &str) -> Result<String, Failure> {
    let (word, text) = line.split_once(' ').unwrap_or((line, ""));
    let text = text.to_owned();
    match word {
        DONE => Ok(text),
        WRONG => Err(Failure::Wrong(text)),
        UNABLE => Err(Failure::Unable(text)),
        _ => Err(Failure::unable(WHAT, format!("one answered '{line}'"))),
    }
}

/// Processes that carry out the same orders at the same time.
pub struct Instances(Vec<Instance>);

impl Instances {
    /// Starts a process for each command and waits until all are ready; none may take longer than
    /// `limit` for an answer.
    ///
    /// # Errors
    /// If one cannot be started, fails, ends or does not answer.
    pub fn start(
        commands: impl IntoIterator<Item = Command>,
        limit: Duration,
    ) -> Result<Self, Failure> {
        let commands = commands.into_iter();
        let started = commands.map(|command| Instance::start(command, limit));
        let started: io::Result<_> = started.collect();
        let mut instances = Self(started.map_err(|error| Failure::unable(WHAT, error))?);
        instances.hear()?;
        Ok(instances)
    }

    /// Sends an order to all and returns their answers.
    ///
    /// # Errors
    /// If one fails, ends or does not answer.
    pub fn ask(&mut self, order: &str) -> Result<Vec<String>, Failure> {
        self.0.iter_mut().for_each(|instance| instance.tell(order));
        self.hear()
    }

    fn hear(&mut self) -> Result<Vec<String>, Failure> {
        self.0.iter_mut().map(Instance::hear).collect()
    }
}

/// Returns the value that an instance wrote in an answer.
pub fn value<T: FromStr>(text: &str) -> Result<T, Failure> {
    let parsed = text.parse();
    parsed.map_err(|_| Failure::unable(WHAT, format!("one answered '{text}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns why a process that runs this script cannot be used.
    fn failure(script: &str, limit: Duration) -> Failure {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let started = Instances::start([command], limit);
        let failure = started.and_then(|mut instances| instances.ask("anything"));
        failure.expect_err("it carries out nothing")
    }

    #[test]
    fn failures_of_an_instance_are_those_of_the_run() {
        let minute = Duration::from_secs(60);
        for (script, wanted) in [
            ("echo done; read order; echo wrong byte 7", "byte 7"),
            ("echo wrong byte 8", "byte 8"),
        ] {
            match failure(script, minute) {
                Failure::Wrong(text) => assert_eq!(text, wanted),
                other => panic!("{other:?}"),
            }
        }
        for (script, wanted) in [
            ("echo unable to code", "to code"),
            ("exit 7", "one has ended: exit status: 7"),
            ("echo done; exit 8", "one has ended: exit status: 8"),
            ("echo done; kill -9 $$", "one has ended: signal: 9"),
            ("echo hello", "one answered 'hello'"),
        ] {
            match failure(script, minute) {
                Failure::Unable(text) => assert!(text.contains(wanted), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_silent_instance_is_not_waited_for() {
        // `exec`, so that killing the process leaves no other.
        match failure("echo done; exec sleep 600", Duration::from_millis(50)) {
            Failure::Unable(text) => {
                assert!(text.contains("has not answered for 0.05 s"), "{text}")
            }
            other => panic!("{other:?}"),
        }
    }
}
