// SPDX-License-Identifier: Apache-2.0
//! Points as lines, engines as columns.

use crate::run::{Figure, Point};

const CELL_WIDTH: usize = 24;

/// Returns the heading over the lines of [`line`].
pub fn heading(engines: &[String]) -> String {
    let mut text = format!(
        "{:<6}{:<7}{:<10}{:<10}{:<3}",
        "shape", "cell", "workload", "operation", "th"
    );
    for engine in engines {
        text.push_str(&format!("{engine:>CELL_WIDTH$}"));
    }
    text
}

/// Returns one point: for each engine the median GB/s by CPU time, half the interquartile range,
/// and the ratio.
pub fn line(point: &Point, engines: &[String]) -> String {
    let mut text = format!(
        "{:<6}{:<7}{:<10}{:<10}{:<3}",
        point.shape, point.cell, point.workload, point.operation, point.threads
    );
    for engine in engines {
        let figure = point.figures.iter().find(|figure| figure.engine == *engine);
        text.push_str(&format!(
            "{:>CELL_WIDTH$}",
            figure.map_or("-".to_owned(), cell)
        ));
    }
    text
}

fn cell(figure: &Figure) -> String {
    let rate = figure.cpu_gbps;
    let spread = (rate.quartile3 - rate.quartile1) / 2.0 / rate.median * 100.0;
    let ratio = figure
        .ratio
        .map_or(String::new(), |ratio| format!(" {:.2}x", ratio.median));
    format!("{:.2} ±{spread:.0}%{ratio}", rate.median)
}
