/** What every Delta must do (shared/ports/delta.ts). Numbers in the titles are those of the contract. */
import { createCipheriv } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Delta, Piece } from '../../shared/ports/delta.ts';

export interface DeltaHarness {
  readonly delta: Delta;
  /** Contents of this length have some hundred chunks. */
  readonly length: number;
  /** Contents of this length have larger chunks. */
  readonly long: number;
  digestOf(bytes: Uint8Array): string;
  /** The path of a name in the folder, with or without a file. */
  path(name: string): string;
  write(name: string, bytes: Uint8Array): string;
  read(path: string): Uint8Array;
  /** The names of the existing files, in order. */
  names(): string[];
  /** Makes the disk full. Missing where that is impossible. */
  fill?(): void;
  end(): Promise<void>;
}

/** Random bytes from a seed. A cipher makes them a hundred times as fast as the random source of the tests. */
function noise(length: number, seed: number): Uint8Array {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16));
  return new Uint8Array(cipher.update(Buffer.alloc(length)));
}

const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const code = (name: string): object => ({ code: name });

/** The contents before and after, made of `length` bytes of noise, and how much of them is new. */
const EDITS: ReadonlyArray<[string, (old: Uint8Array) => Uint8Array]> = [
  ['nothing changed', (old) => old],
  ['some bytes changed', (old) => joined(cut(old, 0, 0.5), noise(20, 9), cut(old, 0.5, 1, 20))],
  ['some bytes more in front', (old) => joined(noise(7, 9), old)],
  ['some bytes more in the middle', (old) => joined(cut(old, 0, 0.4), noise(7, 9), cut(old, 0.4))],
  ['some bytes more at the end', (old) => joined(old, noise(7, 9))],
  ['some bytes fewer', (old) => joined(cut(old, 0, 0.3), cut(old, 0.3, 1, 11))],
  ['the end is gone', (old) => cut(old, 0, 0.7)],
  ['the beginning is gone', (old) => cut(old, 0.3)],
  ['halves have changed places', (old) => joined(cut(old, 0.5), cut(old, 0, 0.5))],
  ['it is there three times', (old) => joined(old, old, old)],
];

function cut(bytes: Uint8Array, from: number, to = 1, skipped = 0): Uint8Array {
  return bytes.subarray(Math.floor(bytes.length * from) + skipped, Math.floor(bytes.length * to));
}

