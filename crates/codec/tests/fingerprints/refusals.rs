// SPDX-License-Identifier: Apache-2.0
//! Wrong arguments, and that a refused call changes nothing.

use stripeline_codec::{
    BorrowedFingerprint, ChecksumKind, Code, Codec, Error, ErrorKind, FINGERPRINT_WINDOW_BYTES_MAX,
    Fingerprint, FingerprintFunction,
};

use crate::support::function;

fn refused<T>(result: Result<T, Error>, kind: ErrorKind, text: &str) {
    let Err(error) = result else {
        panic!("must be refused: {text}")
    };
    assert_eq!(error.to_string(), text);
    assert_eq!(error.kind(), kind, "{text}");
}

#[test]
fn functions_of_other_parameters_are_refused() {
    for sums in [0, 5, usize::MAX] {
        let text = format!(
            "Cannot build a fingerprinting function: sums asked for: {sums}, allowed: 1 to 4"
        );
        let result = FingerprintFunction::new(1, sums, 1 << 20);
        refused(result, ErrorKind::InvalidParameters, &text);
    }
    let most = FINGERPRINT_WINDOW_BYTES_MAX;
    for window in [0, 1, 63, 65, most - 1, most + 1, most + 64, usize::MAX] {
        let text = format!(
            "Cannot build a fingerprinting function: the window is {window} bytes, allowed: \
             multiples of 64 up to {most}"
        );
        let result = FingerprintFunction::new(1, 2, window);
        refused(result, ErrorKind::InvalidParameters, &text);
    }
    for window in [64, most] {
        let function = function(1, 4, window);
        assert_eq!((function.window_bytes(), function.sums()), (window, 4));
        assert_eq!(function.seed(), 1);
    }
}

#[test]
fn bytes_beyond_the_window_and_other_lists_of_checksums_are_refused() {
    let mut state = Fingerprint::new(function(1, 2, 128));
    state.update(&[7; 100]).expect("fits");
    let before = state.bytes().to_vec();
    let kind = ChecksumKind::Crc32c;

    let text = "Cannot add to the fingerprint: bytes given: 29, the window takes: 28";
    let mismatch = ErrorKind::LengthMismatch;
    refused(state.update(&[1; 29]), mismatch, text);
    let result = state.update_with_checksums(&[1; 29], kind, 512, &mut [0]);
    refused(result, mismatch, text);
    refused(
        state.update_verifying(&[1; 29], kind, 512, &[0]),
        mismatch,
        text,
    );

    let invalid = ErrorKind::InvalidChecksums;
    let text = "Cannot add to the fingerprint: bytes per checksum is 0";
    let result = state.update_with_checksums(&[1; 9], kind, 0, &mut [0]);
    refused(result, invalid, text);
    refused(
        state.update_verifying(&[1; 9], kind, 0, &[0]),
        invalid,
        text,
    );

    let text = "Cannot add to the fingerprint: checksums given: 2, needed: 3";
    let result = state.update_with_checksums(&[1; 9], kind, 4, &mut [0; 2]);
    refused(result, invalid, text);
    refused(
        state.update_verifying(&[1; 9], kind, 4, &[0; 2]),
        invalid,
        text,
    );

    assert_eq!(state.bytes(), before);
    assert_eq!(state.remaining_bytes(), 28);
}

#[test]
fn lists_of_fingerprints_that_do_not_fit_are_refused() {
    let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
    let bytes = [5; 128];
    let all = [Some(&bytes[..]); 6];
    for given in [0, 4, 6] {
        let text = format!("Cannot locate wrong blocks: fingerprints given: {given}, needed: 5");
        let result = codec.locate(&all[..given]);
        refused(result, ErrorKind::CountMismatch, &text);
    }
    let mut lengths = [
        None,
        Some(&bytes[..]),
        Some(&bytes),
        None,
        Some(&bytes[..64]),
    ];
    let text = "Cannot locate wrong blocks: fingerprint 4 has 64 bytes, the others have 128";
    refused(codec.locate(&lengths), ErrorKind::LengthMismatch, text);
    lengths = [Some(&[]); 5];
    let text = "Cannot locate wrong blocks: fingerprints have 0 bytes";
    refused(codec.locate(&lengths), ErrorKind::LengthMismatch, text);
}

#[test]
fn borrowed_memory_that_is_no_window_is_refused() {
    let resume = |coefficients: usize, sums: usize, position| {
        let mut sums = vec![[0; 64]; sums];
        let coefficients = vec![1; coefficients];
        BorrowedFingerprint::resume(&coefficients, &mut sums, position).map(|_| ())
    };
    let invalid = ErrorKind::InvalidParameters;
    for (sums, coefficients) in [(0, 4), (5, 5)] {
        let text = format!(
            "Cannot build a fingerprinting function: sums asked for: {sums}, allowed: 1 to 4"
        );
        refused(resume(coefficients, sums, 0), invalid, &text);
    }
    for (coefficients, window) in [(0, 0), (1, 0), (3, 64), (65_538, 2_097_216)] {
        let text = format!(
            "Cannot build a fingerprinting function: the window is {window} bytes, allowed: \
             multiples of 64 up to 2097152"
        );
        refused(resume(coefficients, 2, 0), invalid, &text);
    }
    let text = "Cannot add to the fingerprint: bytes given: 129, the window takes: 128";
    refused(resume(4, 2, 129), ErrorKind::LengthMismatch, text);
    assert_eq!(resume(4, 2, 128), Ok(()));
}
