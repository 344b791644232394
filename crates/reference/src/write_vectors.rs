// SPDX-License-Identifier: Apache-2.0
//! Writes the golden vectors of every code and of fingerprints to the folder named as the only
//! argument.

use std::path::PathBuf;
use std::process::ExitCode;

use stripeline_reference::{Code, fingerprint_vectors, vectors::vector_file};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("Usage: write-vectors FOLDER");
        return ExitCode::from(2);
    };
    let of_codes = Code::ALL.map(|code| (code.name(), vector_file(code).to_json()));
    let of_fingerprints = ("fingerprint", fingerprint_vectors::to_json());
    for (name, text) in of_codes.into_iter().chain([of_fingerprints]) {
        let path = PathBuf::from(&folder).join(format!("{name}.json"));
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("Cannot write vectors to {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
