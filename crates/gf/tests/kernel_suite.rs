// SPDX-License-Identifier: Apache-2.0
//! The kernel suite on every instruction set that this machine supports.

use stripeline_testkit::{kernel_suite, on_every_isa};

#[test]
fn every_product() {
    on_every_isa(kernel_suite::every_product);
}

#[test]
fn every_length() {
    on_every_isa(kernel_suite::every_length);
}

#[test]
fn every_alignment() {
    on_every_isa(kernel_suite::every_alignment);
}

#[test]
fn every_shape() {
    on_every_isa(kernel_suite::every_shape);
}

#[test]
fn long_buffers() {
    on_every_isa(kernel_suite::long_buffers);
}

#[test]
fn xors() {
    on_every_isa(kernel_suite::xors);
}

#[test]
fn row_sums() {
    on_every_isa(kernel_suite::row_sums);
}

#[test]
fn wrong_shapes() {
    on_every_isa(kernel_suite::wrong_shapes);
}

#[test]
fn checksums() {
    on_every_isa(kernel_suite::whole_checksums);
    on_every_isa(kernel_suite::chunk_checksums);
    on_every_isa(kernel_suite::fused_checksums);
}
