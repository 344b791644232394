// SPDX-License-Identifier: Apache-2.0
//! Encoding that also computes the checksums that HDFS stores with every block, in one pass over
//! memory.

use stripeline_gf::{Checksums, StorePolicy};

use crate::Codec;
use crate::error::{Buffer, Call, Error, List, Reason};
use crate::shape::check_count;

impl Codec {
    /// As [`Codec::encode_stored`], and computes a checksum of every chunk of every parity unit
    /// and, unless `checksums.inputs` is empty, of every data unit.
    ///
    /// # Errors
    /// As [`Codec::encode`]; [`ErrorKind::InvalidChecksums`](crate::ErrorKind) if
    /// `bytes_per_checksum` is 0, there is not one list per unit, or a list does not have an
    /// entry per chunk.
    pub fn encode_with_checksums(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        store: StorePolicy,
        checksums: Checksums<'_, '_>,
    ) -> Result<(), Error> {
        let length = self.check_stripe(Call::Encode, data, parity)?;
        self.check_checksums(&checksums, length)?;
        if length == 0 {
            return Ok(());
        }
        self.kernels
            .dot_with_checksums(&self.parity, data, parity, store, checksums);
        Ok(())
    }

    fn check_checksums(&self, checksums: &Checksums<'_, '_>, length: usize) -> Result<(), Error> {
        let Checksums {
            bytes_per_checksum,
            inputs,
            outputs,
            ..
        } = checksums;
        if *bytes_per_checksum == 0 {
            return Err(Reason::ZeroChunk.into());
        }
        let chunks = length.div_ceil(*bytes_per_checksum);
        if !inputs.is_empty() {
            check_count(
                Call::Encode,
                List::InputChecksums,
                inputs.len(),
                self.data_units,
            )?;
            check_sums(inputs, chunks, Buffer::Data)?;
        }
        check_count(
            Call::Encode,
            List::OutputChecksums,
            outputs.len(),
            self.parity_units,
        )?;
        check_sums(outputs, chunks, Buffer::Parity)
    }
}

fn check_sums(lists: &[&mut [u32]], wanted: usize, name: fn(usize) -> Buffer) -> Result<(), Error> {
    for (unit, sums) in lists.iter().enumerate() {
        if sums.len() != wanted {
            return Err(Reason::SumCount {
                of: name(unit),
                given: sums.len(),
                wanted,
            }
            .into());
        }
    }
    Ok(())
}
