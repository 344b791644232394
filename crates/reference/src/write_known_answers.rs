// SPDX-License-Identifier: Apache-2.0
//! Writes the table of known answers to the file named as the only argument.

use std::process::ExitCode;

use stripeline_reference::known_answers::table;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(file), None) = (arguments.next(), arguments.next()) else {
        eprintln!("Usage: write-known-answers FILE");
        return ExitCode::from(2);
    };
    if let Err(error) = std::fs::write(&file, table()) {
        eprintln!("Cannot write known answers to {}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
