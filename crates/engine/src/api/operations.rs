// SPDX-License-Identifier: Apache-2.0
//! The four operations on borrowed slices, and on owned units that come back.

use std::fmt;
use std::time::Duration;

use stripeline_codec::{Codec, Verdict};
use stripeline_rail::owned::{Pending, UnitBuffer, Units};
use stripeline_rail::{Piece, borrowed, owned};

use crate::api::engine::{Engine, Rejected};
use crate::api::error::Error;
use crate::api::request::Request;
use crate::api::ticket::Ticket;
use crate::core::task::Outcome;

/// An issued task that owns its units until it has ended.
#[derive(Debug)]
pub struct Issued<B = Vec<u8>> {
    ticket: Ticket,
    units: Pending<B>,
}

/// A task that was not issued, with its units.
#[derive(Debug)]
pub struct NotIssued<B = Vec<u8>> {
    /// The reason.
    pub error: Error,
    /// The units, untouched.
    pub units: Units<B>,
}

impl<B> fmt::Display for NotIssued<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl<B: fmt::Debug> std::error::Error for NotIssued<B> {}

impl<B> From<NotIssued<B>> for Error {
    fn from(refused: NotIssued<B>) -> Self {
        refused.error
    }
}

impl<B> From<owned::Refused<B>> for NotIssued<B> {
    fn from(refused: owned::Refused<B>) -> Self {
        Self {
            error: refused.error.into(),
            units: refused.units,
        }
    }
}

/// The longest wait for a job's memory after its task has ended. Only a device that hangs on memory
/// of the caller keeps it longer, when the engine closes.
const RELEASE_LIMIT: Duration = Duration::from_secs(10);

impl<B> Issued<B> {
    /// Returns the handle of the task.
    #[must_use]
    pub fn ticket(&self) -> &Ticket {
        &self.ticket
    }

    /// Waits for the task and returns its outcome and the units.
    ///
    /// The units are empty in a forked child, where those of the task belong to the parent. They
    /// are also empty if the engine was closed and a device that hangs still accesses them ten
    /// seconds after the end of the task; they are then freed when the device has finished.
    pub fn wait(self) -> (Outcome, Units<B>) {
        let outcome = self.ticket.wait();
        if self.ticket.core.is_inherited() {
            return (outcome, Units::default());
        }
        let units = self.units.wait(RELEASE_LIMIT);
        (outcome, units.unwrap_or_default())
    }
}

impl Engine {
    /// Computes all parity units. The calling thread helps to code where that is faster.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind) as [`Codec::encode`]; as [`Engine::run`].
    pub fn encode(
        &self,
        codec: &Codec,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        request: Request,
    ) -> Result<(), Error> {
        let bytes = data.first().map_or(0, |unit| unit.len());
        let shape = (data.len(), parity.len(), bytes);
        let at_once = |store| codec.encode_stored(data, parity, store);
        if let Some(encoded) = self.core.by_codec(shape, &request, at_once) {
            return Ok(encoded?);
        }
        let run = |piece| self.run(piece, request);
        match borrowed::encode(codec, data, parity, run) {
            Ok(outcome) => outcome.map(|_sound| ()),
            // The codec reports the error, or there are 0 bytes.
            Err(_) => Ok(codec.encode(data, parity)?),
        }
    }

