// SPDX-License-Identifier: Apache-2.0
//! The golden vectors of `vectors/`.

use std::path::Path;

use stripeline_codec::Code;
use stripeline_reference::vectors::{VectorFile, from_hex};

use super::{Open, opened};
use crate::Stripe;

/// Encodes and decodes every case of every file.
pub fn golden_vectors(open: Open<'_>) {
    for code in Code::ALL {
        let file = read(code);
        assert_eq!(file.code, code.name());
        for case in file.cases {
            let codec = opened(open, code, case.data_units, case.parity_units);
            let units = case
                .data
                .iter()
                .chain(&case.parity)
                .map(|unit| from_hex(unit))
                .collect();
            let (data_units, parity_units) = (case.data_units, case.parity_units);
            let stripe = Stripe {
                code,
                data_units,
                parity_units,
                units,
            };
            assert_eq!(stripe.length(), case.length);
            stripe.check_encode(&*codec);
            for erasure in case.erasures {
                stripe.check_decode(&*codec, &erasure.erased, &erasure.absent);
            }
        }
    }
}

/// Reads the vectors of one code.
///
/// # Panics
/// If the file is missing or malformed.
pub(crate) fn read(code: Code) -> VectorFile {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let path = folder.join(format!("{code}.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("Cannot read {}: {error}", path.display()));
    VectorFile::from_json(&text)
        .unwrap_or_else(|error| panic!("Cannot read {}: {error}", path.display()))
}
