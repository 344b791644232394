// SPDX-License-Identifier: Apache-2.0
//! The code that all foreign boundaries (C, JNI) share, so that each crate only converts its own
//! types.
//!
//! A foreign caller passes lists of addresses and one length. [`List`] holds such a list,
//! [`check_memory`] refuses lists that would break Rust's aliasing rules (null, wrapping,
//! overlapping outputs), and [`shared`], [`optional`] and [`exclusive`] then convert the memory to
//! slices, on the stack, without an allocation. [`describe`] describes the library,
//! [`describe_engine`] an engine, [`Finish`] reports the end of a task, [`Gate`] keeps calls out of
//! what is closed, and [`panic_text`] returns the text of a caught panic.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod describe;
mod engine;
mod finish;
mod gate;
mod memory;

pub use describe::{describe, quoted};
pub use engine::{describe_candidate, describe_engine};
pub use finish::Finish;
pub use gate::Gate;
pub use memory::{
    Exclusive, List, Optional, Refusal, Shared, check_memory, exclusive, optional, shared,
};
pub use stripeline_codec::UNITS_MAX;

use std::any::Any;

/// Returns the text of a caught panic.
#[must_use]
pub fn panic_text(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "no text"
    }
}

#[cfg(test)]
mod tests {
    use super::panic_text;

    #[test]
    fn panic_text_reads_literals_formats_and_anything_else() {
        assert_eq!(panic_text(&"literal"), "literal");
        assert_eq!(panic_text(&format!("number {}", 7)), "number 7");
        assert_eq!(panic_text(&7_u8), "no text");
    }
}
