// SPDX-License-Identifier: Apache-2.0
//! Which files are used and which are refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use nix::sys::stat::Mode;
use nix::unistd::{geteuid, mkfifo};
use stripeline_engine::node::{Membership, Place};

use crate::process::{Process, command};
use crate::scratch::{Scratch, options, why};

/// `nobody` on Debian; any user other than root and this one is suitable.
const OTHER: u32 = 65534;

fn refusal(place: Place) -> String {
    why(&Membership::join(options(place)))
}

fn assert_refused(place: Place, reason: &str) {
    let text = refusal(place);
    assert!(
        text.starts_with("Cannot share the CPUs of the node through /"),
        "{text}"
    );
    assert!(text.ends_with(reason), "{text}");
}

#[test]
fn a_users_file_is_made_for_this_user_alone() {
    let scratch = Scratch::new();
    let _member = scratch.join();
    let mode = fs::metadata(scratch.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn links_pipes_and_directories_are_refused() {
    let scratch = Scratch::new();
    let (path, target) = (scratch.file(), scratch.path().join("target"));
    let place = || Place(scratch.file());
    symlink(&target, &path).unwrap();
    assert_refused(place(), "it is a symbolic link, which is not followed");
    assert!(!target.exists(), "nor made");
    fs::remove_file(&path).unwrap();
    drop(scratch.join());
    fs::hard_link(&path, &target).unwrap();
    assert_refused(place(), "it has 2 hard links");
    fs::remove_file(&path).unwrap();
    mkfifo(&path, Mode::S_IRWXU).unwrap();
    assert_refused(place(), "it is not a regular file");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_refused(place(), "(os error 21)");
    assert_refused(Place("/nowhere/at/all".into()), "(os error 2)");
}

#[test]
fn modes_that_give_access_to_others_are_refused() {
    let scratch = Scratch::new();
    let path = scratch.file_of_mode(0o660);
    assert_refused(Place(path), "its mode is 0660, others have access");
}

#[test]
fn files_of_other_users_are_refused() {
    if !geteuid().is_root() {
        return eprintln!("skipped: only root can give files away");
    }
    let scratch = Scratch::new();
    let path = scratch.file_of_mode(0o600);
    chown(&path, Some(OTHER), None).unwrap();
    let reason = "it belongs to user 65534 and not to user 0";
    assert_refused(Place(path), reason);
}

#[test]
fn file_systems_without_files_leave_the_process_unshared() {
    if !can_mount() {
        return eprintln!("skipped: no mount of its own");
    }
    let scratch = Scratch::new();
    let word = on_mount(scratch.path(), "-o ro", "true");
    assert!(
        word.ends_with("Read-only file system (os error 30)"),
        "{word}"
    );
    let word = on_mount(scratch.path(), "-o size=4k", "head -c 4096 /dev/zero >full");
    assert!(
        word.ends_with("No space left on device (os error 28)"),
        "{word}"
    );
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

fn can_mount() -> bool {
    let script = "mount -t tmpfs none /mnt";
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", script])
        .output();
    output.is_ok_and(|output| output.status.success())
}

/// Returns the reason why a member is alone if its file is on a file system mounted only for it.
fn on_mount(folder: &Path, flags: &str, before: &str) -> String {
    let member = command(&folder.join("table"), 100);
    let script =
        format!("mount -t tmpfs {flags} none \"$0\" && cd \"$0\" && {before} && exec \"$@\"");
    let mut shell = Command::new("unshare");
    shell
        .args(["--mount", "sh", "-c", &script])
        .arg(folder)
        .arg(member.get_program())
        .args(member.get_args())
        .envs(
            member
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    Process::start(&mut shell).hear().unwrap().why
}
