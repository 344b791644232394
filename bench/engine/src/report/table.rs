// SPDX-License-Identifier: Apache-2.0
//! Sections as text.

use bench_common::statistics::Spread;

use super::{Figure, Judgement, Point, Section};

/// Formats a section: its question, a table, notes and verdicts.
pub fn section(section: &Section) -> String {
    let mut text = format!("\n{}: {}\n", section.part, section.purpose);
    // A heading applies to the following points with the same columns.
    for points in section
        .points
        .chunk_by(|left, right| columns(left) == columns(right))
    {
        text.push_str(&table(points));
    }
    for note in &section.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    for judgement in &section.judgements {
        text.push_str(&line(judgement));
    }
    text
}

fn columns(point: &Point) -> Vec<&'static str> {
    let shown = point
        .figures
        .iter()
        .filter(|figure| !matches!(figure.1, Figure::List(_)));
    point
        .at
        .iter()
        .map(|at| at.0)
        .chain(shown.map(|figure| figure.0))
        .collect()
}

fn table(points: &[Point]) -> String {
    let mut rows = vec![columns(&points[0]).into_iter().map(str::to_owned).collect()];
    rows.extend(points.iter().map(cells));
    let width = |column: usize| {
        rows.iter()
            .map(|row: &Vec<String>| row[column].chars().count())
            .max()
    };
    let widths: Vec<_> = (0..rows[0].len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let labels = points[0].at.len();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match column < labels {
                true => line.push_str(&format!("{cell:<width$}  ")),
                false => line.push_str(&format!("{cell:>width$}  ")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn cells(point: &Point) -> Vec<String> {
    let labels = point.at.iter().map(|at| at.1.clone());
    let figures = point.figures.iter().filter_map(|figure| match &figure.1 {
        Figure::Spread(spread) => Some(with_spread(spread)),
        Figure::Once(value) => Some(short(*value)),
        Figure::List(_) => None,
    });
    labels.chain(figures).collect()
}

/// Formats the median and half the interquartile range.
fn with_spread(spread: &Spread) -> String {
    let half = (spread.quartile3 - spread.quartile1) / 2.0 / spread.median * 100.0;
    format!("{} ±{half:.0}%", short(spread.median))
}

fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 || size == 0.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn line(judgement: &Judgement) -> String {
    let verdict = judgement.verdict.word();
    let found = judgement
        .found
        .map_or(String::new(), |value| format!(" {},", short(value)));
    format!(
        "{verdict:<12}  {}:{found} wanted {}\n",
        judgement.name, judgement.wanted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_headed() {
        let mut shown = Section::new("peaks", "how fast?");
        for (rail, rate) in [("cpu", 12.5), ("plugin:jerasure", 1.25)] {
            let point = Point::new([("rail", rail.to_owned())]).once("gbps", rate);
            shown.points.push(point);
        }
        shown.notes.push("a note".to_owned());
        shown
            .judgements
            .push(Judgement::at_least("much", Some(1.0), 2.0, false));
        let wanted = "\npeaks: how fast?\nrail              gbps\ncpu               12.5\n\
                      plugin:jerasure  1.250\n\
                      note: a note\nMISSED        much: 1.000, wanted at least 2\n";
        assert_eq!(section(&shown), wanted);
    }
}
