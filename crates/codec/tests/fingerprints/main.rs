// SPDX-License-Identifier: Apache-2.0
//! Fingerprints and the location of wrong blocks, against the oracle.

mod boundary;
mod definition;
mod location;
mod refusals;
mod support;
