// SPDX-License-Identifier: Apache-2.0

use stripeline_rail::Mode;

use super::*;
use stripeline_engine::Priority;
use stripeline_engine::schedule::{HANDOFF, Policy, RailTraits};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const MS: u64 = 1_000_000;

fn rail(rate: f64) -> VirtualRail {
    VirtualRail {
        traits: RailTraits {
            workers: 1,
            granule_bytes: 1,
            piece_bytes: MIB,
            room_bytes: None,
            smallest_bytes: 4 * KIB,
            handoff: HANDOFF,
            prior_rate: 5e9,
            shares_cpus: false,
        },
        rate,
        latency_ns: 500,
        jitter: 0.1,
        bottlenecks: Vec::new(),
    }
}

fn client(window: usize, in_order: bool, sizes: &[usize]) -> Client {
    Client {
        window,
        in_order,
        priority: Priority::Foreground,
        mode: Mode::Set,
        inputs: 6,
        outputs: 3,
        sizes: sizes.to_vec(),
    }
}

fn setup(rates: &[f64], clients: Vec<Client>) -> Setup {
    Setup {
        seed: 1,
        policy: Policy::RateAware,
        rails: rates.iter().copied().map(rail).collect(),
        bottlenecks: Vec::new(),
        clients,
        faults: Vec::new(),
        measured_from_ns: 20 * MS,
        end_ns: 1500 * MS,
    }
}

const SMALL: &[usize] = &[64 * KIB];
const LARGE: &[usize] = &[MIB, 4 * MIB];
const MIXED: &[usize] = &[16 * KIB, 64 * KIB, 256 * KIB, MIB];

fn shared(rates: &[f64], rate: f64, crowded: f64, client: Client) -> Setup {
    let mut setup = setup(rates, vec![client]);
    setup.bottlenecks = vec![Bottleneck { rate, crowded }];
    for rail in &mut setup.rails {
        rail.bottlenecks = vec![0];
    }
    setup
}

fn active(report: &Report) -> Vec<bool> {
    report.rails.iter().map(|rail| rail.active).collect()
}

#[test]
fn rates_of_independent_rails_add_up() {
    let all_rates = [
        &[5e9, 5e9][..],
        &[2e9, 8e9],
        &[1e9, 10e9],
        &[1e9, 4e9, 10e9],
        &[5e9, 5e9, 5e9, 5e9],
        &[1e9, 1e9, 4e9, 10e9],
    ];
    for rates in all_rates {
        for sizes in [SMALL, LARGE, MIXED] {
            for (window, in_order) in [(4, true), (16, false), (64, true)] {
                let setup = setup(rates, vec![client(window, in_order, sizes)]);
                let report = run(&setup);
                let part = report.throughput / rates.iter().sum::<f64>();
                let case = format!("{rates:?} {sizes:?} window {window} in order {in_order}");
                assert!(
                    part >= 0.95,
                    "{case}: {part} of the sum, {:?}",
                    report.rails
                );
                assert_eq!(active(&report), vec![true; rates.len()], "{case}");
            }
        }
    }
}

/// Work that is too small for a handoff to a fast rail can be worth a handoff to a slow one, which
/// would delay a small window by a whole stripe.
#[test]
fn slow_rails_get_parts_of_small_stripes() {
    for rates in [&[0.4e9, 1.6e9][..], &[0.25e9, 0.5e9, 1e9]] {
        let report = run(&setup(rates, vec![client(4, true, SMALL)]));
        let part = report.throughput / rates.iter().sum::<f64>();
        assert!(part >= 0.97, "{rates:?}: {part} of the sum");
    }
}

#[test]
fn the_rates_of_many_rails_add_up() {
    for (count, most) in [(8, 8.0), (16, 4.0)] {
        let rate = |index| 1e9 * (1.0 + (most - 1.0) * f64::from(index) / f64::from(count - 1));
        let rates: Vec<f64> = (0..count).map(rate).collect();
        let report = run(&setup(&rates, vec![client(2 * rates.len(), true, SMALL)]));
        let part = report.throughput / rates.iter().sum::<f64>();
        assert!(part >= 0.97, "{rates:?}: {part} of the sum");
    }
}

/// Runs a simulation that is measured after the controller has converged.
fn settled(mut setup: Setup) -> Setup {
    (setup.measured_from_ns, setup.end_ns) = (4000 * MS, 6000 * MS);
    setup
}

fn with_policy(setup: &Setup, policy: Policy) -> Report {
    let mut setup = setup.clone();
    setup.policy = policy;
    run(&setup)
}

