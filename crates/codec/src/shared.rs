// SPDX-License-Identifier: Apache-2.0
//! Codecs shared by the whole process, which make creating a coder a lookup.

use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;

use crate::{Code, Codec, Error};

/// The number of codecs that the process keeps. HDFS allows 120 shapes of k+m <= 16 per code; a
/// cluster uses a handful.
pub const SHARED_CODECS_MAX: usize = 64;

static SHARED: LazyLock<ArcSwap<Vec<Arc<Codec>>>> = LazyLock::new(ArcSwap::default);

impl Codec {
    /// Returns the process's shared codec of this code and shape, which the first call builds.
    ///
    /// A later call takes tens of nanoseconds and no lock. The first [`SHARED_CODECS_MAX`] codecs
    /// requested are kept for the life of the process: 64 codecs of HDFS policies with every decode
    /// plan in use take less than 135 MiB, and a codec typically takes a few KiB (see
    /// [`Codec::new`]). Further codecs are built per call and freed with their last user.
    ///
    /// # Errors
    /// As [`Codec::new`].
    pub fn shared(code: Code, data_units: usize, parity_units: usize) -> Result<Arc<Self>, Error> {
        let wanted = |codec: &&Arc<Self>| {
            (codec.code, codec.data_units, codec.parity_units) == (code, data_units, parity_units)
        };
        if let Some(codec) = SHARED.load().iter().find(wanted) {
            return Ok(Arc::clone(codec));
        }
        let built = Arc::new(Self::new(code, data_units, parity_units)?);
        // Another thread may have added the same codec in the meantime; then all threads use that
        // one.
        let before = SHARED.rcu(|kept| {
            let mut kept = Vec::clone(kept);
            if kept.len() < SHARED_CODECS_MAX && !kept.iter().any(|codec| wanted(&codec)) {
                kept.push(Arc::clone(&built));
            }
            kept
        });
        Ok(before.iter().find(wanted).map_or(built, Arc::clone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_shape_is_same_codec_until_the_table_is_full() {
        let first = Codec::shared(Code::Rs, 6, 3).expect("a valid shape");
        for _ in 0..2 {
            let again = Codec::shared(Code::Rs, 6, 3).expect("a valid shape");
            assert!(Arc::ptr_eq(&first, &again));
        }
        for data_units in 1..=200 {
            let codec = Codec::shared(Code::Xor, data_units, 1).expect("a valid shape");
            assert_eq!(codec.data_units(), data_units);
        }
        assert_eq!(SHARED.load().len(), SHARED_CODECS_MAX);
        let again = Codec::shared(Code::Rs, 6, 3).expect("a valid shape");
        assert!(
            Arc::ptr_eq(&first, &again),
            "a kept codec is never replaced"
        );
    }

    #[test]
    fn invalid_shapes_are_refused() {
        let error = Codec::shared(Code::Rs, 0, 3).expect_err("no data units");
        assert_eq!(error.kind(), crate::ErrorKind::InvalidParameters);
    }
}
