// SPDX-License-Identifier: Apache-2.0

use super::*;

const TICK_NS: u64 = 2_000_000;
/// The engine's default.
const INTERVAL_MAX_NS: u64 = 10_000_000_000;

/// Rails for which only the total throughput of each set is given.
struct World<F> {
    controller: Controller,
    total: F,
    sample: Sample,
    active: RailSet,
    /// The work done, and the work that the best set would have done.
    done: f64,
    /// The number of ticks for which each set was active.
    ticks: std::collections::HashMap<RailSet, usize>,
}

impl<F: Fn(RailSet) -> f64> World<F> {
    fn new(rates: &[f64], total: F) -> Self {
        let all = RailSet::first(rates.len());
        let mut rate = [0.0; RAILS_MAX];
        rate[..rates.len()].copy_from_slice(rates);
        Self {
            controller: Controller::new(all, RailSet::EMPTY, &rate, INTERVAL_MAX_NS),
            total,
            sample: Sample {
                now_ns: 0,
                saturated: true,
                in_service: all,
                done_bytes: 0,
                done_pieces: 0,
                backlog: [0; RAILS_MAX],
                rate,
            },
            active: all,
            done: 0.0,
            ticks: std::collections::HashMap::new(),
        }
    }

    /// Has all rails share the CPUs, so that only the fastest by its prior rate is active.
    fn share_all(&mut self) {
        let (all, rate) = (self.active, self.sample.rate);
        self.controller = Controller::new(all, all, &rate, INTERVAL_MAX_NS);
        self.active = self.controller.active();
    }

    /// Pieces are 100 KB at rates in bytes per nanosecond.
    fn run(&mut self, ticks: usize) {
        for _ in 0..ticks {
            let working = self.active.and(self.sample.in_service);
            self.done += (self.total)(working) * TICK_NS as f64;
            self.sample.now_ns += TICK_NS;
            self.sample.done_bytes = self.done as u64;
            self.sample.done_pieces = self.sample.done_bytes / 100_000;
            *self.ticks.entry(working).or_default() += 1;
            self.active = self.controller.step(&self.sample);
        }
    }

    fn part_of(&self, best: f64) -> f64 {
        self.done / (best * self.sample.now_ns as f64)
    }
}

fn set(rails: &[usize]) -> RailSet {
    rails.iter().copied().collect()
}

#[test]
fn rails_that_raise_the_rate_stay_active_and_probes_cost_little() {
    let rates = [1.0, 4.0, 10.0];
    let mut world = World::new(&rates, |rails| rails.iter().map(|rail| rates[rail]).sum());
    world.run(10_000);
    assert_eq!(world.controller.active, set(&[0, 1, 2]));
    let part = world.part_of(15.0);
    assert!(part > 0.985, "{part}");
}

#[test]
fn a_rail_that_does_not_raise_the_rate_is_inactive_and_seldom_probed() {
    let mut world = World::new(
        &[8.0, 10.0],
        |rails| if rails.count() > 1 { 7.0 } else { 10.0 },
    );
    world.run(200);
    assert_eq!(world.controller.active, set(&[1]));
    world.run(30_000);
    assert_eq!(world.controller.active, set(&[1]));
    let both = world.ticks[&set(&[0, 1])];
    assert!(both < 300, "{both} of 30000 ticks");
}

#[test]
fn a_rail_is_active_again_when_it_raises_the_rate() {
    let together = std::cell::Cell::new(10.0);
    let total = |rails: RailSet| {
        if rails.count() > 1 {
            together.get()
        } else {
            10.0
        }
    };
    let mut world = World::new(&[8.0, 10.0], total);
    // Until the intervals have reached their maximum.
    world.run(6 * (INTERVAL_MAX_NS / TICK_NS) as usize);
    assert_eq!(world.controller.active, set(&[1]));
    together.set(18.0);
    world.run((INTERVAL_MAX_NS / TICK_NS) as usize + 100);
    assert_eq!(world.controller.active, set(&[0, 1]));
}

#[test]
fn the_best_alone_is_found_where_leaving_out_one_does_not_help() {
    let total = |rails: RailSet| match rails.count() {
        1 if rails.contains(2) => 10.0,
        1 => 5.0,
        2 => 7.0,
        _ => 8.0,
    };
    let mut world = World::new(&[2.0, 2.0, 4.0], total);
    world.run(5000);
    assert_eq!(world.controller.active, set(&[2]));
}

#[test]
fn no_rail_is_probed_while_callers_limit_the_throughput() {
    let mut world = World::new(&[8.0, 10.0], |_| 1.0);
    world.sample.saturated = false;
    world.run(1000);
    assert_eq!(world.ticks.len(), 1);
}

