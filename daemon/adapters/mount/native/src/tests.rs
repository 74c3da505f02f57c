//! The table by itself.

use crate::changes::Made;
use crate::node::{Kind, Status};
use crate::table::{Fault, ROOT, Stale, Table};

fn status(key: &str, kind: Kind, version: u64) -> Status {
    let (mode, mtime, size, target, links, mount) = (0o644, 5, version * 10, None, 1, None);
    Status { key: key.into(), kind, mode, mtime, size, version, target, xattrs: Default::default(), links, mount }
}

fn table() -> Table {
    let mut table = Table::new(status("1.1.1", Kind::Directory, 1), 0);
    table.listed("1.1.1", vec![("a".into(), status("1.8.2", Kind::File, 1))], 0);
    table
}

#[test]
fn an_unlisted_directory_is_asked_for_and_a_listed_one_knows_what_is_missing() {
    let mut table = Table::new(status("1.1.1", Kind::Directory, 1), 0);
    assert_eq!(table.lookup(ROOT, "a"), Err(Fault::Unlisted(ROOT)));
    table.listed("1.1.1", vec![], 0);
    assert_eq!(table.lookup(ROOT, "a"), Ok(None));
}

#[test]
fn a_later_operation_stays_when_node_tells_of_an_earlier_state() {
    let mut table = table();
    table.remove(ROOT, "a", 7).unwrap();
    table.named("1.1.1", "a", Some(&status("1.8.2", Kind::File, 1)), 0);
    assert_eq!(table.lookup(ROOT, "a"), Ok(None));
    table.named("1.1.1", "a", Some(&status("1.8.2", Kind::File, 1)), 1);
    assert!(table.lookup(ROOT, "a").unwrap().is_some());
}

#[test]
fn a_new_version_of_an_open_file_is_another_node() {
    let mut table = table();
    let old = table.lookup(ROOT, "a").unwrap().unwrap();
    table.node_mut(old).unwrap().opens = 1;
    table.stale.clear();
    table.attributes(&status("1.8.2", Kind::File, 2), 0, false);
    let new = table.lookup(ROOT, "a").unwrap().unwrap();
    assert_ne!(old, new);
    assert_eq!(table.node(old).unwrap().size, 10);
    assert_eq!(table.node(new).unwrap().size, 20);
    assert_eq!(table.stale, vec![Stale::Entry(ROOT, "a".into())]);
}

#[test]
fn what_is_written_here_is_not_taken_from_its_name_by_others() {
    let mut table = table();
    let ino = table.lookup(ROOT, "a").unwrap().unwrap();
    table.begin_write(ino, "/spool/w1").unwrap();
    table.named("1.1.1", "a", None, 9);
    assert_eq!(table.lookup(ROOT, "a"), Ok(Some(ino)));
    assert_eq!(table.store(ino, "/spool/w1"), Ok(true));
    assert_eq!(table.stored("1.8.2", 2), Some("/spool/w1".into()));
}

#[test]
fn an_unlinked_file_that_is_open_lives_until_it_is_closed_and_is_not_stored() {
    let mut table = table();
    let ino = table.lookup(ROOT, "a").unwrap().unwrap();
    table.told(ino);
    table.node_mut(ino).unwrap().opens = 1;
    table.remove(ROOT, "a", 7).unwrap();
    assert_eq!(table.store(ino, "/spool/w1"), Ok(false));
    table.node_mut(ino).unwrap().opens = 0;
    table.forget(ino, 1);
    assert!(table.node(ino).is_err());
}

#[test]
fn a_line_says_that_its_version_counts_what_was_stored_from_here() {
    let mut table = table();
    let ino = table.lookup(ROOT, "a").unwrap().unwrap();
    table.store(ino, "/spool/w1").unwrap();
    table.remove(ROOT, "a", 7).unwrap();
    let is_own: Vec<bool> = table.lines.iter().map(|line| line.contains("\"own\":true")).collect();
    assert_eq!(is_own, [false, true]);
}

#[test]
fn what_changes_places_is_logged_as_three_renames() {
    let mut table = table();
    table.make(ROOT, "b", Made::Directory(0o755), 1).unwrap();
    table.lines.clear();
    table.exchange((ROOT, "a"), (ROOT, "b"), 2).unwrap();
    assert_eq!(table.lines.len(), 3);
    let a = table.lookup(ROOT, "a").unwrap().unwrap();
    assert!(table.node(a).unwrap().is_dir());
    assert_eq!(table.children(ROOT).unwrap().len(), 2);
}

#[test]
fn snapshots_are_looked_up_and_not_listed_and_take_nothing() {
    let mut table = Table::new(status("1.1.1", Kind::Directory, 1), 0);
    let folder = Status { kind: Kind::Directory, ..status("1.2.1", Kind::Directory, 0) };
    table.listed("1.1.1", vec![(".snapshots".into(), folder)], 0);
    let ino = table.lookup(ROOT, ".snapshots").unwrap().unwrap();
    assert_eq!(table.entries(ROOT).unwrap().len(), 2);
    assert_eq!(table.links(table.node(ROOT).unwrap()), 2);
    assert_eq!(table.rmdir(ROOT, ".snapshots", 7), Err(Fault::Errno(libc::EBUSY)));
    table.listed("1.2.1", vec![("one".into(), status("1.3.1", Kind::Directory, 0))], 0);
    assert_eq!(table.make(ino, "new", Made::File(0o644), 7), Err(Fault::Errno(libc::EROFS)));
    assert!(table.look_again(ino, Some("one")) && table.lookup(ino, "one").unwrap().is_some());
    // Another snapshot may have been made since.
    assert!(table.look_again(ino, Some("two")));
    assert_eq!(table.lookup(ino, "two"), Err(Fault::Unlisted(ino)));
    table.listed("1.2.1", vec![("two".into(), status("1.3.2", Kind::Directory, 0))], 0);
    assert!(table.lookup(ino, "two").unwrap().is_some());
    assert_eq!(table.lookup(ino, "one"), Ok(None));
}
