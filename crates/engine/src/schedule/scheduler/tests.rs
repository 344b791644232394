// SPDX-License-Identifier: Apache-2.0

use stripeline_rail::Mode;

use super::*;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const FOREGROUND: Priority = Priority::Foreground;

/// Returns a rail of one worker with a rate of `rate` bytes per second.
fn rail(rate: f64) -> RailTraits {
    RailTraits {
        workers: 1,
        granule_bytes: 1,
        piece_bytes: MIB,
        room_bytes: None,
        smallest_bytes: 32 * KIB,
        handoff: Duration::ZERO,
        prior_rate: rate,
        shares_cpus: false,
    }
}

fn rate_aware(rates: &[f64]) -> Scheduler {
    let rails: Vec<_> = rates.iter().map(|&rate| rail(rate)).collect();
    Scheduler::new(Policy::RateAware, &rails)
}

/// Returns a workload of `bytes` bytes of each of 6 inputs.
fn workload(priority: Priority, bytes: usize) -> Workload {
    Workload {
        class: Class::of(Mode::Set, 3, 6 * bytes),
        priority,
        inputs: 6,
        outputs: 3,
        on_device: false,
        unstaged: false,
        bytes,
    }
}

fn assign(scheduler: &Scheduler, bytes: usize) -> Vec<Assignment> {
    assign_among(scheduler, bytes, RailSet::first(scheduler.ledgers.len())).expect("a rail")
}

fn assign_of(scheduler: &Scheduler, priority: Priority, bytes: usize) -> Vec<Assignment> {
    let all = RailSet::first(scheduler.ledgers.len());
    let mut assignments = ArrayVec::new();
    scheduler
        .assign(0, workload(priority, bytes), all, &mut assignments)
        .expect("a rail");
    assignments.to_vec()
}

fn assign_among(scheduler: &Scheduler, bytes: usize, eligible: RailSet) -> Option<Vec<Assignment>> {
    let mut assignments = ArrayVec::new();
    let task = workload(FOREGROUND, bytes);
    scheduler.assign(0, task, eligible, &mut assignments)?;
    assert_eq!(
        assignments
            .iter()
            .map(|assignment| assignment.bytes)
            .sum::<usize>(),
        bytes
    );
    Some(assignments.to_vec())
}

#[test]
fn a_large_task_is_split_by_rate() {
    let scheduler = rate_aware(&[1e9, 4e9]);
    let assignments = assign(&scheduler, 10 * MIB);
    assert_eq!(assignments.len(), 2);
    let part = assignments[0].bytes as f64 / (10 * MIB) as f64;
    assert!((part - 0.2).abs() < 0.001, "{assignments:?}");
    assert_eq!(assignments[0].bytes % 64, 0);
}

#[test]
fn a_small_task_is_not_split_and_goes_to_the_rail_where_it_ends_first() {
    let scheduler = rate_aware(&[1e9, 4e9]);
    let fast = Assignment {
        rail: 1,
        bytes: 4 * KIB,
    };
    let slow = Assignment {
        rail: 0,
        bytes: 4 * KIB,
    };
    let assigned: Vec<_> = (0..5).flat_map(|_| assign(&scheduler, 4 * KIB)).collect();
    assert_eq!(assigned[..3], [fast; 3]);
    assert!(assigned[3..].contains(&slow), "{assigned:?}");
}

#[test]
fn backlog_pushes_work_elsewhere() {
    let scheduler = rate_aware(&[1e9, 1e9]);
    let first = assign_among(&scheduler, 4 * MIB, RailSet::only(0)).expect("a rail");
    assert_eq!(
        first,
        [Assignment {
            rail: 0,
            bytes: 4 * MIB
        }]
    );
    assert_eq!(
        assign(&scheduler, MIB),
        [Assignment {
            rail: 1,
            bytes: MIB
        }]
    );
    scheduler.dropped(0, FOREGROUND, 6 * 4 * MIB);
    assert_eq!(scheduler.backlog_bytes(0), 0);
    assert_eq!(assign(&scheduler, 64 * KIB)[0].rail, 0);
}

#[test]
fn background_backlog_pushes_only_background_work_elsewhere() {
    let scheduler = rate_aware(&[1e9, 8e9]);
    // Too small to be split.
    let rail = |priority| match assign_of(&scheduler, priority, 4 * KIB)[..] {
        [Assignment { rail, bytes }] => {
            scheduler.dropped(rail, priority, 6 * bytes);
            rail
        }
        ref assignments => panic!("{assignments:?}"),
    };
    let background = Priority::Background;
    scheduler.placed(1, background, 10 * MIB);
    assert_eq!((rail(FOREGROUND), rail(background)), (1, 0));
    let ahead = [FOREGROUND, background].map(|priority| scheduler.ahead_bytes(1, priority));
    assert_eq!(ahead, [0, 10 * MIB]);
    // Work that has begun is waited for, regardless of its priority.
    scheduler.begun(1, background, 10 * MIB);
    assert_eq!((rail(FOREGROUND), rail(background)), (0, 0));
    scheduler.finished(
        1,
        Class::of(Mode::Set, 3, MIB),
        10 * MIB,
        10 * MIB as u64 / 8,
    );
    assert_eq!((rail(FOREGROUND), rail(background)), (1, 1));
    assert_eq!(scheduler.backlog_bytes(1), 0);
}

