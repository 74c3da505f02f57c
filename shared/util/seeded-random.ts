/**
 * Randomness that a seed repeats: xoshiro128** 1.1 (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2021), its state filled by splitmix64 as they advise. For simulation and sampling; never for secrets.
 *
 * A fork depends on the seed and the label alone, not on how much was drawn before. So a new consumer with a label
 * of its own does not change what the others draw, and a seed keeps its meaning while the program grows.
 */
const MASK_64 = (1n << 64n) - 1n;

/**
 * A reproducible generator of random numbers. The same seed gives the same sequence on every
 * machine.
 */
export class SeededRandom {
  readonly #origin: string;
  readonly #state: Uint32Array;

  constructor(seed: number | string) {
    this.#origin = String(seed);
    this.#state = stateOf(this.#origin);
  }

  /** An independent stream; the same label gives the same one again. */
  fork(label: string): SeededRandom {
    return new SeededRandom(`${this.#origin}/${label}`);
  }

  /** 32 random bits, as a number in [0, 2^32). */
  next32(): number {
    const state = this.#state;
    // By index: taking it apart as a list goes through an iterator until it is compiled.
    const s0 = state[0] as number;
    const s1 = state[1] as number;
    const s2 = state[2] as number;
    const s3 = state[3] as number;
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const next2 = s2 ^ s0;
    const next3 = s3 ^ s1;
    state[0] = s0 ^ next3;
    state[1] = s1 ^ next2;
    state[2] = next2 ^ (s1 << 9);
    state[3] = rotateLeft(next3, 11);
    return result;
  }

  /** In [0, 1), with 53 random bits. */
  fraction(): number {
    return ((this.next32() >>> 5) * 2 ** 26 + (this.next32() >>> 6)) / 2 ** 53;
  }

  /** A whole number in [0, limit); `limit` at most 2^32. The bias of the multiplication is below 2^-20 for small limits. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** A whole number in [least, most]. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[this.below(list.length)] as T;
  }

  /** A copy in random order (Fisher and Yates). */
  shuffled<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
    }
    return copy;
  }

  /** `count` random bytes. */
  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i++) bytes[i] = this.next32() >>> 24;
    return bytes;
  }

  /** `count` random bytes as lower-case hex. */
  hex(count: number): string {
    return Array.from(this.bytes(count), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function stateOf(seed: string): Uint32Array {
  const next = splitmix64(fnv1a64(seed));
  const [low, high] = [next(), next()];
  return Uint32Array.of(
    Number(low & 0xffff_ffffn),
    Number(low >> 32n),
    Number(high & 0xffff_ffffn),
    Number(high >> 32n),
  );
}

function splitmix64(seed: bigint): () => bigint {
  let state = seed;
  return () => {
    state = (state + 0x9e37_79b9_7f4a_7c15n) & MASK_64;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK_64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK_64;
    return mixed ^ (mixed >> 31n);
  };
}

/** FNV-1a over the code units of a text. */
function fnv1a64(text: string): bigint {
  let hash = 0xcbf2_9ce4_8422_2325n;
  for (let i = 0; i < text.length; i++) {
    hash = ((hash ^ BigInt(text.charCodeAt(i))) * 0x100_0000_01b3n) & MASK_64;
  }
  return hash;
}
