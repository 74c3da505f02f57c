/** The packs of a server after changes by others: records are read in order without a gap, and a store opens or fails with a coded error. */
import { equal, ok } from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { digestOf } from '../../../../app/lab/simulator/disk/content-digest.ts';
import { MemoryLog } from '../../../../app/lab/simulator/process/memory-log.ts';
import { World } from '../../../../app/lab/simulator/world.ts';
import {
  indexFile,
  PackedContentStore,
} from '../../../../server/adapters/content-packs/content-packs.ts';
import { readRecords } from '../../../../server/adapters/content-packs/read-records.ts';
import {
  contentIn,
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  MARK_BYTES,
  NO_BYTES,
} from '../../../../server/adapters/content-packs/record.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { bytes as hex, ERA, type Parser, type ParserRow } from '../parser.ts';
import { scratchFolder } from './folder-files.ts';

const MARK = Buffer.from('0123456789abcdef', 'hex');
/** The offset of the pack in the bytes. */
const START = 1000;
const AT = { length: 12, body: 56, header: 60 };
const TOKENS = hex(
  '0123456789abcdef',
  '01000000',
  '02000000',
  'ffffffff',
  '000000000000f87f',
  '40000000',
);

function record(kind: 'content' | 'removal', body: Uint8Array, when = 1000): Buffer {
  const digest = digestOf(body);
  return Buffer.concat([encodeHeader(MARK, { kind, digest, when, bytes: body }), body]);
}

/** Corrects the checksum of each header, and of each complete body behind one. */
function mended(given: Uint8Array): Uint8Array {
  const all = Buffer.from(given);
  for (let at = all.indexOf(MARK); at >= 0; at = all.indexOf(MARK, at + MARK_BYTES)) {
    if (at + HEADER_BYTES > all.length) break;
    const end = at + HEADER_BYTES + all.readUInt32LE(at + AT.length);
    if (end <= all.length) {
      all.writeUInt32LE(crc32(all.subarray(at + HEADER_BYTES, end)), at + AT.body);
    }
    all.writeUInt32LE(crc32(all.subarray(at, at + AT.header)), at + AT.header);
  }
  return all;
}

const corpusOfRecords = (): Uint8Array[] => {
  const records = [0, 1, 40, 300].map((length) => record('content', Buffer.alloc(length, length)));
  const removal = record('removal', NO_BYTES, -1.5);
  return [
    ...records,
    removal,
    Buffer.concat([...records, removal]),
    Buffer.concat([removal, ...records]),
  ];
};

const records = (): Parser => ({
  corpus: corpusOfRecords,
  tokens: TOKENS,
  mend: mended,
  allows: () => false,
  check: async (given) => {
    const all = Buffer.from(given.buffer, given.byteOffset, given.length);
    const readInto = (buffer: Buffer, from: number): Promise<number> =>
      Promise.resolve(all.copy(buffer, 0, from - START));
    let [at, taken] = [START, false];
    for await (const piece of readRecords({ readInto }, MARK, START, START + all.length)) {
      if (piece.kind === 'stray') {
        equal(piece.at, at);
        ok(piece.bytes > 0);
        at += piece.bytes;
        continue;
      }
      const { kind, digest, when, offset, length } = piece.record;
      equal(offset, at + HEADER_BYTES);
      at = offset + length;
      ok(/^[0-9a-f]{64}$/.test(digest) && Number.isFinite(when));
      equal(all.readUInt32LE(offset - START - HEADER_BYTES + 8), kind === 'content' ? 1 : 2);
      taken = true;
    }
    equal(at, START + all.length);
    return taken;
  },
});

const headers = (): Parser => ({
  corpus: corpusOfRecords,
  tokens: TOKENS,
  mend: mended,
  allows: () => false,
  check: (given) => {
    const all = Buffer.from(given.buffer, given.byteOffset, given.length);
    const header = decodeHeader(all.subarray(0, HEADER_BYTES), MARK);
    if (header === null) return false;
    const body = contentIn(all, MARK, header.digest);
    if (body === null) return header.kind !== null;
    equal(crc32(body), header.checksum);
    const { digest, when } = header;
    const again = encodeHeader(MARK, { kind: 'content', digest, when, bytes: body });
    ok(again.equals(all.subarray(0, HEADER_BYTES)));
    return true;
  },
});

const CONTENTS = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => Buffer.from(letter.repeat(300)));
/** Packs of two contents. */
const OPTIONS = { packBytes: 500, wall: () => 1000 };
const LENGTH_BYTES = 4;

function opened(folder: string, rebuild = false): Promise<PackedContentStore> {
  const log = new MemoryLog(new World(1), 'server');
  return PackedContentStore.open(folder, { log, rebuild, ...OPTIONS });
}

async function put(
  store: PackedContentStore,
  folder: string,
  content: Uint8Array,
): Promise<string> {
  const spool = join(folder, 'spool');
  writeFileSync(spool, content);
  const digest = digestOf(content);
  await store.put(spool, digest);
  return digest;
}

/** The files of a store in sequence, each after its length. */
async function wholeStore(folder: string): Promise<{ files: string[]; bytes: Uint8Array }> {
  const store = await opened(folder);
  for (const content of CONTENTS) await put(store, folder, content);
  await store.close();
  const settled = new Database(indexFile(folder));
  settled.pragma('journal_mode = DELETE');
  settled.close();
  const packs = readdirSync(join(folder, 'packs')).sort();
  const files = [...packs.map((name) => join(folder, 'packs', name)), indexFile(folder)];
  const parts = files.map((file) => {
    const content = readFileSync(file);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(content.length);
    return Buffer.concat([length, content]);
  });
  return { files, bytes: Buffer.concat(parts) };
}

function layOut(given: Uint8Array, files: readonly string[]): void {
  let rest = Buffer.from(given.buffer, given.byteOffset, given.length);
  for (const file of files) {
    const length = rest.length < LENGTH_BYTES ? 0 : rest.readUInt32LE(0);
    writeFileSync(file, rest.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
    rest = rest.subarray(LENGTH_BYTES + length);
  }
}

/** What opens takes what is put, and has it in the next process and without the index. */
async function stores(): Promise<Parser> {
  const base = scratchFolder();
  const folder = join(base, 'store');
  mkdirSync(folder);
  const whole = await wholeStore(folder);
  return {
    corpus: () => [whole.bytes],
    tokens: [],
    allows: (error) => error instanceof GodwitError && error.code !== 'internal',
    check: async (given) => {
      rmSync(folder, { recursive: true });
      mkdirSync(join(folder, 'packs'), { recursive: true });
      layOut(given, whole.files);
      const digest = await within(folder, false, (store) => put(store, folder, Buffer.from('new')));
      const located = (store: PackedContentStore) => store.locate(digest as never);
      ok((await within(folder, false, located)) !== null, 'lost in the next process');
      ok((await within(folder, true, located)) !== null, 'lost without the index');
      return true;
    },
    close: () => rmSync(base, { recursive: true }),
  };
}

async function within<T>(
  folder: string,
  rebuild: boolean,
  work: (store: PackedContentStore) => Promise<T>,
): Promise<T> {
  const store = await opened(folder, rebuild);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export const PACKS: readonly ParserRow[] = [
  { name: 'headers of pack records', weight: 3, era: ERA, open: headers },
  { name: 'records of a pack', weight: 0.5, era: ERA, open: records },
  { name: 'packs and their index', weight: 0.01, era: 100, open: stores },
];
