// SPDX-License-Identifier: Apache-2.0
//! Units in ordinary, pinned and device memory, and jobs over them.

use stripeline_codec::{Code, Codec, Verdict};
use stripeline_rail::{Buffers, Job, MemoryKind, Piece, Rail, Region};
use stripeline_testkit::{Guarded, Random, Stripe, rail_suite::Feeder};

use crate::mock::Mock;

/// Where a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Host,
    Pinned,
    Device,
}

/// A unit there, at an address of a chosen offset from an aligned one.
pub struct Unit<'a> {
    mock: &'a Mock,
    home: Home,
    buffer: Guarded,
    /// The bytes before the unit in the device's memory, and where they are.
    on_device: (usize, u64),
}

impl<'a> Unit<'a> {
    pub fn new(mock: &'a Mock, home: Home, contents: &[u8], offset: usize) -> Self {
        let mut buffer = Guarded::holding(contents, offset);
        let offset = offset % 64;
        let mut on_device = (offset, 0);
        match home {
            Home::Host => {}
            Home::Pinned => mock.register(&mut buffer),
            Home::Device => {
                let padded: Vec<u8> = vec![0x77; offset]
                    .into_iter()
                    .chain(contents.iter().copied())
                    .collect();
                on_device.1 = mock.device_allocate(&padded);
            }
        }
        Self {
            mock,
            home,
            buffer,
            on_device,
        }
    }

    pub fn region(&mut self) -> Region {
        let (offset, address) = self.on_device;
        match self.home {
            Home::Host => Region::host(self.buffer.as_mut_ptr()),
            Home::Pinned => Region::new(self.buffer.as_mut_ptr(), MemoryKind::HostPinned),
            Home::Device => {
                let start = std::ptr::without_provenance_mut(address as usize + offset);
                Region::new(start, MemoryKind::Device { ordinal: 0 })
            }
        }
    }

    /// What the unit holds now, after a look at what lies around it.
    pub fn read(&self) -> Vec<u8> {
        assert!(self.buffer.is_intact(), "written past its end");
        if self.home != Home::Device {
            return self.buffer.to_vec();
        }
        let (offset, address) = self.on_device;
        let mut bytes = vec![0; offset + self.buffer.len()];
        self.mock.device_read(address, &mut bytes);
        assert!(
            bytes[..offset].iter().all(|byte| *byte == 0x77),
            "written before"
        );
        bytes.split_off(offset)
    }
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        match self.home {
            Home::Host => {}
            Home::Pinned => self.mock.unregister(&mut self.buffer),
            Home::Device => self.mock.device_free(self.on_device.1),
        }
    }
}

/// The four operations on stripes whose units are wherever they are.
pub struct Placement<'a> {
    pub mock: &'a Mock,
    pub feeder: Feeder,
    /// Homes of the units in turn, and offsets of their addresses.
    pub homes: &'static [Home],
    pub offset: usize,
    pub cuts: usize,
}

impl<'a> Placement<'a> {
    pub fn new(mock: &'a Mock, rail: &dyn Rail, homes: &'static [Home], offset: usize) -> Self {
        Self {
            mock,
            feeder: Feeder::new(rail, 1),
            homes,
            offset,
            cuts: 0,
        }
    }

    pub fn unit(&self, number: usize, contents: &[u8]) -> Unit<'a> {
        let home = self.homes[number % self.homes.len()];
        Unit::new(self.mock, home, contents, self.offset * (number + 1))
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
        let mut data = self.units(stripe.data());
        let mut parity = self.units(&vec![vec![0x11; stripe.length()]; stripe.parity_units]);
        let (inputs, outputs) = (regions(&mut data), regions(&mut parity));
        // SAFETY: the units outlive the job, which ends with `run`.
        let piece = unsafe { Job::encode(&codec(stripe), &inputs, &outputs, buffers(stripe)) };
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
        let (codec, buffers) = (codec(stripe), buffers(stripe));
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
        let (codec, buffers) = (codec(stripe), buffers(stripe));
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
        let piece = unsafe { Job::verify(&codec(stripe), &inputs, &outputs, buffers(stripe)) };
        let verdict = self.run(piece.expect("in order"));
        expect(stripe, "compared parity", &parity, stripe.parity());
        verdict
    }
}

pub fn codec(stripe: &Stripe) -> Codec {
    Codec::new(stripe.code, stripe.data_units, stripe.parity_units).expect("a valid shape")
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
            unit.home
        );
    }
}

const HOST: &[Home] = &[Home::Host];
const HOMES: [&[Home]; 4] = [
    &[Home::Pinned],
    &[Home::Device],
    &[Home::Host, Home::Pinned],
    &[Home::Device, Home::Host, Home::Pinned, Home::Host],
];

#[test]
fn units_are_used_where_they_are() {
    let mock = Mock::new();
    let rail = mock.rail();
    for homes in HOMES {
        for offset in [0, 1, 16] {
            let mut placement = Placement::new(&mock, &rail, homes, offset);
            for bytes in [1, 15, 16, 17, 64, 1_000] {
                placement.all(&Stripe::random(Code::Rs, 6, 3, bytes));
                placement.all(&Stripe::random(Code::RsLegacy, 3, 2, bytes));
                placement.all(&Stripe::random(Code::Xor, 4, 1, bytes));
            }
        }
    }
    drop(rail);
    mock.expect_empty();
}

#[test]
fn pieces_larger_than_a_slot_are_done_in_chunks() {
    let mock = Mock::new();
    let rail = mock.rail();
    let stripe = Stripe::random(Code::Rs, 6, 3, 700_001);
    // Nine units, or those of them that are not in the device's memory, in slots of 2 MiB.
    for (homes, chunks) in [(HOST, 4), (HOMES[0], 4), (HOMES[1], 1), (HOMES[3], 3)] {
        let mut placement = Placement::new(&mock, &rail, homes, 3);
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
fn memory_is_bounded_by_the_settings_and_given_back() {
    let mock = Mock::new();
    let rail = mock.rail();
    let settings = mock.settings();
    let slots = (settings.slots * settings.slot_bytes) as i64;
    let mut placement = Placement::new(&mock, &rail, HOST, 1);
    for bytes in [100, 50_000, 800_000] {
        placement.cuts = 7;
        placement.all(&Stripe::random(Code::Rs, 3, 2, bytes));
        assert_eq!(mock.get("pinned_bytes"), slots);
        assert_eq!(mock.get("device_bytes"), slots);
        assert_eq!(mock.get("streams"), settings.slots as i64);
    }
    drop(placement);
    mock.wait_for("streams", 0);
    assert_eq!((mock.get("pinned_bytes"), mock.get("device_bytes")), (0, 0));
    assert_eq!(mock.get("contexts"), 1, "kept for the next lane");
    drop(rail);
    mock.expect_empty();
}
