// SPDX-License-Identifier: Apache-2.0
//! memcached: started for a run on a Unix socket, accessed by its text protocol, and ended with the
//! run.
//!
//! A Unix socket in a separate folder needs no port and has the lowest latency; over a network, as
//! in the paper, each request takes longer.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The most time that the server may take to start or to answer.
const LIMIT: Duration = Duration::from_secs(5);

/// A running server.
pub struct Server {
    process: Child,
    /// The only connection: the socket's name is removed once it is open, so that no file remains
    /// however the run ends.
    pub client: Client,
    /// The version that the server reports.
    pub version: String,
}

impl Server {
    /// Starts a server and connects to it.
    ///
    /// # Errors
    /// The reason why there is none, usually that it is not installed.
    pub fn start() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("stripeline-bench-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let started = Self::start_in(&folder);
        // After a failure here, at most an empty folder remains among the system's temporary files.
        let _ = fs::remove_dir_all(&folder);
        started
    }

    fn start_in(folder: &Path) -> Result<Self, String> {
        let socket = folder.join("memcached");
        // setpriv makes the kernel end the server with this thread, however the thread ends.
        let mut process = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "memcached"])
            .args(["-u", "root", "-t", "1", "-m", "64", "-s"])
            .arg(&socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("setpriv: {error}"))?;
        match wait_until_up(&mut process, &socket) {
            Ok((client, version)) => Ok(Self {
                process,
                client,
                version,
            }),
            Err(reason) => {
                end(&mut process);
                Err(reason)
            }
        }
    }
}

fn wait_until_up(process: &mut Child, socket: &Path) -> Result<(Client, String), String> {
    let begin = Instant::now();
    loop {
        let connected = Client::connect(socket).and_then(|mut client| {
            let version = client.version()?;
            Ok((client, version))
        });
        match connected {
            Ok(up) => return Ok(up),
            Err(error) if begin.elapsed() > LIMIT => {
                return Err(format!("memcached does not answer: {error}"));
            }
            Err(_) => {}
        }
        if let Ok(Some(status)) = process.try_wait() {
            let reason = "memcached is not installed or does not start";
            return Err(format!("{reason} ({status})"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Ends the server. An error means that it has already ended, and is ignored.
fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// A connection with one request at a time.
pub struct Client {
    stream: BufReader<UnixStream>,
    line: String,
}

impl Client {
    fn connect(socket: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(LIMIT))?;
        Ok(Self {
            stream: BufReader::new(stream),
            line: String::new(),
        })
    }

    fn ask(&mut self, question: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(question.as_bytes())
    }

    fn answer(&mut self) -> io::Result<&str> {
        self.line.clear();
        self.stream.read_line(&mut self.line)?;
        Ok(self.line.trim_end())
    }

    fn version(&mut self) -> io::Result<String> {
        self.ask("version\r\n")?;
        let answer = self.answer()?;
        let version = answer
            .strip_prefix("VERSION ")
            .ok_or_else(|| unexpected(answer))?;
        Ok(format!("memcached {version}"))
    }

    /// Stores a value of letters and digits.
    ///
    /// # Errors
    /// If the server does not confirm it.
    pub fn set(&mut self, key: &str, value: &str) -> io::Result<()> {
        let length = value.len();
        self.ask(&format!("set {key} 0 0 {length}\r\n{value}\r\n"))?;
        match self.answer()? {
            "STORED" => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    /// Returns a value; `None` if the key is unknown.
    ///
    /// # Errors
    /// If the answer violates the protocol.
    pub fn value(&mut self, key: &str) -> io::Result<Option<String>> {
        self.ask(&format!("get {key}\r\n"))?;
        match self.answer()? {
            "END" => return Ok(None),
            head if head.starts_with("VALUE ") => {}
            other => return Err(unexpected(other)),
        }
        let value = self.answer()?.to_owned();
        match self.answer()? {
            "END" => Ok(Some(value)),
            other => Err(unexpected(other)),
        }
    }
}

fn unexpected(answer: &str) -> io::Error {
    let text = format!("memcached answered '{answer}'");
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_returned_and_no_process_or_file_stays() {
        let mut server = match Server::start() {
            Ok(server) => server,
            Err(reason) => return eprintln!("skipped: {reason}"),
        };
        let folder = format!("stripeline-bench-{}", std::process::id());
        assert!(!std::env::temp_dir().join(folder).exists());
        let (client, process) = (&mut server.client, server.process.id());
        assert_eq!(client.value("a").expect("an answer"), None);
        client.set("a", "cpu").expect("stored");
        assert_eq!(
            client.value("a").expect("an answer").as_deref(),
            Some("cpu")
        );
        drop(server);
        assert!(!Path::new(&format!("/proc/{process}")).exists());
    }
}
