// SPDX-License-Identifier: Apache-2.0
//! The parts of the bench: one question per file.

pub mod contest;
pub mod coordination;
pub mod gpu;
pub mod latency;
pub mod memory;
pub mod metadata;
pub mod overhead;
pub mod peaks;
pub mod rates;

/// 64 KiB cells, as in HDFS's write pipeline and in the paper.
pub const CELL_BYTES: usize = 64 << 10;

/// Formats a size, such as `64KiB` or `1MiB`.
pub fn size(bytes: usize) -> String {
    match bytes {
        mebi if mebi.is_multiple_of(1 << 20) => format!("{}MiB", mebi >> 20),
        kibi if kibi.is_multiple_of(1 << 10) => format!("{}KiB", kibi >> 10),
        _ => format!("{bytes}B"),
    }
}

/// Returns the least value that a fraction `part` (0 to 1) of the sorted values does not exceed.
pub fn quantile(sorted: &[u64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted
        .get((part * last as f64).round() as usize)
        .copied()
        .unwrap_or(0) as f64
}
