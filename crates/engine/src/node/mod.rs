// SPDX-License-Identifier: Apache-2.0
//! How the processes of a node share its CPUs.
//!
//! Every process takes a slot in a small file on shared memory, writes its claim there, and reads
//! the claims of the others. From these each process computes, by the same rule, how many threads
//! it may run; there is no coordinator.
//!
//! * **Liveness.** A slot is held by a lock on its bytes that belongs to the open file. The kernel
//!   drops the lock however the process ends, so no cleanup is needed and no process id is trusted.
//! * **Validation.** The file is read and written by system calls, never mapped, so that truncating
//!   it cannot kill its readers. A slot has a version and a checksum, and every value in it has
//!   bounds. Processes with invalid slots get no share.
//! * **Access.** The processes of one user share CPUs, through a file of mode 0600 that the first
//!   of them creates.
//! * **Fallback.** If the file cannot be used, the process keeps to its own limit
//!   ([`Coordination::Alone`] has the reason) and tries again at every [`Membership::refresh`].
//!
//! A change reaches all processes after each has refreshed at most twice: with a refresh every 250
//! ms, within half a second.
//!
//! # Forks
//! A forked child shares the parent's open file and with it the lock. It must not use the parent's
//! slot: the first refresh in the child, detected by its process id, closes the inherited file
//! without unlocking anything and takes a new slot. A child that neither refreshes nor executes
//! another program keeps its parent's slot locked; the slot is then no longer written, and the
//! others count it as idle after [`STALLED_REFRESHES`].

mod cpus;
mod division;
mod locks;
mod membership;
mod place;
mod slot;
mod table;

pub use cpus::Cpus;
pub use membership::{Coordination, Membership, Options};
pub use place::Place;
pub use slot::WEIGHT_MAX;
pub use table::{SLOTS, STALLED_REFRESHES};
