// SPDX-License-Identifier: Apache-2.0
//! The colours of all plots.

use plotters::style::RGBColor;

/// Colours that colour-blind readers can distinguish (Okabe and Ito), then greys.
pub const COLOURS: [RGBColor; 10] = [
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(240, 228, 66),
    RGBColor(0, 0, 0),
    RGBColor(120, 120, 120),
    RGBColor(190, 190, 190),
];
