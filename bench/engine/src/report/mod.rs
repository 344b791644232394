// SPDX-License-Identifier: Apache-2.0
//! The output of a run: tables, verdicts on thresholds, a record.

pub mod record;
pub mod table;

use bench_common::output::Verdict;
use bench_common::statistics::{Spread, four_digits};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The answer to one question.
#[derive(Debug, Serialize)]
pub struct Section {
    /// The part's name.
    pub part: &'static str,
    /// The question.
    pub purpose: &'static str,
    /// The measured points; `record` defines their format.
    #[serde(skip)]
    pub points: Vec<Point>,
    /// Explanations that a reader needs to understand the figures.
    pub notes: Vec<String>,
    /// Thresholds.
    pub judgements: Vec<Judgement>,
}

impl Section {
    /// Creates an empty section.
    pub fn new(part: &'static str, purpose: &'static str) -> Self {
        Self {
            part,
            purpose,
            points: Vec::new(),
            notes: Vec::new(),
            judgements: Vec::new(),
        }
    }
}

/// One combination of the varied values, with its figures.
#[derive(Clone, Debug)]
pub struct Point {
    /// The varied values, by column.
    pub at: Vec<(&'static str, String)>,
    /// The figures, by column; units are in the names.
    pub figures: Vec<(&'static str, Figure)>,
}

/// A figure.
#[derive(Clone, Debug)]
pub enum Figure {
    /// A figure of several windows.
    Spread(Spread),
    /// A figure measured or computed once.
    Once(f64),
    /// Pairs of a value and a count or part, for the record.
    List(Vec<(f64, f64)>),
}

impl Point {
    /// Creates a point without figures.
    pub fn new<const N: usize>(at: [(&'static str, String); N]) -> Self {
        Self {
            at: at.into(),
            figures: Vec::new(),
        }
    }

    /// Returns the point with one more figure, of several windows.
    pub fn spread(mut self, name: &'static str, values: impl IntoIterator<Item = f64>) -> Self {
        let spread = Spread::of(values);
        self.figures.push((name, Figure::Spread(spread)));
        self
    }

    /// Returns the point with one more figure.
    pub fn once(mut self, name: &'static str, value: f64) -> Self {
        self.figures.push((name, Figure::Once(value)));
        self
    }

    /// Returns the point with one more list.
    pub fn list(mut self, name: &'static str, pairs: Vec<(f64, f64)>) -> Self {
        self.figures.push((name, Figure::List(pairs)));
        self
    }

    /// Returns a figure's value, the median if it has several.
    pub fn value(&self, name: &str) -> Option<f64> {
        let figure = self.figures.iter().find(|figure| figure.0 == name)?;
        match &figure.1 {
            Figure::Spread(spread) => Some(spread.median),
            Figure::Once(value) => Some(*value),
            Figure::List(_) => None,
        }
    }

    /// Returns whether the point has this value in this column.
    pub fn is(&self, column: &str, value: &str) -> bool {
        self.at.iter().any(|at| at.0 == column && at.1 == value)
    }
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.at {
            map.serialize_entry(name, value)?;
        }
        for (name, figure) in &self.figures {
            match figure {
                Figure::Spread(spread) => map.serialize_entry(name, spread)?,
                Figure::Once(value) => map.serialize_entry(name, &four_digits(*value))?,
                Figure::List(pairs) => {
                    let short = |pair: &(f64, f64)| [four_digits(pair.0), four_digits(pair.1)];
                    let pairs: Vec<_> = pairs.iter().map(short).collect();
                    map.serialize_entry(name, &pairs)?;
                }
            }
        }
        map.end()
    }
}

/// One threshold with the figure that determined its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The name of the threshold.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The figure.
    pub found: Option<f64>,
    /// The required value.
    pub wanted: String,
}

impl Judgement {
    /// Requires a figure of at least `limit`; gives no verdict in a quick run.
    pub fn at_least(name: impl Into<String>, found: Option<f64>, limit: f64, quick: bool) -> Self {
        Self::new(name, found, format!("at least {limit}"), quick, |value| {
            value >= limit
        })
    }

    /// Requires a figure of at most `limit`; gives no verdict in a quick run.
    pub fn at_most(name: impl Into<String>, found: Option<f64>, limit: f64, quick: bool) -> Self {
        Self::new(name, found, format!("at most {limit}"), quick, |value| {
            value <= limit
        })
    }

    /// Creates the judgement of a threshold on an absent device.
    pub fn not_measured(name: impl Into<String>, wanted: &str) -> Self {
        Self {
            name: name.into(),
            verdict: Verdict::NotMeasured,
            found: None,
            wanted: wanted.to_owned(),
        }
    }

    fn new(
        name: impl Into<String>,
        found: Option<f64>,
        wanted: String,
        quick: bool,
        keeps: impl Fn(f64) -> bool,
    ) -> Self {
        let verdict = match found {
            Some(_) if quick => Verdict::NotJudged,
            Some(value) if keeps(value) => Verdict::Kept,
            Some(_) => Verdict::Missed,
            None => Verdict::NotJudged,
        };
        Self {
            name: name.into(),
            verdict,
            found: found.map(four_digits),
            wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_kept_missed_or_not_judged() {
        let verdict = |found, quick| Judgement::at_least("a", found, 0.97, quick).verdict;
        assert_eq!(verdict(Some(0.97), false), Verdict::Kept);
        assert_eq!(verdict(Some(0.96), false), Verdict::Missed);
        assert_eq!(verdict(Some(0.99), true), Verdict::NotJudged);
        assert_eq!(verdict(None, false), Verdict::NotJudged);
        let most = Judgement::at_most("b", Some(2.0), 1.0, false);
        assert_eq!(
            (most.verdict, most.wanted.as_str()),
            (Verdict::Missed, "at most 1")
        );
    }

    #[test]
    fn a_point_is_one_object_in_the_order_of_its_columns() {
        let point = Point::new([("rail", "cpu".to_owned())])
            .spread("gbps", [1.0, 3.0, 2.0])
            .once("tasks", 7.0)
            .list("waits", vec![(1.0, 2.0)]);
        let text = serde_json::to_string(&point).expect("JSON");
        let wanted =
            r#"{"rail":"cpu","gbps":[1.0,1.5,2.0,2.5,3.0],"tasks":7.0,"waits":[[1.0,2.0]]}"#;
        assert_eq!(text, wanted);
        assert_eq!(
            (point.value("gbps"), point.value("waits")),
            (Some(2.0), None)
        );
        assert!(point.is("rail", "cpu") && !point.is("rail", "isal"));
    }
}
