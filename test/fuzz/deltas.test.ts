/**
 * Chunk lists and deltas from outside, in the addon and on the disk in memory: they make something of the length that was allowed, or
 * are refused with the one code there is for that, and nothing is left behind. What is made of an edit is the edited contents.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryDelta } from '../../app/lab/simulator/store/memory-delta.ts';
import type { Delta, MadeContent, Piece } from '../../shared/ports/delta.ts';
import { NativeDelta } from '../../shared/transport/native-delta.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { damage, damaged } from './damage.ts';
import { fuzzAsync } from './runs.ts';

interface Bench {
  readonly delta: Delta;
  /** The first bytes of a delta and of a chunk list. */
  readonly magic: Uint8Array;
  readonly version: number;
  path(name: string): string;
  write(name: string, bytes: Uint8Array): void;
  read(name: string): Uint8Array;
  remove(name: string): void;
  names(): string[];
  end(): void;
}

function inMemory(): Bench {
  const disk = new MemoryDisk();
  const path = (name: string): string => `/files/${name}`;
  return {
    delta: new MemoryDelta({ disk }),
    magic: Uint8Array.of(0x44),
    version: 0x4c,
    path,
    write: (name, bytes) => disk.write(path(name), bytes),
    read: (name) => disk.read(path(name)),
    remove: (name) => disk.remove(path(name), { missing: 'fine' }),
    names: () => disk.list('/files').map((name) => name.slice('/files/'.length)),
    end: () => undefined,
  };
}

function onDisk(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-fuzz-delta-'));
  const path = (name: string): string => join(folder, name);
  return {
    delta: new NativeDelta(),
    magic: Buffer.from('gwd\x01'),
    version: 1,
    path,
    write: (name, bytes) => writeFileSync(path(name), bytes),
    read: (name) => new Uint8Array(readFileSync(path(name))),
    remove: (name) => rmSync(path(name), { force: true }),
    names: () => readdirSync(folder).sort(),
    end: () => rmSync(folder, { recursive: true }),
  };
}

const MOST = 50_000;

/** Contents up to a length, compressible or not. */
function contentsUpTo(longest: number): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(longest), fc.nat(255), fc.boolean())
    .map(([start, length, step, noisy]) => {
      const bytes = new Uint8Array(length);
      let state = step + 1;
      for (let i = 0; i < length; i++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        bytes[i] = noisy ? state >>> 23 : (i >>> 4) * step;
      }
      bytes.set(start.subarray(0, length));
      return bytes;
    });
}

const number = fc.oneof(
  fc.bigInt({ min: 0n, max: 4000n }),
  fc.constantFrom(0n, 1n, 1999n, 2000n, 2001n, 2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n),
);

function varint(value: bigint): number[] {
  const bytes = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) + 0x80);
  }
}

/** The result of the work, or null for the one allowed error. */
async function answer<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'damaged-delta') return null;
    throw error;
  }
}

/** Tests of the parsers of a bench. Contents of `longest` bytes have some dozen chunks. */
function parsers(name: string, longest: number, make: () => Bench): void {
  const contents = contentsUpTo(longest);
  describe(name, () => {
    let bench: Bench;
    beforeAll(() => {
      bench = make();
    });
    afterAll(() => bench.end());

    const piece = (label: string, bytes: Uint8Array): Piece => {
      bench.write(label, bytes);
      return { path: bench.path(label), offset: 0, length: bytes.length };
    };
    /** Checks that there is a file of that length when contents were made, and none otherwise. */
    const expectOut = (made: MadeContent | null): void => {
      expect(bench.names().includes('out')).toBe(made !== null);
      if (made !== null) expect(bench.read('out').length).toBe(made.length);
      for (const label of bench.names()) bench.remove(label);
    };
    const apply = async (base: Uint8Array, delta: Uint8Array, most: number): Promise<void> => {
      bench.write('delta', delta);
      const work = bench.delta.apply(
        piece('base', base),
        bench.path('delta'),
        bench.path('out'),
        most,
      );
      const made = await answer(work);
      if (made !== null) expect(made.length).toBeLessThanOrEqual(most);
      expectOut(made);
    };
    const disk = { usual: 100, share: 0.1 };

    fuzzAsync(
      `${name}: an edit is made again`,
      fc.tuple(contents, damage),
      async ([old, steps]) => {
        const next = damaged(old, steps);
        const list = await bench.delta.list(piece('base', old), null);
        const { delta } = await bench.delta.make(list, piece('next', next), bench.path('delta'));
        if (delta !== null) {
          const [base, out] = [piece('base', old), bench.path('out')];
          await bench.delta.apply(base, bench.path('delta'), out, next.length);
          expect(Buffer.compare(bench.read('out'), next)).toBe(0);
        } else expect(bench.names()).toEqual(['base', 'next']);
        for (const label of bench.names()) bench.remove(label);
      },
      disk,
    );

    fuzzAsync(
      `${name}: a delta of any bytes`,
      fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.boolean()),
      ([bytes, headed]) =>
        apply(
          new Uint8Array(1000),
          Buffer.concat([headed ? bench.magic : new Uint8Array(0), bytes]),
          MOST,
        ),
      disk,
    );

    fuzzAsync(
      `${name}: a delta of any numbers`,
      fc.tuple(number, fc.array(number, { maxLength: 12 })),
      ([length, numbers]) => {
        const bytes = [1000n, length, ...numbers].flatMap(varint);
        return apply(new Uint8Array(1000), Buffer.concat([bench.magic, Buffer.from(bytes)]), MOST);
      },
      disk,
    );

    fuzzAsync(
      `${name}: a delta that is damaged`,
      fc.tuple(contents, damage, damage, fc.nat(MOST)),
      async ([old, edit, steps, most]) => {
        const list = await bench.delta.list(piece('base', old), null);
        const next = piece('next', damaged(old, edit));
        const { delta } = await bench.delta.make(list, next, bench.path('delta'));
        if (delta === null) return;
        await apply(old, damaged(bench.read('delta'), steps), most);
      },
      disk,
    );

    fuzzAsync(
      `${name}: a list that is damaged, or none`,
      fc.tuple(contents, fc.oneof(damage, fc.uint8Array({ maxLength: 200 })), contents),
      async ([old, spoiling, next]) => {
        const good = await bench.delta.list(piece('base', old), null);
        const list =
          spoiling instanceof Uint8Array
            ? Buffer.concat([Buffer.from([bench.version]), spoiling])
            : damaged(good, spoiling);
        const there = piece('next', next);
        const made = await answer(bench.delta.make(list, there, bench.path('out')));
        const listed = await answer(bench.delta.list(there, list));
        expect(listed).toEqual(made?.list ?? null);
        expectOut(made?.delta ?? null);
      },
      disk,
    );
  });
}

parsers('in memory', 1000, inMemory);
parsers('in the addon', 60_000, onDisk);
