// SPDX-License-Identifier: Apache-2.0
//! The wrapper that every native runs in, and the exceptions that it throws.

use std::ffi::CStr;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jni_sys::{jint, jstring};
use stripeline_boundary::{Refusal, panic_text};
use stripeline_codec::{Error, ErrorKind};
use stripeline_engine::tuning::TableError;

use crate::env::Env;

/// The reason why a native throws.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The codec refused the call; its text is complete.
    Codec(Error),
    /// Memory that may not be used; the text does not include "Cannot <operation>".
    Memory(Refusal),
    /// Any other wrong argument; the text does not include "Cannot <operation>".
    Argument(String),
    /// A tuning table cannot be read or written; its text is complete.
    Table(TableError),
    /// The engine refused the call, or the task failed; the text is complete.
    Engine(stripeline_engine::Error),
    /// No such engine is open.
    EngineClosed,
    /// No memory for a copy of an array.
    NoMemory,
    /// The JVM has left an exception pending.
    Pending,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Codec(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Memory(refusal)
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl From<stripeline_engine::Error> for Failure {
    fn from(error: stripeline_engine::Error) -> Self {
        match error.kind() {
            stripeline_engine::ErrorKind::Closed => Self::EngineClosed,
            _ => Self::Engine(error),
        }
    }
}

/// Returns the number of an engine's error: the status of the C interface; `EcExceptionTest`
/// compares them.
pub(crate) fn code_of(error: &stripeline_engine::Error) -> jint {
    use stripeline_engine::ErrorKind as Kind;
    match error.kind() {
        Kind::Busy => 14,
        Kind::Cancelled => 15,
        Kind::DeadlineExceeded => 16,
        Kind::NoRail => 17,
        Kind::Failed => 18,
        Kind::Closed => 19,
        Kind::Configuration => 20,
        _ => INTERNAL,
    }
}

/// The number of an error that has no number of its own in this version.
const INTERNAL: jint = 1;

impl Failure {
    pub(crate) fn argument(text: impl fmt::Display) -> Self {
        Self::Argument(text.to_string())
    }

    fn exception(&self) -> &'static CStr {
        match self {
            Self::Codec(error) => exception_of(error.kind()),
            Self::Engine(error) => error
                .codec_kind()
                .map_or(c"java/io/IOException", exception_of),
            Self::EngineClosed => c"java/lang/IllegalStateException",
            Self::Memory(_) | Self::Argument(_) | Self::Table(_) => {
                c"java/lang/IllegalArgumentException"
            }
            Self::NoMemory | Self::Pending => c"java/lang/OutOfMemoryError",
        }
    }

    pub(crate) fn text(&self, operation: &str) -> String {
        match self {
            Self::Codec(error) => error.to_string(),
            Self::Memory(refusal) => format!("Cannot {operation}: {refusal}"),
            Self::Argument(text) => format!("Cannot {operation}: {text}"),
            Self::Table(error) => error.to_string(),
            Self::Engine(error) => error.to_string(),
            Self::EngineClosed => format!("Cannot {operation}: the engine is closed"),
            Self::NoMemory | Self::Pending => {
                format!("Cannot {operation}: the JVM has no memory for an array's contents")
            }
        }
    }
}

fn exception_of(kind: ErrorKind) -> &'static CStr {
    match kind {
        ErrorKind::InvalidParameters
        | ErrorKind::CountMismatch
        | ErrorKind::LengthMismatch
        | ErrorKind::TooManyErasures
        | ErrorKind::InvalidErasure
        | ErrorKind::InvalidUnit
        | ErrorKind::InvalidChecksums => c"java/lang/IllegalArgumentException",
        _ => c"java/io/IOException",
    }
}

/// Runs the body of a native. An error or a panic becomes a pending exception and the default
/// result, which the JVM discards.
///
/// Unwinding into the JVM would end the process. The assertion of unwind safety is sound here: the
/// only state that a body shares with later calls is the codec, whose cache entries are replaced as
/// a whole.
pub(crate) fn guard<T>(
    env: Env,
    operation: &str,
    default: T,
    body: impl FnOnce() -> Result<T, Failure>,
) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(result)) => return result,
        Ok(Err(Failure::Engine(error))) if error.codec_kind().is_none() => {
            env.throw_coded(code_of(&error), &error.to_string());
        }
        // `throw` does not replace a pending exception.
        Ok(Err(failure)) => env.throw(failure.exception(), &failure.text(operation)),
        Err(payload) => {
            let text = format!(
                "Cannot {operation}: panic: {}",
                panic_text(payload.as_ref())
            );
            env.throw(c"java/lang/IllegalStateException", &text);
        }
    }
    default
}

/// Creates the Java string that a native returns, null if there is no text.
pub(crate) fn string(env: Env, text: Option<String>) -> Result<jstring, Failure> {
    let Some(text) = text else {
        return Ok(std::ptr::null_mut());
    };
    let string = env.new_string(&text);
    match string.is_null() {
        true => Err(Failure::Pending),
        false => Ok(string),
    }
}

/// Defines exported functions: for each native method its Java signature as documentation, its name
/// and arguments after the environment and the class, the operation as messages name it, the result
/// that the JVM discards when an exception is pending, and the body, which [`guard`] runs.
macro_rules! natives {
    ($env:ident; $(
        $(#[$doc:meta])+
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty;
        $operation:expr, $discarded:expr => $body:expr
    )+) => { $(
        $(#[$doc])+
        ///
        /// # Safety
        /// Only the JVM calls it.
        #[allow(clippy::too_many_arguments, reason = "they are the native's")]
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn $name(
            env: *mut jni_sys::JNIEnv, _class: jni_sys::jclass $(, $argument: $type)*
        ) -> $result {
            // SAFETY: the environment of this call.
            let $env = unsafe { $crate::env::Env::from_raw(env) };
            $crate::failure::guard($env, $operation, $discarded, || $body)
        }
    )+ };
}
pub(crate) use natives;
