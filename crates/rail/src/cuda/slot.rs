// SPDX-License-Identifier: Apache-2.0
//! A stream with memory of its own, which does one piece at a time.
//!
//! A piece is done in chunks: inputs are staged, copied to the device, coded there and copied back
//! by the stream, in that order and without the CPU; then results are taken out. Several slots make
//! copies of one overlap with the kernel of another.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stripeline_codec::{Coefficients, Verdict};

use super::buffers::{OnDevice, Pinned, Stream};
use super::context::{Context, Entered};
use super::driver::DeviceAddress;
use super::launch::Product;
use super::layout::{Layout, Place, SLOT_BYTES_MIN, Way, is_taken_out, joined};
use super::nonzero;
use super::tables::{self, ROWS_MAX};
use crate::lane_piece::LanePiece;
use crate::{Done, Fault, FaultKind, MemoryKind, Mode, Piece, difference};

/// One stream of a lane.
#[derive(Debug)]
pub(super) struct Slot {
    context: Arc<Context>,
    /// The most bytes that it may use of either memory.
    bytes_max: usize,
    // Freed in this order: the stream before what its work used.
    stream: Stream,
    // Of both the last is in use. What it outgrew is kept, because the driver's calls that free
    // memory may wait for all work on the device, and some of that may hang.
    pinned: Vec<Pinned>,
    on_device: Vec<OnDevice>,
    work: Option<Work>,
}

/// A piece that is being done.
#[derive(Debug)]
struct Work {
    ticket: u64,
    piece: LanePiece,
    layout: Layout,
    mode: Mode,
    matrix: Arc<Coefficients>,
    /// Where the piece starts in its job.
    start: usize,
    /// Bytes of each buffer of the piece.
    bytes: usize,
    /// Which of them the device is at.
    chunk: Range<usize>,
    /// What kept this chunk from being put into the stream as a whole.
    fault: Option<Fault>,
    /// When the chunk was begun.
    begun: Instant,
}

impl Slot {
    pub fn new(context: &Arc<Context>, bytes_max: usize) -> Result<Self, Fault> {
        Ok(Self {
            context: Arc::clone(context),
            bytes_max,
            stream: Stream::new(context)?,
            pinned: vec![Pinned::new(context, SLOT_BYTES_MIN)?],
            on_device: vec![OnDevice::new(context, SLOT_BYTES_MIN)?],
            work: None,
        })
    }

    pub fn is_idle(&self) -> bool {
        self.work.is_none()
    }

    /// Starts a piece; gives it back at once if that fails.
    pub fn begin(&mut self, ticket: u64, piece: Piece) -> Result<(), Done> {
        assert!(self.is_idle(), "one piece at a time");
        let layout = self.make_room(&piece);
        let mode = piece.job().mode();
        if mode == Mode::Add && piece.is_revocable() && layout.chunk_bytes < piece.bytes() {
            // What was added to already could not be told if the piece were taken away then.
            let text = format!(
                "cannot add to {} outputs of {} bytes: {} of each fit",
                layout.outputs.len(),
                piece.bytes(),
                layout.chunk_bytes
            );
            return Err(Done::failed(
                ticket,
                piece,
                Fault::new(FaultKind::Refused, text),
            ));
        }
        let work = Work {
            ticket,
            mode,
            matrix: piece.matrix(),
            start: piece.range().start,
            bytes: piece.bytes(),
            chunk: 0..layout.chunk_bytes,
            layout,
            fault: None,
            begun: Instant::now(),
            // Replaced by `next_chunk`, once staged.
            piece: LanePiece::Attached(piece),
        };
        self.next_chunk(work)
    }

    /// Where the piece's buffers go, in memory that is there.
    fn make_room(&mut self, piece: &Piece) -> Layout {
        let layout = Layout::new(piece, self.bytes_max);
        if self.grow(&layout).is_ok() {
            return layout;
        }
        // Slower, but right, in what there is. It is not asked for again, because that costs time
        // with every piece. Whatever else the fault was, the piece meets it, too.
        self.bytes_max = self.pinned().bytes.min(self.on_device().bytes);
        Layout::new(piece, self.bytes_max)
    }

    fn grow(&mut self, layout: &Layout) -> Result<(), Fault> {
        // To powers of two, so that it happens seldom: the device's work may wait for it.
        let grown = |bytes: usize| bytes.next_power_of_two().min(self.bytes_max);
        if layout.pinned_bytes > self.pinned().bytes {
            let pinned = Pinned::new(&self.context, grown(layout.pinned_bytes))?;
            self.pinned.push(pinned);
        }
        if layout.device_bytes > self.on_device().bytes {
            let on_device = OnDevice::new(&self.context, grown(layout.device_bytes))?;
            self.on_device.push(on_device);
        }
        Ok(())
    }

