// SPDX-License-Identifier: Apache-2.0
//! The scheduler on more rails than this machine has, in the engine's simulation: computed, not
//! measured.

use stripeline_engine::Priority;
use stripeline_engine::schedule::{HANDOFF, Policy, RailTraits};
use stripeline_rail::Mode;
use stripeline_testkit::simulation::{self, Bottleneck, Client, Report, Setup, VirtualRail};

use super::CELL_BYTES;
use crate::arguments::Settings;
use crate::load::{DATA, PARITY};
use crate::report::{Judgement, Point, Section};

const MS: u64 = 1_000_000;

/// The rails of a simulation.
struct Case {
    name: &'static str,
    /// The rate of each rail in 10^9 bytes of data per second.
    rates: Vec<f64>,
    /// A resource that all rails share: its rate, and the fraction to which the rate falls when two
    /// rails use it.
    shared: Option<(f64, f64)>,
}

fn cases() -> Vec<Case> {
    let case = |name, rates: &[f64], shared| Case {
        name,
        rates: rates.to_vec(),
        shared,
    };
    let spread: Vec<f64> = (0..16)
        .map(|index| 1.0 + 3.0 * f64::from(index) / 15.0)
        .collect();
    vec![
        case("4 rails, 1 to 10", &[1.0, 1.0, 4.0, 10.0], None),
        case(
            "8 rails, 1 to 8",
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            None,
        ),
        case("16 rails, 1 to 4", &spread, None),
        case(
            "3 rails that slow each other down",
            &[8.0, 8.0, 10.0],
            Some((10.0, 0.7)),
        ),
    ]
}

/// Adds the simulation's results and judges them.
pub fn add(settings: &Settings, section: &mut Section) {
    for case in cases() {
        let reports = [Policy::FirstCome, Policy::RateAware]
            .map(|policy| simulate(&case, policy, settings.quick));
        let best = case.rates.iter().copied().fold(0.0, f64::max) * 1e9;
        let bound = match case.shared {
            None => case.rates.iter().sum::<f64>() * 1e9,
            Some(_) => best,
        };
        for (name, report) in ["first-come", "rate-aware"].into_iter().zip(&reports) {
            let point = Point::new([
                ("simulated", case.name.to_owned()),
                ("window", window(&case).to_string()),
                ("by", name.to_owned()),
            ])
            .once("gbps", report.throughput / 1e9)
            .once("x_bound", report.throughput / bound)
            .once("x_first_come", report.throughput / reports[0].throughput)
            .once(
                "p50_ms",
                report.latency_quantile_ns(Priority::Foreground, 0.5) as f64 / 1e6,
            )
            .once(
                "p99_ms",
                report.latency_quantile_ns(Priority::Foreground, 0.99) as f64 / 1e6,
            );
            section.points.push(point);
        }
        let found = Some(reports[1].throughput / bound);
        let of = if case.shared.is_some() {
            "the best rail"
        } else {
            "the sum"
        };
        let name = format!("simulated, {}: rate-aware over {of}", case.name);
        let limit = if case.shared.is_some() { 0.95 } else { 0.97 };
        section
            .judgements
            .push(Judgement::at_least(name, found, limit, settings.quick));
    }
    section.notes.push(
        "simulated: the engine's scheduler on virtual rails in virtual time; the bound is the \
         rails' sum, or the best rail where they disturb each other"
            .to_owned(),
    );
}

/// Returns twice as many stripes as rails, so that each rail always has a next one.
fn window(case: &Case) -> usize {
    2 * case.rates.len()
}

fn simulate(case: &Case, policy: Policy, quick: bool) -> Report {
    let shared = case.shared.iter().map(|&(rate, crowded)| Bottleneck {
        rate: rate * 1e9,
        crowded,
    });
    // The contention controller takes seconds to converge.
    let (from, end) = if quick { (20, 60) } else { (2000, 3000) };
    simulation::run(&Setup {
        seed: 1,
        policy,
        rails: case
            .rates
            .iter()
            .enumerate()
            .map(|(index, rate)| rail(index, *rate, case))
            .collect(),
        bottlenecks: shared.collect(),
        clients: vec![Client {
            window: window(case),
            in_order: true,
            priority: Priority::Foreground,
            mode: Mode::Set,
            inputs: DATA,
            outputs: PARITY,
            sizes: vec![CELL_BYTES],
        }],
        faults: Vec::new(),
        measured_from_ns: from * MS,
        end_ns: end * MS,
    })
}

fn rail(index: usize, rate: f64, case: &Case) -> VirtualRail {
    VirtualRail {
        traits: RailTraits {
            name: format!("rail{index}"),
            workers: 1,
            granule_bytes: 1,
            piece_bytes: 1 << 20,
            room_bytes: None,
            smallest_bytes: 4 << 10,
            handoff: HANDOFF,
            prior_rate: 5e9,
            shares_cpus: false,
        },
        rate: rate * 1e9,
        latency_ns: 500,
        jitter: 0.1,
        bottlenecks: case.shared.iter().map(|_| 0).collect(),
    }
}
