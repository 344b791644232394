// SPDX-License-Identifier: Apache-2.0
//! Loads a plug-in, validates everything that can be checked, and calls it.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr::null_mut;

use libloading::Library;

use super::abandoned::Abandoned;
use super::abi;
use super::limits::Limits;
use super::owned_product::OwnedProduct;
use super::{LoadError, NAME_BYTES_MAX};
use crate::{Fault, FaultKind};

const DESCRIPTION_BYTES_MAX: usize = 255;

/// Bytes of the buffer for a plug-in's error text.
const ERROR_BYTES: usize = 256;

pub(super) type Run =
    unsafe extern "C" fn(*mut c_void, *const abi::Product, *mut abi::Mismatch) -> i32;
pub(super) type Submit = unsafe extern "C" fn(*mut c_void, u64, *const abi::Product) -> i32;
pub(super) type Poll = unsafe extern "C" fn(*mut c_void, u32, *mut abi::Completion, u32) -> i32;

/// How a plug-in is called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Blocking(Run),
    Asynchronous(Submit, Poll),
}

/// A loaded plug-in.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) limits: Limits,
    pub(super) method: Method,
    pub(super) abandoned: Abandoned,
    open_lane: unsafe extern "C" fn(*mut *mut c_void) -> i32,
    close_lane: unsafe extern "C" fn(*mut c_void),
    cancel: Option<unsafe extern "C" fn(*mut c_void, u64) -> i32>,
    last_error: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize)>,
}

/// The reason why a lane can no longer be used.
#[derive(Debug)]
pub(super) enum Broken {
    /// The plug-in reports that the lane is unusable; it no longer accesses any buffer.
    Lost(String),
    /// The plug-in broke a rule, so none of its reports is trusted.
    Rule(String),
}

/// A plug-in's handle of a lane.
#[derive(Debug)]
pub(super) struct Handle(*mut c_void);

// SAFETY: the interface requires that a lane is used by one thread at a time, not always by the
// same one.
unsafe impl Send for Handle {}

impl Loaded {
    pub(super) fn load(path: &Path) -> Result<Self, LoadError> {
        // SAFETY: the operator who configured the library guarantees its initialisers.
        let library = unsafe { Library::new(path) };
        let library = library.map_err(|error| LoadError::Absent(error.to_string()))?;
        // A library that has started threads, or is hanging, cannot be unloaded.
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the name is this interface's own, so the symbol has its type.
        let entry = unsafe { library.get::<abi::Entry>(b"stripeline_plugin\0") };
        let lacks = "it does not export stripeline_plugin";
        let entry = entry
            .ok()
            .and_then(|entry| *entry)
            .ok_or_else(|| invalid(lacks))?;
        // SAFETY: an entry function accepts any version.
        let table = unsafe { entry(abi::STRIPELINE_PLUGIN_ABI) };
        // SAFETY: the entry function returned the pointer.
        let table = unsafe { read_table(table) }.map_err(LoadError::Invalid)?;
        // SAFETY: the pointers are those of the plug-in's table.
        unsafe { Self::of(&table) }.map_err(LoadError::Invalid)
    }

    /// # Safety
    /// The pointers of the table are null or as the interface requires, for the life of the
    /// process.
    unsafe fn of(table: &abi::Table) -> Result<Self, String> {
        // SAFETY: the caller upholds the same contract, for each of them.
        let (name, description, capability) = unsafe {
            (
                text(table.name, NAME_BYTES_MAX)?.ok_or("its name is null")?,
                text(table.description, DESCRIPTION_BYTES_MAX)?,
                read_capability(table.capability)?,
            )
        };
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        if name.is_empty() || !name.bytes().all(allowed) {
            return Err(format!("its name {name:?} is not of a-z, 0-9, - and _"));
        }
        let method = match (table.run, table.submit, table.poll) {
            (Some(run), None, None) => Method::Blocking(run),
            (None, Some(submit), Some(poll)) => Method::Asynchronous(submit, poll),
            _ => return Err("it has neither only run nor only submit and poll".to_owned()),
        };
        Ok(Self {
            name,
            description: description.unwrap_or_default(),
            limits: Limits::check(capability)?,
            method,
            abandoned: Abandoned::default(),
            open_lane: table.open_lane.ok_or("its open_lane is null")?,
            close_lane: table.close_lane.ok_or("its close_lane is null")?,
            cancel: table.cancel,
            last_error: table.last_error,
        })
    }

    pub(super) fn open(&self) -> Result<Handle, Fault> {
        let mut handle = Handle(null_mut());
        // SAFETY: the plug-in stores a pointer there.
        let status = unsafe { (self.open_lane)(&mut handle.0) };
        match status {
            abi::STRIPELINE_PLUGIN_DONE => Ok(handle),
            _ => Err(self.fault(&Handle(null_mut()), status)),
        }
    }

