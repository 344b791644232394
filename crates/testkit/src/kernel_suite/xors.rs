// SPDX-License-Identifier: Apache-2.0
//! Tests of the XOR of any number of buffers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use stripeline_gf::{Kernels, StorePolicy};

use crate::{Guarded, Random, slices};

/// Tests every length up to 300, 1 to 20 and 255 inputs, and both store policies.
pub fn xors(kernels: &Kernels) {
    let mut random = Random::new(20);
    let sources: Vec<Vec<u8>> = (0..255).map(|_| random.bytes(300)).collect();
    for length in 0..=300 {
        check(kernels, &sources[..2 + length % 5], length);
    }
    for count in (1..=20).chain([255]) {
        check(kernels, &sources[..count], 64 + count * 9 % 200);
    }
    let long: Vec<Vec<u8>> = (0..3).map(|_| random.bytes(100_001)).collect();
    check(kernels, &long, 100_001);
    check(kernels, &long, 65_536);
    wrong_shapes(kernels);
}

fn check(kernels: &Kernels, sources: &[Vec<u8>], length: usize) {
    let expected: Vec<u8> = (0..length)
        .map(|offset| sources.iter().fold(0, |sum, source| sum ^ source[offset]))
        .collect();
    for store in [StorePolicy::Temporal, StorePolicy::NonTemporal] {
        for shift in [0, 1, 29] {
            let inputs: Vec<_> = sources
                .iter()
                .enumerate()
                .map(|(number, source)| Guarded::holding(&source[..length], shift * (number + 2)))
                .collect();
            let mut output = Guarded::new(length, shift);
            kernels.xor(&slices(&inputs), &mut output, store);
            let context = || format!("{} xor of {}, {length} bytes", kernels.isa(), sources.len());
            assert!(output.is_intact(), "{}: written past its end", context());
            assert!(*output == *expected, "{}: wrong bytes", context());
        }
    }
}

fn wrong_shapes(kernels: &Kernels) {
    for inputs in [vec![], vec![vec![1; 65]], vec![vec![1; 64], vec![1; 63]]] {
        let mut output = [9; 64];
        let call = AssertUnwindSafe(|| {
            kernels.xor(
                &slices::<Vec<u8>>(&inputs),
                &mut output,
                StorePolicy::Temporal,
            );
        });
        catch_unwind(call).expect_err("shapes that do not fit panic");
        assert_eq!(output, [9; 64], "nothing is written");
    }
}
