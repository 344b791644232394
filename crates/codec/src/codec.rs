// SPDX-License-Identifier: Apache-2.0
//! A code of one shape: construction and encoding.

use std::sync::{Arc, OnceLock};

use stripeline_gf::{Coefficients, Kernels, StorePolicy};

use crate::error::{Buffer, Call, Error, List};
use crate::plan::{ParityMatrix, Plan};
use crate::plan_cache::PlanCache;
use crate::shape::{check_count, check_lengths};
use crate::{Code, matrix};

/// A code of one shape, ready to encode and decode; the crate's documentation has an example.
#[derive(Debug)]
pub struct Codec {
    pub(crate) code: Code,
    pub(crate) data_units: usize,
    pub(crate) parity_units: usize,
    pub(crate) kernels: &'static Kernels,
    pub(crate) parity: Arc<Coefficients>,
    pub(crate) plans: PlanCache,
    /// The coefficients of a delta update, one entry per data unit; prepared at the unit's first
    /// update.
    pub(crate) updates: Box<[OnceLock<Arc<Coefficients>>]>,
}

impl Codec {
    /// Builds a codec on the kernels of this process ([`Kernels::active`]).
    ///
    /// Memory: about 56 bytes per coefficient (k x m) for encoding, twice as much in addition once
    /// every data unit has been updated, and 56 x k bytes per requested unit for each decode plan.
    /// All decode plans together take at most 2 MiB or 8 plans of m units, whichever is more. The
    /// total is less than 2.1 MiB for every policy of HDFS (k+m <= 16) and less than 10 MiB for the
    /// largest shape, 128+128.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameters`](crate::ErrorKind) if k or m is 0, k+m exceeds
    /// [`Code::units_max`], or an `xor` codec is requested with a number of parity units other than
    /// 1.
    pub fn new(code: Code, data_units: usize, parity_units: usize) -> Result<Self, Error> {
        Self::with_kernels(code, data_units, parity_units, Kernels::active())
    }

    /// Builds a codec on the given kernels, for tests and measurements of one instruction set.
    ///
    /// # Errors
    /// As [`Codec::new`].
    pub fn with_kernels(
        code: Code,
        data_units: usize,
        parity_units: usize,
        kernels: &'static Kernels,
    ) -> Result<Self, Error> {
        code.check_shape(data_units, parity_units)?;
        let values = matrix::parity_matrix(code, data_units, parity_units);
        let parity = Coefficients::new(parity_units, data_units, &values)
            .expect("a parity matrix has a row per parity unit and a column per data unit");
        Ok(Self {
            code,
            data_units,
            parity_units,
            kernels,
            parity: Arc::new(parity),
            plans: PlanCache::new(Plan::bytes(parity_units, data_units)),
            updates: (0..data_units).map(|_| OnceLock::new()).collect(),
        })
    }

    /// Returns the code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the number of data units, k.
    #[must_use]
    pub fn data_units(&self) -> usize {
        self.data_units
    }

    /// Returns the number of parity units, m.
    #[must_use]
    pub fn parity_units(&self) -> usize {
        self.parity_units
    }

    /// Returns the kernels that calls run on.
    #[must_use]
    pub fn kernels(&self) -> &'static Kernels {
        self.kernels
    }

    /// Returns the m x k matrix of parity coefficients in row-major order.
    #[must_use]
    pub fn parity_matrix(&self) -> &[u8] {
        self.parity.values()
    }

    /// Computes all parity units from all data units, with ordinary stores through the cache.
    ///
    /// Units of 0 bytes are allowed; the call then does nothing.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](crate::ErrorKind) unless k data and m parity units are given,
    /// [`ErrorKind::LengthMismatch`](crate::ErrorKind) unless all have one length.
    pub fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Error> {
        self.encode_stored(data, parity, StorePolicy::Temporal)
    }

    /// As [`Codec::encode`], with a choice of how parity is stored.
    ///
    /// # Errors
    /// As [`Codec::encode`].
    pub fn encode_stored(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        store: StorePolicy,
    ) -> Result<(), Error> {
        let length = self.check_stripe(Call::Encode, data, parity)?;
        if length == 0 {
            return Ok(());
        }
        match (self.code, parity) {
            (Code::Xor, [parity]) => self.kernels.xor(data, parity, store),
            (_, parity) => self.kernels.dot(&self.parity, data, parity, store),
        }
        Ok(())
    }

    /// Checks the counts and lengths of a whole stripe and returns the length of its units.
    pub(crate) fn check_stripe<P: AsRef<[u8]>>(
        &self,
        call: Call,
        data: &[&[u8]],
        parity: &[P],
    ) -> Result<usize, Error> {
        check_count(call, List::DataUnits, data.len(), self.data_units)?;
        check_count(call, List::ParityUnits, parity.len(), self.parity_units)?;
        let length = data[0].len();
        check_lengths(call, data, length, Buffer::Data)?;
        check_lengths(call, parity, length, Buffer::Parity)?;
        Ok(length)
    }

    pub(crate) fn parity_view(&self) -> ParityMatrix<'_> {
        ParityMatrix {
            values: self.parity.values(),
            data_units: self.data_units,
            parity_units: self.parity_units,
        }
    }
}
