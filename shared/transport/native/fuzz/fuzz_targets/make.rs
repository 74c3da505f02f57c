//! Deltas made over a list that may be anything: there is a file where one is told and none where not, and the list that comes with it
//! is the list of the contents.
#![no_main]

use godwit_native_fuzz::bench::{on_bench, parts, refused};
use godwit_native_fuzz::delta::list::list_of;
use godwit_native_fuzz::delta::make::make;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [list, contents] = parts::<2>(data);
    on_bench(|bench| {
        let piece = bench.write("contents", contents);
        let made = refused(make(list, &piece, &bench.path("out")));
        let file = bench.take("out");
        let told = made.as_ref().and_then(|made| made.delta.as_ref()).map(|delta| delta.length);
        assert_eq!(file.map(|bytes| bytes.len() as u64), told);
        let listed = refused(list_of(&piece, Some(list))).map(|list| list.encode());
        assert_eq!(made.map(|made| made.list.encode()), listed);
    });
});
