/**
 * The packs of a server and their index, after somebody else's hand was in the folder: what opens is taken in order, or refused with
 * a coded error; what is put afterwards is there, in this process, the next, and from the packs alone.
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { indexFile } from '../../server/adapters/content-packs/content-packs.ts';
import { readRecords } from '../../server/adapters/content-packs/read-records.ts';
import { HEADER_BYTES } from '../../server/adapters/content-packs/record.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { PacksBench } from '../support/packs-bench.ts';
import { damage, damaged, type Damage } from './damage.ts';
import { fuzzAsync } from './runs.ts';

const CONTENTS = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => Buffer.from(letter.repeat(300)));
/** The length of a pack of two contents. */
const PACK_BYTES = 500;

const PACK_HANDS = ['bytes', 'other mark', 'other number', 'twin', 'exchange', 'gone'] as const;
const INDEX_HANDS = [
  ...(['none', 'none', 'gone', 'text', 'bytes', 'newer', 'negative', 'other tables'] as const),
  ...(['no tables', 'lies'] as const),
];

const hand = fc.record({
  steps: damage,
  packs: fc.array(fc.record({ how: fc.constantFrom(...PACK_HANDS), which: fc.nat(9) }), {
    maxLength: 2,
  }),
  index: fc.constantFrom(...INDEX_HANDS),
  lie: fc.constantFrom(-1, 0, 64, 300, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER),
});

type Hand = typeof hand extends fc.Arbitrary<infer T> ? T : never;

function touchPacks(
  folder: string,
  how: (typeof PACK_HANDS)[number],
  which: number,
  steps: Damage,
) {
  const packs = readdirSync(join(folder, 'packs')).sort();
  const at = (index: number): string => join(folder, 'packs', packs[index % packs.length] ?? '');
  const file = at(which);
  const renamed = (name: string): string => join(folder, 'packs', name);
  const own = packs[which % packs.length] ?? '';
  if (how === 'bytes') writeFileSync(file, damaged(readFileSync(file), steps));
  if (how === 'other mark') renameSync(file, renamed(`${own.slice(0, 9)}0123456789abcdef.pack`));
  if (how === 'other number') renameSync(file, renamed(`00000099${own.slice(8)}`));
  if (how === 'twin') copyFileSync(file, renamed(`${own.slice(0, 9)}0123456789abcdef.pack`));
  if (how === 'exchange') copyFileSync(file, at(which + 1) === file ? `${file}.x` : at(which + 1));
  if (how === 'gone') rmSync(file);
}

function touchIndex(file: string, how: (typeof INDEX_HANDS)[number], lie: number, steps: Damage) {
  if (how === 'none') return;
  const settle = new Database(file);
  settle.pragma('journal_mode = DELETE');
  if (how === 'newer') settle.pragma('user_version = 99');
  if (how === 'negative') settle.pragma('user_version = -3');
  if (how === 'lies') {
    settle.prepare('UPDATE place SET offset = ?, length = ?').run(lie, lie);
    settle.prepare('UPDATE pack SET length = ?').run(lie);
  }
  if (how === 'no tables') settle.exec('DROP TABLE place; DROP TABLE dead');
  if (how === 'other tables') settle.exec('ALTER TABLE place RENAME COLUMN offset TO elsewhere');
  settle.close();
  if (how === 'gone') rmSync(file);
  if (how === 'text') writeFileSync(file, 'this is no database\n'.repeat(20));
  if (how === 'bytes') writeFileSync(file, damaged(readFileSync(file), steps));
}

/** The result of the work, or null for a coded error. */
async function coded<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GodwitError) return null;
    throw error;
  }
}

async function afterHand({ packs, index, lie, steps }: Hand) {
  const bench = new PacksBench();
  const open = (rebuild = false) => bench.open({ packBytes: PACK_BYTES, rebuild });
  try {
    const first = await open();
    for (const bytes of CONTENTS) await bench.put(first, bytes);
    await first.close();
    for (const { how, which } of packs) touchPacks(bench.folder, how, which, steps);
    touchIndex(indexFile(bench.folder), index, lie, steps);
    const second = await coded(() => open());
    if (second === null) return;
    const digests = [];
    for (const bytes of [...CONTENTS, Buffer.from('afterwards')]) {
      const put = await coded(() => bench.put(second, bytes));
      if (put === null) return;
      digests.push(put);
    }
    await second.close();
    const third = await open();
    for (const digest of digests) expect(await bench.read(third, digest)).not.toBeNull();
    await third.close();
    expect(existsSync(indexFile(bench.folder))).toBe(true);
    const rebuilt = await open(true);
    const all = await Promise.all(digests.map((digest) => bench.read(rebuilt, digest)));
    expect(all.map(String)).toEqual([...CONTENTS, 'afterwards'].map(String));
  } finally {
    await bench.end();
  }
}

describe('the packs of a server', () => {
  fuzzAsync('pack files and their index', hand, afterHand, { usual: 40, share: 0.02 });

  const MARK = Buffer.from('0123456789abcdef', 'hex');
  const fields = fc.record({
    kind: fc.oneof(fc.nat(3), fc.nat(0xffff_ffff)),
    length: fc.oneof(fc.nat(200), fc.constantFrom(0x7fff_ffff, 0xffff_ffff)),
    digest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    when: fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -1)),
    body: fc.uint8Array({ maxLength: 200 }),
    steps: damage,
    isWhole: fc.boolean(),
  });

  fuzzAsync(
    'records of a pack',
    fc.array(fields, { maxLength: 5 }),
    async (list) => {
      const parts = list.map(({ kind, length, digest, when, body, steps, isWhole }) => {
        const header = Buffer.alloc(HEADER_BYTES);
        header.set(MARK, 0);
        header.writeUInt32LE(kind, 8);
        header.writeUInt32LE(isWhole ? body.length : length, 12);
        header.set(digest, 16);
        header.writeDoubleLE(when, 48);
        header.writeUInt32LE(crc32(body), 56);
        header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
        const record = Buffer.concat([header, body]);
        return isWhole ? record : damaged(record, steps);
      });
      const bytes = Buffer.concat(parts);
      const readInto = (buffer: Buffer, from: number): Promise<number> =>
        Promise.resolve(bytes.copy(buffer, 0, from - 1000));
      let at = 1000;
      for await (const piece of readRecords({ readInto }, MARK, 1000, 1000 + bytes.length)) {
        if (piece.kind === 'stray') {
          expect([piece.at, piece.bytes > 0]).toEqual([at, true]);
          at += piece.bytes;
          continue;
        }
        const { kind, digest, when, offset, length } = piece.record;
        expect(offset).toBe(at + HEADER_BYTES);
        at = offset + length;
        expect(digest).toMatch(/^[0-9a-f]{64}$/);
        expect(Number.isFinite(when)).toBe(true);
        expect(bytes.readUInt32LE(offset - 1000 - HEADER_BYTES + 8)).toBe(
          kind === 'content' ? 1 : 2,
        );
      }
      expect(at).toBe(1000 + bytes.length);
    },
    { usual: 300, share: 1 },
  );
});
