// SPDX-License-Identifier: Apache-2.0
//! Rails whose coder runs on the calling thread.

use std::sync::Arc;
use std::time::Duration;

use stripeline_codec::Verdict;

use crate::{Capability, Done, Fault, Lane, Piece, Rail, difference};

/// A coder that completes a piece within one call.
pub trait Coder: std::fmt::Debug + Send + Sync + 'static {
    /// What a lane keeps between pieces: scratch memory, prepared tables.
    type Memory: Default + Send;

    /// See [`Rail::describe`].
    fn describe(&self) -> String;

    /// Does a piece that the rail's capability takes. Offsets count from the start of the piece.
    ///
    /// # Errors
    /// If it fails; the outputs are then unspecified.
    fn run(&self, piece: &mut Piece, memory: &mut Self::Memory) -> Result<Verdict, Fault>;
}

/// A coder as a rail.
#[derive(Debug)]
pub struct Synchronous<C> {
    name: String,
    capability: Capability,
    coder: Arc<C>,
}

impl<C: Coder> Synchronous<C> {
    /// Creates a rail of this name. Its depth is 1, whatever the capability has: a lane does one
    /// piece at a time, within the call.
    pub fn new(name: impl Into<String>, capability: Capability, coder: C) -> Self {
        Self {
            name: name.into(),
            capability: Capability {
                depth: 1,
                ..capability
            },
            coder: Arc::new(coder),
        }
    }
}

impl<C: Coder> Rail for Synchronous<C> {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        self.coder.describe()
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(Direct {
            coder: Arc::clone(&self.coder),
            memory: C::Memory::default(),
            done: None,
        }))
    }
}

struct Direct<C: Coder> {
    coder: Arc<C>,
    memory: C::Memory,
    done: Option<Done>,
}

impl<C: Coder> Lane for Direct<C> {
    fn submit(&mut self, ticket: u64, mut piece: Piece) {
        assert!(self.done.is_none(), "one piece at a time");
        let start = piece.range().start;
        let outcome = self.coder.run(&mut piece, &mut self.memory);
        let outcome = outcome.map(|verdict| difference::moved(verdict, start));
        self.done = Some(Done {
            ticket,
            piece: Some(piece),
            outcome,
        });
    }

    fn reap(&mut self, _limit: Duration) -> Option<Done> {
        self.done.take()
    }

    fn in_flight(&self) -> usize {
        usize::from(self.done.is_some())
    }
}