    /// Computes the units `erased`; see [`Codec::decode`].
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind) as [`Codec::decode`]; as [`Engine::run`].
    pub fn decode(
        &self,
        codec: &Codec,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
        request: Request,
    ) -> Result<(), Error> {
        let bytes = outputs.first().map_or(0, |output| output.len());
        let shape = (codec.data_units(), outputs.len(), bytes);
        let at_once = |store| codec.decode_stored(units, erased, outputs, store);
        if let Some(decoded) = self.core.by_codec(shape, &request, at_once) {
            return Ok(decoded?);
        }
        let run = |piece| self.run(piece, request);
        match borrowed::decode(codec, units, erased, outputs, run) {
            Ok(outcome) => outcome.map(|_sound| ()),
            Err(_) => Ok(codec.decode(units, erased, outputs)?),
        }
    }

    /// Updates parity for one changed data unit; see [`Codec::update`].
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind) as [`Codec::update`]; as [`Engine::run`].
    pub fn update(
        &self,
        codec: &Codec,
        data_unit: usize,
        old: &[u8],
        new: &[u8],
        parity: &mut [&mut [u8]],
        request: Request,
    ) -> Result<(), Error> {
        let run = |piece| self.run(piece, request);
        match borrowed::update(codec, data_unit, (old, new), parity, run) {
            Ok(outcome) => outcome.map(|_sound| ()),
            Err(_) => Ok(codec.update(data_unit, old, new, parity)?),
        }
    }

    /// Verifies that parity matches the data; see [`Codec::verify`].
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind) as [`Codec::verify`]; as [`Engine::run`].
    pub fn verify(
        &self,
        codec: &Codec,
        data: &[&[u8]],
        parity: &[&[u8]],
        request: Request,
    ) -> Result<Verdict, Error> {
        let run = |piece| self.run(piece, request);
        match borrowed::verify(codec, data, parity, run) {
            Ok(outcome) => outcome,
            Err(_) => Ok(codec.verify(data, parity)?),
        }
    }

    /// Issues a task that computes all parity units.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind) as [`Codec::encode`], also for units of 0 bytes;
    /// as [`Engine::issue`]. The units come back with the error.
    pub fn iencode<B: UnitBuffer>(
        &self,
        codec: &Codec,
        units: Units<B>,
        request: Request,
    ) -> Result<Issued<B>, NotIssued<B>> {
        self.issue_units(owned::encode(codec, units)?, request)
    }

    /// Issues a task that computes the units `erased` from the units `present`, ascending.
    ///
    /// # Errors
    /// As [`Engine::iencode`], and as [`Codec::decode`].
    pub fn idecode<B: UnitBuffer>(
        &self,
        codec: &Codec,
        present: &[usize],
        erased: &[usize],
        units: Units<B>,
        request: Request,
    ) -> Result<Issued<B>, NotIssued<B>> {
        self.issue_units(owned::decode(codec, present, erased, units)?, request)
    }

    /// Issues a task that updates parity for one changed data unit; the inputs are its old and its
    /// new bytes.
    ///
    /// # Errors
    /// As [`Engine::iencode`], and as [`Codec::update`].
    pub fn iupdate<B: UnitBuffer>(
        &self,
        codec: &Codec,
        data_unit: usize,
        units: Units<B>,
        request: Request,
    ) -> Result<Issued<B>, NotIssued<B>> {
        if units.inputs.len() != 2 {
            let text = format!(
                "Cannot update the stripe: {} inputs given, needed: 2",
                units.inputs.len()
            );
            let error = Error::new(crate::ErrorKind::Invalid, text);
            return Err(NotIssued { error, units });
        }
        self.issue_units(owned::update(codec, data_unit, units)?, request)
    }

    /// Issues a task that verifies that parity matches the data.
    ///
    /// # Errors
    /// As [`Engine::iencode`].
    pub fn iverify<B: UnitBuffer>(
        &self,
        codec: &Codec,
        units: Units<B>,
        request: Request,
    ) -> Result<Issued<B>, NotIssued<B>> {
        self.issue_units(owned::verify(codec, units)?, request)
    }

    fn issue_units<B>(
        &self,
        (piece, units): (Piece, Pending<B>),
        request: Request,
    ) -> Result<Issued<B>, NotIssued<B>> {
        match self.issue(piece, request) {
            Ok(ticket) => Ok(Issued { ticket, units }),
            Err(Rejected { error, piece }) => {
                drop(piece);
                let units = units.wait(Duration::ZERO);
                let units = units.expect("a piece that was not issued is the last of its job");
                Err(NotIssued { error, units })
            }
        }
    }
}
