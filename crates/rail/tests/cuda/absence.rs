// SPDX-License-Identifier: Apache-2.0
//! A machine without a driver, without a GPU, or with one that is too old.

use std::path::PathBuf;

use stripeline_rail::{Cuda, CudaSettings, MemoryKind, Rail};

use crate::mock::Mock;

fn reason(settings: &CudaSettings) -> String {
    Cuda::rails_with(settings).expect_err("there is none")
}

#[test]
fn no_library_is_a_reason() {
    let library = PathBuf::from("/no/such/libcuda.so.1");
    let settings = CudaSettings {
        library,
        ..CudaSettings::default()
    };
    let text = reason(&settings);
    assert!(
        text.starts_with("cannot load /no/such/libcuda.so.1: "),
        "{text}"
    );
}

#[test]
fn a_library_without_the_calls_is_a_reason() {
    // Any library that exists and is not a driver.
    let settings = CudaSettings {
        library: PathBuf::from("libc.so.6"),
        ..CudaSettings::default()
    };
    let text = reason(&settings);
    assert!(text.starts_with("cannot use libc.so.6: "), "{text}");
}

#[test]
fn no_device_is_a_reason() {
    let mock = Mock::new();
    mock.set("devices", 0);
    assert_eq!(
        reason(&mock.settings()),
        "cannot start the driver: no CUDA-capable device is detected (CUDA error 100)"
    );
}

#[test]
fn an_old_device_is_named_with_the_reason() {
    let mock = Mock::new();
    mock.set("capability", 61);
    let found = Cuda::rails_with(&mock.settings()).expect("a device");
    assert_eq!(found[0].name, "cuda:0");
    assert_eq!(
        found[0].rail.as_ref().expect_err("too old"),
        "cannot use Mock GPU 0: its compute capability is 6.1, at least 7.0 is needed"
    );
}

#[test]
fn several_devices_are_several_rails() {
    let mock = Mock::new();
    mock.set("devices", 2);
    let found = Cuda::rails_with(&mock.settings()).expect("devices");
    let rails: Vec<Cuda> = found
        .into_iter()
        .map(|gpu| gpu.rail.expect("both run the kernel"))
        .collect();
    assert_eq!([rails[0].name(), rails[1].name()], ["cuda:0", "cuda:1"]);
    let ordinal = 1;
    let own = MemoryKind::Device { ordinal };
    assert!(rails[1].capability().memory.contains(&own));
    assert!(!rails[0].capability().memory.contains(&own), "another's");
    assert_eq!(
        rails[1].describe(),
        "Mock GPU 1, compute capability 9.0, driver for CUDA 12.4"
    );
    assert_eq!(
        mock.get("contexts"),
        0,
        "nothing is opened before a lane is"
    );
}