#[test]
fn only_what_waits_before_it_has_a_task_stolen() {
    let scheduler = rate_aware(&[1e9, 1e9]);
    let task = workload(FOREGROUND, MIB);
    scheduler.placed(1, FOREGROUND, 6 * MIB);
    scheduler.placed(1, Priority::Background, 600 * MIB);
    let half = scheduler.steal(0, 1, task);
    assert!(half.abs_diff(MIB / 2) <= 64, "{half}");
    scheduler.placed(1, FOREGROUND, 600 * MIB);
    assert_eq!(scheduler.steal(0, 1, task), MIB);
}

#[test]
fn measured_rates_replace_priors() {
    let scheduler = rate_aware(&[8e9, 1e9]);
    let class = Class::of(Mode::Set, 3, 6 * MIB);
    for _ in 0..100 {
        scheduler.moved(COMMON, 0, FOREGROUND, 6 * MIB);
        // 1 GB/s, not the assumed 8.
        scheduler.finished(0, class, 6 * MIB, 6 * MIB as u64);
    }
    let rate = scheduler.rate(0);
    assert!((rate / 1e9 - 1.0).abs() < 0.01, "{rate}");
    let assignments = assign(&scheduler, MIB);
    assert!(
        assignments[0].bytes.abs_diff(assignments[1].bytes) < MIB / 50,
        "{assignments:?}"
    );
}

#[test]
fn cuts_match_every_granule_and_the_finest_granule_has_the_tail() {
    let coarse = RailTraits {
        granule_bytes: 4096,
        ..rail(1e9)
    };
    let odd = RailTraits {
        granule_bytes: 48,
        ..rail(1e9)
    };
    let rails = [rail(1e9), coarse, odd];
    let scheduler = Scheduler::new(Policy::RateAware, &rails);
    let assignments = assign(&scheduler, MIB + 1);
    assert_eq!(
        assignments
            .iter()
            .map(|assignment| assignment.rail)
            .collect::<Vec<_>>(),
        [1, 2, 0]
    );
    assert!(
        assignments[..2]
            .iter()
            .all(|assignment| assignment.bytes % (3 * 4096) == 0),
        "{assignments:?}"
    );
}

#[test]
fn a_rail_out_of_service_gets_nothing_and_keeps_its_rates() {
    let scheduler = rate_aware(&[1e9, 4e9]);
    let class = Class::of(Mode::Set, 3, MIB);
    scheduler.finished(1, class, MIB, 1000);
    let before = scheduler.rate(1);
    scheduler.set_in_service(1, false);
    assert_eq!(
        assign(&scheduler, 10 * MIB),
        [Assignment {
            rail: 0,
            bytes: 10 * MIB
        }]
    );
    assert_eq!(assign_among(&scheduler, MIB, RailSet::only(1)), None);
    scheduler.set_in_service(1, true);
    assert_eq!(scheduler.rate(1), before);
}

#[test]
fn single_and_first_come_ignore_rates() {
    let rails = [rail(1e9), rail(1e12)];
    let single = Scheduler::new(Policy::Single(0), &rails);
    assert_eq!(
        assign(&single, 100 * MIB),
        [Assignment {
            rail: 0,
            bytes: 100 * MIB
        }]
    );
    assert_eq!(assign_among(&single, MIB, RailSet::only(1)), None);
    let first_come = Scheduler::new(Policy::FirstCome, &rails);
    assert_eq!(
        assign(&first_come, MIB),
        [Assignment {
            rail: COMMON,
            bytes: MIB
        }]
    );
    assert_eq!(first_come.backlog_bytes(COMMON), 6 * MIB);
    first_come.moved(COMMON, 1, FOREGROUND, 6 * MIB);
    assert_eq!(
        (
            first_come.backlog_bytes(COMMON),
            first_come.backlog_bytes(1)
        ),
        (0, 6 * MIB)
    );
}

