// SPDX-License-Identifier: Apache-2.0
//! A stream with its own memory, which processes one piece at a time, or several with one launch.
//!
//! A piece is processed in chunks: inputs are staged, copied to the device, coded there and copied
//! back by the stream, in that order and without the CPU; then the results are copied out. With
//! several slots, the copies of one overlap with the kernel of another.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stripeline_codec::{Coefficients, Verdict};

use super::buffers::{OnDevice, Pinned, Stream};
use super::context::{Context, Entered, torn_down};
use super::driver::DeviceAddress;
use super::launch::Product;
use super::layout::{
    Access, BufferSlot, Layout, SLOT_BYTES_MIN, address_in_place, is_taken_out, joined, transfers,
};
use super::nonzero;
use super::primary::Working;
use super::tables::{self, ROWS_MAX};
use crate::lane_piece::LanePiece;
use crate::{Done, Fault, FaultKind, MemoryKind, Mode, Piece, clock, difference};

/// One stream of a lane.
#[derive(Debug)]
pub(super) struct Slot {
    context: Arc<Context>,
    /// The most bytes that it may use of either kind of memory by the settings of its lane.
    slot_bytes: usize,
    /// The same, or less where memory is lacking.
    bytes_max: usize,
    // Freed in this order: the stream before the memory that its work uses.
    stream: Stream,
    // The last entry of each list is in use. Outgrown entries are kept, because the driver's calls
    // that free memory may wait for all work on the device, and some of that work may hang.
    pinned: Vec<Pinned>,
    on_device: Vec<OnDevice>,
    /// The matrix whose tables are at the start of the device memory. Pieces of one code after
    /// another need them copied only once.
    tables_of: Option<Arc<Coefficients>>,
    active: Option<ActivePiece>,
}

/// A piece in progress.
#[derive(Debug)]
pub(super) struct ActivePiece {
    ticket: u64,
    piece: LanePiece,
    /// Pieces in device memory that the same launch codes, with their tickets.
    others: Vec<(u64, Piece)>,
    layout: Layout,
    mode: Mode,
    matrix: Arc<Coefficients>,
    /// Where the piece starts in its job.
    start: usize,
    /// Bytes of each buffer of the piece.
    bytes: usize,
    /// The chunk that the device is processing.
    chunk: Range<usize>,
    /// The fault that prevented this chunk from being put into the stream completely.
    fault: Option<Fault>,
    /// The time when the chunk was started.
    begun: Instant,
    _working: Working,
}

impl ActivePiece {
    /// Returns the fault of a piece whose work is in the stream in part. Where outputs are added to
    /// in place, some may have changed, which a refused piece's have not.
    fn begun_in_place(&self, fault: Fault) -> Fault {
        let adds_in_place = self.mode == Mode::Add && self.layout.is_in_place();
        match adds_in_place && fault.kind() == FaultKind::Refused {
            true => Fault::new(FaultKind::Failed, fault.to_string()),
            false => fault,
        }
    }
}

impl Slot {
    pub fn new(context: &Arc<Context>, slot_bytes: usize) -> Result<Self, Fault> {
        let mut slot = Self {
            context: Arc::clone(context),
            slot_bytes,
            bytes_max: slot_bytes,
            stream: Stream::new(context)?,
            pinned: Vec::new(),
            on_device: Vec::new(),
            tables_of: None,
            active: None,
        };
        match slot.allocate() {
            Ok(()) => Ok(slot),
            Err(fault) => {
                // Not freed here: that would wait for all work on the device. No lane takes it.
                slot.slot_bytes = 0;
                context.keep(std::iter::once(slot));
                Err(fault)
            }
        }
    }

    fn allocate(&mut self) -> Result<(), Fault> {
        self.pinned
            .push(Pinned::new(&self.context, SLOT_BYTES_MIN)?);
        let on_device = OnDevice::new(&self.context, SLOT_BYTES_MIN)?;
        self.on_device.push(on_device);
        Ok(())
    }

    pub fn is_idle(&self) -> bool {
        self.active.is_none()
    }

    /// Returns the number of pieces in progress.
    pub fn pieces(&self) -> usize {
        let pieces = |active: &ActivePiece| 1 + active.others.len();
        self.active.as_ref().map_or(0, pieces)
    }