    fn pinned(&self) -> &Pinned {
        self.pinned.last().expect("begins with one")
    }

    fn on_device(&self) -> &OnDevice {
        self.on_device.last().expect("begins with one")
    }

    /// Whether the device has finished with the chunk, and how; `None` while it works.
    pub fn poll(&self) -> Option<Result<(), Fault>> {
        let entered = match self.context.enter() {
            Ok(entered) => entered,
            // Nothing of the slot is used any more. A caller's memory may be, until the context has
            // ended.
            Err(_) if self.is_in_place() && self.context.is_ending() => return None,
            Err(fault) => return Some(Err(fault)),
        };
        self.stream.poll(&entered)
    }

    /// Goes on if the device has finished: with the next chunk, or by giving the piece back.
    pub fn advance(&mut self) -> Option<Done> {
        if self.is_idle() {
            return None;
        }
        let answer = self.poll()?;
        let mut work = self.work.take().expect("a slot with work");
        let Some(mut piece) = work.piece.into_piece() else {
            return Some(Done::revoked(work.ticket));
        };
        if let Err(fault) = &answer {
            self.context.note(fault);
        }
        if let Some(fault) = work.fault.take().or(answer.err()) {
            return Some(Done::failed(work.ticket, piece, fault));
        }
        let found = match self.take_out(&work.layout, work.mode, &work.chunk, &mut piece) {
            Ok(verdict) => difference::moved(verdict, work.start + work.chunk.start),
            Err(fault) => return Some(Done::failed(work.ticket, piece, fault)),
        };
        if found != Verdict::Sound || work.chunk.end == work.bytes {
            return Some(Done {
                ticket: work.ticket,
                piece: Some(piece),
                outcome: Ok(found),
            });
        }
        let end = work.bytes.min(work.chunk.end + work.layout.chunk_bytes);
        work.chunk = work.chunk.end..end;
        work.piece = LanePiece::Attached(piece);
        self.next_chunk(work).err()
    }

    /// How long the device has worked on this chunk of a caller's own memory, which cannot be taken
    /// away from it.
    pub fn working_in_place(&self) -> Option<Duration> {
        self.is_in_place()
            .then(|| self.work.as_ref().map(|work| work.begun.elapsed()))
            .flatten()
    }

    fn is_in_place(&self) -> bool {
        self.work
            .as_ref()
            .is_some_and(|work| work.layout.is_in_place())
    }

    /// Stages a chunk and puts it into the stream.
    fn next_chunk(&mut self, mut work: Work) -> Result<(), Done> {
        let LanePiece::Attached(piece) = work.piece else {
            unreachable!("only an attached piece is staged");
        };
        if let Err(fault) = self.stage(&work.layout, &work.matrix, &work.chunk, work.mode, &piece) {
            return Err(Done::failed(work.ticket, piece, fault));
        }
        work.begun = Instant::now();
        work.piece = LanePiece::of(piece, !work.layout.is_in_place());
        // The slot counts as busy before the first copy is in the stream, whatever happens then.
        self.work = Some(work);
        let put = self.enqueue();
        self.work.as_mut().expect("set above").fault = put.err();
        Ok(())
    }

    /// Copies what the CPU has to into pinned memory.
    fn stage(
        &mut self,
        layout: &Layout,
        matrix: &Coefficients,
        chunk: &Range<usize>,
        mode: Mode,
        piece: &Piece,
    ) -> Result<(), Fault> {
        let entered = self.context.enter()?;
        let pinned = self.pinned.last_mut().expect("begins with one");
        if chunk.start == 0 {
            let place = 0..layout.tables_bytes;
            tables::write(matrix, pinned.slice_mut(&entered, place));
        }
        let outputs = layout.outputs.iter().zip(piece.outputs());
        let read = outputs.filter(|_| mode != Mode::Set);
        let read = layout.inputs.iter().zip(piece.inputs()).chain(read);
        for (place, region) in read.filter(|(place, _)| place.way == Way::Staged) {
            // SAFETY: the piece has the right to this range of the buffer, whoever made the job
            // vouched for its memory, and while the piece is borrowed nobody writes there.
            let bytes =
                unsafe { std::slice::from_raw_parts(region.start().add(chunk.start), chunk.len()) };
            pinned
                .slice_mut(&entered, place.offset..place.offset + chunk.len())
                .copy_from_slice(bytes);
        }
        Ok(())
    }

    /// Puts a chunk's copies and launches into the stream. What was put there before a fault still
    /// runs.
    fn enqueue(&self) -> Result<(), Fault> {
        let work = self.work.as_ref().expect("a slot with work");
        let entered = self.context.enter()?;
        self.copy_in(&entered, work)?;
        self.launch(&entered, work)?;
        self.copy_out(&entered, work)
    }

