// SPDX-License-Identifier: Apache-2.0
//! Units in ordinary, pinned and device memory, and jobs over them.

use std::ops::Range;

use stripeline_codec::{Code, Codec, Verdict};
use stripeline_rail::{Buffers, CudaSettings, Job, MemoryKind, Piece, Rail, Region, owned};
use stripeline_testkit::{Random, Stripe, rail_suite::Feeder};

use crate::mock::{LIMIT, Mock};
use crate::program::Program;

/// The kind of memory of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Host,
    Pinned,
    Device,
}

/// The granularity at which the driver registers memory.
pub const PAGE_BYTES: usize = 4_096;

/// The guard bytes around units.
const GUARD: u8 = 0x77;

/// A unit in a kind of memory, at a chosen offset from the start of a page, with guard bytes around
/// it.
pub struct Unit<'a> {
    program: &'a Program,
    memory: Memory,
    storage: Vec<u8>,
    /// The range of the pages that contain the unit, and the range of the unit in them.
    pages: Range<usize>,
    unit: Range<usize>,
    /// The address of the pages' copy in device memory.
    address: u64,
}

impl<'a> Unit<'a> {
    pub fn new(program: &'a Program, memory: Memory, contents: &[u8], offset: usize) -> Self {
        let offset = offset % 64;
        let bytes = (offset + contents.len() + 1).next_multiple_of(PAGE_BYTES);
        let mut storage = vec![GUARD; bytes + PAGE_BYTES];
        let start = storage.as_ptr().align_offset(PAGE_BYTES);
        let (pages, first) = (start..start + bytes, start + offset);
        let unit = first..first + contents.len();
        storage[unit.clone()].copy_from_slice(contents);
        let mut address = 0;
        match memory {
            Memory::Host => {}
            Memory::Pinned => program.register(&mut storage[pages.clone()]),
            Memory::Device => address = program.allocate(&storage[pages.clone()]),
        }
        Self {
            program,
            memory,
            storage,
            pages,
            unit,
            address,
        }
    }

    pub fn region(&mut self) -> Region {
        let start = self.storage[self.unit.clone()].as_mut_ptr();
        let offset = (self.unit.start - self.pages.start) as u64;
        match self.memory {
            Memory::Host => Region::host(start),
            Memory::Pinned => Region::new(start, MemoryKind::HostPinned),
            Memory::Device => {
                let start = std::ptr::without_provenance_mut((self.address + offset) as usize);
                Region::new(start, MemoryKind::Device { ordinal: 0 })
            }
        }
    }

    /// Checks the guard bytes and returns the contents of the unit.
    pub fn read(&self) -> Vec<u8> {
        let mut pages = self.storage[self.pages.clone()].to_vec();
        if self.memory == Memory::Device {
            self.program.read(self.address, &mut pages);
        }
        let after = pages.split_off(self.unit.end - self.pages.start);
        let unit = pages.split_off(self.unit.start - self.pages.start);
        let mut around = pages.iter().chain(&after);
        assert!(around.all(|byte| *byte == GUARD), "written beyond the unit");
        unit
    }
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        match self.memory {
            Memory::Host => {}
            Memory::Pinned => self
                .program
                .unregister(&mut self.storage[self.pages.clone()]),
            Memory::Device => self.program.free(self.address),
        }
    }
}

/// The four operations on stripes whose units are in given kinds of memory.
pub struct Placement<'a> {
    pub program: &'a Program,
    pub feeder: Feeder,
    /// The kinds of memory of the units in turn, and the offsets of their addresses.
    pub memories: &'static [Memory],
    pub offset: usize,
    pub cuts: usize,
}

impl<'a> Placement<'a> {
    pub fn new(
        program: &'a Program,
        rail: &dyn Rail,
        memories: &'static [Memory],
        offset: usize,
    ) -> Self {
        Self {
            program,
            feeder: Feeder::new(rail, 1),
            memories,
            offset,
            cuts: 0,
        }
    }

