// SPDX-License-Identifier: Apache-2.0
//! The store policy of outputs: by the tuning table, or by the request.

use std::path::Path;
use std::sync::{Arc, Mutex};

use stripeline_codec::{StorePolicy, Verdict};
use stripeline_engine::tuning::{Machine, RailTuning, Table, TableFile};
use stripeline_engine::{Engine, Options, Request};
use stripeline_rail::{Capability, Coder, Cpu, Fault, Piece, Rail, Synchronous};

use crate::support::{encode, engine, expect_right, issue, stripe};

/// The store policies of the pieces.
type Asked = Arc<Mutex<Vec<StorePolicy>>>;

/// The CPU's coder, which records the store policy of each piece.
#[derive(Debug)]
struct Noting(Asked);

impl Coder for Noting {
    type Memory = ();

    fn describe(&self) -> String {
        "notes".to_owned()
    }

    fn run(&self, piece: &mut Piece, (): &mut ()) -> Result<Verdict, Fault> {
        self.0.lock().expect("not poisoned").push(piece.store());
        Ok(Cpu::portable().code(piece))
    }
}

/// Returns an engine over one rail, with a table that has the stripe size from which the rail
/// stores past the cache.
fn tuned(stream_from_bytes: Option<usize>) -> (Engine, Asked) {
    let asked = Asked::default();
    // Small pieces: the size of the stripe determines the policy.
    let capability = Capability {
        piece_bytes: 64,
        ..Capability::synchronous()
    };
    let coder = Noting(Arc::clone(&asked));
    let rail: Arc<dyn Rail> = Arc::new(Synchronous::new("noting", capability, coder));
    let mut file = TableFile::default();
    file.put(Machine {
        cpu: "one".to_owned(),
        cpus: 1,
        rails: vec![RailTuning {
            stream_from_bytes,
            ..RailTuning::built_in(&*rail)
        }],
    });
    let table = Table::choose(file, Path::new("table"), "one", 1);
    let options = Options {
        tuning: Arc::new(table),
        check_every: 0,
        ..Options::default()
    };
    (engine(vec![rail], options).0, asked)
}

/// Returns the store policy of a stripe of 9 units of `bytes` bytes, after issuing it and waiting
/// for it.
fn stores(stream_from_bytes: Option<usize>, bytes: usize, request: Request) -> StorePolicy {
    let (engine, asked) = tuned(stream_from_bytes);
    let (codec, stripe) = stripe(bytes);
    expect_right(issue(&engine, &codec, &stripe, request), &stripe);
    assert_eq!(encode(&engine, &codec, &stripe, request), Ok(()));
    let asked = asked.lock().expect("not poisoned");
    assert!(
        asked.len() >= 2 && asked.iter().all(|store| *store == asked[0]),
        "{asked:?}"
    );
    asked[0]
}

#[test]
fn the_table_sets_the_size_from_which_stores_bypass_the_cache() {
    let request = Request::default();
    assert_eq!(stores(None, 1000, request), StorePolicy::Temporal);
    assert_eq!(stores(Some(9001), 1000, request), StorePolicy::Temporal);
    assert_eq!(stores(Some(9000), 1000, request), StorePolicy::NonTemporal);
}

#[test]
fn a_task_can_choose_its_kind_of_stores() {
    let asking = |store| Request {
        store: Some(store),
        ..Request::default()
    };
    for store in [StorePolicy::Temporal, StorePolicy::NonTemporal] {
        assert_eq!(stores(Some(1), 1000, asking(store)), store);
        assert_eq!(stores(None, 1000, asking(store)), store);
    }
}
