// SPDX-License-Identifier: Apache-2.0
//! Calls allocate nothing once a codec has seen their pattern, and refused calls never do.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use stripeline_codec::{ChecksumKind, Checksums, Code, Codec, ErrorKind, StorePolicy, Verdict};

thread_local! {
    /// Per thread, so that the test harness does not count.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every method passes its arguments on to the system allocator, whose contract is this one; the
// counter is a thread local without destructor or lazy initialisation, so it never allocates itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(run: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

/// Every kind of call on a 6+3 stripe, with three decode patterns.
fn call_everything(codec: &Codec, units: &mut [[u8; 1_000]; 9], spare: &mut [[u8; 1_000]; 3]) {
    let (data, parity) = units.split_at_mut(6);
    let data = data.each_slice();
    let [p0, p1, p2] = parity else {
        unreachable!("three parity units")
    };
    codec.encode(&data, &mut [p0, p1, p2]).expect("in order");
    let (mut inputs, mut outputs) = ([[0; 2]; 6], [[0; 2]; 3]);
    let [i0, i1, i2, i3, i4, i5] = &mut inputs;
    let [o0, o1, o2] = &mut outputs;
    let checksums = Checksums {
        kind: ChecksumKind::Crc32c,
        bytes_per_checksum: 512,
        inputs: &mut [i0, i1, i2, i3, i4, i5],
        outputs: &mut [o0, o1, o2],
    };
    let store = StorePolicy::Temporal;
    codec
        .encode_with_checksums(&data, &mut [p0, p1, p2], store, checksums)
        .expect("in order");
    assert_eq!(codec.verify(&data, &[p0, p1, p2]), Ok(Verdict::Sound));

    let [s0, s1, s2] = spare;
    let all: [Option<&[u8]>; 9] = std::array::from_fn(|unit| match unit {
        6 => Some(&p0[..]),
        7 => Some(&p1[..]),
        8 => Some(&p2[..]),
        data_unit => Some(data[data_unit]),
    });
    for erased in [[0, 1, 2], [8, 3, 6], [5, 7, 4]] {
        let mut given = all;
        for unit in erased {
            given[unit] = None;
        }
        codec
            .decode(&given, &erased, &mut [s0, s1, s2])
            .expect("in order");
        for (unit, decoded) in erased.iter().zip([&*s0, &*s1, &*s2]) {
            assert_eq!(Some(&decoded[..]), all[*unit]);
        }
    }
    let refused = codec
        .decode(&all, &[0], &mut [s0])
        .expect_err("unit 0 is given");
    assert_eq!(refused.kind(), ErrorKind::InvalidErasure);
    codec
        .update(4, data[4], s0, &mut [p0, p1, p2])
        .expect("in order");
}

/// Slices of arrays without a vector of them.
trait EachSlice {
    fn each_slice(&self) -> [&[u8]; 6];
}

impl EachSlice for [[u8; 1_000]] {
    fn each_slice(&self) -> [&[u8]; 6] {
        std::array::from_fn(|unit| &self[unit][..])
    }
}

#[test]
fn calls_allocate_nothing_once_warm() {
    for code in [Code::Rs, Code::RsLegacy] {
        let codec = Codec::new(code, 6, 3).expect("a valid shape");
        let mut units: [[u8; 1_000]; 9] =
            std::array::from_fn(|unit| std::array::from_fn(|byte| (unit * 31 + byte * 7) as u8));
        let mut spare = [[0; 1_000]; 3];
        let cold = allocations(|| call_everything(&codec, &mut units, &mut spare));
        assert!(cold > 0, "the counter counts the plans of the first calls");
        let warm = allocations(|| {
            for _ in 0..10 {
                call_everything(&codec, &mut units, &mut spare);
            }
        });
        assert_eq!(warm, 0, "{code}");
    }
}

#[test]
fn sharing_a_codec_allocates_once() {
    let codec = Codec::shared(Code::Rs, 10, 4).expect("a valid shape");
    assert_eq!(allocations(|| drop(Codec::shared(Code::Rs, 10, 4))), 0);
    drop(codec);
}
