// SPDX-License-Identifier: Apache-2.0
//! The codecs that Java has opened.
//!
//! A table that only grows makes handles safe without a lock: an unknown number is refused, and a
//! handle stays valid for the life of the process, whatever Java does with it. HDFS creates coders
//! per file stream and uses few shapes, so closing a codec would gain nothing.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use stripeline_codec::{Code, Codec};

use crate::failure::Failure;

/// The most codecs that one process opens: more than the 360 shapes that HDFS can name (k+m <= 16,
/// three codes). `Codec::new` documents the memory of each: typically a few KiB, at most 2.1 MiB
/// for HDFS.
const CODECS_MAX: usize = 1024;

/// "STRP" in the upper half distinguishes a handle from an arbitrary number.
const TAG: i64 = 0x5354_5250 << 32;

static CODECS: [OnceLock<Arc<Codec>>; CODECS_MAX] = [const { OnceLock::new() }; CODECS_MAX];

/// Held while an entry is added, so that a shape gets one entry and entries are added in order.
static ADDING: Mutex<()> = Mutex::new(());

/// Returns the handle of the process's codec of this shape.
pub(crate) fn open(code: i32, data_units: i32, parity_units: i32) -> Result<i64, Failure> {
    let code = match code {
        0 => Code::Rs,
        1 => Code::RsLegacy,
        2 => Code::Xor,
        _ => {
            return Err(Failure::argument(format_args!(
                "code is {code}, known are 0 (rs), 1 (rs-legacy) and 2 (xor)"
            )));
        }
    };
    // Negative values are refused here: the codec would refuse 0, but report the value as 0.
    let count = |name: &str, value: i32| {
        usize::try_from(value)
            .map_err(|_| Failure::argument(format_args!("{name} is {value}, at least 1 needed")))
    };
    let data_units = count("the number of data units", data_units)?;
    let parity_units = count("the number of parity units", parity_units)?;
    if let Some(index) = find(code, data_units, parity_units) {
        return Ok(handle(index));
    }
    let codec = Codec::shared(code, data_units, parity_units)?;
    // A panic between lock and set would poison the lock but leave the table unchanged.
    let _adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = find(code, data_units, parity_units) {
        return Ok(handle(index));
    }
    match CODECS.iter().position(|slot| slot.get().is_none()) {
        Some(index) => {
            CODECS[index]
                .set(codec)
                .expect("only the holder of the lock sets an entry");
            Ok(handle(index))
        }
        None => Err(Failure::argument(format_args!(
            "{CODECS_MAX} other shapes have been used in this process, and shapes are kept until \
             it ends: use fewer"
        ))),
    }
}

/// Returns the codec of a handle.
#[inline]
pub(crate) fn get(handle: i64) -> Result<&'static Codec, Failure> {
    let codec = usize::try_from(handle ^ TAG)
        .ok()
        .and_then(|index| CODECS.get(index)?.get());
    codec.map(Arc::as_ref).ok_or_else(|| {
        Failure::argument(format_args!(
            "{handle} is not a codec that this process has opened"
        ))
    })
}

fn handle(index: usize) -> i64 {
    TAG | i64::try_from(index).expect("the table is small")
}

fn find(code: Code, data_units: usize, parity_units: usize) -> Option<usize> {
    CODECS.iter().map_while(OnceLock::get).position(|codec| {
        (codec.code(), codec.data_units(), codec.parity_units()) == (code, data_units, parity_units)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_one_handle_and_unknown_handles_are_refused() {
        let handle = open(0, 6, 3).expect("a valid shape");
        assert_eq!(open(0, 6, 3).expect("a valid shape"), handle);
        assert_ne!(open(1, 6, 3).expect("a valid shape"), handle);
        let codec = get(handle).expect("an open codec");
        assert_eq!((codec.data_units(), codec.parity_units()), (6, 3));
        let strays = [
            0,
            1,
            -1,
            i64::MIN,
            i64::MAX,
            TAG + 999,
            TAG + 1024,
            TAG - 1,
            !TAG,
        ];
        for stray in strays {
            assert!(get(stray).is_err(), "{stray} must be refused");
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        let text = |code, k, m| match open(code, k, m) {
            Err(Failure::Argument(text)) => text,
            Err(Failure::Codec(error)) => error.to_string(),
            other => panic!("must be refused: {other:?}"),
        };
        assert_eq!(
            text(3, 6, 3),
            "code is 3, known are 0 (rs), 1 (rs-legacy) and 2 (xor)"
        );
        assert_eq!(
            text(0, -1, 3),
            "the number of data units is -1, at least 1 needed"
        );
        assert_eq!(
            text(0, 6, -3),
            "the number of parity units is -3, at least 1 needed"
        );
        assert!(
            text(0, 6, 0).starts_with("Cannot build a codec rs 6+0"),
            "{}",
            text(0, 6, 0)
        );
    }
}
