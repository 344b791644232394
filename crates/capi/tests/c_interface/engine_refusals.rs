// SPDX-License-Identifier: Apache-2.0
//! Mistakes that a program in C can make with an engine. Each call is refused with its text, and
//! nothing is issued or written.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use crate::c_codec::{last_error, refused};
use crate::engine_side::{Bench, OpenEngine, request, scattered};
use stripeline_capi::stripeline_status::{self, *};
use stripeline_capi::*;

const LENGTH: usize = 16;

/// Encodes by a blocking and a non-blocking call; expects the same refusal from both, and no
/// writes.
fn expect(
    engine: *const stripeline_engine,
    bench: &Bench,
    (data, parity): (*const stripeline_matrix, *const stripeline_matrix),
    request: *const stripeline_request,
    expected: (stripeline_status, &str),
) {
    let mut future = std::ptr::dangling_mut();
    // SAFETY: open or null handles; what the matrices name is there or refused unread.
    unsafe {
        let codec = bench.codec;
        let status = stripeline_engine_encode(engine, codec, data, parity, LENGTH, request);
        bench.expect(status, expected.0, expected.1);
        let status = stripeline_iencode(engine, codec, data, parity, LENGTH, request, &mut future);
        bench.expect(status, expected.0, expected.1);
    }
    assert!(future.is_null());
}

#[test]
fn wrong_matrices_are_named() {
    let engine = OpenEngine::new("rails=cpu");
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (bench.data(), bench.parity());
    let units = [bench.unit(0), null_mut(), bench.unit(2)];
    let overlapping = [bench.unit(3), bench.unit(2).wrapping_add(LENGTH - 1)];
    let wrong_data = |wrong: &stripeline_matrix, status, text: &str| {
        let text = format!("Cannot encode the stripe: {text}");
        expect(engine.0, &bench, (wrong, &parity), null(), (status, &text));
    };
    let invalid = STRIPELINE_INVALID_ARGUMENT;
    let size = stripeline_matrix { size: 8, ..data };
    wrong_data(&size, invalid, "data has size 8, known is 48");
    let count = stripeline_matrix { count: 4, ..data };
    wrong_data(
        &count,
        STRIPELINE_COUNT_MISMATCH,
        "data has 4 units, needed: 3",
    );
    let memory = stripeline_matrix { memory: 3, ..data };
    let text = "data has memory 3, known are 0 (host), 1 (host, pinned) and 2 (device)";
    wrong_data(&memory, invalid, text);
    let device = stripeline_matrix {
        memory: 2,
        device: 65536,
        ..data
    };
    wrong_data(&device, invalid, "data is on device 65536, at most 65535");
    let base = stripeline_matrix {
        base: null_mut(),
        ..data
    };
    wrong_data(&base, STRIPELINE_NULL_POINTER, "data is null");
    let stride = stripeline_matrix {
        stride: usize::MAX / 2,
        ..data
    };
    let text = format!(
        "data with a stride of {} bytes runs past the end of the address space",
        usize::MAX / 2
    );
    wrong_data(&stride, STRIPELINE_INVALID_MEMORY, &text);
    wrong_data(
        &scattered(&units),
        STRIPELINE_NULL_POINTER,
        "data[1] is null",
    );
    let text = "Cannot encode the stripe: parity is null";
    let null_text = (STRIPELINE_NULL_POINTER, text);
    expect(engine.0, &bench, (&data, null()), null(), null_text);
    let text = "Cannot encode the stripe: parity[1] overlaps parity[0]";
    let wrong = scattered(&overlapping);
    expect(
        engine.0,
        &bench,
        (&data, &wrong),
        null(),
        (STRIPELINE_OVERLAP, text),
    );
    let text = "Cannot encode the stripe: engine is null";
    expect(
        null(),
        &bench,
        (&data, &parity),
        null(),
        (STRIPELINE_NULL_POINTER, text),
    );
}

