// SPDX-License-Identifier: Apache-2.0
//! Delivery of an engine's events to a C function.

use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, PoisonError, RwLock};

use ::stripeline_engine::{Event, EventKind, Listener};

/// Kinds of events. Values are never reused; later versions may add some.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_event_kind {
    /// A kind that this version of the interface has no name for.
    STRIPELINE_EVENT_OTHER = 0,
    /// A rail failed or did not answer and receives no tasks for some time.
    STRIPELINE_EVENT_QUARANTINED = 1,
    /// A rail wrote wrong bytes; the stripe was computed again.
    STRIPELINE_EVENT_WRONG_BYTES = 2,
    /// A rail computes correct results again.
    STRIPELINE_EVENT_RESTORED = 3,
    /// A rail that was found or named cannot be used: its results were wrong or it does not load.
    STRIPELINE_EVENT_LEFT_OUT = 4,
    /// CPUs are not shared with the other processes of the node: this process applies only its own
    /// limit.
    STRIPELINE_EVENT_ALONE = 5,
    /// CPUs are shared with the other processes of the node again.
    STRIPELINE_EVENT_SHARED = 6,
}

/// An event for operators. It is valid until the listener returns.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct stripeline_event {
    /// How many bytes of this structure the library has filled.
    pub size: usize,
    /// A stripeline_event_kind.
    pub kind: i32,
    /// The name of the rail concerned, in UTF-8, or `node`.
    pub rail: *const c_char,
    /// One line for a log, in UTF-8.
    pub text: *const c_char,
}

/// Receives events, on the thread that detected them, possibly on several threads at the same time.
/// It must return quickly, must not close the engine and must not throw.
///
/// @param context  as given to stripeline_engine_open_with_listener()
/// @param event    what happened
#[allow(non_camel_case_types, reason = "the name in C")]
pub type stripeline_listener =
    Option<unsafe extern "C" fn(context: *mut c_void, event: *const stripeline_event)>;

/// A listener that can be stopped: closing an engine leaves hanging rails behind, which may report
/// events later.
#[derive(Clone, Debug)]
pub(crate) struct Listening(Arc<RwLock<Target>>);

#[derive(Debug)]
struct Target {
    listener: stripeline_listener,
    context: *mut c_void,
}

// SAFETY: the caller of `stripeline_engine_open_with_listener` lends function and context to
// every thread until the engine is closed.
unsafe impl Send for Target {}
// SAFETY: as for `Send`.
unsafe impl Sync for Target {}

impl Listening {
    pub(crate) fn new(listener: stripeline_listener, context: *mut c_void) -> Self {
        Self(Arc::new(RwLock::new(Target { listener, context })))
    }

    /// Returns the engine's side.
    pub(crate) fn listener(&self) -> Listener {
        let target = Arc::clone(&self.0);
        Arc::new(move |event: &Event| {
            let target = target.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(listener) = target.listener {
                tell(listener, target.context, event);
            }
        })
    }

    /// Stops the listener: it does not run when this returns, nor later.
    pub(crate) fn stop(&self) {
        let mut target = self.0.write().unwrap_or_else(PoisonError::into_inner);
        target.listener = None;
    }
}

fn tell(
    listener: unsafe extern "C" fn(*mut c_void, *const stripeline_event),
    context: *mut c_void,
    event: &Event,
) {
    use stripeline_event_kind::*;
    let kind = match event.kind {
        EventKind::Quarantined => STRIPELINE_EVENT_QUARANTINED,
        EventKind::WrongBytes => STRIPELINE_EVENT_WRONG_BYTES,
        EventKind::Restored => STRIPELINE_EVENT_RESTORED,
        EventKind::LeftOut => STRIPELINE_EVENT_LEFT_OUT,
        EventKind::Alone => STRIPELINE_EVENT_ALONE,
        EventKind::Shared => STRIPELINE_EVENT_SHARED,
        _ => STRIPELINE_EVENT_OTHER,
    };
    // The text of a rail in a shared library may contain any character.
    let text = |text: &str| CString::new(text.replace('\0', " ")).expect("no NUL is left");
    let (rail, text) = (text(&event.rail), text(&event.text));
    let event = stripeline_event {
        size: size_of::<stripeline_event>(),
        kind: kind as i32,
        rail: rail.as_ptr(),
        text: text.as_ptr(),
    };
    // SAFETY: the caller guarantees function and context until the engine is closed; `stop` keeps
    // this from running later.
    unsafe { listener(context, &raw const event) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    unsafe extern "C" fn remember(context: *mut c_void, event: *const stripeline_event) {
        // SAFETY: the tests pass a list of texts, and an event lives during the call.
        unsafe {
            let texts = &mut *context.cast::<Vec<String>>();
            let event = &*event;
            assert_eq!(event.size, size_of::<stripeline_event>());
            let text = |text| CStr::from_ptr(text).to_str().expect("UTF-8");
            texts.push(format!(
                "{} {} {}",
                event.kind,
                text(event.rail),
                text(event.text)
            ));
        }
    }

    #[test]
    fn events_arrive_until_the_listener_is_stopped() {
        let mut texts = Vec::<String>::new();
        let listening = Listening::new(Some(remember), (&raw mut texts).cast());
        let listener = listening.listener();
        let event = |kind| Event {
            rail: "gpu".to_owned(),
            kind,
            text: "Cannot\0wait".to_owned(),
        };
        let kinds = [
            EventKind::Quarantined,
            EventKind::WrongBytes,
            EventKind::Restored,
            EventKind::LeftOut,
            EventKind::Alone,
            EventKind::Shared,
        ];
        kinds.map(event).iter().for_each(|event| listener(event));
        listening.stop();
        listener(&event(EventKind::Restored));
        // The values are those of the interface, so they are written as numbers.
        let expected = [1, 2, 3, 4, 5, 6].map(|kind| format!("{kind} gpu Cannot wait"));
        assert_eq!(texts, expected);
    }
}
