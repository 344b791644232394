// SPDX-License-Identifier: Apache-2.0
//! Two kinds of plots: bars in groups, and distributions.

use bench_common::palette::COLOURS;
use plotters::coord::Shift;
use plotters::prelude::*;

const PANEL: (u32, u32) = (560, 320);
const HEADER: u32 = 34;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

/// Bars in groups.
#[derive(Debug)]
pub struct Bars {
    /// The caption above the panel.
    pub caption: String,
    /// The label of the vertical axis, with the unit.
    pub measure: String,
    /// Names of the groups.
    pub groups: Vec<String>,
    /// A name and one value per group; `None` if nothing was measured.
    pub series: Vec<(String, Vec<Option<f64>>)>,
    /// A horizontal line, such as a threshold.
    pub line: Option<f64>,
}

/// Cumulative distributions: the fraction of values that do not exceed a value, over the value on a
/// logarithmic axis.
#[derive(Debug)]
pub struct Distributions {
    /// The caption above the panel.
    pub caption: String,
    /// The label of the horizontal axis, with the unit.
    pub measure: String,
    /// A name and pairs of a value and a fraction from 0 to 1, ascending.
    pub series: Vec<(String, Vec<(f64, f64)>)>,
}

/// A panel of one of the two kinds.
#[derive(Debug)]
pub enum Panel {
    /// Bars.
    Bars(Bars),
    /// Distributions.
    Distributions(Distributions),
}

/// Draws panels next to each other as an SVG document; returns `None` if there is no panel or the
/// drawing fails.
pub fn draw(title: &str, panels: &[Panel]) -> Option<String> {
    if panels.is_empty() {
        return None;
    }
    let columns = panels.len().min(2);
    let rows = panels.len().div_ceil(columns);
    let size = (PANEL.0 * columns as u32, HEADER + PANEL.1 * rows as u32);
    let mut document = String::new();
    {
        let root = SVGBackend::with_string(&mut document, size).into_drawing_area();
        draw_all(&root, title, panels, (rows, columns)).ok()?;
    }
    Some(document)
}

fn draw_all<'a>(root: &Area<'a>, title: &str, panels: &[Panel], grid: (usize, usize)) -> Drawn<'a> {
    root.fill(&WHITE)?;
    let (header, below) = root.split_vertically(HEADER);
    let font = ("sans-serif", 17).into_font();
    header.draw(&Text::new(title.to_owned(), (12, 10), font))?;
    for (panel, area) in panels.iter().zip(below.split_evenly(grid)) {
        match panel {
            Panel::Bars(bars) => draw_bars(&area, bars)?,
            Panel::Distributions(distributions) => draw_distributions(&area, distributions)?,
        }
    }
    root.present()?;
    Ok(())
}

fn draw_bars<'a>(area: &Area<'a>, bars: &Bars) -> Drawn<'a> {
    let values = bars.series.iter().flat_map(|series| &series.1).flatten();
    let top = values.copied().chain(bars.line).fold(0.0, f64::max) * 1.45;
    let top = if top > 0.0 { top } else { 1.0 };
    let mut chart = ChartBuilder::on(area)
        .caption(&bars.caption, ("sans-serif", 14))
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..bars.groups.len() as f64, 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .light_line_style(WHITE)
        .y_desc(&bars.measure)
        .draw()?;
    let width = 0.86 / bars.series.len().max(1) as f64;
    for (place, (name, values)) in bars.series.iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let measured = values
            .iter()
            .enumerate()
            .filter_map(|(group, value)| Some((group, (*value)?)));
        let rectangles = measured.map(|(group, value)| {
            let left = group as f64 + 0.07 + place as f64 * width;
            Rectangle::new([(left, 0.0), (left + width * 0.92, value)], colour.filled())
        });
        let legend = move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], colour.filled());
        chart.draw_series(rectangles)?.label(name).legend(legend);
    }
    if let Some(line) = bars.line {
        let ends = [(0.0, line), (bars.groups.len() as f64, line)];
        chart.draw_series(LineSeries::new(ends, BLACK.stroke_width(1)))?;
    }
    let plotting = chart.plotting_area();
    for (group, name) in bars.groups.iter().enumerate() {
        let (x, y) = plotting.map_coordinate(&(group as f64 + 0.1, 0.0));
        let (left, up) = area.get_base_pixel();
        area.draw(&Text::new(
            name.clone(),
            (x - left, y - up + 6),
            ("sans-serif", 12),
        ))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

fn draw_distributions<'a>(area: &Area<'a>, distributions: &Distributions) -> Drawn<'a> {
    let values = || {
        distributions
            .series
            .iter()
            .flat_map(|series| &series.1)
            .map(|pair| pair.0)
    };
    let low = values().fold(f64::INFINITY, f64::min).max(1e-9);
    let high = values().fold(low, f64::max) * 1.1;
    let low = if low.is_finite() { low } else { 1.0 };
    let mut chart = ChartBuilder::on(area)
        .caption(&distributions.caption, ("sans-serif", 14))
        .margin(8)
        .x_label_area_size(38)
        .y_label_area_size(52)
        .build_cartesian_2d((low..high.max(low * 1.1)).log_scale(), 0.0..1.0)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(&distributions.measure)
        .y_desc("part of the tasks")
        .draw()?;
    for (place, (name, pairs)) in distributions.series.iter().enumerate() {
        let style = COLOURS[place % COLOURS.len()].stroke_width(2);
        let line = LineSeries::new(pairs.iter().copied(), style);
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 14, y)], style);
        chart.draw_series(line)?.label(name).legend(legend);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_drawn_with_their_names() {
        let bars = Panel::Bars(Bars {
            caption: "encode".to_owned(),
            measure: "GB/s".to_owned(),
            groups: vec!["one".to_owned(), "two".to_owned()],
            series: vec![("cpu".to_owned(), vec![Some(1.0), None])],
            line: Some(0.97),
        });
        let distributions = Panel::Distributions(Distributions {
            caption: "latency".to_owned(),
            measure: "milliseconds".to_owned(),
            series: vec![("fcfs".to_owned(), vec![(0.1, 0.0), (2.0, 1.0)])],
        });
        let document = draw("a title", &[bars, distributions]).expect("a plot");
        for text in [
            "a title",
            "encode",
            "two",
            "cpu",
            "latency",
            "milliseconds",
            "fcfs",
        ] {
            assert!(document.contains(text), "{text}");
        }
        assert!(draw("nothing", &[]).is_none());
    }
}