#[test]
fn wrong_requests_are_named() {
    let engine = OpenEngine::new("rails=cpu");
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (bench.data(), bench.parity());
    let wrong = |request: &stripeline_request, text: &str| {
        let text = format!("Cannot encode the stripe: {text}");
        let expected = (STRIPELINE_INVALID_ARGUMENT, text.as_str());
        expect(engine.0, &bench, (&data, &parity), request, expected);
    };
    wrong(
        &stripeline_request {
            size: 0,
            ..request()
        },
        "request has size 0, known is 48",
    );
    let priority = stripeline_request {
        priority: 2,
        ..request()
    };
    wrong(
        &priority,
        "priority is 2, known are 0 (foreground) and 1 (background)",
    );
    let event_fd = stripeline_request {
        event_fd: -1,
        ..request()
    };
    wrong(&event_fd, "event_fd is -1");
    let flags = stripeline_request {
        flags: 3,
        ..request()
    };
    wrong(&flags, "flags are 0x3, known is 0x1 (event_fd)");
    let told = stripeline_request {
        event_fd: 1,
        ..request()
    };
    // SAFETY: open handles and a stripe of theirs; null is refused.
    unsafe {
        let (engine, codec) = (engine.0, bench.codec);
        let status = stripeline_engine_encode(engine, codec, &data, &parity, LENGTH, &told);
        let text =
            "Cannot encode the stripe: a call that waits takes neither callback nor event_fd";
        refused(status, STRIPELINE_INVALID_ARGUMENT, text);
        let status = stripeline_iencode(engine, codec, &data, &parity, LENGTH, null(), null_mut());
        let text = "Cannot encode the stripe: future is null";
        refused(status, STRIPELINE_NULL_POINTER, text);
        let status = stripeline_engine_verify(
            engine,
            codec,
            &data,
            &parity,
            LENGTH,
            null(),
            null_mut(),
            null_mut(),
            null_mut(),
        );
        let text = "Cannot verify the stripe: sound is null";
        refused(status, STRIPELINE_NULL_POINTER, text);
    }
}

#[test]
fn wrong_erasures_are_named_before_what_follows_from_them() {
    let engine = OpenEngine::new("rails=cpu");
    let mut bench = Bench::new(LENGTH);
    let all: [_; 5] = std::array::from_fn(|unit| bench.unit(unit));
    let lists: [(&[u32], _, &str); 4] = [
        (
            &[0, 0],
            STRIPELINE_INVALID_ERASURE,
            "unit 0: it is asked for twice",
        ),
        (
            &[0, 0, 0],
            STRIPELINE_INVALID_ERASURE,
            "unit 0: it is asked for twice",
        ),
        (&[0, 9], STRIPELINE_INVALID_UNIT, "unit 9: units are 0 to 4"),
        (
            &[0, 1, 2, 9],
            STRIPELINE_INVALID_UNIT,
            "unit 9: units are 0 to 4",
        ),
    ];
    for (erased, status, text) in lists {
        let mut units = all;
        for unit in erased.iter().filter(|unit| **unit < 5) {
            units[*unit as usize] = null_mut();
        }
        // All outputs are the same buffer, which overlaps itself.
        let outputs = vec![all[4]; erased.len()];
        let (erased, count) = (erased.as_ptr(), erased.len());
        let expected = (status, format!("Cannot decode {text}"));
        // SAFETY: open handles and the units of one stripe; nothing is written.
        unsafe {
            let direct = stripeline_decode(
                bench.codec,
                units.as_ptr().cast(),
                erased,
                count,
                outputs.as_ptr(),
                LENGTH,
            );
            assert_eq!((direct, last_error()), expected);
            let through = stripeline_engine_decode(
                engine.0,
                bench.codec,
                &scattered(&units),
                erased,
                count,
                &scattered(&outputs),
                LENGTH,
                null(),
            );
            assert_eq!((through, last_error()), expected);
        }
    }
}

#[test]
fn wrong_configurations_are_named() {
    let refuse = |configuration: &[u8], text: &str| {
        let configuration = CString::new(configuration).expect("no NUL");
        let mut engine = std::ptr::dangling_mut();
        // SAFETY: a text and room for the handle.
        let status = unsafe { stripeline_engine_open(configuration.as_ptr(), &mut engine) };
        refused(status, STRIPELINE_CONFIGURATION, text);
        assert!(engine.is_null());
    };
    refuse(
        b"colour=red",
        "Cannot read the engine's configuration: 'colour=red' has an unknown key",
    );
    refuse(
        b"rails=\xff",
        "Cannot open an engine: configuration is not UTF-8 from byte 6 on",
    );
    refuse(
        b"rails=cpu\nscheduling=single:gpu",
        "Cannot start the engine: no rail is named gpu, there are cpu",
    );
    // SAFETY: null is refused, or nothing to do.
    unsafe {
        assert_eq!(
            stripeline_engine_open(null(), null_mut()),
            STRIPELINE_NULL_POINTER
        );
        assert_eq!(last_error(), "Cannot open an engine: engine is null");
        stripeline_engine_close(null_mut());
        stripeline_future_release(null_mut());
    }
}