    pub fn unit(&self, number: usize, contents: &[u8]) -> Unit<'a> {
        let memory = self.memories[number % self.memories.len()];
        Unit::new(self.program, memory, contents, self.offset * (number + 1))
    }

    pub fn all(&mut self, stripe: &Stripe) {
        self.encode(stripe);
        self.decode(stripe);
        self.update(stripe);
        self.verify(stripe);
    }

    fn units(&self, contents: &[Vec<u8>]) -> Vec<Unit<'a>> {
        let numbered = contents.iter().enumerate();
        numbered
            .map(|(number, bytes)| self.unit(number, bytes))
            .collect()
    }

    fn run(&mut self, piece: Piece) -> Verdict {
        self.feeder
            .run_cut(piece, self.cuts)
            .expect("the device works")
    }

    pub fn encode(&mut self, stripe: &Stripe) {
        self.encode_with(&stripe.codec(), stripe);
    }

    /// Encodes with this codec, whose tables a slot may have already.
    fn encode_with(&mut self, codec: &Codec, stripe: &Stripe) {
        let mut data = self.units(stripe.data());
        let mut parity = self.units(&vec![vec![0x11; stripe.length()]; stripe.parity_units]);
        let (inputs, outputs) = (regions(&mut data), regions(&mut parity));
        // SAFETY: the units outlive the job, which ends with `run`.
        let piece = unsafe { Job::encode(codec, &inputs, &outputs, buffers(stripe)) };
        assert_eq!(self.run(piece.expect("in order")), Verdict::Sound);
        expect(stripe, "parity", &parity, stripe.parity());
        expect(stripe, "data", &data, stripe.data());
    }

    pub fn decode(&mut self, stripe: &Stripe) {
        let count = stripe.units.len();
        let erased = Random::new(stripe.length() as u64).choose(stripe.parity_units, count);
        let mut units = self.units(&stripe.units);
        let mut outputs = self.units(&vec![vec![0x22; stripe.length()]; erased.len()]);
        let mut given: Vec<Option<Region>> = regions(&mut units).into_iter().map(Some).collect();
        erased.iter().for_each(|unit| given[*unit] = None);
        let regions = regions(&mut outputs);
        let (codec, buffers) = (stripe.codec(), buffers(stripe));
        // SAFETY: the units outlive the job, which ends with `run`.
        let piece = unsafe { Job::decode(&codec, &given, &erased, &regions, buffers) };
        assert_eq!(self.run(piece.expect("in order")), Verdict::Sound);
        let expected: Vec<Vec<u8>> = erased
            .iter()
            .map(|unit| stripe.units[*unit].clone())
            .collect();
        expect(stripe, "decoded", &outputs, &expected);
    }

    pub fn update(&mut self, stripe: &Stripe) {
        let mut data = stripe.data().to_vec();
        let new = Random::new(3).bytes(stripe.length());
        let old = std::mem::replace(&mut data[0], new.clone());
        let after = Stripe::of(data, stripe.code, stripe.parity_units);
        let mut changed = self.units(&[old, new]);
        let mut parity = self.units(stripe.parity());
        let (inputs, outputs) = (regions(&mut changed), regions(&mut parity));
        let (codec, buffers) = (stripe.codec(), buffers(stripe));
        // SAFETY: the units outlive the job, which ends with `run`.
        let piece = unsafe { Job::update(&codec, 0, inputs[0], inputs[1], &outputs, buffers) };
        assert_eq!(self.run(piece.expect("in order")), Verdict::Sound);
        expect(stripe, "updated parity", &parity, after.parity());
    }

    /// Verifies the stripe, and again with a wrong byte in the last parity unit.
    pub fn verify(&mut self, stripe: &Stripe) {
        assert_eq!(self.verdict(stripe), Verdict::Sound, "{}", stripe.name());
        let mut broken = stripe.clone();
        let offset = 2 * stripe.length() / 3;
        broken.units.last_mut().expect("parity")[offset] ^= 0x40;
        let parity_unit = stripe.parity_units - 1;
        let expected = Verdict::Mismatch {
            parity_unit,
            offset,
        };
        assert_eq!(self.verdict(&broken), expected, "{}", stripe.name());
    }

    fn verdict(&mut self, stripe: &Stripe) -> Verdict {
        let mut data = self.units(stripe.data());
        let mut parity = self.units(stripe.parity());
        let (inputs, outputs) = (regions(&mut data), regions(&mut parity));
        // SAFETY: the units outlive the job, which ends with `run`.
        let piece = unsafe { Job::verify(&stripe.codec(), &inputs, &outputs, buffers(stripe)) };
        let verdict = self.run(piece.expect("in order"));
        expect(stripe, "compared parity", &parity, stripe.parity());
        verdict
    }
}

