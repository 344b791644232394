// SPDX-License-Identifier: Apache-2.0
//! Files that are overwritten, truncated, removed, or of another version.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt};

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use stripeline_engine::node::{Coordination, Membership};
use stripeline_testkit::Random;

use crate::scratch::{CPUS, Scratch, assert_shared, settle, why};

/// Returns two members that have work.
fn two_busy(scratch: &Scratch) -> [Membership; 2] {
    let members = [scratch.join(), scratch.join()];
    members.iter().for_each(|member| member.report(true));
    members
}

#[test]
fn overwritten_slots_are_ignored_and_written_again() {
    let scratch = Scratch::new();
    let [first, second] = two_busy(&scratch);
    settle(&[&first, &second]);
    assert_eq!(first.threads_allowed(), CPUS / 2);
    let garbage = Random::new(1).bytes(1 << 16);
    let file = File::options().write(true).open(scratch.file()).unwrap();
    file.write_all_at(&garbage, 0).unwrap();
    let _ = first.refresh();
    assert_eq!(first.threads_allowed(), CPUS);
    settle(&[&first, &second]);
    assert_eq!(first.threads_allowed(), CPUS / 2);
    assert_shared(&scratch.join());
}

#[test]
fn a_file_cut_to_any_length_is_repaired() {
    let scratch = Scratch::new();
    let [first, second] = two_busy(&scratch);
    let file = File::options().write(true).open(scratch.file()).unwrap();
    for length in [0, 1, 63, 64, 65, 127, 128, 150] {
        file.set_len(length).unwrap();
        settle(&[&first, &second]);
        for member in [&first, &second] {
            assert_shared(member);
            assert_eq!(member.threads_allowed(), CPUS / 2, "{length} bytes");
        }
    }
}

#[test]
fn a_file_that_is_replaced_is_left_for_the_new_one() {
    let scratch = Scratch::new();
    let [first, second] = two_busy(&scratch);
    fs::remove_file(scratch.file()).unwrap();
    settle(&[&first, &second]);
    assert_eq!(first.threads_allowed(), CPUS / 2);
    assert_eq!(second.threads_allowed(), CPUS / 2);
    assert!(scratch.file().exists());
}

#[test]
fn other_files_are_not_written() {
    let scratch = Scratch::new();
    let content = b"# somebody's configuration, which must not be touched by mistake at all\n";
    fs::write(scratch.file_of_mode(0o600), content).unwrap();
    let member = scratch.join();
    assert!(
        why(&member).contains("it holds other data"),
        "{}",
        why(&member)
    );
    assert_eq!(fs::read(scratch.file()).unwrap(), content);
    assert_eq!(member.threads_allowed(), CPUS);
    fs::remove_file(scratch.file()).unwrap();
    assert_eq!(member.refresh(), Some(Coordination::Shared));
}

#[test]
fn another_version_is_respected_while_in_use_and_replaced_after() {
    let scratch = Scratch::new();
    let mut head = b"stripeline table of a node 2\n".to_vec();
    head.resize(64, 0);
    let mut other = File::create_new(scratch.file()).unwrap();
    other
        .set_permissions(fs::Permissions::from_mode(0o600))
        .unwrap();
    other.write_all(&head).unwrap();
    let other = File::options()
        .read(true)
        .write(true)
        .open(scratch.file())
        .unwrap();
    lock_head(&other, libc::F_RDLCK);
    let member = scratch.join();
    let expected = "processes with version 2 of the table use it, this one has version 1";
    assert!(why(&member).ends_with(expected), "{}", why(&member));
    lock_head(&other, libc::F_UNLCK);
    assert_eq!(member.refresh(), Some(Coordination::Shared));
}

#[test]
fn a_header_that_stays_locked_blocks_no_process() {
    let scratch = Scratch::new();
    drop(scratch.join());
    let other = File::options()
        .read(true)
        .write(true)
        .open(scratch.file())
        .unwrap();
    lock_head(&other, libc::F_WRLCK);
    let member = scratch.join();
    assert!(
        why(&member).ends_with("another process keeps its header locked"),
        "{}",
        why(&member)
    );
    lock_head(&other, libc::F_UNLCK);
    assert_eq!(member.refresh(), Some(Coordination::Shared));
}

fn lock_head(file: &File, kind: i32) {
    let request = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 64,
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_OFD_SETLK(&request)).unwrap();
}
