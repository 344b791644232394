// SPDX-License-Identifier: Apache-2.0
//! The GPUs of a driver.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;
use std::time::Duration;

use super::driver::Driver;
use super::primary::Primary;
use super::status;
use crate::{Fault, FaultKind};

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
const MULTIPROCESSORS: c_int = 16;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`.
const CAPABILITY_MAJOR: c_int = 75;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR`.
const CAPABILITY_MINOR: c_int = 76;

/// The least compute capability that the embedded kernel supports, as `.target` in `kernel.ptx`.
const CAPABILITY_MIN: (c_int, c_int) = (7, 0);

/// One GPU.
#[derive(Debug)]
pub(super) struct Device {
    pub driver: Arc<Driver>,
    /// The state of its primary context.
    pub primary: Arc<Primary>,
    /// The device's number in the driver's order.
    pub ordinal: u16,
    /// The identifier for the driver's calls.
    pub id: c_int,
    pub name: String,
    pub capability: (c_int, c_int),
    pub multiprocessors: u32,
}

impl Device {
    /// Returns the number of devices of the driver.
    pub fn count(driver: &Driver) -> Result<u16, Fault> {
        let mut count = 0;
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (driver.functions.device_count)(&raw mut count) };
        driver.check("count the devices", status)?;
        Ok(u16::try_from(count).unwrap_or(0))
    }

    /// Opens the device of this number.
    ///
    /// # Errors
    /// If the device does not answer or cannot run the kernel.
    pub fn new(driver: &Arc<Driver>, ordinal: u16) -> Result<Arc<Self>, Fault> {
        let mut id = 0;
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (driver.functions.device)(&raw mut id, c_int::from(ordinal)) };
        driver.check("open the device", status)?;
        let attribute = |attribute| attribute_of(driver, id, attribute);
        let capability = (attribute(CAPABILITY_MAJOR)?, attribute(CAPABILITY_MINOR)?);
        let name = name_of(driver, id)?;
        if capability < CAPABILITY_MIN {
            let ((major, minor), (least, _)) = (capability, CAPABILITY_MIN);
            let text = format!(
                "cannot use {name}: its compute capability is {major}.{minor}, at least {least}.0 \
                 is needed"
            );
            return Err(Fault::new(FaultKind::Gone, text));
        }
        Ok(Arc::new(Self {
            driver: Arc::clone(driver),
            primary: Primary::of(driver.identity(), ordinal),
            ordinal,
            id,
            name,
            capability,
            multiprocessors: u32::try_from(attribute(MULTIPROCESSORS)?).unwrap_or(1),
        }))
    }

    /// Ends the primary context of this generation.
    ///
    /// # Errors
    /// As [`Primary::end`].
    pub fn end_context(&self, generation: u64, limit: Duration) -> Result<(), Fault> {
        let (driver, id) = (Arc::clone(&self.driver), self.id);
        self.primary.end(generation, limit, move || {
            // SAFETY: all users of the context see that it ends before they use its objects.
            let answer = unsafe { (driver.functions.context_reset)(id) };
            match status::ends_all_work(answer) {
                true => Ok(()),
                false => driver.check("end the device's context", answer),
            }
        })
    }
}

fn attribute_of(driver: &Driver, id: c_int, attribute: c_int) -> Result<c_int, Fault> {
    let mut value = 0;
    // SAFETY: the result goes to a local variable.
    let status = unsafe { (driver.functions.device_attribute)(&raw mut value, attribute, id) };
    driver
        .check("read the properties of the device", status)
        .map(|()| value)
}

fn name_of(driver: &Driver, id: c_int) -> Result<String, Fault> {
    let mut name: [c_char; 256] = [0; 256];
    // SAFETY: the driver writes at most the given number of bytes, ending with a 0.
    let status =
        unsafe { (driver.functions.device_name)(name.as_mut_ptr(), name.len() as c_int - 1, id) };
    driver.check("read the name of the device", status)?;
    // SAFETY: the last byte was not part of the driver's buffer and is 0.
    let text = unsafe { CStr::from_ptr(name.as_ptr()) };
    Ok(text.to_string_lossy().into_owned())
}