pub fn buffers(stripe: &Stripe) -> Buffers {
    Buffers {
        bytes: stripe.length(),
        ..Buffers::default()
    }
}

pub fn regions(units: &mut [Unit<'_>]) -> Vec<Region> {
    units.iter_mut().map(Unit::region).collect()
}

fn expect(stripe: &Stripe, what: &str, units: &[Unit<'_>], right: &[Vec<u8>]) {
    for (number, (unit, expected)) in units.iter().zip(right).enumerate() {
        let name = stripe.name();
        assert!(
            unit.read() == *expected,
            "{name}: {what} {number} in {:?}",
            unit.memory
        );
    }
}

const HOST: &[Memory] = &[Memory::Host];
const MEMORIES: [&[Memory]; 4] = [
    &[Memory::Pinned],
    &[Memory::Device],
    &[Memory::Host, Memory::Pinned],
    &[Memory::Device, Memory::Host, Memory::Pinned, Memory::Host],
];

/// Encodes, decodes, updates and verifies with units in all combinations of memory.
pub fn all(program: &Program, rail: &dyn Rail) {
    for memories in MEMORIES {
        for offset in [0, 1, 16] {
            let mut placement = Placement::new(program, rail, memories, offset);
            for bytes in [1, 15, 16, 17, 64, 1_000] {
                placement.all(&Stripe::random(Code::Rs, 6, 3, bytes));
                placement.all(&Stripe::random(Code::RsLegacy, 3, 2, bytes));
                placement.all(&Stripe::random(Code::Xor, 4, 1, bytes));
            }
        }
    }
}

#[test]
fn units_are_used_where_they_are() {
    let mock = Mock::new();
    let rail = mock.rail();
    all(&mock.program(), &rail);
    drop(rail);
    mock.expect_empty();
}

#[test]
fn pieces_larger_than_a_slot_are_done_in_chunks() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let stripe = Stripe::random(Code::Rs, 6, 3, 700_001);
    // Nine units, without those in device memory, in slots of 2 MiB.
    for (memories, chunks) in [
        (HOST, 4),
        (MEMORIES[0], 4),
        (MEMORIES[1], 1),
        (MEMORIES[3], 3),
    ] {
        let mut placement = Placement::new(&program, &rail, memories, 3);
        let before = mock.get("launches");
        placement.encode(&stripe);
        assert_eq!(mock.get("launches") - before, chunks);
        placement.decode(&stripe);
        placement.verify(&stripe);
        placement.cuts = 5;
        placement.all(&stripe);
    }
}

#[test]
fn staged_units_travel_in_one_copy_each_way_and_aligned() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let mut placement = Placement::new(&program, &rail, HOST, 1);
    for bytes in [1, 255, 256, 257, 10_000] {
        let stripe = Stripe::random(Code::Rs, 6, 3, bytes);
        let before = mock.get("copies");
        placement.encode(&stripe);
        assert_eq!(mock.get("copies") - before, 2, "{bytes} bytes");
        placement.all(&stripe);
    }
    assert_eq!(mock.get("unaligned_launches"), 0);
}

#[test]
fn tables_are_copied_once_for_pieces_of_one_code() {
    let mock = Mock::new();
    let (rail, program) = (with_large_slots(&mock), mock.program());
    let mut placement = Placement::new(&program, &rail, MEMORIES[1], 0);
    let stripe = |parity_units| Stripe::random(Code::Rs, 6, parity_units, 1_000);
    let (three, two) = (stripe(3), stripe(2));
    let codecs = [&three, &two].map(Stripe::codec);
    // The same code, another one, and the first one again.
    for (code, copies) in [(0, 1), (0, 0), (0, 0), (1, 1), (0, 1)] {
        let before = mock.get("copies");
        placement.encode_with(&codecs[code], [&three, &two][code]);
        assert_eq!(mock.get("copies") - before, copies);
    }
    // Staged units, for which the slot grows: the tables of the outgrown memory are gone.
    let large = Stripe::random(Code::Rs, 6, 3, 700_001);
    placement.memories = HOST;
    placement.encode_with(&codecs[0], &large);
    placement.encode_with(&codecs[0], &three);
}

