//! A delta that may be anything: it makes a file of the length that it tells and that is allowed, or none.
#![no_main]

use godwit_native_fuzz::bench::{on_bench, parts, refused};
use godwit_native_fuzz::delta::apply::apply;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [most, base, delta] = parts::<3>(data);
    let most = 16 * most.len() as u64;
    on_bench(|bench| {
        let piece = bench.write("base", base);
        bench.write("delta", delta);
        let made = refused(apply(&piece, &bench.path("delta"), &bench.path("out"), most));
        let file = bench.take("out");
        assert_eq!(file.map(|bytes| bytes.len() as u64), made.as_ref().map(|made| made.length));
        assert!(made.is_none_or(|made| made.length <= most));
    });
});