#[test]
fn a_thief_takes_as_much_as_lets_both_end_together() {
    let scheduler = rate_aware(&[1e9, 4e9]);
    assign_among(&scheduler, 10 * MIB, RailSet::only(0)).expect("a rail");
    let taken = scheduler.steal(1, 0, workload(FOREGROUND, 10 * MIB));
    assert!(taken.abs_diff(8 * MIB) <= 64, "{taken}");
    // The slow rail takes little from the fast one, and nothing if that would be too little.
    scheduler.moved(0, 1, FOREGROUND, 60 * MIB);
    let taken = scheduler.steal(0, 1, workload(FOREGROUND, 10 * MIB));
    assert!(taken.abs_diff(2 * MIB) <= 64, "{taken}");
    scheduler.dropped(1, FOREGROUND, 60 * MIB - 48 * KIB);
    assert_eq!(scheduler.steal(0, 1, workload(FOREGROUND, 8 * KIB)), 0);
}

#[test]
fn workers_of_one_rail_halve_a_share() {
    let scheduler = rate_aware(&[1e9]);
    assert_eq!(scheduler.steal(0, 0, workload(FOREGROUND, MIB)), MIB / 2);
}

#[test]
fn all_is_taken_from_a_rail_out_of_service() {
    let scheduler = rate_aware(&[1e6, 4e9]);
    scheduler.set_in_service(1, false);
    assert_eq!(scheduler.steal(0, 1, workload(FOREGROUND, MIB)), MIB);
    assert_eq!(scheduler.steal(1, 0, workload(FOREGROUND, MIB)), 0);
}

#[test]
fn workers_take_their_part_of_a_share_down_to_the_smallest_piece() {
    let many = RailTraits {
        workers: 4,
        piece_bytes: 512 * KIB,
        smallest_bytes: 256 * KIB,
        ..rail(1e9)
    };
    let scheduler = Scheduler::new(Policy::RateAware, &[many]);
    let of_eight = |bytes| Workload {
        inputs: 8,
        ..workload(FOREGROUND, bytes)
    };
    let mut left = 4 * MIB;
    let pieces = std::iter::from_fn(|| {
        let piece = scheduler.piece(0, of_eight(left.max(1)));
        left -= piece.min(left);
        (left > 0).then_some(piece / KIB)
    });
    let pieces: Vec<_> = pieces.collect();
    assert_eq!(pieces[..5], [512; 5]);
    assert_eq!(pieces[5..10], [384, 288, 216, 162, 121]);
    assert!(pieces[10..].iter().all(|&piece| piece >= 32), "{pieces:?}");
    assert_eq!(scheduler.piece(0, of_eight(1000)), 1000);
}

#[test]
fn pieces_are_as_large_as_the_room_for_their_buffers() {
    let device = RailTraits {
        piece_bytes: 4 * MIB,
        room_bytes: Some(45 * MIB),
        granule_bytes: 512,
        ..rail(1e9)
    };
    let scheduler = Scheduler::new(Policy::RateAware, &[device, rail(1e9)]);
    let piece = |rail, inputs, outputs| {
        let all = Workload {
            inputs,
            outputs,
            ..workload(FOREGROUND, 64 * MIB)
        };
        scheduler.piece(rail, all)
    };
    assert_eq!(piece(0, 6, 3), 4 * MIB);
    assert_eq!(piece(0, 16, 4), 45 * MIB / 20 / 512 * 512);
    assert_eq!(
        piece(0, 10, 2),
        45 * MIB / 12 / 512 * 512,
        "what there is room for"
    );
    assert_eq!(piece(1, 6, 3), MIB, "no shape is known");
}

#[test]
fn units_on_the_device_are_not_cut_for_room() {
    let device = RailTraits {
        room_bytes: Some(9 * MIB),
        workers: 2,
        ..rail(1e12)
    };
    let scheduler = Scheduler::new(Policy::RateAware, &[device, rail(1e12)]);
    let piece = |rail, on_device, bytes| {
        let all = Workload {
            on_device,
            unstaged: on_device,
            ..workload(FOREGROUND, bytes)
        };
        scheduler.piece(rail, all)
    };
    assert_eq!(piece(0, false, 64 * MIB), MIB);
    assert_eq!(piece(0, true, 64 * MIB), 64 * MIB, "one launch");
    assert_eq!(piece(1, true, 64 * MIB), MIB, "by its own wish");
}

#[test]
fn work_that_no_thread_copies_is_not_divided_among_workers() {
    let device = RailTraits {
        room_bytes: Some(45 * MIB),
        piece_bytes: 2 * MIB,
        workers: 2,
        ..rail(1e9)
    };
    let cpu = RailTraits {
        workers: 2,
        ..rail(1e9)
    };
    let scheduler = Scheduler::new(Policy::RateAware, &[device, cpu]);
    let piece = |rail, unstaged, bytes| {
        let all = Workload {
            unstaged,
            ..workload(FOREGROUND, bytes)
        };
        scheduler.piece(rail, all)
    };
    assert_eq!(piece(0, true, MIB), MIB, "the device's copies");
    assert_eq!(piece(0, true, 64 * MIB), 2 * MIB, "the largest piece");
    assert_eq!(piece(0, false, MIB), MIB / 2, "two threads copy");
    assert_eq!(piece(1, true, MIB), MIB / 2, "two threads code");
}