/// Returns a rail with one slot per lane, which grows up to 64 MiB.
pub fn with_large_slots(mock: &Mock) -> impl Rail {
    mock.rail_with(&CudaSettings {
        slots: 1,
        slot_bytes: 64 << 20,
        ..mock.settings()
    })
}

/// Returns the allocated pinned memory and device memory in MiB.
fn held(mock: &Mock) -> [i64; 2] {
    ["pinned_bytes", "device_bytes"].map(|what| mock.get(what) >> 20)
}

#[test]
fn slots_hold_what_their_pieces_need() {
    let mock = Mock::new();
    let (rail, program) = (with_large_slots(&mock), mock.program());
    let stripe = Stripe::random(Code::Rs, 6, 3, 700_001);
    // Units in pinned memory are copied only on the device; those in device memory are used in
    // place.
    for (memories, holds) in [
        (MEMORIES[1], [2, 2]),
        (MEMORIES[0], [2, 10]),
        (HOST, [10, 10]),
    ] {
        let mut placement = Placement::new(&program, &rail, memories, 0);
        assert_eq!(held(&mock), [2, 2]);
        let before = mock.get("launches");
        placement.encode(&stripe);
        assert_eq!(mock.get("launches") - before, 1, "{memories:?}");
        assert_eq!(held(&mock), holds, "{memories:?}");
        placement.all(&stripe);
    }
}

#[test]
fn pieces_are_done_in_chunks_where_memory_for_them_is_lacking() {
    for (knob, holds) in [("device_bytes_max", [10, 2]), ("pinned_bytes_max", [2, 2])] {
        let mock = Mock::new();
        let (rail, program) = (with_large_slots(&mock), mock.program());
        let stripe = Stripe::random(Code::Rs, 6, 3, 700_001);
        let mut placement = Placement::new(&program, &rail, HOST, 0);
        mock.set(knob, 9 << 20);
        for _ in 0..2 {
            let before = mock.get("launches");
            placement.encode(&stripe);
            assert_eq!(mock.get("launches") - before, 4, "{knob}");
            assert_eq!(held(&mock), holds, "{knob}");
            // An attempt costs time, so there is only one.
            mock.set(knob, 1 << 30);
        }
        placement.decode(&stripe);
        placement.verify(&stripe);
    }
}

/// Rails over one device share its context, and what closed lanes have left in it.
#[test]
fn lanes_take_no_slots_that_were_made_for_another_size() {
    let mock = Mock::new();
    let (small, large) = (mock.rail(), with_large_slots(&mock));
    let in_use = large.open_lane().expect("a lane that keeps the context");
    let mut working = small.open_lane().expect("a lane");
    let idle = small.open_lane().expect("a lane");
    mock.set("hang", 1);
    let (piece, pending) = {
        let stripe = Stripe::random(Code::Rs, 6, 3, 3_000);
        owned::encode(&stripe.codec(), stripe.to_encode()).expect("in order")
    };
    working.submit(1, piece);
    mock.wait_for("kernels_running", 1);
    drop(idle);
    let streams = mock.get("streams");
    let another = large.open_lane().expect("a lane");
    assert_eq!(mock.get("streams"), streams + 1, "a slot of its own");
    let again = small.open_lane().expect("a lane");
    assert_eq!(mock.get("streams"), streams + 1, "slots that were left");
    mock.set("hang", 0);
    assert!(working.reap(LIMIT).expect("it ends").outcome.is_ok());
    drop(pending);
    drop((in_use, working, another, again, small, large));
    mock.expect_empty();
}

#[test]
fn memory_is_bounded_by_the_settings_and_released() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let settings = mock.settings();
    let slots = (settings.slots * settings.slot_bytes) as i64;
    let mut placement = Placement::new(&program, &rail, HOST, 1);
    for bytes in [100, 50_000, 800_000] {
        placement.cuts = 7;
        placement.all(&Stripe::random(Code::Rs, 3, 2, bytes));
        assert_eq!(mock.get("pinned_bytes"), slots);
        assert_eq!(mock.get("device_bytes"), slots);
        assert_eq!(mock.get("streams"), settings.slots as i64);
    }
    drop(placement);
    drop(program);
    mock.expect_empty();
    drop(rail);
}
