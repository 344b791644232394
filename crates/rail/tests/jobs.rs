// SPDX-License-Identifier: Apache-2.0
//! Jobs over borrowed and owned buffers: when the buffers are accessible, and which calls are
//! refused.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use stripeline_codec::{Code, Codec, ErrorKind, Verdict};
use stripeline_rail::{Cpu, Piece, Rail, borrowed, owned};
use stripeline_testkit::{Stripe, all_but, rail_suite::Feeder, slices, slices_mut};

const LIMIT: Duration = Duration::from_secs(60);

fn codec() -> Codec {
    Codec::new(Code::Rs, 3, 2).expect("a valid shape")
}

fn stripe() -> Stripe {
    Stripe::random(Code::Rs, 3, 2, 100)
}

fn run(piece: Piece) -> Verdict {
    let rail = Cpu::rail();
    Feeder::new(&rail, 1).run(piece).expect("the CPU works")
}

#[test]
fn a_scope_waits_for_a_piece_on_another_thread() {
    let stripe = stripe();
    let mut parity = vec![vec![0; 100]; 2];
    let (sender, receiver) = mpsc::channel::<Piece>();
    let worker = std::thread::spawn(move || {
        let (first, second) = receiver.recv().expect("a piece").split(40);
        assert_eq!(run(second), Verdict::Sound);
        assert_eq!(run(first), Verdict::Sound);
    });
    let (data, mut outputs) = (slices(stripe.data()), slices_mut(&mut parity));
    let sent = borrowed::encode(&codec(), &data, &mut outputs, |piece| {
        sender.send(piece).expect("the worker lives")
    });
    sent.expect("in order");
    assert_eq!(parity, stripe.parity());
    worker.join().expect("no panic");
}

