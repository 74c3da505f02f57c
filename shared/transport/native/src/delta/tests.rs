//! Lists, deltas and back, on files.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::apply::apply;
use super::cutter::Average;
use super::failure::Failure;
use super::files::Piece;
use super::join::join;
use super::list::{List, list_of};
use super::make::make;
use crate::identity::hex;

/// A folder that goes when the test does.
struct Folder(PathBuf);

static FOLDERS: AtomicU32 = AtomicU32::new(0);

impl Folder {
    fn new() -> Folder {
        let name = format!("godwit-delta-{}-{}", std::process::id(), FOLDERS.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Piece {
        fs::write(self.path(name), bytes).unwrap();
        Piece { path: self.path(name), offset: 0, length: bytes.len() as u64 }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// xorshift64*: the same bytes for ever.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut word = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes()
    };
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&word());
    }
    bytes.truncate(length);
    bytes
}

/// The delta from one content to another, applied; its length.
fn through(folder: &Folder, old: &[u8], new: &[u8]) -> Option<u64> {
    let (base, contents) = (folder.put("old", old), folder.put("new", new));
    let (delta, out) = (folder.path("delta"), folder.path("out"));
    let known = list_of(&base, None).unwrap().encode();
    let made = make(&known, &contents, &delta).unwrap();
    assert_eq!(made.list.encode(), list_of(&contents, Some(&known)).unwrap().encode());
    let length = made.delta?.length;
    let digest = apply(&base, &delta, &out, new.len() as u64).unwrap();
    assert_eq!(digest.digest, hex(blake3::hash(new).as_bytes()));
    assert!(fs::read(&out).unwrap() == new);
    assert_eq!(fs::metadata(&delta).unwrap().len(), length);
    fs::remove_file(&delta).unwrap();
    fs::remove_file(&out).unwrap();
    Some(length)
}

/// Of the lists of noise, by its length and the average chunk.
#[test]
fn cuts_are_where_they_were() {
    let folder = Folder::new();
    let digests = [(300_000, 2048), (3_000_000, 16_384), (20_000_000, 1_048_576)].map(|(length, average)| {
        let contents = folder.put("contents", &noise(length, 7));
        let like = List::new(Average::new(average).unwrap()).encode();
        hex(blake3::hash(&list_of(&contents, Some(&like)).unwrap().encode()).as_bytes())
    });
    let pinned = [
        "ebe0ea256435e8208838404044d995b46916f407817a923fc006226f323996c8",
        "564967da9dc2acc14820f8cbae8d72be75e0716afa0bebb52ff35574938f8356",
        "061dcc8eaeca39a6a35937e1c67edcac879ada22c160b91789f68524e759b9a8",
    ];
    assert_eq!(digests, pinned);
}

#[test]
fn a_small_edit_of_ten_megabytes_is_a_small_delta() {
    let folder = Folder::new();
    let old = noise(10_000_000, 3);
    let mut changed = old.clone();
    changed[5_000_000..5_000_100].copy_from_slice(&noise(100, 4));
    assert!(through(&folder, &old, &changed).unwrap() < 6000);
    let inserted = [&old[..5_000_000], &noise(100, 4), &old[5_000_000..]].concat();
    assert!(through(&folder, &old, &inserted).unwrap() < 6000);
    let appended = [&old[..], &noise(100, 4)].concat();
    assert!(through(&folder, &old, &appended).unwrap() < 6000);
}

#[test]
fn chunks_grow_with_the_contents() {
    let average = |length: u64| Average::for_length(length).bytes();
    assert_eq!(average(0), 512);
    assert_eq!(average(16 << 20), 512);
    assert_eq!(average((16 << 20) + 1), 1024);
    assert_eq!(average(1 << 30), 32 * 1024);
    assert_eq!(average(u64::MAX), 1 << 20);
    for length in [1 << 20, 40 << 20] {
        let folder = Folder::new();
        let list = list_of(&folder.put("contents", &noise(length, 1)), None).unwrap();
        assert_eq!(list.length, length as u64);
        assert!(list.chunks.len() < 40_000);
        assert!(list.chunks.iter().all(|chunk| chunk.length as usize <= list.average.most()));
    }
}

#[test]
fn zeros_and_noise_and_the_edges_of_buffers() {
    let folder = Folder::new();
    let old = noise(3_000_000, 5);
    for length in [1 << 20, (1 << 20) + 1, 3_000_000] {
        let mut new = vec![0; length];
        new.extend_from_slice(&old);
        assert!(through(&folder, &old, &new).is_some());
    }
    assert!(through(&folder, &vec![0; 3_000_000], &vec![0; 5_000_000]).unwrap() < 4000);
    // Much that is new, in pieces longer than one operation has.
    let mixed = [&noise(1_000_000, 8), &old[..]].concat();
    assert!(through(&folder, &old, &mixed).unwrap() > 1_000_000);
    assert_eq!(through(&folder, &old, &noise(1_000_000, 9)), None);
}

#[test]
fn numbers_at_the_edge_are_refused() {
    let folder = Folder::new();
    let base = folder.put("old", &noise(1000, 1));
    let head = |length: u64| {
        let mut bytes = super::make::MAGIC.to_vec();
        super::varint::put(&mut bytes, 1000);
        super::varint::put(&mut bytes, length);
        bytes
    };
    let with = |length: u64, numbers: &[u64]| {
        let mut bytes = head(length);
        numbers.iter().for_each(|number| super::varint::put(&mut bytes, *number));
        bytes
    };
    let deltas = [
        with(10, &[21, u64::MAX]),
        with(10, &[21, 991]),
        with(10, &[u64::MAX, 0]),
        with(10, &[u64::MAX - 1]),
        with(10, &[0]),
        with(10, &[1, 0]),
        with(10, &[19, 0]),
        with(u64::MAX, &[u64::MAX, 0]),
        with(0, &[0]),
    ];
    for bytes in deltas {
        let delta = folder.put("delta", &bytes).path;
        let result = apply(&base, &delta, &folder.path("out"), u64::MAX);
        assert!(matches!(result, Err(Failure::Damaged(_))), "{bytes:?}");
        assert!(!fs::exists(folder.path("out")).unwrap());
    }
    let good = folder.put("delta", &with(10, &[21, 990])).path;
    assert_eq!(apply(&base, &good, &folder.path("out"), 10).unwrap().length, 10);
}

#[test]
fn a_list_that_promises_much_is_refused_before_it_costs_anything() {
    let mut bytes = vec![1];
    super::varint::put(&mut bytes, 2048);
    super::varint::put(&mut bytes, u64::MAX);
    assert!(matches!(List::decode(&bytes), Err(Failure::Damaged(_))));
}

#[test]
fn a_file_is_not_joined_with_itself() {
    let folder = Folder::new();
    let piece = folder.put("one", b"bytes");
    assert!(join(&piece.path, &piece.path).is_err());
    assert_eq!(fs::read(&piece.path).unwrap(), b"bytes");
}
