// SPDX-License-Identifier: Apache-2.0
//! The JNI functions that the natives use, with a type per Java type instead of `jobject`.
//!
//! Values of the object types are created only from arguments of natives, whose Java types the JVM
//! has checked, or by the functions here; their safety relies on this.

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;

use crate::failure::Failure;
use jni_sys::{
    JNI_ABORT, JNI_OK, JNIEnv, jclass, jfieldID, jint, jlong, jobject, jsize, jstring, jvalue,
};

/// The JNI environment of the current thread, during one native call.
#[derive(Clone, Copy)]
pub(crate) struct Env(*mut JNIEnv);

/// A `byte[][]` or `ByteBuffer[]`, not null.
#[derive(Clone, Copy)]
pub(crate) struct ObjectArray(jobject);

/// An `int[]`, not null.
#[derive(Clone, Copy)]
pub(crate) struct IntArray(jobject);

/// A `long[]`, not null.
#[derive(Clone, Copy)]
pub(crate) struct LongArray(jobject);

/// A `byte[]`, not null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteArray(jobject);

/// A `ByteBuffer`, not null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer(jobject);

/// Wraps a reference of a known Java type.
pub(crate) trait Reference: Copy {
    /// Wraps a reference that is not null.
    ///
    /// # Safety
    /// `object` must be a live reference to an object of the Java type that `Self` stands for.
    unsafe fn from_raw(object: jobject) -> Self;

    fn object(self) -> jobject;
}

/// An array.
pub(crate) trait Array: Reference {}

/// An array whose contents can be pinned.
pub(crate) trait PrimitiveArray: Array {}

macro_rules! reference {
    ($($name:ident)*) => {
        $(impl Reference for $name {
            unsafe fn from_raw(object: jobject) -> Self {
                Self(object)
            }

            fn object(self) -> jobject {
                self.0
            }
        })*
    };
}
reference!(ObjectArray IntArray LongArray ByteArray Buffer);
impl Array for ObjectArray {}
impl Array for IntArray {}
impl Array for LongArray {}
impl Array for ByteArray {}
impl PrimitiveArray for IntArray {}
impl PrimitiveArray for ByteArray {}

/// Classes and fields that are looked up once, when the library is loaded.
struct Known {
    /// Implemented by every direct buffer, read-only ones included.
    direct: jclass,
    /// The class of read-only direct `ByteBuffer`s; a write to one that maps a file read-only would
    /// fault.
    direct_read_only: jclass,
    /// `long java.nio.Buffer.address`, meaningful in direct buffers only.
    address: jfieldID,
    /// `int java.nio.Buffer.capacity`.
    capacity: jfieldID,
}

// SAFETY: global references and field ids are valid on every thread until they are deleted, which
// happens only when the library is unloaded.
unsafe impl Send for Known {}
// SAFETY: as above; nothing in it changes.
unsafe impl Sync for Known {}

static KNOWN: OnceLock<Known> = OnceLock::new();

macro_rules! call {
    ($env:expr, $version:ident, $function:ident $(, $argument:expr)*) => {
        ((**$env.0).$version.$function)($env.0 $(, $argument)*)
    };
}