    /// Closes a lane that has nothing in flight.
    pub(super) fn close(&self, lane: Handle) {
        // SAFETY: a lane of this plug-in, given back once.
        unsafe { (self.close_lane)(lane.0) };
    }

    /// Runs a product on a blocking plug-in.
    pub(super) fn run(
        &self,
        run: Run,
        lane: &mut Handle,
        product: &OwnedProduct,
    ) -> (i32, abi::Mismatch) {
        let mut mismatch = SOUND;
        // SAFETY: a lane of this plug-in on one thread; the product lives through the call.
        let status = unsafe { run(lane.0, product.as_abi(), &mut mismatch) };
        (status, mismatch)
    }

    /// # Safety
    /// The product and its buffers stay where they are until the ticket has completed or was
    /// finally cancelled.
    pub(super) unsafe fn submit(
        &self,
        submit: Submit,
        lane: &mut Handle,
        ticket: u64,
        product: &OwnedProduct,
    ) -> i32 {
        // SAFETY: a lane of this plug-in on one thread; the product lives as the caller promised.
        unsafe { submit(lane.0, ticket, product.as_abi()) }
    }

    /// Fetches as many completions as fit; returns an error if the plug-in's result is out of
    /// range.
    pub(super) fn poll(
        &self,
        poll: Poll,
        lane: &mut Handle,
        timeout_us: u32,
        completions: &mut [abi::Completion],
    ) -> Result<usize, Broken> {
        let room = completions.len() as u32;
        // SAFETY: a lane of this plug-in on one thread, and room for the given number of
        // completions.
        let count = unsafe { poll(lane.0, timeout_us, completions.as_mut_ptr(), room) };
        match usize::try_from(count) {
            Err(_) => {
                let reason = self.reason(lane);
                Err(Broken::Lost(format!("poll returned {count}: {reason}")))
            }
            Ok(count) if count > completions.len() => Err(Broken::Rule(format!(
                "poll returned {count} completions, room was for {room}"
            ))),
            Ok(count) => Ok(count),
        }
    }

    /// Returns whether the plug-in cancelled the ticket.
    pub(super) fn cancel(&self, lane: &mut Handle, ticket: u64) -> bool {
        // SAFETY: a lane of this plug-in on one thread.
        self.cancel
            .is_some_and(|cancel| unsafe { cancel(lane.0, ticket) } == 0)
    }

    /// Converts a status other than `DONE` to a fault.
    pub(super) fn fault(&self, lane: &Handle, status: i32) -> Fault {
        let kind = match status {
            abi::STRIPELINE_PLUGIN_REFUSED => FaultKind::Refused,
            abi::STRIPELINE_PLUGIN_GONE => FaultKind::Gone,
            _ => FaultKind::Failed,
        };
        Fault::new(kind, format!("status {status}: {}", self.reason(lane)))
    }

    fn reason(&self, lane: &Handle) -> String {
        let mut bytes = [0u8; ERROR_BYTES];
        if let Some(last_error) = self.last_error {
            // SAFETY: there is room for the given number of bytes.
            unsafe { last_error(lane.0, bytes.as_mut_ptr().cast(), ERROR_BYTES) };
        }
        bytes[ERROR_BYTES - 1] = 0;
        let text = CStr::from_bytes_until_nul(&bytes).expect("the last byte is 0");
        match text.is_empty() {
            true => "no reason given".to_owned(),
            false => text.to_string_lossy().into_owned(),
        }
    }
}

/// The initial value of a comparison's result.
pub(super) const SOUND: abi::Mismatch = abi::Mismatch {
    offset: 0,
    row: abi::STRIPELINE_PLUGIN_SOUND,
    reserved: 0,
};

fn invalid(reason: &str) -> LoadError {
    LoadError::Invalid(reason.to_owned())
}

/// # Safety
/// The pointer is null, or points to a size and a version, and to a complete table if these are
/// valid.
unsafe fn read_table(table: *const abi::Table) -> Result<abi::Table, String> {
    let version = abi::STRIPELINE_PLUGIN_ABI;
    if table.is_null() {
        return Err(format!(
            "it does not support version {version} of the interface"
        ));
    }
    if !table.is_aligned() {
        return Err(format!("its table is at the misaligned address {table:?}"));
    }
    // SAFETY: the caller upholds the same contract; only these two fields are read before they are
    // checked.
    let (size, spoken) = unsafe { ((*table).size_bytes, (*table).abi_version) };
    if spoken != version {
        return Err(format!(
            "it has version {spoken} of the interface, not {version}"
        ));
    }
    sized::<abi::Table>("table", size)?;
    // SAFETY: a whole table.
    Ok(unsafe { *table })
}

/// # Safety
/// As for `read_table`, of a capability.
unsafe fn read_capability(given: *const abi::Capability) -> Result<abi::Capability, String> {
    if given.is_null() || !given.is_aligned() {
        return Err(format!(
            "its capability is at the invalid address {given:?}"
        ));
    }
    // SAFETY: the caller upholds the same contract; the size comes first.
    sized::<abi::Capability>("capability", unsafe { (*given).size_bytes })?;
    // SAFETY: a whole capability.
    Ok(unsafe { *given })
}

