//! A table alone, without the kernel: tests hold it against a model.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use napi_derive::napi;

use crate::changes::{Attributes, Made};
use crate::exports::{NativeEntry, NativeStatus, rights_of, status_of};
use crate::files::code;
use crate::lock::hold;
use crate::node::Ino;
use crate::table::{Fault, ROOT, Table};

static TABLES: LazyLock<Mutex<HashMap<u32, Table>>> = LazyLock::new(Default::default);

#[napi]
pub fn table_open(root: NativeStatus, seq: f64) -> u32 {
    let mut tables = hold(&TABLES);
    let number = u32::try_from(tables.len()).unwrap_or(u32::MAX) + 1;
    tables.insert(number, Table::new(status_of(root), seq as u64));
    number
}

/// Directories are given as paths, `/a/b`, names apart. Gives a number of the system; 0: it is done; -1: a directory is not listed.
#[napi]
pub fn table_do(table: u32, op: String, args: Vec<String>) -> i32 {
    let mut tables = hold(&TABLES);
    let Some(table) = tables.get_mut(&table) else { return libc::EBADF };
    match change(table, &op, &args) {
        Ok(()) => 0,
        Err(Fault::Unlisted(_)) => -1,
        Err(fault) => code(fault),
    }
}

fn change(table: &mut Table, op: &str, args: &[String]) -> Result<(), Fault> {
    let arg = |index: usize| args.get(index).map_or("", String::as_str);
    let dir = walk(table, arg(0))?;
    match op {
        "create" => table.make(dir, arg(1), Made::File(0o644), 1).map(drop),
        "mkdir" => table.make(dir, arg(1), Made::Directory(0o755), 1).map(drop),
        "symlink" => table.make(dir, arg(1), Made::Symlink(arg(2)), 1).map(drop),
        "remove" => table.remove(dir, arg(1), 1).map(drop),
        "rmdir" => table.rmdir(dir, arg(1), 1).map(drop),
        "rename" => table.rename((dir, arg(1)), (walk(table, arg(2))?, arg(3)), false, 1),
        "link" => {
            let ino = table.lookup(dir, arg(1))?.ok_or(Fault::Errno(libc::ENOENT))?;
            table.link(ino, walk(table, arg(2))?, arg(3), 1)
        }
        "chmod" => {
            let ino = table.lookup(dir, arg(1))?.ok_or(Fault::Errno(libc::ENOENT))?;
            let mode = u16::from_str_radix(arg(2), 8).unwrap_or(0);
            table.set_attributes(ino, &Attributes { mode: Some(mode), ..Attributes::default() }, 1)
        }
        _ => Err(Fault::Errno(libc::ENOSYS)),
    }
}

fn walk(table: &Table, path: &str) -> Result<Ino, Fault> {
    let mut at = ROOT;
    for name in path.split('/').filter(|name| !name.is_empty()) {
        at = table.lookup(at, name)?.ok_or(Fault::Errno(libc::ENOENT))?;
    }
    if table.node(at)?.is_dir() { Ok(at) } else { Err(Fault::Errno(libc::ENOTDIR)) }
}

#[napi]
pub fn table_take(table: u32) -> Vec<String> {
    hold(&TABLES).get_mut(&table).map_or_else(Vec::new, |table| std::mem::take(&mut table.lines))
}

#[napi]
pub fn table_listed(table: u32, dir: String, entries: Vec<NativeEntry>, seq: f64) {
    let entries = entries.into_iter().map(|entry| (entry.name, status_of(entry.status))).collect();
    if let Some(table) = hold(&TABLES).get_mut(&table) {
        table.listed(&dir, entries, seq as u64);
    }
}

#[napi]
pub fn table_name(table: u32, dir: String, name: String, status: Option<NativeStatus>, seq: f64) {
    if let Some(table) = hold(&TABLES).get_mut(&table) {
        table.named(&dir, &name, status.map(status_of).as_ref(), seq as u64);
    }
}

#[napi]
pub fn table_rights(table: u32, volume: u32, rights: String) {
    if let Some(table) = hold(&TABLES).get_mut(&table) {
        table.set_rights(volume, rights_of(&rights));
    }
}

#[napi]
pub fn table_identified(table: u32, key: String, fid: String) {
    if let Some(table) = hold(&TABLES).get_mut(&table) {
        table.identified(&key, &fid);
    }
}

/// A line for each path.
#[napi]
pub fn table_dump(table: u32) -> Vec<String> {
    hold(&TABLES).get(&table).map_or_else(Vec::new, Table::dump)
}

#[napi]
pub fn table_close(table: u32) {
    hold(&TABLES).remove(&table);
}
