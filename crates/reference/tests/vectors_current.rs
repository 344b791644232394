// SPDX-License-Identifier: Apache-2.0
//! The committed vectors are those that the oracle gives today.

use std::path::Path;

use stripeline_reference::{Code, fingerprint_vectors, vectors::VectorFile, vectors::vector_file};

#[test]
fn committed_vectors_match_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    for code in Code::ALL {
        let path = folder.join(format!("{}.json", code.name()));
        let committed = std::fs::read_to_string(&path).expect("vectors are committed");
        let expected = vector_file(code);
        assert!(
            committed == expected.to_json(),
            "{} is outdated: see vectors/README.md for how to write it",
            path.display()
        );
        assert_eq!(
            VectorFile::from_json(&committed).expect("the form is ours"),
            expected
        );
    }
}

#[test]
fn committed_fingerprints_match_the_reference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/fingerprint.json");
    let committed = std::fs::read_to_string(&path).expect("vectors are committed");
    assert!(
        committed == fingerprint_vectors::to_json(),
        "fingerprint.json is outdated: see vectors/README.md for how to write it"
    );
}