impl Env {
    /// Wraps the environment that a native receives.
    ///
    /// # Safety
    /// `env` must be the current thread's, and the value must not outlive the native call.
    pub(crate) unsafe fn from_raw(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    /// Looks up the classes and fields of `java.nio` that the natives need. If the JVM lacks one of
    /// them, the exception of the failed lookup stays pending and loading the library fails.
    pub(crate) fn look_up_known(self) -> Option<()> {
        let known = Known {
            direct: self.global_class(c"sun/nio/ch/DirectBuffer")?,
            direct_read_only: self.global_class(c"java/nio/DirectByteBufferR")?,
            address: self.field(c"java/nio/Buffer", c"address", c"J")?,
            capacity: self.field(c"java/nio/Buffer", c"capacity", c"I")?,
        };
        // A second load in the same process finds the same classes of the boot loader.
        let _ = KNOWN.set(known);
        Some(())
    }

    fn global_class(self, name: &CStr) -> Option<jclass> {
        // SAFETY: a valid environment and a NUL-terminated name; the global reference is never
        // deleted, because classes of the boot loader never go.
        unsafe {
            let class = call!(self, v1_2, FindClass, name.as_ptr());
            let class = if class.is_null() {
                class
            } else {
                call!(self, v1_2, NewGlobalRef, class)
            };
            (!class.is_null()).then_some(class)
        }
    }

    fn field(self, class: &CStr, name: &CStr, signature: &CStr) -> Option<jfieldID> {
        // SAFETY: a valid environment and NUL-terminated names.
        unsafe {
            let class = call!(self, v1_2, FindClass, class.as_ptr());
            if class.is_null() {
                return None;
            }
            let field = call!(
                self,
                v1_2,
                GetFieldID,
                class,
                name.as_ptr(),
                signature.as_ptr()
            );
            (!field.is_null()).then_some(field)
        }
    }

    /// Reserves local references for that many units. Every native may hold 16 references, of which
    /// its arguments take up to 6.
    pub(crate) fn ensure_local_capacity(self, units: usize) -> Result<(), Failure> {
        let capacity = jint::try_from(units).unwrap_or(jint::MAX);
        // SAFETY: a valid environment.
        if units <= 10 || unsafe { call!(self, v1_2, EnsureLocalCapacity, capacity) } == JNI_OK {
            Ok(())
        } else {
            Err(Failure::Pending)
        }
    }

    /// Returns one entry; `None` for null. `index` must be below the length.
    ///
    /// # Safety
    /// The entries must be of the Java type that `T` stands for.
    pub(crate) unsafe fn element<T: Reference>(
        self,
        array: ObjectArray,
        index: usize,
    ) -> Option<T> {
        // SAFETY: a valid environment and array; an index beyond it would leave an exception
        // pending and return null. Entries are of the array's element type.
        unsafe {
            let element = call!(self, v1_2, GetObjectArrayElement, array.0, index as jsize);
            (!element.is_null()).then(|| T::from_raw(element))
        }
    }

    /// Returns the number of entries of an array.
    pub(crate) fn length(self, array: impl Array) -> usize {
        // SAFETY: a valid environment and array. Lengths are never negative.
        unsafe { call!(self, v1_2, GetArrayLength, array.object()) as usize }
    }

    /// Copies the first `target.len()` entries; the array must have at least as many.
    pub(crate) fn read_ints(self, array: IntArray, target: &mut [jint]) {
        let count = target.len() as jsize;
        // SAFETY: a valid environment and array, room for `count` entries; a range beyond the array
        // would leave an exception pending and `target` unchanged.
        unsafe {
            call!(
                self,
                v1_2,
                GetIntArrayRegion,
                array.0,
                0,
                count,
                target.as_mut_ptr()
            )
        };
    }

    /// Returns a copy of all bytes of an array.
    pub(crate) fn bytes(self, array: ByteArray) -> Vec<u8> {
        let mut bytes = vec![0; self.length(array)];
        self.read_bytes(array, 0, &mut bytes);
        bytes
    }

    /// Copies `target.len()` bytes at `offset`; the range must lie within the array.
    pub(crate) fn read_bytes(self, array: ByteArray, offset: usize, target: &mut [u8]) {
        let (offset, count) = (offset as jsize, target.len() as jsize);
        let target = target.as_mut_ptr().cast();
        // SAFETY: as `read_ints`.
        unsafe {
            call!(
                self,
                v1_2,
                GetByteArrayRegion,
                array.0,
                offset,
                count,
                target
            )
        };
    }

    /// Copies `source` into the array at `offset`; the range must lie within the array.
    pub(crate) fn write_bytes(self, array: ByteArray, offset: usize, source: &[u8]) {
        let (offset, count) = (offset as jsize, source.len() as jsize);
        let source = source.as_ptr().cast();
        // SAFETY: a valid environment and array; a range beyond it leaves the array unchanged.
        unsafe {
            call!(
                self,
                v1_2,
                SetByteArrayRegion,
                array.0,
                offset,
                count,
                source
            )
        };
    }

    /// Copies `source`, unsigned numbers, to the start of the array, which must be long enough.
    pub(crate) fn write_ints(self, array: IntArray, source: &[u32]) {
        let count = source.len() as jsize;
        let source = source.as_ptr().cast();
        // SAFETY: as `write_bytes`.
        unsafe { call!(self, v1_2, SetIntArrayRegion, array.0, 0, count, source) };
    }

    /// Copies `source` to the start of the array, which must be long enough.
    pub(crate) fn write_longs(self, array: LongArray, source: &[jlong]) {
        let count = source.len() as jsize;
        let source = source.as_ptr();
        // SAFETY: as `write_bytes`.
        unsafe { call!(self, v1_2, SetLongArrayRegion, array.0, 0, count, source) };
    }

    /// Returns the start and the length in bytes of a direct buffer; `None` if the buffer is not
    /// direct.
    ///
    /// Reads the fields that `GetDirectBufferAddress` and `GetDirectBufferCapacity` read. The JVM
    /// reads fields without a thread-state transition, while a type check takes about 15 ns. A
    /// buffer on an array stores 0 or an offset into that array in `address`, which is below 2^31
    /// plus an array header, so a greater address belongs to a direct buffer; for any other value
    /// the type is checked.
    pub(crate) fn direct_memory(self, buffer: Buffer) -> Option<(*mut u8, usize)> {
        let known = known();
        // SAFETY: a valid environment, buffer, classes and fields.
        unsafe {
            let address = call!(self, v1_2, GetLongField, buffer.0, known.address);
            if address <= i64::from(u32::MAX)
                && !call!(self, v1_2, IsInstanceOf, buffer.0, known.direct)
            {
                return None;
            }
            let capacity = call!(self, v1_2, GetIntField, buffer.0, known.capacity);
            Some((
                std::ptr::with_exposed_provenance_mut(address as usize),
                capacity as usize,
            ))
        }
    }

    /// Returns whether a direct buffer is read-only.
    pub(crate) fn is_read_only(self, buffer: Buffer) -> bool {
        // SAFETY: a valid environment, buffer and class.
        unsafe { call!(self, v1_2, IsInstanceOf, buffer.0, known().direct_read_only) }
    }

    /// Creates a Java string of ASCII text; returns null with an exception pending if there is no
    /// memory.
    pub(crate) fn new_string(self, text: &str) -> jstring {
        let text = ascii(text);
        // SAFETY: a valid environment; ASCII without NUL is its own modified UTF-8.
        unsafe { call!(self, v1_2, NewStringUTF, text.as_ptr()) }
    }

    /// Sets a pending exception, unless one is pending already.
    pub(crate) fn throw(self, class: &CStr, text: &str) {
        let text = ascii(text);
        // SAFETY: a valid environment; a class that is not found leaves its own exception pending.
        unsafe {
            if call!(self, v1_2, ExceptionCheck) {
                return;
            }
            let class = call!(self, v1_2, FindClass, class.as_ptr());
            if !class.is_null() {
                call!(self, v1_2, ThrowNew, class, text.as_ptr());
            }
        }
    }

    /// Sets a pending `EcException` with the number of its kind, unless an exception is pending
    /// already.
    pub(crate) fn throw_coded(self, code: jint, text: &str) {
        let text = self.new_string(text);
        if text.is_null() {
            return;
        }
        // SAFETY: a valid environment and NUL-terminated names; what is not found leaves its own
        // exception pending; the constructor takes these arguments.
        unsafe {
            let class = call!(
                self,
                v1_2,
                FindClass,
                c"org/stripeline/natives/codec/EcException".as_ptr()
            );
            if class.is_null() {
                return;
            }
            let (name, signature) = (c"<init>".as_ptr(), c"(ILjava/lang/String;)V".as_ptr());
            let constructor = call!(self, v1_2, GetMethodID, class, name, signature);
            if constructor.is_null() {
                return;
            }
            let arguments = [jvalue { i: code }, jvalue { l: text }];
            let exception = call!(
                self,
                v1_2,
                NewObjectA,
                class,
                constructor,
                arguments.as_ptr()
            );
            if !exception.is_null() {
                call!(self, v1_2, Throw, exception);
            }
        }
    }

    /// Pins an array's contents, or copies them, until [`Env::release_critical`]. Returns their
    /// start, null if there is no memory for a copy, and whether they are a copy.
    ///
    /// Between the two calls the thread must make no other JNI call, must not block and must be
    /// quick: the garbage collector may be waiting.
    pub(crate) fn critical(self, array: impl PrimitiveArray) -> (*mut c_void, bool) {
        let mut copied: u8 = 0;
        let (array, copied_out) = (array.object(), (&raw mut copied).cast());
        // SAFETY: a valid environment and primitive array, room for one `jboolean`.
        let start = unsafe { call!(self, v1_2, GetPrimitiveArrayCritical, array, copied_out) };
        (start, copied != 0)
    }

    /// Ends the section that [`Env::critical`] began. `keep` writes a copy back; writes to a pinned
    /// array take effect in either case.
    ///
    /// # Safety
    /// `start` must be what [`Env::critical`] returned for `array`, not null and not yet released.
    pub(crate) unsafe fn release_critical(
        self,
        array: impl PrimitiveArray,
        start: *mut c_void,
        keep: bool,
    ) {
        let mode = if keep { 0 } else { JNI_ABORT };
        // SAFETY: a valid environment; array and start as the caller guarantees.
        unsafe {
            call!(
                self,
                v1_2,
                ReleasePrimitiveArrayCritical,
                array.object(),
                start,
                mode
            )
        };
    }

    /// Returns whether two references refer to the same array.
    pub(crate) fn same_array(self, one: ByteArray, other: ByteArray) -> bool {
        // SAFETY: a valid environment and references.
        unsafe { call!(self, v1_2, IsSameObject, one.0, other.0) }
    }
}

fn known() -> &'static Known {
    KNOWN
        .get()
        .expect("JNI_OnLoad fails where the lookup fails, and no native runs before it")
}

/// Converts a text to ASCII. All texts are ASCII by construction, except those of panics.
fn ascii(text: &str) -> CString {
    let bytes: Vec<u8> = text
        .chars()
        .map(|c| {
            if c.is_ascii() && c != '\0' {
                c as u8
            } else {
                b'?'
            }
        })
        .collect();
    CString::new(bytes).expect("NUL was replaced")
}
