// SPDX-License-Identifier: Apache-2.0
//! Random numbers that are the same in every run.

/// Marsaglia's xorshift64* generator: fast enough to fill buffers in an unoptimised build.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates a generator whose numbers are determined by the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // The state must not be 0; the multiplier spreads small seeds over all bits.
        Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// Returns 64 random bits.
    pub fn number(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    /// Fills a buffer with random bytes.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            chunk.copy_from_slice(&self.number().to_le_bytes()[..chunk.len()]);
        }
    }

    /// Returns random bytes.
    #[must_use]
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.fill(&mut bytes);
        bytes
    }

    /// Returns `count` different numbers below `bound`, in random order.
    #[must_use]
    pub fn choose(&mut self, count: usize, bound: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..bound).collect();
        for index in 0..count {
            let other = index + self.below(bound - index);
            numbers.swap(index, other);
        }
        numbers.truncate(count);
        numbers
    }
}
