//! Reads a host's payload from stdin, bounded in time and size.

use std::io;
use std::time::Duration;

use tenter_hosts::Payload;

/// Bytes read from stdin.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    /// Why `bytes` may be incomplete.
    pub(crate) cut: Option<Cut>,
}

#[derive(Debug)]
pub(crate) enum Cut {
    TooLong(u64),
    /// The host did not close its end. The payload may be complete.
    NotClosed(Duration),
    Error(io::Error),
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cut::TooLong(max) => write!(f, "stdin is longer than {max} bytes (--max-bytes)"),
            Cut::NotClosed(time) => {
                write!(f, "stdin was not closed within {} ms", time.as_millis())
            }
            Cut::Error(error) => write!(f, "cannot read stdin: {error}"),
        }
    }
}

impl Input {
    pub(crate) fn into_payload(self) -> Payload {
        let Some(cut) = self.cut else { return Payload::from_bytes(self.bytes) };
        if matches!(cut, Cut::NotClosed(_)) {
            // A host that does not close its end may still have sent everything.
            let payload = Payload::from_bytes(self.bytes.clone());
            if payload.object().is_ok() {
                return payload;
            }
        }
        Payload::incomplete(self.bytes, cut.to_string())
    }
}

/// Maximum wait for the payload. Shorter than every host's timeout at events where the answer matters; some
/// session end events are shorter, but nothing waits for those.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Initial buffer size: larger than nearly every payload, so that one read is enough.
const FIRST: usize = 16 * 1024;

/// Reads stdin to its end, at most `max` bytes and for at most `deadline`.
pub(crate) fn read_stdin(max: u64, deadline: Duration) -> Input {
    let mut bytes = Vec::with_capacity(FIRST);
    let cut = platform::read(&mut bytes, max, deadline).err();
    Input { bytes, cut }
}

#[cfg(unix)]
mod platform {
    use std::time::{Duration, Instant};

    use rustix::buffer::spare_capacity;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    use super::Cut;

    /// Waits with `poll`, so that the deadline needs no thread.
    pub(super) fn read(bytes: &mut Vec<u8>, max: u64, deadline: Duration) -> Result<(), Cut> {
        let start = Instant::now();
        let stdin = std::io::stdin();
        loop {
            let left = deadline.checked_sub(start.elapsed()).ok_or(Cut::NotClosed(deadline))?;
            let left = Timespec {
                tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            };
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left)) {
                Ok(0) => return Err(Cut::NotClosed(deadline)),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(Cut::Error(error.into())),
            }
            if bytes.len() == bytes.capacity() {
                let more = bytes.capacity();
                bytes.try_reserve(more).map_err(|error| Cut::Error(error.into()))?;
            }
            match rustix::io::read(&stdin, spare_capacity(bytes)) {
                Ok(0) => return Ok(()),
                Ok(_) if bytes.len() as u64 > max => return Err(Cut::TooLong(max)),
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(Cut::Error(error.into())),
            }
        }
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io::Read;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use super::Cut;

    /// Reads on a separate thread: consoles and pipes on Windows cannot be polled alike.
    pub(super) fn read(bytes: &mut Vec<u8>, max: u64, deadline: Duration) -> Result<(), Cut> {
        let start = Instant::now();
        let (sender, chunks) = mpsc::channel();
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            loop {
                let mut chunk = vec![0; 64 * 1024];
                let read = stdin.read(&mut chunk).map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                let done = !matches!(&read, Ok(chunk) if !chunk.is_empty());
                if sender.send(read).is_err() || done {
                    return;
                }
            }
        });
        loop {
            let left = deadline.saturating_sub(start.elapsed());
            match chunks.recv_timeout(left) {
                Ok(Ok(chunk)) if chunk.is_empty() => return Ok(()),
                Ok(Ok(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(Err(error)) => return Err(Cut::Error(error)),
                Err(_) => return Err(Cut::NotClosed(deadline)),
            }
            if bytes.len() as u64 > max {
                return Err(Cut::TooLong(max));
            }
        }
    }
}