#[test]
fn rails_behind_a_bottleneck_reach_the_rate_of_their_best_subset() {
    let cases = [
        (&[5e9, 5e9][..], 5e9),
        (&[5e9, 5e9], 7e9),
        (&[2e9, 8e9], 6e9),
        (&[1e9, 10e9], 10e9),
        (&[4e9, 4e9, 4e9], 8e9),
        (&[1e9, 4e9, 10e9], 10e9),
    ];
    for (rates, capacity) in cases {
        for (sizes, window) in [(SMALL, 4), (LARGE, 16), (MIXED, 8), (MIXED, 64)] {
            let setup = settled(shared(rates, capacity, 1.0, client(window, false, sizes)));
            let report = run(&setup);
            // Without crowding all rails are a best subset, and a queue in any order keeps all of
            // them busy.
            let best = with_policy(&setup, Policy::FirstCome).throughput;
            let part = report.throughput / best;
            let case = format!("{rates:?} through {capacity}, {sizes:?} window {window}");
            assert!(
                part >= 0.95,
                "{case}: {part} of the best, {:?}",
                report.rails
            );
        }
    }
}

#[test]
fn rails_that_slow_each_other_down_reach_the_rate_of_the_best_alone() {
    let cases = [
        (&[5e9, 5e9][..], 0.7),
        (&[8e9, 10e9], 0.7),
        (&[2e9, 8e9], 0.9),
        (&[8e9, 8e9, 10e9], 0.7),
        (&[3e9, 3e9, 3e9, 10e9], 0.9),
    ];
    for (rates, crowded) in cases {
        for (sizes, window) in [(SMALL, 4), (LARGE, 16), (MIXED, 8), (MIXED, 64)] {
            let best = rates.iter().copied().fold(0.0, f64::max);
            let setup = settled(shared(rates, best, crowded, client(window, true, sizes)));
            let report = run(&setup);
            let single = with_policy(&setup, Policy::Single(rates.len() - 1)).throughput;
            let part = report.throughput / single;
            let case = format!("{rates:?} crowded to {crowded}, {sizes:?} window {window}");
            assert!(
                part >= 0.95,
                "{case}: {part} of the best, {:?}",
                report.rails
            );
            assert_eq!(
                active(&report).iter().filter(|&&active| active).count(),
                1,
                "{case}"
            );
        }
    }
}

#[test]
fn of_rails_that_share_the_cpus_the_fastest_works_from_the_first() {
    for (sizes, window) in [(SMALL, 4), (LARGE, 16), (MIXED, 8)] {
        let rates = [5e9, 10e9, 2e9];
        let mut setup = shared(&rates, 10e9, 0.7, client(window, true, sizes));
        for (rail, rate) in setup.rails.iter_mut().zip(rates) {
            rail.traits.shares_cpus = true;
            rail.traits.prior_rate = rate;
        }
        let report = run(&setup);
        let single = with_policy(&setup, Policy::Single(1));
        for (from_ms, to_ms) in [(0, 100), (100, 1500)] {
            let part = report.throughput_between(from_ms, to_ms)
                / single.throughput_between(from_ms, to_ms);
            let case = format!("{sizes:?} window {window}, {from_ms} to {to_ms} ms");
            assert!(part >= 0.97, "{case}: {part} of the best");
        }
        assert_eq!(active(&report), [false, true, false]);
    }
}

#[test]
fn rails_declared_to_share_the_cpus_are_active_if_their_rates_add_up() {
    for sizes in [SMALL, LARGE, MIXED] {
        let mut setup = settled(setup(&[5e9, 5e9, 2e9], vec![client(16, true, sizes)]));
        for rail in &mut setup.rails {
            rail.traits.shares_cpus = true;
        }
        let report = run(&setup);
        let part = report.throughput / 12e9;
        assert!(part >= 0.95, "{sizes:?}: {part} of the sum");
        assert_eq!(active(&report), [true; 3], "{sizes:?}");
    }
}

/// The UMR-EC paper: rate-aware scheduling is 17.5 % above first-come, and close to the sum of the
/// peaks.
#[test]
fn first_come_loses_as_much_as_in_the_paper_if_rates_differ_widely() {
    let setup = setup(&[2e9, 8e9], vec![client(4, true, SMALL)]);
    let (aware, first) = (run(&setup), with_policy(&setup, Policy::FirstCome));
    let gain = aware.throughput / first.throughput - 1.0;
    assert!((0.15..0.30).contains(&gain), "{gain}");
    assert!(aware.throughput >= 0.97 * 10e9, "{}", aware.throughput);
}

#[test]
fn rate_aware_shortens_the_tail_of_latencies() {
    let setup = setup(&[1e9, 4e9, 10e9], vec![client(8, true, MIXED)]);
    let (aware, first) = (run(&setup), with_policy(&setup, Policy::FirstCome));
    for report in [&aware, &first] {
        assert!(report.latencies_ns[0].len() > 1000);
    }
    let tails =
        [&aware, &first].map(|report| report.latency_quantile_ns(Priority::Foreground, 0.99));
    assert!(tails[0] * 2 < tails[1], "99th percentiles {tails:?} ns");
}