#[test]
fn a_scope_waits_when_its_closure_panics() {
    let stripe = stripe();
    let mut parity = vec![vec![0; 100]; 2];
    let (sender, receiver) = mpsc::channel::<Piece>();
    let worker = std::thread::spawn(move || run(receiver.recv().expect("a piece")));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let (data, mut outputs) = (slices(stripe.data()), slices_mut(&mut parity));
        borrowed::encode(&codec(), &data, &mut outputs, |piece| {
            sender.send(piece).expect("the worker lives");
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(parity, stripe.parity(), "coded before the panic went on");
    assert_eq!(worker.join().expect("no panic"), Verdict::Sound);
}

#[test]
fn owned_units_come_back_when_the_job_is_gone() {
    let stripe = stripe();
    let (piece, pending) = owned::encode(&codec(), stripe.to_encode()).expect("in order");
    assert_eq!(pending.wait(Duration::ZERO), None, "the piece has them");
    assert_eq!(run(piece), Verdict::Sound);
    let units = pending.wait(LIMIT).expect("the job is gone");
    assert_eq!(units.outputs, stripe.parity());
    assert_eq!(pending.wait(Duration::ZERO), None, "given back once");

    let (piece, pending) = owned::verify(&codec(), units).expect("in order");
    assert_eq!(run(piece), Verdict::Sound);
    let units = pending.wait(LIMIT).expect("the job is gone");
    let units = owned::Units {
        inputs: vec![units.inputs[1].clone(), vec![9; 100]],
        outputs: units.outputs,
    };
    let (piece, pending) = owned::update(&codec(), 1, units).expect("in order");
    assert_eq!(run(piece), Verdict::Sound);
    let units = pending.wait(LIMIT).expect("the job is gone");
    let mut data = stripe.data().to_vec();
    data[1] = vec![9; 100];
    assert_eq!(units.outputs, Stripe::of(data, Code::Rs, 2).parity());
}

#[test]
fn owned_units_decode_by_number() {
    let stripe = stripe();
    let inputs = [1, 3, 4].map(|unit: usize| stripe.units[unit].clone());
    let units = owned::Units {
        inputs: inputs.to_vec(),
        outputs: vec![vec![0; 100]; 2],
    };
    let (piece, pending) = owned::decode(&codec(), &[1, 3, 4], &[2, 0], units).expect("in order");
    assert_eq!(run(piece), Verdict::Sound);
    let units = pending.wait(LIMIT).expect("the job is gone");
    assert_eq!(
        units.outputs,
        [stripe.units[2].clone(), stripe.units[0].clone()]
    );
}

#[test]
fn wrong_buffers_are_refused_with_the_reason() {
    let stripe = stripe();
    let data = slices(stripe.data());
    let mut parity = vec![vec![0; 100], vec![0; 99]];
    let mut outputs = slices_mut(&mut parity);
    let refused = borrowed::encode(&codec(), &data, &mut outputs, |_| ());
    let refused = refused.expect_err("lengths differ");
    assert_eq!(refused.kind(), ErrorKind::LengthMismatch);
    let text = "Cannot encode the stripe: output 1 has 99 bytes, the others have 100";
    assert_eq!(refused.to_string(), text);
    let refused = borrowed::verify(&codec(), &data, &data, |_| ()).expect_err("3 parity units");
    assert_eq!(refused.kind(), ErrorKind::CountMismatch);
    let units = owned::Units {
        inputs: stripe.data().to_vec(),
        outputs: vec![vec![0; 100]],
    };
    let refused = owned::decode(&codec(), &[0, 1, 7], &[2], units.clone());
    let refused = refused.expect_err("no unit 7");
    assert_eq!(
        refused.error.to_string(),
        "Cannot decode unit 7: units are 0 to 4"
    );
    assert_eq!(refused.units, units, "they come back");
    let refused = owned::decode(&codec(), &[0, 1], &[2], units.clone());
    let refused = refused.expect_err("3 inputs, 2 numbers");
    assert_eq!(
        refused.error.to_string(),
        "Cannot decode the stripe: inputs given: 3, needed: 2"
    );
    let refused = owned::decode(&codec(), &[0, 1, 1], &[2], units.clone());
    let refused = refused.expect_err("unit 1 twice");
    assert_eq!(
        refused.error.to_string(),
        "Cannot decode the stripe: unit 1 is given twice"
    );
    assert_eq!(refused.error.kind(), ErrorKind::InvalidErasure);
    // The job had been created by then.
    let refused = owned::decode(&codec(), &[0, 1, 3], &[1], units.clone());
    let refused = refused.expect_err("unit 1 is given");
    assert_eq!(refused.error.kind(), ErrorKind::InvalidErasure);
    assert_eq!(refused.units, units, "they come back");
}

#[test]
fn refusals_name_the_operation_and_the_buffer() {
    let units = |inputs: &[usize], outputs: &[usize]| {
        let unit = |bytes: &usize| vec![0; *bytes];
        owned::Units {
            inputs: inputs.iter().map(unit).collect(),
            outputs: outputs.iter().map(unit).collect(),
        }
    };
    let encoded = owned::encode(&codec(), units(&[9, 9, 9], &[9]));
    let decoded = owned::decode(&codec(), &[1, 3, 4], &[0], units(&[9, 9, 8], &[9]));
    let updated = owned::update(&codec(), 0, units(&[9, 9], &[9, 7]));
    let verified = owned::verify(&codec(), units(&[9, 9, 9, 9], &[9, 9]));
    let expected = [
        (
            encoded,
            "encode the stripe: parity units given: 1, needed: 2",
        ),
        (
            decoded,
            "decode the stripe: input 2 has 8 bytes, the others have 9",
        ),
        (
            updated,
            "update the stripe: output 1 has 7 bytes, the others have 9",
        ),
        (
            verified,
            "verify the stripe: data units given: 4, needed: 3",
        ),
    ];
    for (refused, text) in expected {
        let error = refused.expect_err(text).error;
        assert_eq!(error.to_string(), format!("Cannot {text}"));
    }
}

#[test]
fn calls_without_units_are_refused() {
    let none = owned::Units::<Vec<u8>>::default;
    let refused = [
        owned::encode(&codec(), none()),
        owned::decode(&codec(), &[], &[], none()),
        owned::verify(&codec(), none()),
    ];
    for refused in refused {
        let error = refused.expect_err("no units").error;
        assert_eq!(error.kind(), ErrorKind::CountMismatch, "{error}");
    }
    let refused = borrowed::decode(&codec(), &[None; 5], &[], &mut [], |_| ());
    let error = refused.expect_err("no unit is asked for");
    assert_eq!(error.kind(), ErrorKind::CountMismatch, "{error}");
}

#[test]
fn only_a_complete_check_completes_a_written_piece() {
    let halves = |second_check: bool| {
        let stripe = stripe();
        let mut parity = vec![vec![0; 100]; 2];
        let (data, mut outputs) = (slices(stripe.data()), slices_mut(&mut parity));
        borrowed::encode(&codec(), &data, &mut outputs, |piece| {
            let (first, second) = piece.split(50);
            let (check, written) = first.into_check();
            let (other_check, _other) = second.into_check();
            let piece = match second_check {
                true => other_check,
                false => check.split(10).0,
            };
            let _piece = written.into_piece(piece);
        })
    };
    for second_check in [false, true] {
        let redeemed = catch_unwind(|| halves(second_check));
        assert!(redeemed.is_err(), "a part, or the check of another piece");
    }
}

#[test]
fn a_rail_that_decodes_data_only_does_not_take_lost_parity() {
    let mut capability = Cpu::rail().capability().clone();
    capability.recovers_parity = false;
    let stripe = stripe();
    for (erased, taken) in [(0, true), (3, false)] {
        let given = all_but(&stripe.units, &[erased]);
        let mut outputs = vec![vec![0; 100]];
        let mut outputs = slices_mut(&mut outputs);
        let takes = |piece: Piece| capability.takes(&piece);
        let took = borrowed::decode(&codec(), &given, &[erased], &mut outputs, takes);
        assert_eq!(took, Ok(taken));
    }
    let mut parity = vec![vec![0; 100]; 2];
    let (data, mut outputs) = (slices(stripe.data()), slices_mut(&mut parity));
    let takes = |piece: Piece| capability.takes(&piece);
    let took = borrowed::encode(&codec(), &data, &mut outputs, takes);
    assert_eq!(took, Ok(true), "encoding is no recovery");
}
