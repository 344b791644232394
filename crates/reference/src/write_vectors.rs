// SPDX-License-Identifier: Apache-2.0
//! Writes the golden vectors of every code to the folder named as the only argument.

use std::path::PathBuf;
use std::process::ExitCode;

use stripeline_reference::{Code, vectors::vector_file};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("Usage: write-vectors FOLDER");
        return ExitCode::from(2);
    };
    for code in Code::ALL {
        let path = PathBuf::from(&folder).join(format!("{}.json", code.name()));
        if let Err(error) = std::fs::write(&path, vector_file(code).to_json()) {
            eprintln!("Cannot write vectors to {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
