// SPDX-License-Identifier: Apache-2.0
//! Liveness and shares, with processes that start, work and are killed.

use std::fs;

use stripeline_engine::node::{Coordination, Membership, Options, SLOTS, STALLED_REFRESHES};
use stripeline_testkit::Random;

use crate::process::{Process, settle};
use crate::scratch::{CPUS, Scratch, assert_shared, why};

#[test]
fn weights_divide_the_cpus_among_processes() {
    let scratch = Scratch::new();
    let mut crowd: Vec<_> = [3, 1]
        .map(|weight| Process::user(&scratch.file(), weight))
        .into();
    for process in &mut crowd {
        process.hear().unwrap();
        process.ask("busy");
    }
    let allowed: Vec<_> = settle(&mut crowd).iter().map(|word| word.allowed).collect();
    assert_eq!(allowed, [CPUS * 3 / 4, CPUS / 4]);
}

#[test]
fn idle_processes_yield_their_share_and_regain_it() {
    let scratch = Scratch::new();
    let (first, second) = (scratch.join(), scratch.join());
    first.report(true);
    crate::scratch::settle(&[&first, &second]);
    assert_eq!(first.threads_allowed(), CPUS);
    assert_eq!(second.threads_allowed(), CPUS / 2, "what it would get");
    // Work that ends before the next refresh counts for one refresh.
    second.report(true);
    second.report(false);
    let _ = second.refresh();
    let _ = first.refresh();
    assert_eq!(first.threads_allowed(), CPUS / 2);
    let _ = second.refresh();
    let _ = first.refresh();
    assert_eq!(first.threads_allowed(), CPUS);
}

#[test]
fn after_many_kills_the_remaining_processes_agree_on_their_number() {
    let scratch = Scratch::new();
    let mut random = Random::new(20);
    let mut crowd = Vec::new();
    for storm in 0..6 {
        while crowd.len() < 10 {
            let mut process = Process::user(&scratch.file(), 100);
            if random.below(3) == 0 {
                // Killed at any point: before, during or after taking its slot.
                process.kill();
            } else {
                process.hear().unwrap();
                process.ask("busy");
                crowd.push(process);
            }
        }
        for _ in 0..1 + random.below(8) {
            let victim = crowd.swap_remove(random.below(crowd.len()));
            victim.kill();
        }
        let words = settle(&mut crowd);
        for word in words {
            assert_eq!(word.allowed, CPUS / crowd.len(), "storm {storm}");
        }
    }
    crowd.into_iter().for_each(Process::kill);
    let _last = scratch.join();
    assert_eq!(
        fs::read_dir(scratch.path()).unwrap().count(),
        1,
        "one file, nothing beside it"
    );
    assert!(
        fs::metadata(scratch.file()).unwrap().len() <= 128,
        "the table was created again, because all slots were free"
    );
}

#[test]
fn a_full_table_excludes_new_processes_until_one_ends() {
    let scratch = Scratch::new();
    let mut crowd: Vec<_> = (0..SLOTS).map(|_| scratch.join()).collect();
    crowd.iter().for_each(assert_shared);
    let late = Membership::join(Options {
        threads_max: Some(3),
        ..scratch.options()
    });
    assert!(
        why(&late).ends_with("table: all of its 255 slots are in use"),
        "{}",
        why(&late)
    );
    assert_eq!(late.threads_allowed(), 3);
    assert_eq!(late.refresh(), None, "said once");
    crowd.swap_remove(100);
    assert_eq!(late.refresh(), Some(Coordination::Shared));
    // The members of the first and of the last slot.
    let busy = [&crowd[0], &crowd[100], &late];
    busy.iter().for_each(|member| member.report(true));
    crate::scratch::settle(&busy);
    assert_eq!(
        (late.threads_allowed(), busy[1].threads_allowed()),
        (3, (CPUS - 3) / 2)
    );
    let length = fs::metadata(scratch.file()).unwrap().len();
    assert_eq!(length, 64 * (SLOTS as u64 + 1), "no longer than its slots");
}

#[test]
fn a_process_that_does_not_refresh_counts_as_idle() {
    let scratch = Scratch::new();
    let (first, second) = (scratch.join(), scratch.join());
    first.report(true);
    second.report(true);
    crate::scratch::settle(&[&second, &first]);
    for _ in 0..STALLED_REFRESHES {
        assert_eq!(first.threads_allowed(), CPUS / 2);
        let _ = first.refresh();
    }
    assert_eq!(first.threads_allowed(), CPUS);
    let _ = second.refresh();
    let _ = first.refresh();
    assert_eq!(first.threads_allowed(), CPUS / 2);
}
