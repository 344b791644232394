// SPDX-License-Identifier: Apache-2.0
//! One codec used by many threads whose patterns evict each other's plans.

use stripeline_codec::{Code, Codec};
use stripeline_testkit::{Random, Stripe, all_but, slices_mut};

/// A shape with plans so large that the cache keeps only eight.
const DATA_UNITS: usize = 150;
const PARITY_UNITS: usize = 100;

#[test]
fn threads_that_evict_each_others_plans_decode_right() {
    let codec = Codec::new(Code::Rs, DATA_UNITS, PARITY_UNITS).expect("a valid shape");
    let stripe = Stripe::random(Code::Rs, DATA_UNITS, PARITY_UNITS, 70);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (codec, stripe) = (&codec, &stripe);
            scope.spawn(move || {
                let mut random = Random::new(thread % 2);
                for _ in 0..60 {
                    let lost = random.choose(3, stripe.units.len());
                    let units = all_but(&stripe.units, &lost);
                    let mut outputs = vec![vec![0; 70]; 3];
                    codec
                        .decode(&units, &lost, &mut slices_mut(&mut outputs))
                        .expect("in order");
                    for (output, unit) in outputs.iter().zip(&lost) {
                        assert_eq!(output, &stripe.units[*unit], "unit {unit} of {lost:?}");
                    }
                }
            });
        }
    });
}
