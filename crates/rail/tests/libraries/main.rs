// SPDX-License-Identifier: Apache-2.0
//! Rails over libraries of the system, and over plug-ins that the tests compile.

mod compiled;
mod discover;
mod isal;
mod known_answers;
mod peers;
mod plugin;