    fn copy_in(&self, entered: &Entered<'_>, work: &Work) -> Result<(), Fault> {
        let (layout, bytes) = (&work.layout, work.chunk.len());
        let outputs = layout.outputs.iter().filter(|_| work.mode != Mode::Set);
        let places: Vec<&Place> = layout.inputs.iter().chain(outputs).collect();
        let tables = (work.chunk.start == 0).then_some(0..layout.tables_bytes);
        let staged = places.iter().filter(|place| place.way == Way::Staged);
        let staged = staged.map(|place| place.offset..place.offset + bytes);
        for range in joined(tables.into_iter().chain(staged)) {
            let from = self.pinned().address(range.start);
            let to = self.at(range.start);
            // SAFETY: both lie in the slot, which is kept until the stream has ended.
            unsafe { self.stream.copy_in(entered, to, from, range.len()) }?;
        }
        for place in places.iter().filter(|place| place.way == Way::Copied) {
            let from = place.region.offset(work.chunk.start);
            let to = self.at(place.offset);
            match from.kind() {
                MemoryKind::Device { .. } => {
                    let from = from.start().addr() as DeviceAddress;
                    // SAFETY: as above for `to`. A piece in place is kept until the stream has
                    // ended, and whoever made the job vouched for its memory.
                    unsafe { self.stream.copy_within(entered, to, from, bytes) }?;
                }
                // SAFETY: as for memory of the device.
                _ => unsafe { self.stream.copy_in(entered, to, from.start(), bytes) }?,
            }
        }
        Ok(())
    }

    fn launch(&self, entered: &Entered<'_>, work: &Work) -> Result<(), Fault> {
        let address = |place: &Place| match place.way {
            Way::InPlace => place.region.offset(work.chunk.start).start().addr() as DeviceAddress,
            _ => self.at(place.offset),
        };
        let inputs: Vec<DeviceAddress> = work.layout.inputs.iter().map(address).collect();
        let outputs: Vec<DeviceAddress> = work.layout.outputs.iter().map(address).collect();
        for (pass, outputs) in outputs.chunks(ROWS_MAX).enumerate() {
            let product = Product {
                inputs: &inputs,
                outputs,
                tables: self.at(pass * tables::bytes_of_pass(inputs.len())),
                bytes: work.chunk.len(),
                // A sum of what is there and what should be is zero where they are the same.
                adds: work.mode != Mode::Set,
            };
            product.launch(&self.context, entered, self.stream.handle)?;
        }
        Ok(())
    }

    fn copy_out(&self, entered: &Entered<'_>, work: &Work) -> Result<(), Fault> {
        let bytes = work.chunk.len();
        let outputs = || work.layout.outputs.iter();
        let taken = outputs().filter(|place| is_taken_out(place, work.mode));
        for range in joined(taken.map(|place| place.offset..place.offset + bytes)) {
            let to = self.pinned().address(range.start);
            let from = self.at(range.start);
            // SAFETY: as in `copy_in`.
            unsafe { self.stream.copy_out(entered, to, from, range.len()) }?;
        }
        let copied = outputs().filter(|place| place.way == Way::Copied);
        for place in copied.filter(|place| !is_taken_out(place, work.mode)) {
            let to = place.region.offset(work.chunk.start).start();
            let from = self.at(place.offset);
            // SAFETY: as in `copy_in`; the piece has the right to this range of the output.
            unsafe { self.stream.copy_out(entered, to, from, bytes) }?;
        }
        Ok(())
    }

    /// Copies results from pinned memory to the caller's, or looks at what a comparison left there.
    fn take_out(
        &self,
        layout: &Layout,
        mode: Mode,
        chunk: &Range<usize>,
        piece: &mut Piece,
    ) -> Result<Verdict, Fault> {
        let entered = self.context.enter()?;
        let results = |place: &Place| {
            self.pinned()
                .slice(&entered, place.offset..place.offset + chunk.len())
        };
        if mode == Mode::Compare {
            return Ok(nonzero::find(layout.outputs.iter().map(results)));
        }
        let outputs = layout.outputs.iter().zip(piece.outputs());
        for (place, region) in outputs.filter(|(place, _)| place.way == Way::Staged) {
            // SAFETY: as in `stage`, and the piece is borrowed mutably: it alone may write to this
            // range of the outputs.
            let output = unsafe {
                std::slice::from_raw_parts_mut(region.start().add(chunk.start), chunk.len())
            };
            output.copy_from_slice(results(place));
        }
        Ok(Verdict::Sound)
    }

    fn at(&self, offset: usize) -> DeviceAddress {
        self.on_device().start + offset as DeviceAddress
    }
}
