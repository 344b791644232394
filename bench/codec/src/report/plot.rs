// SPDX-License-Identifier: Apache-2.0
//! The medians as bars: a panel per workload and operation, a group per shape, a bar per engine.
//!
//! The plot shows one cell size and thread count: 64 KiB and the fewest threads if the run has
//! them; the record has all points.

use bench_common::plot::{self, Bars, distinct};

use crate::run::Point;

const CELL: &str = "64KiB";

/// Draws the points as an SVG document.
///
/// # Errors
/// If there is nothing to draw or the drawing fails.
pub fn draw(points: &[Point], title: &str) -> Result<String, String> {
    let threads = points.iter().map(|point| point.threads).min();
    let threads = threads.ok_or("Cannot draw a plot: no point was measured")?;
    let cells = distinct(points.iter().map(|point| point.cell.as_str()));
    let cell = cells.iter().find(|cell| **cell == CELL);
    let cell = cell.unwrap_or(&cells[0]);
    let chosen = |point: &&Point| point.cell == *cell && point.threads == threads;
    let points: Vec<_> = points.iter().filter(chosen).collect();
    let mut operations = distinct(points.iter().map(|point| point.operation.as_str()));
    operations.sort_by_key(|operation| (*operation != "encode", *operation));
    let mut panels = Vec::new();
    for workload in distinct(points.iter().map(|point| point.workload)) {
        for operation in &operations {
            let caption = format!("{operation}, {workload}, {cell} cells, {threads} thread(s)");
            panels.push(bars(caption, &points, workload, operation));
        }
    }
    plot::draw(title, operations.len(), &panels)
        .ok_or_else(|| "Cannot draw a plot: drawing failed".to_owned())
}

fn bars(caption: String, points: &[&Point], workload: &str, operation: &str) -> Bars {
    let shapes = distinct(points.iter().map(|point| point.shape.as_str()));
    let figures = points.iter().flat_map(|point| &point.figures);
    let engines = distinct(figures.map(|figure| figure.engine.as_str()));
    let rate = |engine: &str, shape: &str| {
        let of_shape = |point: &&&Point| {
            (
                point.workload,
                point.operation.as_str(),
                point.shape.as_str(),
            ) == (workload, operation, shape)
        };
        let mut figures = points
            .iter()
            .filter(of_shape)
            .flat_map(|point| &point.figures);
        let figure = figures.find(|figure| figure.engine == engine)?;
        Some(figure.cpu_gbps.median)
    };
    let series = engines.iter().map(|engine| {
        let rates = shapes.iter().map(|shape| rate(engine, shape)).collect();
        ((*engine).to_owned(), rates)
    });
    Bars {
        caption,
        measure: "GB/s of CPU time".to_owned(),
        series: series.collect(),
        groups: shapes.into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Figure;
    use bench_common::statistics::Spread;

    #[test]
    fn every_shape_and_engine_is_drawn() {
        let spread = Spread::of([2.0]);
        let figure = |engine: &str| Figure {
            engine: engine.to_owned(),
            cpu_gbps: spread,
            wall_gbps: spread,
            call_ns: spread,
            ratio: None,
            calls: 1,
            cpu_gbps_each: vec![2.0],
        };
        let point = |shape: &str, workload| Point {
            shape: shape.to_owned(),
            cell: "4KiB".to_owned(),
            workload,
            operation: "encode".to_owned(),
            threads: 1,
            stripes: 1,
            figures: vec![figure("ours"), figure("theirs")],
        };
        let points = [point("6+3", "cached"), point("17+3", "streaming")];
        let document = draw(&points, "a title").expect("a plot");
        for text in [
            "a title",
            "ours",
            "theirs",
            "6+3",
            "17+3",
            "4KiB",
            "streaming",
        ] {
            assert!(document.contains(text), "{text}");
        }
        assert!(draw(&[], "nothing").is_err());
    }
}