export function deltaSuite(name: string, make: () => DeltaHarness): void {
  let harness: DeltaHarness;
  let delta: Delta;

  beforeEach(() => {
    harness = make();
    delta = harness.delta;
  });
  afterEach(() => harness.end());

  const file = (label: string, bytes: Uint8Array): Piece => ({
    path: harness.write(label, bytes),
    offset: 0,
    length: bytes.length,
  });
  /** Makes a delta between two contents. Returns it with all that is needed to apply it. */
  const between = async (
    old: Uint8Array,
    next: Uint8Array,
  ): Promise<{ base: Piece; path: string; list: Uint8Array; length: number }> => {
    const base = file('old', old);
    const path = harness.path('delta');
    const known = await delta.list(base, null);
    const { delta: made, list } = await delta.make(known, file('next', next), path);
    expect(made).toEqual({
      digest: harness.digestOf(harness.read(path)),
      length: harness.read(path).length,
    });
    return { base, path, list, length: made?.length ?? NaN };
  };
  const applied = (base: Piece, path: string, most: number): ReturnType<Delta['apply']> =>
    delta.apply(base, path, harness.path('made'), most);

  describe(`a delta (${name})`, () => {
    it.each(EDITS)('recreates the new contents: %s', async (_, edit) => {
      const old = noise(harness.length, 1);
      const next = edit(old);
      const { base, path, list, length } = await between(old, next);
      expect(length).toBeLessThan(harness.length / 4);
      const made = await applied(base, path, next.length);
      expect(made).toEqual({ digest: harness.digestOf(next), length: next.length });
      expect(Buffer.compare(harness.read(harness.path('made')), next)).toBe(0);
      const known = await delta.list(base, null);
      expect(await delta.list(file('again', next), known)).toEqual(list);
    });

    it('is not made when nothing is in common, and the chunk list is still returned', async () => {
      const known = await delta.list(file('old', noise(harness.length, 1)), null);
      const next = file('next', noise(harness.length, 2));
      const made = await delta.make(known, next, harness.path('delta'));
      expect(made).toEqual({ delta: null, list: await delta.list(next, known) });
      expect(harness.names()).toEqual(['next', 'old']);
    });

    it('is not made against or from empty contents', async () => {
      const [full, empty] = [file('full', noise(500, 1)), file('empty', new Uint8Array(0))];
      const out = harness.path('delta');
      const known = await delta.list(empty, null);
      expect((await delta.make(known, full, out)).delta).toBeNull();
      expect((await delta.make(await delta.list(full, null), empty, out)).delta).toBeNull();
      expect(harness.names()).toEqual(['empty', 'full']);
    });

    it('can be made from and against contents inside files', async () => {
      const [old, next] = [noise(harness.length, 1), joined(noise(harness.length, 1), noise(9, 2))];
      const inside = (label: string, bytes: Uint8Array): Piece => ({
        path: harness.write(label, joined(noise(33, 5), bytes, noise(77, 6))),
        offset: 33,
        length: bytes.length,
      });
      const [base, contents] = [inside('old', old), inside('next', next)];
      const known = await delta.list(base, null);
      expect(known).toEqual(await delta.list(file('alone', old), null));
      await delta.make(known, contents, harness.path('delta'));
      expect(await applied(base, harness.path('delta'), next.length)).toEqual({
        digest: harness.digestOf(next),
        length: next.length,
      });
    });

    it('cuts a long file into the same chunks as its base', async () => {
      const bytes = noise(harness.length, 1);
      const short = file('short', bytes);
      const long = file('long', joined(bytes, noise(harness.long, 2)));
      const ofShort = await delta.list(short, null);
      const ofLong = await delta.list(long, null);
      expect(await delta.list(long, ofShort)).not.toEqual(ofLong);
      const { delta: made, list } = await delta.make(ofLong, short, harness.path('delta'));
      expect(made).not.toBeNull();
      expect(list).toEqual(await delta.list(short, ofLong));
      expect(await applied(long, harness.path('delta'), bytes.length)).toEqual({
        digest: harness.digestOf(bytes),
        length: bytes.length,
      });
    });

    it('is the same each time, also when several are made at once (contract 1, 4)', async () => {
      const old = noise(harness.length, 1);
      const next = joined(cut(old, 0, 0.5), noise(30, 3), cut(old, 0.5));
      const [base, contents] = [file('old', old), file('next', next)];
      const known = await delta.list(base, null);
      const all = await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map(async (label) => {
          const { delta: made, list } = await delta.make(known, contents, harness.path(label));
          const out = harness.path(`made ${label}`);
          const result = await delta.apply(base, harness.path(label), out, next.length);
          return { made, list, result, again: await delta.list(base, null) };
        }),
      );
      for (const one of all) expect(one).toEqual(all[0]);
      expect(all[0]?.again).toEqual(known);
      expect(all[0]?.result.digest).toBe(harness.digestOf(next));
    });
  });

  describe(`the check of untrusted input (${name})`, () => {
    it('refuses bytes that are no delta (contract 2)', async () => {
      const base = file('old', noise(harness.length, 1));
      for (const length of [0, 1, 5, 500]) {
        const bytes = noise(length, length);
        const path = harness.write('bad', bytes);
        await expect(applied(base, path, 1e9)).rejects.toMatchObject(code('damaged-delta'));
        expect(harness.names()).toEqual(['bad', 'old']);
      }
    });

    it('refuses a delta that is cut off or has trailing bytes (contract 2)', async () => {
      const old = noise(harness.length, 1);
      const next = joined(cut(old, 0, 0.5), noise(30, 3), cut(old, 0.5));
      const { base, path } = await between(old, next);
      const good = harness.read(path);
      const lengths = [1, 2, 4, 8, 12, 20, good.length - 12, good.length - 1];
      for (const length of lengths) {
        const bad = harness.write('bad', good.slice(0, length));
        await expect(applied(base, bad, 1e9)).rejects.toMatchObject(code('damaged-delta'));
      }
      for (const more of [Uint8Array.of(0), Uint8Array.of(3, 0), good]) {
        const bad = harness.write('bad', joined(good, more));
        await expect(applied(base, bad, 1e9)).rejects.toMatchObject(code('damaged-delta'));
      }
      expect(harness.names()).toEqual(['bad', 'delta', 'next', 'old']);
    });

    it('refuses a result longer than allowed (contract 2)', async () => {
      const old = noise(harness.length, 1);
      const next = joined(old, noise(7, 2));
      const { base, path } = await between(old, next);
      const short = applied(base, path, next.length - 1);
      await expect(short).rejects.toMatchObject(code('damaged-delta'));
      expect(harness.names()).toEqual(['delta', 'next', 'old']);
      expect((await applied(base, path, next.length)).length).toBe(next.length);
    });

    it('refuses a base of another length, and a wrong base of the same length changes the result (contract 2)', async () => {
      const old = noise(harness.length, 1);
      const { base, path } = await between(old, joined(old, noise(7, 2)));
      const shorter = { ...base, length: base.length - 1 };
      await expect(applied(shorter, path, 1e9)).rejects.toMatchObject(code('damaged-delta'));
      const longer = file('longer', joined(old, old));
      await expect(applied(longer, path, 1e9)).rejects.toMatchObject(code('damaged-delta'));
      expect(harness.names()).toEqual(['delta', 'longer', 'next', 'old']);
      const other = await applied(file('other', noise(harness.length, 3)), path, 1e9);
      expect(other.length).toBe(harness.length + 7);
      expect(other.digest).not.toBe(harness.digestOf(harness.read(harness.path('next'))));
    });

    it('refuses bytes that are no chunk list (contract 2)', async () => {
      const contents = file('next', noise(harness.length, 1));
      const good = await delta.list(contents, null);
      const lists = [0, 1, 2, 30].map((length) => noise(length, length + 1));
      lists.push(good.slice(0, -1), joined(good, Uint8Array.of(1)), joined(good, good));
      for (const list of lists) {
        const made = delta.make(list, contents, harness.path('delta'));
        await expect(made).rejects.toMatchObject(code('damaged-delta'));
        await expect(delta.list(contents, list)).rejects.toMatchObject(code('damaged-delta'));
      }
      expect(harness.names()).toEqual(['next']);
    });
  });

  describe(`the files of a delta (${name})`, () => {
    it('are reported when they are missing or shorter than declared', async () => {
      const old = noise(harness.length, 1);
      const { base, path } = await between(old, joined(old, noise(7, 2)));
      const known = await delta.list(base, null);
      const gone = { ...base, path: harness.path('gone') };
      const short = { ...base, offset: 1 };
      const out = harness.path('made');
      for (const piece of [gone, short]) {
        await expect(delta.list(piece, null)).rejects.toMatchObject(code('not-found'));
        await expect(delta.make(known, piece, out)).rejects.toMatchObject(code('not-found'));
        await expect(delta.apply(piece, path, out, 1e9)).rejects.toMatchObject(code('not-found'));
      }
      const missing = delta.apply(base, harness.path('gone'), out, 1e9);
      await expect(missing).rejects.toMatchObject(code('not-found'));
      expect(harness.names()).toEqual(['delta', 'next', 'old']);
    });

    it('are never overwritten when they exist already (contract 3)', async () => {
      const old = noise(harness.length, 1);
      const { base, path } = await between(old, joined(old, noise(7, 2)));
      const there = harness.write('made', noise(5, 5));
      await expect(delta.apply(base, path, there, 1e9)).rejects.toThrow();
      await expect(delta.make(await delta.list(base, null), base, there)).rejects.toThrow();
      expect(harness.read(there)).toEqual(noise(5, 5));
    });

    it('are joined into one', async () => {
      const [first, rest] = [noise(harness.length, 1), noise(harness.length / 2, 2)];
      const [begun, more] = [harness.write('begun', first), harness.write('rest', rest)];
      const whole = joined(first, rest);
      expect(await delta.join(begun, more)).toEqual({
        digest: harness.digestOf(whole),
        length: whole.length,
      });
      expect(Buffer.compare(harness.read(begun), whole)).toBe(0);
      expect(harness.names()).toEqual(['begun']);
    });

    it('stay unchanged when they cannot be joined (contract 3)', async () => {
      const begun = harness.write('begun', noise(100, 1));
      const gone = harness.path('gone');
      await expect(delta.join(begun, gone)).rejects.toMatchObject(code('not-found'));
      await expect(delta.join(gone, begun)).rejects.toMatchObject(code('not-found'));
      expect(harness.names()).toEqual(['begun']);
      expect(harness.read(begun)).toEqual(noise(100, 1));
    });

    it('are removed when the disk is full', async () => {
      const old = noise(harness.length, 1);
      const next = joined(old, noise(7, 2));
      const { base, path } = await between(old, next);
      const [known, contents] = [await delta.list(base, null), file('next', next)];
      const rest = harness.write('rest', noise(harness.length, 3));
      if (harness.fill === undefined) return;
      harness.fill();
      const out = harness.path('made');
      await expect(delta.make(known, contents, out)).rejects.toMatchObject(code('disk-full'));
      await expect(delta.apply(base, path, out, 1e9)).rejects.toMatchObject(code('disk-full'));
      await expect(delta.join(base.path, rest)).rejects.toMatchObject(code('disk-full'));
      expect(harness.names()).toEqual(['delta', 'next', 'old', 'rest']);
      expect(Buffer.compare(harness.read(base.path), old)).toBe(0);
    });
  });
}
