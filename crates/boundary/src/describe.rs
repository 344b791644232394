// SPDX-License-Identifier: Apache-2.0
//! The library's description of itself, for logs and for `stripeline doctor`.

use std::fmt::Write;

use stripeline_gf::{Kernels, Selection};

/// Describes this build and its choices on this machine as one JSON object.
///
/// Keys: `version` (of the library), `abi` (of the calling boundary), `architecture`, `isa` (the
/// active instruction set), `selection` (`detected`, `forced` or `refused: <why>`), `features` (the
/// CPU features that the kernels use and this machine has) and one number per given counter.
#[must_use]
pub fn describe(abi: u32, counters: &[(&str, u64)]) -> String {
    let mut json = String::with_capacity(512);
    let selection = match Kernels::selection() {
        Selection::Detected => "detected".to_owned(),
        Selection::Forced => "forced".to_owned(),
        Selection::Refused(why) => format!("refused: {why}"),
    };
    let features: Vec<String> = features().into_iter().map(quoted).collect();
    write!(
        json,
        "{{\"version\":{},\"abi\":{abi},\"architecture\":{},\"isa\":{},\"selection\":{},\
         \"features\":[{}]",
        quoted(env!("CARGO_PKG_VERSION")),
        quoted(std::env::consts::ARCH),
        quoted(Kernels::active().isa().name()),
        quoted(&selection),
        features.join(","),
    )
    .expect("writing to a String cannot fail");
    for (name, value) in counters {
        write!(json, ",{}:{value}", quoted(name)).expect("writing to a String cannot fail");
    }
    json.push('}');
    json
}

/// Quotes a text as a JSON string; the value of an environment variable may contain any character.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            // Non-ASCII characters are escaped too, so that the boundaries need not agree on an
            // encoding.
            ' '..='~' => json.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(json, "\\u{unit:04x}").expect("writing to a String cannot fail");
                }
            }
        }
    }
    json.push('"');
    json
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let features = present!(
        "ssse3" "sse4.2" "pclmulqdq" "avx2" "gfni" "vpclmulqdq" "avx512f" "avx512bw" "avx512vl"
    );
    features
        .into_iter()
        .filter_map(|(name, present)| present.then_some(name))
        .collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let features = present!("neon" "crc" "aes" "sha3" "sve" "sve2");
    features
        .into_iter()
        .filter_map(|(name, present)| present.then_some(name))
        .collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::{describe, quoted};

    #[test]
    fn description_names_the_active_kernels() {
        let json = describe(7, &[("copies", 3)]);
        let isa = stripeline_gf::Kernels::active().isa().name();
        assert!(json.starts_with("{\"version\":\""), "{json}");
        assert!(json.contains("\"abi\":7,"), "{json}");
        assert!(json.contains(&format!("\"isa\":\"{isa}\"")), "{json}");
        assert!(json.ends_with("],\"copies\":3}"), "{json}");
    }

    #[test]
    fn quoted_escapes_what_json_cannot_hold() {
        assert_eq!(quoted("a\"b\\c\n\u{1}"), "\"a\\\"b\\\\c\\n\\u0001\"");
        assert_eq!(quoted("é😀"), "\"\\u00e9\\ud83d\\ude00\"");
    }
}
