// SPDX-License-Identifier: Apache-2.0
//! Rails found by name: available, absent without a message, or unusable with one warning.

use crate::compiled::{Strings, coder};
use stripeline_rail::discover::{Availability, Candidate, discover};

fn names(candidates: &[Candidate]) -> Vec<&str> {
    candidates
        .iter()
        .map(|candidate| &*candidate.name)
        .collect()
}

#[test]
fn the_cpu_is_always_in() {
    let found = discover(&["auto", "cpu", "null"]);
    assert_eq!(found[0].name, "cpu");
    assert_eq!(found[0].rail().expect("in").name(), "cpu");
    assert_eq!(found[0].warning(), None);
    let line = found[0].to_string();
    assert!(
        line.starts_with("cpu: in, ") && line.ends_with(" kernels"),
        "{line}"
    );
    assert_eq!(found[0].reason(), None);
    let gpu = &found[1];
    assert!(
        gpu.name.starts_with("cuda"),
        "automatic too, in or out: {gpu}"
    );
    assert!(gpu.rail().is_some() != gpu.reason().is_some(), "{gpu}");
    let cpus = names(&found).into_iter().filter(|name| *name == "cpu");
    assert_eq!(cpus.count(), 1, "named twice, in once");
    assert_eq!(found.last().expect("null").name, "null");
}

#[test]
fn isal_is_present_or_absent_without_a_warning() {
    let found = discover(&["isal"]);
    assert_eq!(names(&found), ["isal"]);
    assert_eq!(found[0].warning(), None);
    match &found[0].availability {
        Availability::Available(rail) => assert_eq!(rail.name(), "isal"),
        Availability::Absent(reason) => assert!(reason.starts_with("Cannot "), "{reason}"),
        Availability::Unusable(reason) => panic!("{reason}"),
    }
}

#[test]
fn unusable_rails_are_left_out_with_a_warning() {
    let found = discover(&["gpu", "plugin:/nowhere/libplugin.so"]);
    assert_eq!(names(&found), ["gpu", "plugin:/nowhere/libplugin.so"]);
    let warning = found[0].warning().expect("unknown");
    let expected =
        "Cannot use rail gpu, using the others instead: no such rail: known are cpu, isal, ";
    assert!(warning.starts_with(expected), "{warning}");
    assert!(found[0].rail().is_none());
    let warning = found[1].warning().expect("not there");
    assert!(
        warning.contains("Cannot load the plug-in: /nowhere/libplugin.so"),
        "{warning}"
    );
}

#[test]
fn plugins_are_used_only_if_their_answers_are_right() {
    let Some(good) = coder("discover-good", &[]) else {
        return;
    };
    let Some(wrong) = coder("discover-wrong", &["WRONG_BYTES"]) else {
        return;
    };
    let named = |path: &std::path::Path| format!("plugin:{}", path.display());
    let found = discover(&[named(&good)]);
    assert_eq!(names(&found), ["plugin:test"]);
    assert!(found[0].rail().is_some());
    assert_eq!(
        found[0].to_string(),
        format!("plugin:test: in, for tests, {}", good.display())
    );
    let found = discover(&[named(&wrong)]);
    let text = "Cannot use rail plugin:test, using the others instead: Cannot trust rail \
                plugin:test: rs 1+1: encode: parity unit 0 has wrong bytes";
    assert_eq!(found[0].warning().as_deref(), Some(text));
    Strings::of(&good).wait_closed();
    Strings::of(&wrong).wait_closed();
}