    /// Starts pieces, several only from a batch; if that fails they are `ready` at once.
    pub fn begin(&mut self, mut pieces: Vec<(u64, Piece)>, ready: &mut VecDeque<Done>) {
        assert!(self.is_idle(), "one launch at a time");
        let (ticket, piece) = pieces.remove(0);
        let layout = self.make_room(&piece);
        let mode = piece.job().mode();
        if mode == Mode::Add && piece.is_revocable() && layout.chunk_bytes < piece.bytes() {
            // If the piece were revoked between two chunks, it would be unknown which outputs have
            // been added to.
            let text = format!(
                "cannot add to {} outputs of {} bytes: {} of each fit",
                layout.outputs.len(),
                piece.bytes(),
                layout.chunk_bytes
            );
            let fault = Fault::new(FaultKind::Refused, text);
            ready.push_back(Done::failed(ticket, piece, fault));
            return;
        }
        let active = ActivePiece {
            ticket,
            mode,
            matrix: piece.matrix(),
            start: piece.range().start,
            bytes: piece.bytes(),
            chunk: 0..layout.chunk_bytes,
            layout,
            fault: None,
            begun: clock::now(),
            _working: self.context.device.primary.begin_work(),
            // Replaced by `next_chunk`, once staged.
            piece: LanePiece::Attached(piece),
            others: pieces,
        };
        self.next_chunk(active, ready);
    }

    /// Lays out the piece's buffers, after growing the memory if needed.
    fn make_room(&mut self, piece: &Piece) -> Layout {
        let layout = Layout::new(piece, self.bytes_max);
        let Err(fault) = self.grow(&layout) else {
            return layout;
        };
        // Continues in the existing memory: slower, but correct. If the fault is not a lack of
        // memory, the piece meets it too; otherwise growth is not tried again, because each attempt
        // costs time.
        let bytes = self.pinned().bytes.min(self.on_device().bytes);
        if fault.kind() == FaultKind::Refused {
            self.bytes_max = bytes;
        }
        Layout::new(piece, bytes)
    }

    fn grow(&mut self, layout: &Layout) -> Result<(), Fault> {
        // Grows to powers of two, so that growth is rare: the device's work may have to wait for
        // it.
        let grown = |bytes: usize| bytes.next_power_of_two().min(self.bytes_max);
        if layout.pinned_bytes > self.pinned().bytes {
            let pinned = Pinned::new(&self.context, grown(layout.pinned_bytes))?;
            self.pinned.push(pinned);
        }
        if layout.device_bytes > self.on_device().bytes {
            let on_device = OnDevice::new(&self.context, grown(layout.device_bytes))?;
            self.on_device.push(on_device);
            self.tables_of = None;
        }
        Ok(())
    }

    fn pinned(&self) -> &Pinned {
        self.pinned.last().expect("begins with one")
    }

    fn on_device(&self) -> &OnDevice {
        self.on_device.last().expect("begins with one")
    }

    /// Returns the result once the device has finished with the chunk; `None` while it works.
    pub fn poll(&self) -> Option<Result<(), Fault>> {
        let Some(entered) = self.context.try_enter() else {
            // Until the context has ended the device may access the piece and the slot's memory.
            return self.context.has_ended().then(|| Err(torn_down()));
        };
        match entered {
            Ok(entered) => self.stream.poll(&entered, self.is_in_place()),
            // As in `Stream::poll`.
            Err(reason) if self.is_in_place() && !reason.has_ended => None,
            Err(reason) => Some(Err(reason.fault)),
        }
    }

    /// Gives up the piece if the device has finished with it.
    pub fn take_finished(&mut self) -> Option<ActivePiece> {
        self.active.as_ref()?;
        // The lane that submitted it is gone.
        drop(self.poll()?);
        self.active.take()
    }

    /// Returns whether the slot was made with this limit of its memory.
    pub fn is_of(&self, slot_bytes: usize) -> bool {
        self.slot_bytes == slot_bytes
    }

    /// Continues if the device has finished: starts the next chunk, or the pieces are `ready`.
    pub fn advance(&mut self, ready: &mut VecDeque<Done>) {
        let Some(answer) = self.active.as_ref().and_then(|_| self.poll()) else {
            return;
        };
        let mut active = self.active.take().expect("a slot with a piece");
        let fault = active.fault.take();
        let fault = fault.map(|fault| active.begun_in_place(fault));
        if let Err(fault) = &answer {
            self.context.note(fault);
        }
        let Some(mut piece) = active.piece.into_piece() else {
            return ready.push_back(Done::revoked(active.ticket));
        };
        let answer = fault.map_or(answer, Err);
        let found = answer.and_then(|()| {
            let found = self.take_out(&active.layout, active.mode, &active.chunk, &mut piece)?;
            Ok(difference::moved(found, active.start + active.chunk.start))
        });
        if found == Ok(Verdict::Sound) && active.chunk.end < active.bytes {
            let end = active
                .bytes
                .min(active.chunk.end + active.layout.chunk_bytes);
            active.chunk = active.chunk.end..end;
            active.piece = LanePiece::Attached(piece);
            return self.next_chunk(active, ready);
        }
        finish_all((active.ticket, piece), active.others, &found, ready);
    }

