// SPDX-License-Identifier: Apache-2.0
//! The positions of a piece's buffers in a slot's memory, and the bytes that a slot holds at a
//! time.

use std::ops::Range;

use crate::{MemoryKind, Mode, Piece, Region, pinned};

use super::driver::DeviceAddress;
use super::tables;

/// Buffers in a slot start at multiples of this, which suits all copies and loads of a device.
const PITCH_BYTES: usize = 256;

/// The least bytes of a slot that can hold any piece: the tables of a 255 x 255 matrix, and 510
/// buffers of one pitch.
pub(super) const SLOT_BYTES_MIN: usize = 2 << 20;

/// Returns the bytes of a piece's buffers that a slot of `slot_bytes` bytes holds: all but 64 KiB,
/// which exceed the tables of up to 12 rows of 64 columns plus the rounding to pitches. A piece of
/// that size with larger tables takes two chunks.
pub(super) const fn room_bytes(slot_bytes: usize) -> usize {
    slot_bytes - (64 << 10)
}

/// How the device accesses a buffer of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// The CPU copies it between the caller's memory and the slot's pinned memory.
    Staged,
    /// The device copies it between the caller's memory and the slot's device memory.
    Copied,
    /// The kernel uses it where it is.
    InPlace,
}

/// A buffer of the piece and its position in the slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferSlot {
    pub region: Region,
    pub access: Access,
    /// From the start of the slot's memory, the same in pinned and device memory; unused if in
    /// place.
    pub offset: usize,
}

/// The processing of a piece in a slot: chunk by chunk, each a range of all buffers.
///
/// A slot holds the tables, then inputs, then outputs. Its pinned memory and its device memory have
/// the same layout, so that one copy transfers adjacent buffers.
#[derive(Debug)]
pub(super) struct Layout {
    pub inputs: Vec<BufferSlot>,
    pub outputs: Vec<BufferSlot>,
    pub tables_bytes: usize,
    /// The bytes of each buffer that a slot holds.
    pub chunk_bytes: usize,
    /// The bytes of the slot's pinned memory in use: up to the last buffer that the CPU copies.
    pub pinned_bytes: usize,
    /// The bytes of the slot's device memory in use.
    pub device_bytes: usize,
}

impl Layout {
    /// Lays out a piece for slots of at most this many bytes.
    pub fn new(piece: &Piece, slot_bytes: usize) -> Self {
        let mode = piece.job().mode();
        let tables_bytes = tables::bytes_of(piece.job().matrix());
        let buffer = |region: Region, access: Access| BufferSlot {
            region,
            access,
            offset: 0,
        };
        let mut inputs: Vec<BufferSlot> = piece
            .inputs()
            .map(|region| buffer(region, access_of(region)))
            .collect();
        let mut outputs: Vec<BufferSlot> = piece
            .outputs()
            .map(|region| buffer(region, access_of_output(region, mode)))
            .collect();
        let slotted = || {
            inputs
                .iter()
                .chain(&outputs)
                .filter(|buffer| buffer.access != Access::InPlace)
        };
        let count = slotted().count();
        let room = slot_bytes - tables_bytes.next_multiple_of(PITCH_BYTES);
        let chunk_bytes = match count {
            0 => piece.bytes(),
            _ => piece.bytes().min(room / count / PITCH_BYTES * PITCH_BYTES),
        };
        let pitch = chunk_bytes.next_multiple_of(PITCH_BYTES);
        let mut device_bytes = tables_bytes.next_multiple_of(PITCH_BYTES);
        let mut pinned_bytes = device_bytes;
        let mut put = |buffer: &mut BufferSlot, is_pinned: bool| {
            if buffer.access != Access::InPlace {
                buffer.offset = device_bytes;
                device_bytes += pitch;
                if is_pinned {
                    pinned_bytes = device_bytes;
                }
            }
        };
        for buffer in &mut inputs {
            put(buffer, buffer.access == Access::Staged);
        }
        for buffer in &mut outputs {
            put(buffer, is_taken_out(buffer, mode));
        }
        Self {
            inputs,
            outputs,
            tables_bytes,
            chunk_bytes,
            pinned_bytes,
            device_bytes,
        }
    }

    /// Returns whether the device accesses memory of the caller.
    pub fn is_in_place(&self) -> bool {
        let mut buffers = self.inputs.iter().chain(&self.outputs);
        buffers.any(|buffer| buffer.access != Access::Staged)
    }
}

/// Returns whether the CPU needs an output's results in pinned memory.
pub(super) fn is_taken_out(buffer: &BufferSlot, mode: Mode) -> bool {
    mode == Mode::Compare || buffer.access == Access::Staged
}

/// Returns the address of a region that the kernel can use where it is.
pub(super) fn address_in_place(region: Region) -> Option<DeviceAddress> {
    let in_place = access_of(region) == Access::InPlace;
    in_place.then(|| region.start().addr() as DeviceAddress)
}

fn access_of(region: Region) -> Access {
    match region.kind() {
        MemoryKind::Host => Access::Staged,
        // Our own memory is ordinary memory after its context has ended. The driver would copy that
        // too, but wait for it.
        MemoryKind::HostPinned if pinned::is_locked(region.start()) == Some(false) => {
            Access::Staged
        }
        MemoryKind::HostPinned => Access::Copied,
        MemoryKind::Device { .. } => Access::InPlace,
    }
}

/// Returns how the device accesses an output. A comparison must not write to the given outputs, so
/// it uses copies.
fn access_of_output(region: Region, mode: Mode) -> Access {
    match (access_of(region), mode) {
        (Access::InPlace, Mode::Compare) => Access::Copied,
        (access, _) => access,
    }
}

/// Returns ranges of a slot's memory with adjacent ranges joined.
pub(super) fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            // The gap between two buffers is less than a pitch; copying it costs less than another
            // copy.
            Some(last) if range.start - last.end < PITCH_BYTES => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

/// A copy between a caller's memory and the slot's device memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub region: Region,
    pub offset: usize,
    pub bytes: usize,
}

/// Returns the copies of a chunk of buffers. Buffers that follow each other in both memories are
/// copied together: on a PCIe 5 bus each copy costs as much time as another 150 KiB. Only those of
/// one allocation of ours: the driver refuses a copy that continues in another registration, and
/// the caller's own allocations are not known.
pub(super) fn transfers<'a>(
    buffers: impl Iterator<Item = &'a BufferSlot>,
    chunk: &Range<usize>,
) -> Vec<Transfer> {
    let mut transfers: Vec<Transfer> = Vec::new();
    for buffer in buffers {
        let region = buffer.region.offset(chunk.start);
        match transfers.last_mut() {
            Some(last)
                if last.region.kind() == region.kind()
                    && last.region.offset(last.bytes).start() == region.start()
                    && last.offset + last.bytes == buffer.offset
                    && pinned::are_one_allocation(last.region.start(), region.start()) =>
            {
                last.bytes += chunk.len();
            }
            _ => transfers.push(Transfer {
                region,
                offset: buffer.offset,
                bytes: chunk.len(),
            }),
        }
    }
    transfers
}
