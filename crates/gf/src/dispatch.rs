// SPDX-License-Identifier: Apache-2.0
//! The choice of kernels for this process: one table, filled once, with one row per operation and
//! one column per instruction set.

use crate::checksum;
use crate::coefficients::Prepared;
use crate::kernel::Kernels;
use crate::pass::Pass;
use crate::{Isa, Selection, portable};
use std::sync::OnceLock;

/// One pass of a dot product; unsafe because the machine must have the instruction set.
pub(crate) type Dot = unsafe fn(&Prepared, &mut Pass<'_, '_, '_>);
/// The XOR of all inputs; unsafe likewise.
pub(crate) type Sum = unsafe fn(&[&[u8]], &mut [u8], bool);

/// The environment variable that names the instruction set to use.
const ISA_VARIABLE: &str = "STRIPELINE_ISA";

static COLUMNS: OnceLock<Vec<Kernels>> = OnceLock::new();
static ACTIVE: OnceLock<(usize, Selection)> = OnceLock::new();

/// Returns the kernels of this process and how they were chosen.
pub(crate) fn active() -> (&'static Kernels, &'static Selection) {
    let columns = columns();
    let (index, selection) =
        ACTIVE.get_or_init(|| select(columns, std::env::var(ISA_VARIABLE).ok().as_deref()));
    (&columns[*index], selection)
}

/// Returns the kernels of one instruction set if this machine and this build support it.
pub(crate) fn available(isa: Isa) -> Option<&'static Kernels> {
    columns().iter().find(|kernels| kernels.isa == isa)
}

/// Returns the index of the kernels to use; the last column is the fastest.
fn select(columns: &[Kernels], requested: Option<&str>) -> (usize, Selection) {
    let fastest = columns.len() - 1;
    let Some(name) = requested.filter(|name| !name.is_empty()) else {
        return (fastest, Selection::Detected);
    };
    match name.parse::<Isa>() {
        Err(error) => (
            fastest,
            Selection::Refused(format!("{error}; see {ISA_VARIABLE}")),
        ),
        Ok(isa) => match columns.iter().position(|kernels| kernels.isa == isa) {
            Some(index) => (index, Selection::Forced),
            None => {
                let has: Vec<_> = columns.iter().map(|kernels| kernels.isa.name()).collect();
                let reason = format!(
                    "Cannot use instruction set '{isa}' from {ISA_VARIABLE}: this machine and \
                     build have {}",
                    has.join(" ")
                );
                (fastest, Selection::Refused(reason))
            }
        },
    }
}

/// Returns the columns that this machine supports, from plainest to fastest.
fn columns() -> &'static [Kernels] {
    COLUMNS.get_or_init(|| {
        let mut columns = vec![Kernels {
            isa: Isa::Portable,
            dot: |prepared, pass| portable::dot(prepared, pass),
            sum: |inputs, output, _| portable::sum(inputs, output),
            add_rows: portable::add_rows,
            checksum: checksum::PORTABLE,
        }];
        add_machine_columns(&mut columns);
        columns
    })
}

#[cfg(target_arch = "x86_64")]
fn add_machine_columns(columns: &mut Vec<Kernels>) {
    use crate::x86_64::{avx2, avx2_gfni, avx512, crc32c};
    use std::arch::is_x86_feature_detected as has;

    let checksum = if has!("sse4.2") {
        crc32c::SSE42
    } else {
        checksum::PORTABLE
    };
    #[cfg(not(feature = "no-shuffle-tables"))]
    if has!("ssse3") {
        use crate::x86_64::ssse3;
        columns.push(Kernels {
            isa: Isa::Ssse3,
            dot: ssse3::dot,
            sum: ssse3::sum,
            add_rows: ssse3::add_rows,
            checksum,
        });
    }
    if has!("avx2") {
        columns.push(Kernels {
            isa: Isa::Avx2,
            dot: avx2::dot,
            sum: avx2::sum,
            add_rows: avx2::add_rows,
            checksum,
        });
    }
    if has!("avx2") && has!("gfni") {
        columns.push(Kernels {
            isa: Isa::Avx2Gfni,
            dot: avx2_gfni::dot,
            sum: avx2::sum,
            add_rows: avx2_gfni::add_rows,
            checksum,
        });
    }
    if has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("gfni") {
        columns.push(Kernels {
            isa: Isa::Avx512Gfni,
            dot: avx512::dot,
            sum: avx512::sum,
            add_rows: avx512::add_rows,
            checksum,
        });
    }
}

#[cfg(target_arch = "aarch64")]
fn add_machine_columns(columns: &mut Vec<Kernels>) {
    use crate::aarch64::{crc32c, neon};
    use std::arch::is_aarch64_feature_detected as has;

    let checksum = if has!("crc") {
        crc32c::CRC
    } else {
        checksum::PORTABLE
    };
    if has!("neon") {
        columns.push(Kernels {
            isa: Isa::Neon,
            dot: neon::dot,
            sum: neon::sum,
            add_rows: neon::add_rows,
            checksum,
        });
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn add_machine_columns(_columns: &mut Vec<Kernels>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_request_the_fastest_is_used() {
        assert_eq!(
            select(columns(), None),
            (columns().len() - 1, Selection::Detected)
        );
        assert_eq!(
            select(columns(), Some("")),
            (columns().len() - 1, Selection::Detected)
        );
    }

    #[test]
    fn every_available_set_can_be_forced() {
        for (index, kernels) in columns().iter().enumerate() {
            let name = kernels.isa.name().to_uppercase();
            assert_eq!(select(columns(), Some(&name)), (index, Selection::Forced));
        }
    }

    #[test]
    fn an_unknown_or_absent_set_is_refused_with_the_reason() {
        let (index, selection) = select(columns(), Some("mmx"));
        assert_eq!(index, columns().len() - 1);
        let Selection::Refused(reason) = selection else {
            panic!("{selection:?}")
        };
        assert!(
            reason.contains("'mmx'") && reason.contains("avx512+gfni"),
            "{reason}"
        );

        let only_portable = &columns()[..1];
        let (index, selection) = select(only_portable, Some("avx2"));
        assert_eq!(index, 0);
        let Selection::Refused(reason) = selection else {
            panic!("{selection:?}")
        };
        assert!(
            reason.contains("'avx2'") && reason.ends_with("have portable"),
            "{reason}"
        );
    }
}