/// A background repair fills the queues; a foreground stripe is still coded where it is coded
/// fastest, and waits only for work in progress.
#[test]
fn foreground_tasks_are_not_pushed_off_a_fast_rail_by_background_ones() {
    let mut repair = client(64, false, LARGE);
    repair.priority = Priority::Background;
    let reader = client(1, true, SMALL);
    let mut setup = setup(&[10e9, 1e9], vec![reader, repair]);
    // Pieces of 16 KiB: 10 and 100 microseconds.
    for rail in &mut setup.rails {
        rail.traits.piece_bytes = 16 * KIB;
    }
    let report = run(&setup);
    let alone_ns = 6.0 * SMALL[0] as f64 / 10e9 * 1e9;
    let median = report.latency_quantile_ns(Priority::Foreground, 0.5) as f64 / alone_ns;
    assert!(median < 1.5, "{median} times what the fast rail takes");
    let late = report.latency_quantile_ns(Priority::Foreground, 0.95) as f64 / alone_ns;
    assert!(late < 2.0, "{late} times what the fast rail takes");
    let part = report.throughput / 11e9;
    assert!(part >= 0.95, "{part} of the sum");
}

#[test]
fn several_clients_of_several_kinds_are_served() {
    let mut verify = client(8, false, MIXED);
    (verify.mode, verify.inputs) = (Mode::Compare, 10);
    let mut update = client(2, true, SMALL);
    (update.mode, update.inputs) = (Mode::Add, 2);
    let clients = vec![client(8, true, LARGE), verify, update];
    let report = run(&setup(&[1e9, 4e9], clients));
    let part = report.throughput / 5e9;
    assert!(part >= 0.95, "{part}");
}

#[test]
fn workers_and_granules_of_devices_are_fully_used() {
    let mut setup = setup(&[10e9, 20e9], vec![client(16, true, LARGE)]);
    setup.rails[0].traits.workers = 8;
    let device = &mut setup.rails[1];
    device.latency_ns = 20_000;
    device.traits.workers = 4;
    device.traits.granule_bytes = 4096;
    device.traits.smallest_bytes = 2 * MIB;
    let report = run(&setup);
    let part = report.throughput / 30e9;
    assert!(part >= 0.95, "{part}");
}

#[test]
fn wrong_priors_are_corrected() {
    let mut setup = setup(&[1e9, 4e9], vec![client(8, true, MIXED)]);
    (
        setup.rails[0].traits.prior_rate,
        setup.rails[1].traits.prior_rate,
    ) = (100e9, 0.1e9);
    let report = run(&setup);
    let part = report.throughput / 5e9;
    assert!(part >= 0.95, "{part}");
}

#[test]
fn a_rail_that_slows_down_gets_less_and_more_again_later() {
    for (sizes, seed) in [SMALL, MIXED].into_iter().zip([1..2, 1..6]) {
        for seed in seed {
            let mut setup = setup(&[5e9, 5e9], vec![client(8, true, sizes)]);
            setup.seed = seed;
            let rate_factor = |at_ms, rate_factor| Fault {
                at_ns: at_ms * MS,
                rail: 1,
                kind: FaultKind::RateFactor(rate_factor),
            };
            setup.faults = vec![rate_factor(500, 0.1), rate_factor(1000, 1.0)];
            let report = run(&setup);
            let slow = report.throughput_between(600, 1000) / 5.5e9;
            let healed = report.throughput_between(1100, 1500) / 10e9;
            let case = format!("{sizes:?} seed {seed}");
            assert!(slow >= 0.95, "{case}: {slow} of the sum while slow");
            assert!(healed >= 0.95, "{case}: {healed} of the sum after");
        }
    }
}

#[test]
fn nothing_is_lost_when_a_rail_hangs_and_it_is_used_again_when_it_returns() {
    let mut setup = setup(&[5e9, 5e9], vec![client(8, true, MIXED)]);
    let hang = FaultKind::Hang {
        noticed_after_ns: 20 * MS,
    };
    let fault = |at_ms, kind| Fault {
        at_ns: at_ms * MS,
        rail: 1,
        kind,
    };
    setup.faults = vec![fault(500, hang), fault(1000, FaultKind::Return)];
    // The simulation asserts that every byte of every task is done once.
    let report = run(&setup);
    let alone = report.throughput_between(530, 1000) / 5e9;
    let healed = report.throughput_between(1050, 1500) / 10e9;
    assert!(alone >= 0.95, "{alone} of one rail without the other");
    assert!(healed >= 0.95, "{healed} of the sum after");
    let backlogs: usize = report.rails.iter().map(|rail| rail.backlog_bytes).sum();
    assert!(
        backlogs <= 8 * 6 * MIB,
        "{backlogs} bytes are more than the window"
    );
}

#[test]
fn equal_seeds_give_equal_reports() {
    let mut setup = shared(&[5e9, 5e9, 2e9], 9e9, 0.9, client(8, true, MIXED));
    let (first, again) = (run(&setup), run(&setup));
    assert_eq!(first, again);
    setup.seed = 2;
    assert_ne!(first.digest, run(&setup).digest);
}