    /// Returns how long the device has worked on this chunk.
    pub fn working(&self) -> Option<Duration> {
        let active = self.active.as_ref()?;
        Some(clock::now() - active.begun)
    }

    /// As [`Slot::working`], for a chunk of a caller's own memory, which cannot be revoked.
    pub fn working_in_place(&self) -> Option<Duration> {
        self.working().filter(|_| self.is_in_place())
    }

    fn is_in_place(&self) -> bool {
        self.active
            .as_ref()
            .is_some_and(|active| active.layout.is_in_place())
    }

    /// Stages a chunk and puts it into the stream.
    fn next_chunk(&mut self, mut active: ActivePiece, ready: &mut VecDeque<Done>) {
        let LanePiece::Attached(piece) = active.piece else {
            unreachable!("only an attached piece is staged");
        };
        if let Err(fault) = self.stage(
            &active.layout,
            &active.matrix,
            &active.chunk,
            active.mode,
            &piece,
        ) {
            return finish_all((active.ticket, piece), active.others, &Err(fault), ready);
        }
        active.begun = clock::now();
        active.piece = LanePiece::of(piece, !active.layout.is_in_place());
        // The slot counts as busy before the first copy is in the stream, even if a later step
        // fails.
        let matrix = Arc::clone(&active.matrix);
        self.active = Some(active);
        match self.enqueue() {
            // The stream copies the tables before it needs them.
            Ok(()) => self.tables_of = Some(matrix),
            fault => {
                self.tables_of = None;
                self.active.as_mut().expect("set above").fault = fault.err();
            }
        }
    }

    fn has_tables(&self, matrix: &Arc<Coefficients>) -> bool {
        let known = self.tables_of.as_ref();
        known.is_some_and(|known| Arc::ptr_eq(known, matrix))
    }

    /// Copies the inputs that the CPU must copy into pinned memory.
    fn stage(
        &mut self,
        layout: &Layout,
        matrix: &Arc<Coefficients>,
        chunk: &Range<usize>,
        mode: Mode,
        piece: &Piece,
    ) -> Result<(), Fault> {
        let entered = self.context.enter()?;
        let has_tables = self.has_tables(matrix);
        let pinned = self.pinned.last_mut().expect("begins with one");
        if !has_tables {
            let range = 0..layout.tables_bytes;
            tables::write(matrix, pinned.slice_mut(&entered, range));
        }
        let outputs = layout.outputs.iter().zip(piece.outputs());
        let read = outputs.filter(|_| mode != Mode::Set);
        let read = layout.inputs.iter().zip(piece.inputs()).chain(read);
        for (buffer, region) in read.filter(|(buffer, _)| buffer.access == Access::Staged) {
            // SAFETY: the piece has the right to this range of the buffer, the job's creator
            // guarantees its memory, and nothing writes there while the piece is borrowed.
            let bytes =
                unsafe { std::slice::from_raw_parts(region.start().add(chunk.start), chunk.len()) };
            pinned
                .slice_mut(&entered, buffer.offset..buffer.offset + chunk.len())
                .copy_from_slice(bytes);
        }
        Ok(())
    }

    /// Puts a chunk's copies and launches into the stream. Operations put there before a fault
    /// still run.
    fn enqueue(&self) -> Result<(), Fault> {
        let active = self.active.as_ref().expect("a slot with a piece");
        let entered = self.context.enter()?;
        self.copy_in(&entered, active)?;
        self.launch(&entered, active)?;
        self.copy_out(&entered, active)
    }

    fn copy_in(&self, entered: &Entered<'_>, active: &ActivePiece) -> Result<(), Fault> {
        let (layout, bytes) = (&active.layout, active.chunk.len());
        let outputs = layout.outputs.iter().filter(|_| active.mode != Mode::Set);
        let buffers: Vec<&BufferSlot> = layout.inputs.iter().chain(outputs).collect();
        let has_tables = self.has_tables(&active.matrix);
        let tables = (!has_tables).then_some(0..layout.tables_bytes);
        let staged = buffers
            .iter()
            .filter(|buffer| buffer.access == Access::Staged);
        let staged = staged.map(|buffer| buffer.offset..buffer.offset + bytes);
        for range in joined(tables.into_iter().chain(staged)) {
            let from = self.pinned().address(range.start);
            let to = self.at(range.start);
            // SAFETY: both lie in the slot, which is kept until the stream has ended.
            unsafe { self.stream.copy_in(entered, to, from, range.len()) }?;
        }
        let copied = buffers
            .into_iter()
            .filter(|buffer| buffer.access == Access::Copied);
        for transfer in transfers(copied, &active.chunk) {
            let (to, from) = (self.at(transfer.offset), transfer.region.start());
            match transfer.region.kind() {
                MemoryKind::Device { .. } => {
                    let from = from.addr() as DeviceAddress;
                    // SAFETY: as above for `to`. A piece in place is kept until the stream has
                    // ended, and the job's creator guarantees its memory.
                    unsafe { self.stream.copy_within(entered, to, from, transfer.bytes) }?;
                }
                // SAFETY: as for memory of the device.
                _ => unsafe { self.stream.copy_in(entered, to, from, transfer.bytes) }?,
            }
        }
        Ok(())
    }

