//! Chunk lists: one that is taken is written again byte by byte, whatever the bytes.
#![no_main]

use godwit_native_fuzz::bench::refused;
use godwit_native_fuzz::delta::list::List;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some(list) = refused(List::decode(data)) else { return };
    assert_eq!(list.encode(), data, "a list has one form");
    assert_eq!(list.length, list.chunks.iter().map(|chunk| u64::from(chunk.length)).sum::<u64>());
    assert!(list.chunks.iter().all(|chunk| chunk.length as usize <= list.average.most()));
});