#[test]
fn a_rail_is_added_although_callers_cannot_saturate_it() {
    let mut world = World::new(
        &[1.0, 2.0],
        |rails| if rails.contains(0) { 8.0 } else { 1.0 },
    );
    // The rail that seemed the fastest is the slow one.
    world.share_all();
    assert_eq!(world.active, set(&[1]));
    for _ in 0..2_000 {
        world.sample.saturated = !world.active.contains(0);
        world.run(1);
    }
    assert!(world.controller.active.contains(0));
}

#[test]
fn a_rail_is_left_out_although_callers_cannot_saturate_the_others() {
    let mut world = World::new(
        &[2.0, 10.0],
        |rails| if rails.contains(0) { 1.0 } else { 8.0 },
    );
    for _ in 0..2_000 {
        world.sample.saturated = world.active.contains(0);
        world.run(1);
    }
    assert_eq!(world.controller.active, set(&[1]));
}

#[test]
fn abandoned_probes_cost_as_little_as_others() {
    let rates = [5.0, 5.0];
    let mut world = World::new(&rates, |rails| rails.iter().map(|rail| rates[rail]).sum());
    let all = world.active;
    for _ in 0..10_000 {
        // Callers pause whenever a rail is left out.
        world.sample.saturated = world.active == all;
        world.run(1);
    }
    assert!(world.ticks[&set(&[1])] > 10, "{:?}", world.ticks);
    let part = world.part_of(10.0);
    assert!(part > 0.985, "{part}");
}

#[test]
fn a_rail_that_returns_is_active() {
    let mut world = World::new(
        &[8.0, 10.0],
        |rails| if rails.count() > 1 { 7.0 } else { 10.0 },
    );
    world.run(200);
    assert_eq!(world.active, set(&[1]));
    world.sample.in_service = set(&[0]);
    world.run(2);
    assert!(world.active.contains(0));
    world.sample.in_service = set(&[0, 1]);
    world.run(2);
    assert_eq!(world.active, set(&[0, 1]));
}

#[test]
fn the_wait_for_a_rail_that_keeps_its_work_is_limited() {
    let mut world = World::new(&[8.0, 10.0], |_| 10.0);
    world.sample.backlog[0] = 1;
    let limit = (SETTLE_LAST_NS / TICK_NS) as usize;
    world.run(limit + 100);
    assert_eq!(world.controller.active, set(&[0, 1]));
    assert!(world.ticks[&set(&[1])] <= limit + 1);
}

/// Returns coin flips, the same in each run.
fn coin() -> impl FnMut() -> bool {
    let mut state = 1_u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 63 == 1
    }
}

#[test]
fn moments_in_which_work_waits_do_not_make_a_rail_look_useful() {
    let factor = std::cell::Cell::new(1.0);
    let total = |rails: RailSet| factor.get() * if rails.count() > 1 { 7.6 } else { 8.0 };
    let mut world = World::new(&[2.0, 1.0], total);
    world.share_all();
    let (mut flip, mut both) = (coin(), 0);
    for _ in 0..20_000 {
        // The engine's tick: one in a measurement.
        let busy = flip();
        factor.set(if busy { 0.6 } else { 1.0 });
        world.sample.saturated = busy;
        both += usize::from(world.active.count() > 1);
        world.done += (world.total)(world.active) * 5e6;
        world.sample.now_ns += 5_000_000;
        world.sample.done_bytes = world.done as u64;
        world.sample.done_pieces = world.sample.done_bytes / 100_000;
        world.active = world.controller.step(&world.sample);
    }
    assert!(both < 1000, "{both} of 20000 ticks");
}

#[test]
fn a_faster_rail_is_added_although_callers_saturate_the_slow_one_only_at_times() {
    let total = |rails: RailSet| if rails.contains(0) { 8.0 } else { 1.0 };
    let mut world = World::new(&[1.0, 2.0], total);
    world.share_all();
    let (mut flip, mut busy) = (coin(), false);
    for tick in 0..2_000 {
        if tick % 5 == 0 {
            busy = flip();
        }
        world.sample.saturated = busy && !world.active.contains(0);
        world.run(1);
    }
    assert!(world.controller.active.contains(0));
}

#[test]
fn an_abandoned_probe_does_not_keep_others_from_running() {
    let rates = [1.0, 9.0, 10.0];
    let mut world = World::new(&[1.0, 10.0, 5.0], |rails| {
        rails.iter().map(|rail| rates[rail]).sum()
    });
    let all = world.active;
    let (sharing, rate) = (set(&[1, 2]), world.sample.rate);
    world.controller = Controller::new(all, sharing, &rate, INTERVAL_MAX_NS);
    world.active = world.controller.active();
    for _ in 0..10_000 {
        world.sample.saturated = world.active != set(&[1]);
        world.run(1);
    }
    assert!(world.controller.active.contains(2));
}
