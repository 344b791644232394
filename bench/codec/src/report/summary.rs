// SPDX-License-Identifier: Apache-2.0
//! Compares the figures with the definition's expectations.

use serde::Serialize;
use stripeline_gf::{Isa, Kernels};

use crate::definition::Expectation;
use crate::run::{self, Figure, Point};
use bench_common::output::Verdict;
use bench_common::statistics::{four_digits, geometric_mean};

/// One threshold with the figures that determined its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The threshold's name.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of points that counted.
    pub points: usize,
    /// Geometric mean of the median ratios.
    pub geometric_mean: Option<f64>,
    /// The worst figure and its point.
    pub worst: Option<(f64, String)>,
    /// The required value.
    pub wanted: String,
}

/// Judges every expectation.
pub fn judge(expectations: &[Expectation], points: &[Point]) -> Vec<Judgement> {
    expectations
        .iter()
        .map(|expectation| judge_one(expectation, points))
        .collect()
}

fn judge_one(expectation: &Expectation, points: &[Point]) -> Judgement {
    let covered: Vec<_> = points
        .iter()
        .filter(|point| covers(expectation, point))
        .collect();
    let mut judgement = match expectation.call_ns_max {
        Some(limit) => judge_calls(expectation, &covered, limit),
        None => judge_ratios(expectation, &covered),
    };
    let lacking = expectation.requires_isa.as_deref().filter(|isa| !runs(isa));
    if lacking.is_some() {
        judgement.verdict = Verdict::NotJudged;
    }
    judgement
}

/// Returns whether this process's kernels are those that the threshold requires.
fn runs(isa: &str) -> bool {
    isa.parse::<Isa>()
        .is_ok_and(|isa| Kernels::active().isa() == isa)
}

fn covers(expectation: &Expectation, point: &Point) -> bool {
    expectation.operations.contains(&point.operation)
        && expectation
            .workloads
            .iter()
            .any(|workload| workload == point.workload)
        && expectation.cells.contains(&point.cell)
        && expectation.threads.contains(&point.threads)
}

fn find<'a>(point: &'a Point, engine: &str) -> Option<&'a Figure> {
    point.figures.iter().find(|figure| figure.engine == engine)
}

fn place(point: &Point) -> String {
    format!(
        "{} {} {} {} {}",
        point.shape, point.cell, point.workload, point.operation, point.threads
    )
}

fn judge_calls(expectation: &Expectation, covered: &[&Point], limit: f64) -> Judgement {
    let calls: Vec<(f64, String)> = covered
        .iter()
        .filter_map(|point| {
            Some((
                find(point, &expectation.engine)?.call_ns.median,
                place(point),
            ))
        })
        .collect();
    let worst = calls
        .iter()
        .cloned()
        .max_by(|left, right| left.0.total_cmp(&right.0));
    let verdict = match &worst {
        None => Verdict::NotJudged,
        Some((value, _)) if *value <= limit => Verdict::Kept,
        Some(_) => Verdict::Missed,
    };
    Judgement {
        name: expectation.name.clone(),
        verdict,
        points: calls.len(),
        geometric_mean: None,
        worst: rounded(worst),
        wanted: format!("at most {limit} ns"),
    }
}

fn judge_ratios(expectation: &Expectation, covered: &[&Point]) -> Judgement {
    let against = expectation.against.as_deref().unwrap_or_default();
    let ratios: Vec<(f64, String)> = covered
        .iter()
        .filter_map(|point| {
            let (figure, base) = (find(point, &expectation.engine)?, find(point, against)?);
            Some((run::ratio(figure, base).median, place(point)))
        })
        .collect();
    let worst = ratios
        .iter()
        .cloned()
        .min_by(|left, right| left.0.total_cmp(&right.0));
    let values: Vec<f64> = ratios.iter().map(|ratio| ratio.0).collect();
    let mean = (!values.is_empty()).then(|| geometric_mean(&values));
    let kept = |limit: Option<f64>, value: Option<f64>| match (limit, value) {
        (Some(limit), Some(value)) => value >= limit,
        _ => true,
    };
    let both = kept(expectation.geometric_mean_min, mean)
        && kept(expectation.each_min, worst.as_ref().map(|worst| worst.0));
    let mut wanted = Vec::new();
    wanted.extend(
        expectation
            .geometric_mean_min
            .map(|limit| format!("geometric mean >= {limit}")),
    );
    wanted.extend(expectation.each_min.map(|limit| format!("each >= {limit}")));
    Judgement {
        name: expectation.name.clone(),
        verdict: match (values.is_empty(), both) {
            (true, _) => Verdict::NotJudged,
            (false, true) => Verdict::Kept,
            (false, false) => Verdict::Missed,
        },
        points: values.len(),
        geometric_mean: mean.map(four_digits),
        worst: rounded(worst),
        wanted: wanted.join(", "),
    }
}

fn rounded(worst: Option<(f64, String)>) -> Option<(f64, String)> {
    worst.map(|(value, place)| (four_digits(value), place))
}

/// Returns the judgement as a line of text.
pub fn line(judgement: &Judgement) -> String {
    let verdict = judgement.verdict.word();
    let mean = judgement
        .geometric_mean
        .map_or(String::new(), |mean| format!(" geometric mean {mean:.2},"));
    let worst = judgement
        .worst
        .as_ref()
        .map_or(" no points".to_owned(), |(value, place)| {
            format!(" worst {value:.2} at {place}")
        });
    format!(
        "{verdict:<10}  {}:{mean}{worst} ({} points; wanted {})",
        judgement.name, judgement.points, judgement.wanted
    )
}