/// Appends the kind of an event; `context` is the list.
unsafe extern "C" fn keep_kind(context: *mut c_void, event: *const stripeline_event) {
    // SAFETY: the test passes a list that outlives the engine, and an event lives during the call.
    unsafe { (*context.cast::<Mutex<Vec<i32>>>()).lock() }
        .expect("not poisoned")
        .push(unsafe { (*event).kind });
}

#[test]
fn missing_engine_features_are_reported_by_kind() {
    let configuration = c"rails=cpu,plugin:/no/such/coder.so";
    let kinds = Mutex::new(Vec::<i32>::new());
    let (context, mut engine) = ((&raw const kinds).cast_mut().cast(), null_mut());
    // SAFETY: a text, a list that outlives the engine, room for the handle.
    unsafe {
        let status = stripeline_engine_open_with_listener(
            configuration.as_ptr(),
            Some(keep_kind),
            context,
            &mut engine,
        );
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        stripeline_engine_close(engine);
    }
    let expected = [stripeline_event_kind::STRIPELINE_EVENT_LEFT_OUT as i32];
    assert_eq!(*kinds.lock().expect("not poisoned"), expected);
}

#[test]
fn wrong_futures_are_named() {
    let (engine, other) = (OpenEngine::new("rails=cpu"), OpenEngine::new("rails=cpu"));
    let mut bench = Bench::new(LENGTH);
    let (status, future) = bench.issue(&engine, &request());
    assert_eq!(status, STRIPELINE_OK);
    let mut second = Bench::new(LENGTH);
    let (status, elsewhere) = second.issue(&other, &request());
    assert_eq!(status, STRIPELINE_OK);
    let (futures, mut index) = ([null_mut(), future], 0);
    // SAFETY: a live future and open engines; null is refused.
    unsafe {
        refused(
            stripeline_wait_any([future, elsewhere].as_ptr(), 2, -1, &mut index),
            STRIPELINE_INVALID_ARGUMENT,
            "Cannot wait for one of the futures: futures[1] belongs to another engine",
        );
        refused(
            stripeline_wait_any(futures.as_ptr(), 1, -1, &mut index),
            STRIPELINE_INVALID_ARGUMENT,
            "Cannot wait for one of the futures: there is no future in the list",
        );
        refused(
            stripeline_wait_any(futures.as_ptr(), 2, -1, null_mut()),
            STRIPELINE_NULL_POINTER,
            "Cannot wait for one of the futures: index is null",
        );
        refused(
            stripeline_wait_every(null(), 2, -1),
            STRIPELINE_NULL_POINTER,
            "Cannot wait for the futures: futures is null",
        );
        refused(
            stripeline_future_test(null()),
            STRIPELINE_NULL_POINTER,
            "Cannot test the future: future is null",
        );
        refused(
            stripeline_future_wait(null(), 0),
            STRIPELINE_NULL_POINTER,
            "Cannot wait for the future: future is null",
        );
        refused(
            stripeline_future_cancel(null()),
            STRIPELINE_NULL_POINTER,
            "Cannot cancel the task: future is null",
        );
        refused(
            stripeline_wait_all(null(), 0),
            STRIPELINE_NULL_POINTER,
            "Cannot wait for all tasks: engine is null",
        );
        assert_eq!(stripeline_engine_describe(null(), null_mut(), 0), 0);
        assert_eq!(last_error(), "Cannot describe the engine: engine is null");
        assert_eq!(stripeline_wait_every(null(), 0, -1), STRIPELINE_OK);
        for future in [future, elsewhere] {
            assert_eq!(stripeline_future_wait(future, -1), STRIPELINE_OK);
            stripeline_future_release(future);
        }
    }
}

#[test]
fn an_engine_describes_itself() {
    let engine = OpenEngine::new("rails=cpu,unheard-of\nscheduling=fcfs");
    let mut text = vec![0_u8; 10_000];
    // SAFETY: as many bytes as said.
    let bytes =
        unsafe { stripeline_engine_describe(engine.0, text.as_mut_ptr().cast(), text.len()) };
    text.truncate(bytes);
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(
        text.starts_with("{\"scheduling\":\"fcfs\",\"candidates\":[{\"name\":\"cpu\""),
        "{text}"
    );
    assert!(
        text.contains("{\"name\":\"unheard-of\",\"in\":false,\"description\":null,\"reason\":\""),
        "{text}"
    );
    assert!(text.ends_with("]}]}"), "{text}");
}
