//! What is made of a base and its delta is what the delta was made of, for all contents.
#![no_main]

use godwit_native_fuzz::bench::{Bench, on_bench, parts};
use godwit_native_fuzz::delta::apply::apply;
use godwit_native_fuzz::delta::list::{List, list_of};
use godwit_native_fuzz::delta::make::make;
use libfuzzer_sys::fuzz_target;

/// Each block repeated so often that there is more than one chunk.
fn contents(blocks: &[u8]) -> Vec<u8> {
    blocks.chunks(7).flat_map(|block| block.repeat(1 + 64 * usize::from(block[0] % 16))).collect()
}

fn check(bench: &Bench, old: &[u8], new: &[u8]) {
    let (base, next) = (bench.write("base", old), bench.write("next", new));
    let list = list_of(&base, None).expect("a list").encode();
    assert_eq!(List::decode(&list).expect("our own").length, old.len() as u64);
    let made = make(&list, &next, &bench.path("delta")).expect("made");
    if made.delta.is_some() {
        let whole = apply(&base, &bench.path("delta"), &bench.path("out"), new.len() as u64).expect("applied");
        assert_eq!(whole.length, new.len() as u64);
        assert!(bench.take("out").as_deref() == Some(new), "other contents than the delta was made of");
    }
    assert_eq!(bench.take("delta").is_some(), made.delta.is_some());
}

fuzz_target!(|data: &[u8]| {
    let [old, middle, new] = parts::<3>(data);
    let (mut before, mut after) = (contents(old), contents(new));
    let shared = contents(middle);
    before.extend_from_slice(&shared);
    after.extend_from_slice(&shared);
    on_bench(|bench| check(bench, &before, &after));
});