/// Additions commute, so the only possible error between threads is a byte counted twice or not at
/// all.
#[test]
fn backlogs_add_up_whatever_threads_do_at_the_same_time() {
    let scheduler = rate_aware(&[1e9, 4e9, 2e9]);
    let class = Class::of(Mode::Set, 3, MIB);
    let work = &|seed: usize| {
        for round in 0..2000 {
            let now_ns = (round * 1000) as u64;
            let priority = Priority::ALL[round / 5 % 2];
            for assignment in assign_of(&scheduler, priority, 64 + (seed + round) * 4096 % MIB) {
                let (other, data) = ((assignment.rail + round) % 3, 6 * assignment.bytes);
                scheduler.moved(assignment.rail, other, priority, data);
                scheduler.begun(other, priority, data);
                match round % 3 {
                    0 => scheduler.dropped(other, BEGUN, data),
                    _ => scheduler.finished(other, class, data, 1000),
                }
            }
            scheduler.set_in_service(seed % 2, round % 2 == 0);
            scheduler.tick(now_ns, round % 7 != 0);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|seed| drop(scope.spawn(move || work(seed)))));
    let backlogs = [0, 1, 2].map(|rail| scheduler.ledgers[rail].backlog.signed());
    assert_eq!(backlogs, [[0; 2]; 3]);
    let done: u64 = scheduler.ledgers.iter().map(Ledger::done_pieces).sum();
    assert!(done > 0);
}

#[test]
fn a_disturbed_first_piece_is_not_the_cost_of_its_class() {
    let scheduler = rate_aware(&[10e9, 12e9]);
    let class = |data| Class::of(Mode::Set, 3, data);
    let done = |data: usize, busy_ns: u64| {
        scheduler.placed(0, FOREGROUND, data);
        scheduler.finished(0, class(data), data, busy_ns);
    };
    let right = |data: usize| done(data, data as u64 / 30);
    // Its worker lost the CPU.
    done(384 * KIB, 30_000_000);
    let rate = scheduler.rate(0);
    assert!(rate > 1e9, "{rate}");
    (0..50).for_each(|_| right(384 * KIB));
    done(192 * KIB, 30_000_000);
    (0..3).for_each(|_| right(192 * KIB));
    let cost = scheduler.ledgers[0].cost(class(192 * KIB));
    assert!(cost < 0.1, "{cost}");
}

#[test]
fn a_rail_is_measured_again_in_the_class_of_its_estimate() {
    let fast = RailTraits {
        workers: 2,
        smallest_bytes: 4 * KIB,
        handoff: HANDOFF,
        ..rail(10e9)
    };
    let slow = RailTraits {
        workers: 2,
        smallest_bytes: 256 * KIB,
        piece_bytes: 256 * KIB,
        handoff: HANDOFF,
        ..rail(12e9)
    };
    let scheduler = Scheduler::new(Policy::RateAware, &[fast, slow]);
    let (cell, cost) = (64 * KIB, [1.0 / 30.0, 0.5]);
    let finish = |rail: usize, bytes: usize| {
        let mut left = bytes;
        while left > 0 {
            let piece = scheduler.piece(rail, workload(FOREGROUND, left));
            let data = 6 * piece;
            let busy_ns = (data as f64 * 2.0 * cost[rail]) as u64;
            scheduler.finished(rail, Class::of(Mode::Set, 3, data), data, busy_ns);
            left -= piece;
        }
    };
    for rail in [0, 1].repeat(50) {
        scheduler.placed(rail, FOREGROUND, 6 * cell);
        finish(rail, cell);
    }
    for _ in 0..6 {
        scheduler.placed(0, FOREGROUND, 6 * cell);
        scheduler.finished(0, Class::of(Mode::Set, 3, 6 * cell), 6 * cell, 30_000_000);
    }
    scheduler.placed(1, FOREGROUND, 3 * 6 * cell);
    let mut assignments = ArrayVec::new();
    for round in 1..=500 {
        let (now_ns, task) = (round * 20_000_000, workload(FOREGROUND, cell));
        scheduler
            .assign(now_ns, task, RailSet::first(2), &mut assignments)
            .expect("a rail");
        for &Assignment { rail, bytes } in &assignments {
            finish(rail, bytes);
        }
    }
    let whole = Assignment {
        rail: 0,
        bytes: cell,
    };
    assert_eq!(assignments.to_vec(), [whole]);
}
