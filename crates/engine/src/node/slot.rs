// SPDX-License-Identifier: Apache-2.0
//! The bytes of the file: a head that identifies it, and a slot with the claim of each process.

use stripeline_codec::hash::fnv_1a;

/// Bytes of the head and of a slot: one cache line, so that a slot is rarely read half written.
pub(super) const SLOT_BYTES: usize = 64;

/// The largest weight; allows shares of a tenth of a percent.
pub const WEIGHT_MAX: u16 = 1000;

/// More CPUs than any machine has.
pub(super) const CPUS_MAX: u32 = 1 << 16;
const VERSION: u32 = 1;
const HEAD_MAGIC: &[u8; 27] = b"stripeline table of a node ";
const SLOT_MAGIC: u32 = u32::from_le_bytes(*b"SLOT");

/// Returns the bytes of the head: text, for human readers of the file.
pub(super) fn head() -> [u8; SLOT_BYTES] {
    head_of(VERSION)
}

fn head_of(version: u32) -> [u8; SLOT_BYTES] {
    let mut head = [0; SLOT_BYTES];
    let text = format!("{}{version}\n", String::from_utf8_lossy(HEAD_MAGIC));
    head[..text.len()].copy_from_slice(text.as_bytes());
    head
}

/// The kind of a file, by the bytes at its start.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// A table of this version.
    Same,
    /// An empty file, or the beginning of a table.
    Partial,
    /// Of another version.
    Version(String),
    /// Another file.
    Foreign,
}

impl Head {
    /// Returns the kind of a file with these first bytes, at most as many as the head has.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let own = head();
        if bytes == own {
            Self::Same
        } else if bytes.len() < own.len() && own.starts_with(bytes) {
            Self::Partial
        } else if let Some(rest) = bytes.strip_prefix(HEAD_MAGIC) {
            let line = rest.split(|&byte| byte == b'\n').next().unwrap_or(rest);
            Self::Version(line.escape_ascii().to_string())
        } else {
            Self::Foreign
        }
    }
}

/// The claim of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// Counts the refreshes of the process.
    pub beat: u64,
    /// Distinguishes this occupant of the slot from others: the start time of its process in kernel
    /// ticks.
    pub start: u64,
    /// The process id in its own namespace; for people only.
    pub process: u32,
    /// 1..=[`WEIGHT_MAX`].
    pub weight: u16,
    /// The CPUs that the kernel allows it, at least 1.
    pub cpus: u32,
    /// The most threads that it wants, at least 1.
    pub wanted: u32,
    /// Identifies the processes that share those CPUs with it.
    pub domain: u64,
    /// Whether it has work.
    pub busy: bool,
}

/// The reason why the bytes of a slot are not a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// Never written, or half written, or written by something else.
    Damaged,
    /// Of another version.
    Version,
    /// Whole, but a value is out of its bounds.
    Absurd,
}

impl Claim {
    pub(super) fn to_bytes(&self) -> [u8; SLOT_BYTES] {
        let mut bytes = [0; SLOT_BYTES];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &SLOT_MAGIC.to_le_bytes());
        put(4, &VERSION.to_le_bytes());
        put(8, &self.beat.to_le_bytes());
        put(16, &self.start.to_le_bytes());
        put(24, &self.domain.to_le_bytes());
        put(32, &self.process.to_le_bytes());
        put(36, &u32::from(self.weight).to_le_bytes());
        put(40, &self.cpus.to_le_bytes());
        put(44, &self.wanted.to_le_bytes());
        put(48, &u32::from(self.busy).to_le_bytes());
        // Detects torn and accidentally overwritten slots, not forged ones; a forger could as well
        // take slots.
        let sum = fnv_1a(&bytes[..56]);
        bytes[56..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; SLOT_BYTES]) -> Result<Self, Unreadable> {
        let short =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let long =
            |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if short(0) != SLOT_MAGIC || long(56) != fnv_1a(&bytes[..56]) {
            return Err(Unreadable::Damaged);
        }
        if short(4) != VERSION {
            return Err(Unreadable::Version);
        }
        let weight = u16::try_from(short(36)).map_err(|_| Unreadable::Absurd)?;
        let (cpus, wanted) = (short(40), short(44));
        let counts = [cpus, wanted]
            .iter()
            .all(|count| (1..=CPUS_MAX).contains(count));
        if !(1..=WEIGHT_MAX).contains(&weight) || !counts || short(48) > 1 {
            return Err(Unreadable::Absurd);
        }
        Ok(Self {
            beat: long(8),
            start: long(16),
            domain: long(24),
            process: short(32),
            weight,
            cpus,
            wanted,
            busy: short(48) == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim {
            beat: 7,
            start: 1 << 40,
            process: 4711,
            weight: 3,
            cpus: 16,
            wanted: 8,
            domain: u64::MAX,
            busy: true,
        }
    }

    fn forged(change: impl FnOnce(&mut [u8; SLOT_BYTES])) -> Result<Claim, Unreadable> {
        let mut bytes = claim().to_bytes();
        change(&mut bytes);
        let sum = fnv_1a(&bytes[..56]);
        bytes[56..].copy_from_slice(&sum.to_le_bytes());
        Claim::from_bytes(&bytes)
    }

    #[test]
    fn a_claim_survives_its_bytes() {
        assert_eq!(Claim::from_bytes(&claim().to_bytes()), Ok(claim()));
    }

    #[test]
    fn every_changed_bit_is_detected() {
        for bit in 0..SLOT_BYTES * 8 {
            let mut bytes = claim().to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Claim::from_bytes(&bytes).is_err(), "bit {bit}");
        }
        assert_eq!(
            Claim::from_bytes(&[0; SLOT_BYTES]),
            Err(Unreadable::Damaged)
        );
    }

    #[test]
    fn values_out_of_bounds_are_refused_with_any_checksum() {
        let absurd = Err(Unreadable::Absurd);
        assert_eq!(forged(|bytes| bytes[36..40].fill(0)), absurd, "weight 0");
        assert_eq!(
            forged(|bytes| bytes[36..40].fill(0xff)),
            absurd,
            "weight of 32 bits"
        );
        assert_eq!(
            forged(|bytes| bytes[37] = 0x80),
            absurd,
            "weight over the largest"
        );
        assert_eq!(forged(|bytes| bytes[40..44].fill(0)), absurd, "no CPUs");
        assert_eq!(forged(|bytes| bytes[43] = 1), absurd, "millions of CPUs");
        assert_eq!(forged(|bytes| bytes[44..48].fill(0)), absurd, "no threads");
        assert_eq!(forged(|bytes| bytes[48] = 2), absurd, "busy twice");
        assert_eq!(forged(|bytes| bytes[4] = 2), Err(Unreadable::Version));
    }

    #[test]
    fn headers_are_distinguished() {
        assert_eq!(Head::of(&head()), Head::Same);
        assert_eq!(Head::of(b""), Head::Partial);
        assert_eq!(Head::of(&head()[..40]), Head::Partial);
        assert_eq!(Head::of(&head_of(12)), Head::Version("12".into()));
        assert_eq!(Head::of(b"root:x:0:0:root:/root:/bin/bash"), Head::Foreign);
        assert_eq!(Head::of(&[0; SLOT_BYTES]), Head::Foreign);
    }
}
