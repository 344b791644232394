// SPDX-License-Identifier: Apache-2.0
//! Plots of bars in groups.

use plotters::coord::Shift;
use plotters::prelude::*;

/// Colours that colour-blind readers can distinguish (Okabe and Ito), then greys.
const COLOURS: [RGBColor; 10] = [
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
const PANEL: (u32, u32) = (560, 320);
const HEADER: u32 = 60;

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
}

/// Draws panels as an SVG document, in rows of at most `columns`; returns `None` if there is no
/// panel or the drawing fails.
pub fn draw(title: &str, columns: usize, panels: &[Bars]) -> Option<String> {
    if panels.is_empty() {
        return None;
    }
    let columns = panels.len().min(columns);
    let rows = panels.len().div_ceil(columns);
    let size = (PANEL.0 * columns as u32, HEADER + PANEL.1 * rows as u32);
    let mut document = String::new();
    {
        let root = SVGBackend::with_string(&mut document, size).into_drawing_area();
        draw_all(&root, title, panels, (rows, columns)).ok()?;
    }
    Some(document)
}

fn draw_all<'a>(root: &Area<'a>, title: &str, panels: &[Bars], grid: (usize, usize)) -> Drawn<'a> {
    root.fill(&WHITE)?;
    let (header, below) = root.split_vertically(HEADER);
    let font = ("sans-serif", 17).into_font();
    header.draw(&Text::new(title.to_owned(), (12, 8), font))?;
    let names = names(panels);
    draw_legend(&header, &names)?;
    for (panel, area) in panels.iter().zip(below.split_evenly(grid)) {
        draw_bars(&area, panel, &names)?;
    }
    root.present()?;
    Ok(())
}

/// Returns the distinct names of all series, in the order of their first occurrence.
fn names(panels: &[Bars]) -> Vec<&str> {
    let series = panels.iter().flat_map(|panel| &panel.series);
    distinct(series.map(|(name, _)| name.as_str()))
}

/// Returns the distinct values in the order of their first occurrence.
pub fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    values.for_each(|value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
    });
    seen
}

/// Returns the colour of a series, the same in all panels.
fn colour(names: &[&str], name: &str) -> RGBColor {
    let index = names.iter().position(|known| *known == name);
    COLOURS[index.unwrap_or(0) % COLOURS.len()]
}

fn draw_legend<'a>(area: &Area<'a>, names: &[&str]) -> Drawn<'a> {
    let width = (area.dim_in_pixel().0 as usize - 24) / names.len().max(1);
    for (index, name) in names.iter().enumerate() {
        let left = 12 + (index * width) as i32;
        let mark = [(left, 38), (left + 12, 50)];
        area.draw(&Rectangle::new(mark, colour(names, name).filled()))?;
        let font = ("sans-serif", 13).into_font();
        area.draw(&Text::new((*name).to_owned(), (left + 17, 38), font))?;
    }
    Ok(())
}

fn draw_bars<'a>(area: &Area<'a>, bars: &Bars, names: &[&str]) -> Drawn<'a> {
    let values = bars.series.iter().flat_map(|series| &series.1).flatten();
    let top = values.copied().fold(0.0, f64::max) * 1.05;
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
        let colour = colour(names, name);
        let measured = values
            .iter()
            .enumerate()
            .filter_map(|(group, value)| Some((group, (*value)?)));
        let rectangles = measured.map(|(group, value)| {
            let left = group as f64 + 0.07 + place as f64 * width;
            Rectangle::new([(left, 0.0), (left + width * 0.92, value)], colour.filled())
        });
        chart.draw_series(rectangles)?;
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_drawn_with_their_names() {
        let bars = Bars {
            caption: "encode".to_owned(),
            measure: "GB/s".to_owned(),
            groups: vec!["one".to_owned(), "two".to_owned()],
            series: vec![("cpu".to_owned(), vec![Some(1.0), None])],
        };
        let document = draw("a title", 2, &[bars]).expect("a plot");
        for text in ["a title", "encode", "two", "cpu"] {
            assert!(document.contains(text), "{text}");
        }
        assert!(draw("nothing", 2, &[]).is_none());
    }
}
