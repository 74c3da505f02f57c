/** Makes an input shorter and plainer, as long as the same comes of it, and for some seconds at most: what goes to the disk is slow. */

const MOST_TRIES = 3000;
const MOST_MS = 10_000;
const PLAIN = [0, 0x30, 0x61];

/** Shrinks an input. `isSame` says whether other bytes give the same finding. */
export async function shrink(
  input: Uint8Array,
  isSame: (shorter: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> {
  const until = performance.now() + MOST_MS;
  let tries = 0;
  let best = Uint8Array.from(input);
  const goesOn = (): boolean => tries < MOST_TRIES && performance.now() < until;
  const attempt = async (candidate: Uint8Array): Promise<boolean> => {
    tries += 1;
    if (!(await isSame(candidate))) return false;
    best = Uint8Array.from(candidate);
    return true;
  };
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : size >> 1) {
    for (let at = 0; at < best.length && goesOn();) {
      const without = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if (!(await attempt(without))) at += size;
    }
  }
  for (let at = 0; at < best.length && goesOn(); at++) {
    for (const plain of PLAIN) {
      if (best[at] === plain || !goesOn()) break;
      const plainer = Uint8Array.from(best);
      plainer[at] = plain;
      if (await attempt(plainer)) break;
    }
  }
  return best;
}
