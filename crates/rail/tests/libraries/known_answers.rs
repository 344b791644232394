// SPDX-License-Identifier: Apache-2.0
//! Correct rails pass the known-answer tests, with any granule; wrong ones fail with a reason.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::compiled::{Strings, coder, load};
use crate::peers;
use stripeline_codec::{Isa, Kernels, Verdict};
use stripeline_rail::known_answers::{check, check_within};
use stripeline_rail::{
    Capability, Coder, Cpu, Fault, FaultKind, Isal, Mode, Null, Piece, Synchronous,
};

#[test]
fn the_table_matches_the_reference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/known_answers/table.rs");
    let committed = std::fs::read_to_string(path).expect("the table is committed");
    let right = stripeline_reference::known_answers::table();
    assert!(
        committed == right,
        "outdated: the table says how to write it"
    );
}

#[test]
fn every_instruction_set_gives_right_answers() {
    for kernels in Isa::ALL.into_iter().filter_map(Kernels::for_isa) {
        let rail = Cpu::with_kernels(kernels.isa().name(), kernels);
        assert_eq!(check(&rail), Ok(()));
    }
    let begin = Instant::now();
    assert_eq!(check(&Cpu::rail()), Ok(()));
    println!("known answers took {:?}", begin.elapsed());
}

#[test]
fn isal_and_plugins_give_right_answers() {
    if let Some(isal) = peers::or_skip(Isal::rail()) {
        assert_eq!(check(&isal), Ok(()));
    }
    for (name, macros) in [
        ("known-4096", &["GRANULE=4096", "DEPTH=2"][..]),
        ("known-64", &["ASYNCHRONOUS", "GRANULE=64", "ALIGNMENT=64"]),
        ("known-in-place", &["FLAGS=STRIPELINE_PLUGIN_IN_PLACE"]),
        (
            "known-data-only",
            &["FLAGS=STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY"],
        ),
    ] {
        let Some(path) = coder(name, macros) else {
            return;
        };
        assert_eq!(check(&load(&path)), Ok(()), "{name}");
        Strings::of(&path).wait_closed();
    }
    let Some(path) = coder("known-wrong", &["WRONG_BYTES"]) else {
        return;
    };
    let reason = check(&load(&path));
    let text = "Cannot trust rail plugin:test: rs 1+1: encode: parity unit 0 has wrong bytes";
    assert_eq!(reason, Err(text.to_owned()));
}

/// The CPU with one mistake.
#[derive(Debug)]
struct Mistaken {
    mistake: fn(&Piece) -> bool,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    FlipsABit,
    CallsItSound,
    Fails,
}

impl Coder for Mistaken {
    type Memory = ();

    fn describe(&self) -> String {
        "mistaken".to_owned()
    }

    fn run(&self, piece: &mut Piece, _memory: &mut ()) -> Result<Verdict, Fault> {
        let right = Cpu::portable().code(piece);
        if !(self.mistake)(piece) {
            return Ok(right);
        }
        match self.what {
            What::FlipsABit => piece.write(|_, outputs| {
                let last = outputs.last_mut().expect("an output");
                *last.last_mut().expect("a byte") ^= 0x80;
            }),
            What::CallsItSound => (),
            What::Fails => return Err(Fault::new(FaultKind::Failed, "on purpose")),
        }
        Ok(Verdict::Sound)
    }
}

fn mistaken(what: What, mistake: fn(&Piece) -> bool, change: fn(&mut Capability)) -> String {
    let mut capability = Capability::synchronous();
    change(&mut capability);
    let rail = Synchronous::new("mistaken", capability, Mistaken { mistake, what });
    let reason = check(&rail).expect_err("it is mistaken");
    let start = "Cannot trust rail mistaken: ";
    reason
        .strip_prefix(start)
        .expect("the rail is named")
        .to_owned()
}

#[test]
fn every_kind_of_mistake_is_found() {
    let flips = |mistake| mistaken(What::FlipsABit, mistake, |_| ());
    let tail = flips(|piece| piece.job().mode() == Mode::Set && piece.range().end == 4_173);
    assert_eq!(tail, "rs 1+1: encode: parity unit 0 has wrong bytes");
    let wide = flips(|piece| piece.job().encoding().rows() == 12);
    assert_eq!(wide, "rs 30+12: encode: parity unit 11 has wrong bytes");
    let decode =
        flips(|piece| piece.job().mode() == Mode::Set && piece.job().output_units().eq([2, 1]));
    assert_eq!(decode, "rs 3+2: decode of [2, 1]: unit 1 has wrong bytes");
    let update = flips(|piece| piece.job().mode() == Mode::Add);
    assert_eq!(update, "rs 1+1: update: parity unit 0 has wrong bytes");
    let blind = mistaken(
        What::CallsItSound,
        |piece| piece.job().mode() == Mode::Compare,
        |_| (),
    );
    assert!(
        blind.starts_with("rs 1+1: verify: found Sound instead of Mismatch"),
        "{blind}"
    );
    let fails = mistaken(What::Fails, |_| true, |_| ());
    assert_eq!(fails, "rs 1+1: encode: on purpose");
    let odd = mistaken(
        What::Fails,
        |_| true,
        |capability| capability.granule_bytes = 48,
    );
    assert_eq!(odd, "its granule of 48 bytes does not divide 4096");
    let narrow = mistaken(
        What::Fails,
        |_| true,
        |capability| capability.inputs_max = 1,
    );
    assert_eq!(narrow, "it accepts no shape with a known answer");
    assert!(check(&Null::rail()).is_err(), "null codes nothing");
}

/// Operations outside a rail's capability are not tested.
#[test]
fn checks_cover_only_claimed_capabilities() {
    let changes: [fn(&mut Capability); 4] = [
        |capability| capability.adds = false,
        |capability| capability.compares = false,
        |capability| (capability.inputs_max, capability.outputs_max) = (6, 3),
        |capability| (capability.granule_bytes, capability.takes_tails) = (4_096, false),
    ];
    for change in changes {
        let mut capability = Capability::synchronous();
        change(&mut capability);
        let bounds = capability.clone();
        let coder = Cpu::portable();
        assert_eq!(check(&Synchronous::new("bounded", bounds, coder)), Ok(()));
    }
}

#[test]
fn the_wait_for_a_hung_plugin_is_limited() {
    let Some(path) = coder("known-hangs", &["HANG_AT=3"]) else {
        return;
    };
    let strings = Strings::of(&path);
    let rail = load(&path).with_grace(Duration::ZERO);
    let reason = check_within(&rail, Duration::from_millis(20)).expect_err("it hangs");
    assert!(reason.ends_with("no answer within 20 ms"), "{reason}");
    strings.release();
    strings.wait_closed();
}
