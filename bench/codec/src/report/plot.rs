// SPDX-License-Identifier: Apache-2.0
//! The medians as bars: a panel per workload and operation, a group per shape, a bar per engine.
//!
//! The plot shows one cell size and thread count: 64 KiB and the fewest threads if the run has
//! them; the record has all points.

use bench_common::palette::COLOURS;
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::run::Point;

const PANEL: (u32, u32) = (460, 260);
const HEADER: u32 = 70;
const CELL: &str = "64KiB";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The points of the plot, and the values in which they differ.
struct Grid<'a> {
    points: Vec<&'a Point>,
    workloads: Vec<&'a str>,
    operations: Vec<&'a str>,
    shapes: Vec<&'a str>,
    engines: Vec<&'a str>,
    cell: &'a str,
    threads: usize,
}

/// Draws the points as an SVG document.
///
/// # Errors
/// If there is nothing to draw or the drawing fails.
pub fn draw(points: &[Point], title: &str) -> Result<String, String> {
    let grid = Grid::of(points).ok_or("Cannot draw a plot: no point was measured")?;
    let size = (
        PANEL.0 * grid.operations.len() as u32,
        HEADER + PANEL.1 * grid.workloads.len() as u32,
    );
    let mut document = String::new();
    {
        let root = SVGBackend::with_string(&mut document, size).into_drawing_area();
        grid.draw(&root, title)
            .map_err(|error| format!("Cannot draw a plot: {error}"))?;
    }
    Ok(document)
}

/// Returns the distinct values in the order of their first occurrence.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    values.for_each(|value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
    });
    seen
}

impl<'a> Grid<'a> {
    fn of(points: &'a [Point]) -> Option<Self> {
        let cells = distinct(points.iter().map(|point| point.cell.as_str()));
        let cell = cells
            .iter()
            .find(|cell| **cell == CELL)
            .or(cells.first())
            .copied()?;
        let threads = points.iter().map(|point| point.threads).min()?;
        let chosen = |point: &&Point| point.cell == cell && point.threads == threads;
        let points: Vec<_> = points.iter().filter(chosen).collect();
        let engines = points.iter().flat_map(|point| &point.figures);
        let mut operations = distinct(points.iter().map(|point| point.operation.as_str()));
        operations.sort_by_key(|operation| (*operation != "encode", *operation));
        Some(Self {
            workloads: distinct(points.iter().map(|point| point.workload)),
            operations,
            shapes: distinct(points.iter().map(|point| point.shape.as_str())),
            engines: distinct(engines.map(|figure| figure.engine.as_str())),
            points,
            cell,
            threads,
        })
    }

    fn draw(&self, root: &Area<'_>, title: &str) -> Result<(), Box<dyn std::error::Error + '_>> {
        root.fill(&WHITE)?;
        let (header, panels) = root.split_vertically(HEADER);
        self.draw_header(&header, title)?;
        let areas = panels.split_evenly((self.workloads.len(), self.operations.len()));
        for (index, area) in areas.iter().enumerate() {
            let workload = self.workloads[index / self.operations.len()];
            let operation = self.operations[index % self.operations.len()];
            self.draw_panel(area, workload, operation)?;
        }
        root.present()?;
        Ok(())
    }

    fn draw_header(
        &self,
        area: &Area<'_>,
        title: &str,
    ) -> Result<(), Box<dyn std::error::Error + '_>> {
        let font = ("sans-serif", 17).into_font();
        area.draw(&Text::new(title.to_owned(), (12, 8), font))?;
        let small = ("sans-serif", 13).into_font();
        let width = (area.dim_in_pixel().0 as usize - 24) / self.engines.len().max(1);
        for (index, engine) in self.engines.iter().enumerate() {
            let left = 12 + (index * width) as i32;
            let mark = [(left, 44), (left + 12, 56)];
            area.draw(&Rectangle::new(
                mark,
                COLOURS[index % COLOURS.len()].filled(),
            ))?;
            area.draw(&Text::new(
                (*engine).to_owned(),
                (left + 17, 44),
                small.clone(),
            ))?;
        }
        Ok(())
    }

    fn draw_panel(
        &self,
        area: &Area<'_>,
        workload: &str,
        operation: &str,
    ) -> Result<(), Box<dyn std::error::Error + '_>> {
        let points: Vec<_> = self
            .points
            .iter()
            .filter(|point| point.workload == workload && point.operation == operation)
            .collect();
        let rates = points.iter().flat_map(|point| &point.figures);
        let top = rates
            .map(|figure| figure.cpu_gbps.median)
            .fold(1.0, f64::max)
            * 1.05;
        let caption = format!(
            "{operation}, {workload}, {} cells, {} thread(s)",
            self.cell, self.threads
        );
        let mut chart = ChartBuilder::on(area)
            .caption(caption, ("sans-serif", 14))
            .margin(8)
            .x_label_area_size(24)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..self.shapes.len() as f64, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(WHITE)
            .y_desc("GB/s of CPU time")
            .draw()?;
        let bar = 0.86 / self.engines.len() as f64;
        for point in points {
            let group = self
                .shapes
                .iter()
                .position(|shape| *shape == point.shape)
                .unwrap_or(0);
            for figure in &point.figures {
                let place = self
                    .engines
                    .iter()
                    .position(|engine| *engine == figure.engine)
                    .unwrap_or(0);
                let left = group as f64 + 0.07 + place as f64 * bar;
                let corners = [(left, 0.0), (left + bar * 0.92, figure.cpu_gbps.median)];
                let colour = COLOURS[place % COLOURS.len()].filled();
                chart.draw_series([Rectangle::new(corners, colour)])?;
            }
        }
        let plotting = chart.plotting_area();
        for (group, shape) in self.shapes.iter().enumerate() {
            let (x, y) = plotting.map_coordinate(&(group as f64 + 0.4, 0.0));
            let (left, up) = area.get_base_pixel();
            let place = (x - left, y - up + 6);
            area.draw(&Text::new((*shape).to_owned(), place, ("sans-serif", 13)))?;
        }
        Ok(())
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
