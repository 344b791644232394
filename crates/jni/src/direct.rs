// SPDX-License-Identifier: Apache-2.0
//! Units in direct buffers.

use crate::arguments::{Absence, Pointers, Step, Units};
use crate::env::{Buffer, Env};
use crate::failure::Failure;

/// The start addresses of the units of both lists.
pub(crate) struct Memory {
    pub(crate) inputs: Pointers,
    pub(crate) outputs: Pointers,
}

/// Runs `step` once, over whole units.
///
/// # Safety
/// The entries of both lists must be `ByteBuffer`s.
pub(crate) unsafe fn run(
    env: Env,
    inputs: &Units,
    absence: Absence,
    outputs: &Units,
    length: usize,
    step: &mut Step<'_>,
) -> Result<(), Failure> {
    let mut memory = Memory {
        inputs: Pointers::new(),
        outputs: Pointers::new(),
    };
    // SAFETY: as the caller guarantees.
    unsafe { memory.resolve(env, inputs, absence, outputs, length)? };
    step(&memory.inputs, &memory.outputs, length).map(|_| ())
}

impl Memory {
    /// Resolves and checks the memory of all units.
    ///
    /// # Safety
    /// The entries of both lists must be `ByteBuffer`s.
    pub(crate) unsafe fn resolve(
        &mut self,
        env: Env,
        inputs: &Units,
        absence: Absence,
        outputs: &Units,
        length: usize,
    ) -> Result<(), Failure> {
        for index in 0..inputs.count() {
            // SAFETY: as the caller guarantees.
            self.inputs
                .push(match unsafe { inputs.element::<Buffer>(env, index) } {
                    Some(buffer) => start(env, inputs, index, buffer, length)?,
                    None if absence == Absence::Allowed => std::ptr::null(),
                    None => return Err(inputs.refuse(index, "is null")),
                });
        }
        for index in 0..outputs.count() {
            // SAFETY: as the caller guarantees.
            let buffer = unsafe { outputs.element::<Buffer>(env, index) };
            let buffer = buffer.ok_or_else(|| outputs.refuse(index, "is null"))?;
            self.outputs
                .push(start(env, outputs, index, buffer, length)?);
            if env.is_read_only(buffer) {
                return Err(outputs.refuse(index, "is read-only"));
            }
        }
        Units::check_disjoint((inputs, &self.inputs), (outputs, &self.outputs), length)
    }
}

fn start(
    env: Env,
    units: &Units,
    index: usize,
    buffer: Buffer,
    length: usize,
) -> Result<*const u8, Failure> {
    let Some((address, capacity)) = env.direct_memory(buffer) else {
        return Err(units.refuse(index, "is not a direct buffer"));
    };
    let position = units.position(index, length, capacity)?;
    if address.is_null() && length > 0 {
        return Err(units.refuse(index, "has no memory"));
    }
    // The address of an empty slice must not be null either.
    let address = if address.is_null() {
        std::ptr::dangling_mut()
    } else {
        address
    };
    Ok(address.wrapping_add(position).cast_const())
}