fn sized<T>(name: &str, size: u32) -> Result<(), String> {
    let least = size_of::<T>();
    match size as usize >= least {
        true => Ok(()),
        false => Err(format!("its {name} has {size} bytes, not {least} or more")),
    }
}

/// Returns a text of at most `bytes_max` bytes.
///
/// # Safety
/// The pointer is null, or points to bytes that end in a 0 or are more than `bytes_max`.
unsafe fn text(start: *const c_char, bytes_max: usize) -> Result<Option<String>, String> {
    if start.is_null() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    loop {
        // SAFETY: no byte up to here was 0, so there is one more.
        let byte = unsafe { *start.add(bytes.len()) } as u8;
        if byte == 0 {
            break;
        }
        bytes.push(byte);
        if bytes.len() > bytes_max {
            return Err(format!("one of its texts has more than {bytes_max} bytes"));
        }
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| "one of its texts is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use std::ptr::null;

    use super::*;

    unsafe extern "C" fn open_lane(_: *mut *mut c_void) -> i32 {
        0
    }

    unsafe extern "C" fn close_lane(_: *mut c_void) {}

    unsafe extern "C" fn run(_: *mut c_void, _: *const abi::Product, _: *mut abi::Mismatch) -> i32 {
        0
    }

    unsafe extern "C" fn submit(_: *mut c_void, _: u64, _: *const abi::Product) -> i32 {
        0
    }

    static CAPABILITY: abi::Capability = abi::Capability {
        size_bytes: size_of::<abi::Capability>() as u32,
        device: 0,
        flags: 0,
        inputs_max: 1,
        outputs_max: 1,
        granule_bytes: 1,
        alignment_bytes: 1,
        lanes: 1,
        depth: 1,
        piece_bytes: 1,
    };

    fn table() -> abi::Table {
        abi::Table {
            size_bytes: size_of::<abi::Table>() as u32,
            abi_version: abi::STRIPELINE_PLUGIN_ABI,
            name: c"good-name_1".as_ptr(),
            description: null(),
            capability: &raw const CAPABILITY,
            open_lane: Some(open_lane),
            close_lane: Some(close_lane),
            run: Some(run),
            submit: None,
            poll: None,
            cancel: None,
            last_error: None,
        }
    }

    #[test]
    fn tables_that_break_a_rule_are_refused() {
        let small = abi::Capability {
            size_bytes: 12,
            ..CAPABILITY
        };
        let long = c"a-name-that-is-longer-than-any-name-may-be";
        type Change<'a> = &'a dyn Fn(&mut abi::Table);
        let cases: [(Change<'_>, &str); 11] = [
            (
                &|t| t.size_bytes = 16,
                "its table has 16 bytes, not 88 or more",
            ),
            (
                &|t| t.abi_version = 2,
                "it has version 2 of the interface, not 1",
            ),
            (&|t| t.name = null(), "its name is null"),
            (
                &|t| t.name = c"".as_ptr(),
                "its name \"\" is not of a-z, 0-9, - and _",
            ),
            (
                &|t| t.name = c"Da Ta".as_ptr(),
                "its name \"Da Ta\" is not of a-z, 0-9, - and _",
            ),
            (
                &|t| t.name = long.as_ptr(),
                "one of its texts has more than 32 bytes",
            ),
            (
                &|t| t.description = c"\xff".as_ptr(),
                "one of its texts is not UTF-8",
            ),
            (
                &|t| t.capability = null(),
                "its capability is at the invalid address 0x0",
            ),
            (
                &|t| t.capability = &raw const small,
                "its capability has 12 bytes, not 48 or more",
            ),
            (
                &|t| t.submit = Some(submit),
                "it has neither only run nor only submit and poll",
            ),
            (&|t| t.close_lane = None, "its close_lane is null"),
        ];
        for (change, reason) in cases {
            let mut table = table();
            change(&mut table);
            // SAFETY: all pointers are null or as the interface requires.
            let read = unsafe { read_table(&raw const table) };
            // SAFETY: as above.
            let refused = read.and_then(|table| unsafe { Loaded::of(&table) });
            assert_eq!(refused.expect_err(reason), reason);
        }
        // SAFETY: null is a valid argument.
        let refused = unsafe { read_table(null()) }.expect_err("null");
        assert_eq!(refused, "it does not support version 1 of the interface");
    }

    #[test]
    fn longer_tables_of_later_releases_are_read() {
        let mut table = table();
        table.size_bytes += 64;
        // SAFETY: as in the other test; only the known part is read.
        let loaded = unsafe { read_table(&raw const table).and_then(|table| Loaded::of(&table)) };
        assert_eq!(loaded.expect("in order").name, "good-name_1");
    }
}
