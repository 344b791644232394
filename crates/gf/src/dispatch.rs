// SPDX-License-Identifier: Apache-2.0
//! Which kernels this process uses, decided once.

use crate::{Isa, Kernels, Selection};

static PORTABLE: Kernels = Kernels { isa: Isa::Portable };

pub(crate) fn active() -> (&'static Kernels, &'static Selection) {
    (&PORTABLE, &Selection::Detected)
}

pub(crate) fn available(isa: Isa) -> Option<&'static Kernels> {
    (isa == Isa::Portable).then_some(&PORTABLE)
}
