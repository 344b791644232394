// SPDX-License-Identifier: Apache-2.0
//! `touch`: reads every source once and writes every target once, with only XOR in between: an
//! upper bound for a coder that makes one pass over memory. Variant `nt` stores past the caches.

use crate::arena::Stripe;
use crate::engine::{Absence, Coder, Engine, EngineName, Family, StripeCoder};
use crate::job::Job;

struct Touch {
    non_temporal: bool,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    let non_temporal = match (name.isa, name.variant) {
        (None, None) => false,
        (None, Some("nt")) => true,
        _ => {
            return Err(Absence::Unknown(
                "Cannot choose an instruction set of touch; its only variant is nt".to_owned(),
            ));
        }
    };
    if !pass::available() {
        return Err(Absence::Unavailable(
            "Cannot run touch: it is written for AVX-512".to_owned(),
        ));
    }
    Ok(Box::new(Touch { non_temporal }))
}

impl Engine for Touch {
    fn identity(&self) -> String {
        "each source read and each target written once, XOR between".to_owned()
    }

    fn family(&self) -> Family {
        Family::Bound
    }

    fn prepare(&self, _: &Job, cell_bytes: usize) -> Option<Box<dyn Coder>> {
        let coder = Self {
            non_temporal: self.non_temporal,
        };
        cell_bytes
            .is_multiple_of(pass::BLOCK_BYTES)
            .then(|| Box::new(coder) as Box<dyn Coder>)
    }
}

impl StripeCoder for Touch {
    fn code(&mut self, stripe: &mut Stripe) {
        if self.non_temporal {
            pass::run::<true>(stripe);
        } else {
            pass::run::<false>(stripe);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod pass {
    use std::arch::x86_64::{
        __m512i, _MM_HINT_T0, _mm_prefetch, _mm_sfence, _mm512_loadu_si512, _mm512_setzero_si512,
        _mm512_storeu_si512, _mm512_stream_si512, _mm512_xor_si512,
    };

    use crate::arena::Stripe;

    /// The prefetch distance of a source in bytes; cells are whole multiples of it.
    pub const BLOCK_BYTES: usize = 1024;
    const STEP_BYTES: usize = 128;

    pub fn available() -> bool {
        is_x86_feature_detected!("avx512f")
    }

    pub fn run<const NON_TEMPORAL: bool>(stripe: &mut Stripe) {
        // SAFETY: `open` refuses machines without AVX-512.
        unsafe { avx512::<NON_TEMPORAL>(stripe) }
    }

    #[target_feature(enable = "avx512f")]
    fn avx512<const NON_TEMPORAL: bool>(stripe: &mut Stripe) {
        for offset in (0..stripe.cell_bytes).step_by(STEP_BYTES) {
            let mut sums = [_mm512_setzero_si512(); STEP_BYTES / 64];
            for source in &stripe.sources {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    let ahead = source.wrapping_add(offset + lane * 64 + BLOCK_BYTES);
                    // SAFETY: a prefetch of any address is harmless; the load is inside the cell,
                    // whose length is a multiple of the step, and cells are aligned to 64 bytes.
                    unsafe {
                        _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
                        let line = _mm512_loadu_si512(source.add(offset + lane * 64).cast());
                        *sum = _mm512_xor_si512(*sum, line);
                    }
                }
            }
            for target in &stripe.targets {
                for (lane, sum) in sums.iter().enumerate() {
                    // SAFETY: inside the target's cell, aligned to 64 bytes as the arena lays cells
                    // out.
                    unsafe {
                        let line = target.add(offset + lane * 64).cast::<__m512i>();
                        if NON_TEMPORAL {
                            _mm512_stream_si512(line, *sum);
                        } else {
                            _mm512_storeu_si512(line, *sum);
                        }
                    }
                }
            }
        }
        if NON_TEMPORAL {
            _mm_sfence();
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod pass {
    use crate::arena::Stripe;

    pub const BLOCK_BYTES: usize = 1024;

    pub fn available() -> bool {
        false
    }

    pub fn run<const NON_TEMPORAL: bool>(_: &mut Stripe) {
        unreachable!("open refuses this architecture");
    }
}
