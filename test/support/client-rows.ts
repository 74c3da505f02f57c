/** Rows of the ClientStore: a sample of each table with all its variety, and random commits of them. */
import fc from 'fast-check';
import type { Fid } from '../../shared/model/fid.ts';
import type { RowChange } from '../../shared/ports/client-store.ts';

/** A sample row, without branded types. */
interface Sample {
  readonly table: RowChange['table'];
  readonly key: string;
  readonly value: unknown;
}

const DIGEST = 'ab'.repeat(32);
const [ROOT, DIR, FILE, LINK] = ['1.1.1', '1.2.77', '1.3.77', '1.4.4294967295'] as [
  Fid,
  Fid,
  Fid,
  Fid,
];
const XATTRS = [{ name: 'origin', value: 'AP8=' }];

/** By the number of the conflict. */
const SIDES: Readonly<Record<string, unknown>> = {
  10: {
    mine: { kind: 'file', fid: FILE, version: 0, digest: null, target: null },
    theirs: { kind: 'symlink', fid: LINK, version: 3, digest: null, target: 'a/b' },
  },
};

const META: Sample[] = [
  { table: 'meta', key: 'device', value: 7 },
  { table: 'meta', key: 'empty', value: '' },
  { table: 'meta', key: 'epoch', value: 'text with "quotes"' },
  { table: 'meta', key: 'fraction', value: -0.5 },
  { table: 'meta', key: 'large', value: 2 ** 53 - 1 },
  { table: 'meta', key: 'none', value: null },
  { table: 'meta', key: 'paired', value: true },
];

const VOLUMES: Sample[] = [
  {
    table: 'volume',
    key: '1',
    value: {
      info: { id: 1, name: 'home', root: ROOT, rights: 'write', head: 12 },
      caughtUp: 11,
      blocks: [{ first: 2, count: 1024, uniquifier: 77, used: 3 }],
    },
  },
  {
    table: 'volume',
    key: '4294967295',
    value: {
      info: { id: 4294967295, name: 'été', root: '4294967295.1.1', rights: 'read', head: 0 },
      caughtUp: 0,
      blocks: [],
    },
  },
];

const plain = { mode: 0o755, mtime: '-1', size: 0, version: 4, commit: 9, xattrs: [] };
const STATUSES: Sample[] = [
  {
    table: 'status',
    key: DIR,
    value: { ...plain, fid: DIR, kind: 'directory', digest: null, target: null, links: 1 },
  },
  {
    table: 'status',
    key: FILE,
    value: {
      ...plain,
      fid: FILE,
      kind: 'file',
      mtime: '1735689600123456789',
      size: 5_000_000_000,
      digest: DIGEST,
      target: null,
      links: 2,
      xattrs: XATTRS,
    },
  },
  {
    table: 'status',
    key: LINK,
    value: { ...plain, fid: LINK, kind: 'symlink', digest: null, target: '../é', links: 0 },
  },
];

const SMALL: Sample[] = [
  { table: 'directory', key: DIR, value: { asOf: 9, version: 4 } },
  { table: 'entry', key: `${ROOT}/a`, value: DIR },
  { table: 'entry', key: `${DIR}/a`, value: FILE },
  { table: 'entry', key: `${DIR}/b`, value: FILE },
  {
    table: 'content',
    key: 'c1',
    value: { fid: FILE, version: 4, digest: DIGEST, size: 3, used: 0 },
  },
  {
    table: 'content',
    key: 'c2',
    value: { fid: FILE, version: 5, digest: DIGEST, size: 5_000_000_000, used: 7 },
  },
  { table: 'pin', key: DIR, value: { since: 1_700_000_000_000 } },
  { table: 'excluded', key: DIR, value: { since: 1_700_000_000_000 } },
  { table: 'note', key: '7', value: { text: '{}', fid: FILE, version: 4 } },
];

const logged = {
  name: null,
  content: null,
  place: null,
  ancestors: [],
  above: [],
  movesDirectory: false,
  endsVnode: false,
  rank: 9,
  renumbered: 0,
  standing: null,
  answer: null,
};
const UPDATES: Sample[] = [
  {
    table: 'update',
    key: '9',
    value: {
      ...logged,
      seq: 9,
      update: { op: 'rmdir', fid: DIR, dir: ROOT, name: 'a', at: '1' },
      place: { dir: ROOT, name: 'a' },
      movesDirectory: true,
      endsVnode: true,
    },
  },
  {
    table: 'update',
    key: '10',
    value: {
      ...logged,
      seq: 10,
      name: '0123456789abcdef',
      update: { op: 'store', fid: FILE, base: 4, size: 3, digest: DIGEST, mtime: '2' },
      content: 'c1',
      place: { dir: DIR, name: 'é' },
      ancestors: [DIR, ROOT],
      above: ['d'],
      renumbered: 2,
      standing: { turn: -3, aside: true, written: 1_700_000_000_000 },
    },
  },
  {
    table: 'update',
    key: '11',
    value: {
      ...logged,
      seq: 11,
      update: { op: 'setattr', fid: FILE, mode: null, mtime: null, xattrs: XATTRS },
      answer: { commit: 12, touched: [{ fid: FILE, before: 4, after: 5 }] },
    },
  },
];

const CONFLICTS: Sample[] = [
  {
    table: 'adjustment',
    key: '2',
    value: { adjustment: { id: 2, volume: 1, kind: 'restored', fid: FILE }, awaits: [] },
  },
  {
    table: 'adjustment',
    key: '10',
    value: {
      adjustment: {
        id: 10,
        volume: 1,
        kind: 'renamed',
        fid: FILE,
        from: { dir: DIR, name: 'a' },
        to: { dir: DIR, name: 'b' },
      },
      awaits: [10, 11],
    },
  },
  ...['9', '10'].map((key) => ({
    table: 'conflict' as const,
    key,
    value: {
      when: '2025-01-01T00:00:00.000Z',
      volume: 1,
      path: 'a/b',
      copy: 'a/b (2)',
      kind: 'stale-base',
      sides: SIDES[key] ?? null,
    },
  })),
  { table: 'alias', key: DIR, value: { kind: 'merged', into: LINK } },
  { table: 'alias', key: FILE, value: { kind: 'copied', into: DIR, lost: 4 } },
];

/** In the order of keys, table by table. */
export const SAMPLE_ROWS: RowChange[] = [
  ...META,
  ...VOLUMES,
  ...STATUSES,
  ...SMALL,
  ...UPDATES,
  ...CONFLICTS,
].map((sample) => sample as RowChange);

/** Lists of changes: the samples put, put over each other's keys in `meta`, and dropped. */
export function anyCommits(): fc.Arbitrary<RowChange[][]> {
  const sample = fc.constantFrom(...SAMPLE_ROWS);
  const dropped = sample.map((change) => ({ ...change, value: undefined }));
  const meta = fc
    .tuple(fc.constantFrom('device', 'none', 'other'), fc.oneof(fc.string(), fc.integer()))
    .map(([key, value]): RowChange => ({ table: 'meta', key, value }));
  return fc.array(fc.array(fc.oneof(sample, dropped, meta), { maxLength: 12 }), { maxLength: 6 });
}