    fn launch(&self, entered: &Entered<'_>, active: &ActivePiece) -> Result<(), Fault> {
        let address = |buffer: &BufferSlot| match buffer.access {
            Access::InPlace => {
                buffer.region.offset(active.chunk.start).start().addr() as DeviceAddress
            }
            _ => self.at(buffer.offset),
        };
        let inputs: Vec<DeviceAddress> = active.layout.inputs.iter().map(address).collect();
        let outputs: Vec<DeviceAddress> = active.layout.outputs.iter().map(address).collect();
        for (pass, outputs) in outputs.chunks(ROWS_MAX).enumerate() {
            let mut buffers = [&inputs, outputs].concat();
            // Pieces with others have one pass.
            for (_, other) in &active.others {
                buffers.extend(
                    other
                        .inputs()
                        .chain(other.outputs())
                        .filter_map(address_in_place),
                );
            }
            let product = Product {
                buffers: &buffers,
                columns: inputs.len(),
                rows: outputs.len(),
                tables: self.at(pass * tables::bytes_of_pass(inputs.len())),
                bytes: active.chunk.len(),
                // The sum of actual and expected bytes is zero where they are equal.
                adds: active.mode != Mode::Set,
            };
            product.launch(&self.context, entered, self.stream.handle)?;
        }
        Ok(())
    }

    fn copy_out(&self, entered: &Entered<'_>, active: &ActivePiece) -> Result<(), Fault> {
        let bytes = active.chunk.len();
        let outputs = || active.layout.outputs.iter();
        let taken = outputs().filter(|buffer| is_taken_out(buffer, active.mode));
        for range in joined(taken.map(|buffer| buffer.offset..buffer.offset + bytes)) {
            let to = self.pinned().address(range.start);
            let from = self.at(range.start);
            // SAFETY: as in `copy_in`.
            unsafe { self.stream.copy_out(entered, to, from, range.len()) }?;
        }
        let copied = outputs().filter(|buffer| buffer.access == Access::Copied);
        let copied = copied.filter(|buffer| !is_taken_out(buffer, active.mode));
        for transfer in transfers(copied, &active.chunk) {
            let (to, from) = (transfer.region.start(), self.at(transfer.offset));
            // SAFETY: as in `copy_in`; the piece has the right to these ranges of its outputs.
            unsafe { self.stream.copy_out(entered, to, from, transfer.bytes) }?;
        }
        Ok(())
    }

    /// Copies results from pinned memory to the caller's, or examines the result of a comparison
    /// there.
    fn take_out(
        &self,
        layout: &Layout,
        mode: Mode,
        chunk: &Range<usize>,
        piece: &mut Piece,
    ) -> Result<Verdict, Fault> {
        let entered = self.context.enter()?;
        let results = |buffer: &BufferSlot| {
            self.pinned()
                .slice(&entered, buffer.offset..buffer.offset + chunk.len())
        };
        if mode == Mode::Compare {
            return Ok(nonzero::find(layout.outputs.iter().map(results)));
        }
        let outputs = layout.outputs.iter().zip(piece.outputs());
        for (buffer, region) in outputs.filter(|(buffer, _)| buffer.access == Access::Staged) {
            // SAFETY: as in `stage`, and the piece is borrowed mutably: it alone may write to this
            // range of the outputs.
            let output = unsafe {
                std::slice::from_raw_parts_mut(region.start().add(chunk.start), chunk.len())
            };
            output.copy_from_slice(results(buffer));
        }
        Ok(Verdict::Sound)
    }

    fn at(&self, offset: usize) -> DeviceAddress {
        self.on_device().start + offset as DeviceAddress
    }
}

/// Makes the pieces of a launch ready. All have its outcome.
fn finish_all(
    first: (u64, Piece),
    others: Vec<(u64, Piece)>,
    outcome: &Result<Verdict, Fault>,
    ready: &mut VecDeque<Done>,
) {
    let done = |(ticket, piece)| Done {
        ticket,
        piece: Some(piece),
        outcome: outcome.clone(),
    };
    ready.extend(std::iter::once(first).chain(others).map(done));
}
