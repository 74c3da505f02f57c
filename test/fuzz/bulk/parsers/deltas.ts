/** Chunk lists and deltas, in the addon and on the disk in memory: contents of the allowed length, or the one code there is. */
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  applyDelta,
  chunkList,
  decodeList,
  encodeDelta,
  encodeList,
} from '../../../../app/lab/simulator/store/delta-format.ts';
import { NativeDelta } from '../../../../shared/transport/native-delta.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { bytes as hex, ERA, type Parser, type ParserRow } from '../parser.ts';
import { scratchFolder } from './folder-files.ts';

const MOST = 50_000;
const TOKENS = hex(
  '00',
  '01',
  '7f',
  '8001',
  '8000',
  'ffffffff0f',
  'ffffffffffffffffff01',
  '677764 01',
  '8010',
);

const allows = (error: unknown): boolean =>
  error instanceof GodwitError && error.code === 'damaged-delta';

/** Contents of a length, compressible or not. */
function contents(length: number, step: number): Uint8Array {
  const made = new Uint8Array(length);
  for (let i = 0, state = step; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    made[i] = step % 2 === 0 ? state >>> 23 : (i >>> 4) * step;
  }
  return made;
}

/** A copy with bytes inserted, left out and changed. */
function edited(old: Uint8Array, step: number): Uint8Array {
  const third = Math.floor(old.length / 3);
  const turned = old.slice(third, 2 * third).map((byte, i) => (i % 97 === 0 ? byte ^ step : byte));
  return Buffer.concat([
    old.subarray(0, third),
    contents(step, step),
    turned,
    old.subarray(2 * third + step),
  ]);
}

const BASE = contents(1000, 7);

const listsInMemory = (): Parser => ({
  corpus: () =>
    [0, 5, 100, 1000, 3000].map((length) => encodeList(chunkList(contents(length, length), null))),
  tokens: TOKENS,
  allows,
  check: (given) => {
    const list = decodeList(given);
    deepStrictEqual(decodeList(encodeList(list)), list);
    return true;
  },
});

const deltasInMemory = (): Parser => ({
  corpus: (seed) => {
    const list = chunkList(BASE, null);
    return [1, 2, 3, 50].map((step) => {
      const next = edited(BASE, step + (seed % 50));
      return encodeDelta(list, chunkList(next, list.average), next);
    });
  },
  tokens: TOKENS,
  allows,
  check: (given) => {
    ok(applyDelta(BASE, given, MOST).length <= MOST);
    return true;
  },
});

class Bench {
  readonly folder = scratchFolder();
  readonly delta = new NativeDelta();
  readonly base = this.write('base', contents(20_000, 8));

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: Uint8Array) {
    writeFileSync(this.path(name), content);
    return { path: this.path(name), offset: 0, length: content.length };
  }

  /** Checks that the output file exists exactly when there is a length. */
  expectOut(length: number | null): void {
    const there = existsSync(this.path('out'));
    equal(there, length !== null, 'a file is left behind, or missing');
    if (there) equal(statSync(this.path('out')).size, length);
    rmSync(this.path('out'), { force: true });
  }

  async orRefused<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work;
    } catch (error) {
      if (!allows(error)) throw error;
      return null;
    }
  }
}

async function deltasInTheAddon(): Promise<Parser> {
  const bench = new Bench();
  const list = await bench.delta.list(bench.base, null);
  const old = readFileSync(bench.base.path);
  const corpus: Uint8Array[] = [];
  for (const step of [1, 2, 50, 200]) {
    await bench.delta.make(list, bench.write('next', edited(old, step)), bench.path('out'));
    corpus.push(readFileSync(bench.path('out')));
    rmSync(bench.path('out'));
  }
  return {
    corpus: () => corpus,
    tokens: TOKENS,
    allows,
    check: async (given) => {
      bench.write('delta', given);
      const work = bench.delta.apply(bench.base, bench.path('delta'), bench.path('out'), MOST);
      const made = await bench.orRefused(work);
      ok(made === null || made.length <= MOST);
      bench.expectOut(made?.length ?? null);
      return made !== null;
    },
    close: () => rmSync(bench.folder, { recursive: true }),
  };
}

async function listsInTheAddon(): Promise<Parser> {
  const bench = new Bench();
  const next = bench.write('next', edited(readFileSync(bench.base.path), 50));
  const lists = [await bench.delta.list(bench.base, null), await bench.delta.list(next, null)];
  return {
    corpus: () => lists,
    tokens: TOKENS,
    allows,
    check: async (given) => {
      const list = Uint8Array.from(given);
      const made = await bench.orRefused(bench.delta.make(list, next, bench.path('out')));
      bench.expectOut(made?.delta?.length ?? null);
      const listed = await bench.orRefused(bench.delta.list(next, list));
      deepStrictEqual(listed, made?.list ?? null);
      return made !== null;
    },
    close: () => rmSync(bench.folder, { recursive: true }),
  };
}

export const DELTAS: readonly ParserRow[] = [
  { name: 'chunk lists, in memory', weight: 0.5, era: ERA, open: listsInMemory },
  { name: 'deltas, in memory', weight: 1, era: ERA, open: deltasInMemory },
  { name: 'chunk lists, in the addon', weight: 0.3, era: 5000, open: listsInTheAddon },
  { name: 'deltas, in the addon', weight: 0.5, era: 5000, open: deltasInTheAddon },
];
