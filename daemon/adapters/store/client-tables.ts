/** How the rows of the ClientStore lie in the columns of migrations/daemon: one shape per table, read and written alike. */
import type { ClientTable, ClientTables, UnseenSides } from '../../../shared/ports/client-store.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { ConflictSides } from '../../../shared/model/conflict-side.ts';
import type { Rights } from '../../../shared/model/change.ts';
import { wallTime } from '../../../shared/model/time.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import {
  dataVersion,
  type CommitNumber,
  type DataVersion,
  type Digest,
  type Mtime,
  type VnodeKind,
} from '../../../shared/model/vnode.ts';

type Column = string | number | null;
type Columns = Readonly<Record<string, Column>>;

interface Shape<V, K, R> {
  /** The table's name in the database. */
  readonly name: string;
  readonly keys: ReadonlyArray<keyof K & string>;
  readonly rest: ReadonlyArray<keyof R & string>;
  /** The port's key as columns, and back. */
  readonly split: (key: string) => K;
  readonly join: (columns: K) => string;
  readonly encode: (value: V) => R;
  readonly decode: (columns: K & R) => V;
}

export type TableShape<V> = Shape<V, Columns, Columns>;

/** Checks a shape by the types of its columns, which stay private to this function. */
function shape<V, K, R>(typed: Shape<V, K, R>): TableShape<V> {
  return typed as unknown as TableShape<V>;
}

/** A key of one text column. */
function textKey<N extends string, T extends string>(name: N) {
  return {
    keys: [name],
    split: (key: string) => ({ [name]: key }) as Record<N, T>,
    join: (columns: Record<N, T>): string => columns[name],
  };
}

/** A key of one number. What is none stays text, which the column refuses. */
function numberKey<N extends string, T extends number>(name: N) {
  return {
    keys: [name],
    split: (key: string) =>
      ({ [name]: String(Number(key)) === key ? Number(key) : key }) as Record<N, T>,
    join: (columns: Record<N, T>): string => String(columns[name]),
  };
}

const parse = <T>(json: string): T => JSON.parse(json) as T;

const meta = shape<ClientTables['meta'], { key: string }, { value: string }>({
  name: 'meta',
  ...textKey<'key', string>('key'),
  rest: ['value'],
  encode: (value) => ({ value: JSON.stringify(value) }),
  decode: ({ value }) => parse(value),
});

interface VolumeColumns {
  name: string;
  root: Fid;
  rights: Rights;
  head: CommitNumber;
  caught_up: CommitNumber;
  blocks: string;
}

const volume = shape<ClientTables['volume'], { id: VolumeId }, VolumeColumns>({
  name: 'volume',
  ...numberKey<'id', VolumeId>('id'),
  rest: ['name', 'root', 'rights', 'head', 'caught_up', 'blocks'],
  encode: ({ info: { name, root, rights, head }, caughtUp, blocks }) => ({
    name,
    root,
    rights,
    head,
    caught_up: caughtUp,
    blocks: JSON.stringify(blocks),
  }),
  decode: ({ id, name, root, rights, head, caught_up, blocks }) => ({
    info: { id, name, root, rights, head },
    caughtUp: caught_up,
    blocks: parse(blocks),
  }),
});

interface StatusColumns {
  kind: VnodeKind;
  mode: number;
  mtime: Mtime;
  size: number;
  version: DataVersion;
  commit_number: CommitNumber;
  digest: Digest | null;
  target: string | null;
  links: number;
  xattrs: string;
}

const status = shape<ClientTables['status'], { fid: Fid }, StatusColumns>({
  name: 'status',
  ...textKey<'fid', Fid>('fid'),
  rest: [
    'kind',
    'mode',
    'mtime',
    'size',
    'version',
    'commit_number',
    'digest',
    'target',
    'links',
    'xattrs',
  ],
  encode: ({ kind, mode, mtime, size, version, commit, digest, target, links, xattrs }) => ({
    kind,
    mode,
    mtime,
    size,
    version,
    commit_number: commit,
    digest,
    target,
    links,
    xattrs: JSON.stringify(xattrs),
  }),
  decode: ({ commit_number, xattrs, ...columns }) => ({
    ...columns,
    commit: commit_number,
    xattrs: parse(xattrs),
  }),
});

interface DirectoryColumns {
  as_of: CommitNumber;
  version: DataVersion;
}

const directory = shape<ClientTables['directory'], { fid: Fid }, DirectoryColumns>({
  name: 'directory',
  ...textKey<'fid', Fid>('fid'),
  rest: ['as_of', 'version'],
  encode: ({ asOf, version }) => ({ as_of: asOf, version }),
  decode: ({ as_of, version }) => ({ asOf: as_of, version }),
});

const entry = shape<ClientTables['entry'], { dir: Fid; name: string }, { fid: Fid }>({
  name: 'entry',
  keys: ['dir', 'name'],
  split: (key) => {
    const slash = key.indexOf('/');
    return { dir: key.slice(0, slash) as Fid, name: key.slice(slash + 1) };
  },
  join: ({ dir, name }) => `${dir}/${name}`,
  rest: ['fid'],
  encode: (fid) => ({ fid }),
  decode: ({ fid }) => fid,
});

interface ContentColumns {
  fid: Fid;
  version: DataVersion;
  digest: Digest;
  size: number;
  used: number;
}

const content = shape<ClientTables['content'], { name: string }, ContentColumns>({
  name: 'content',
  ...textKey<'name', string>('name'),
  rest: ['fid', 'version', 'digest', 'size', 'used'],
  encode: ({ fid, version, digest, size, used }) => ({ fid, version, digest, size, used }),
  decode: ({ fid, version, digest, size, used }) => ({ fid, version, digest, size, used }),
});

interface UpdateColumns {
  name: string | null;
  content: string | null;
  place_dir: Fid | null;
  place_name: string | null;
  ancestors: string;
  /** null: none. */
  above: string | null;
  moves_directory: number;
  ends_vnode: number;
  rank: UpdateSeq;
  renumbered: number;
  standing: string | null;
  answer_commit: CommitNumber | null;
  answer_touched: string | null;
  body: string;
}

const update = shape<ClientTables['update'], { seq: UpdateSeq }, UpdateColumns>({
  name: 'update_log',
  ...numberKey<'seq', UpdateSeq>('seq'),
  rest: [
    'name',
    'content',
    'place_dir',
    'place_name',
    'ancestors',
    'above',
    'moves_directory',
    'ends_vnode',
    'rank',
    'renumbered',
    'standing',
    'answer_commit',
    'answer_touched',
    'body',
  ],
  encode: (row) => ({
    name: row.name,
    content: row.content,
    place_dir: row.place?.dir ?? null,
    place_name: row.place?.name ?? null,
    ancestors: JSON.stringify(row.ancestors),
    above: row.above.length === 0 ? null : JSON.stringify(row.above),
    moves_directory: row.movesDirectory ? 1 : 0,
    ends_vnode: row.endsVnode ? 1 : 0,
    rank: row.rank,
    renumbered: row.renumbered,
    standing: row.standing === null ? null : JSON.stringify(row.standing),
    answer_commit: row.answer?.commit ?? null,
    answer_touched: row.answer === null ? null : JSON.stringify(row.answer.touched),
    body: JSON.stringify(row.update),
  }),
  decode: (row) => ({
    seq: row.seq,
    name: row.name,
    update: parse(row.body),
    content: row.content,
    place:
      row.place_dir === null || row.place_name === null
        ? null
        : { dir: row.place_dir, name: row.place_name },
    ancestors: parse(row.ancestors),
    above: row.above === null ? [] : parse(row.above),
    movesDirectory: row.moves_directory === 1,
    endsVnode: row.ends_vnode === 1,
    rank: row.rank,
    renumbered: row.renumbered,
    standing: row.standing === null ? null : parse(row.standing),
    answer:
      row.answer_commit === null || row.answer_touched === null
        ? null
        : { commit: row.answer_commit, touched: parse(row.answer_touched) },
  }),
});

interface AdjustmentColumns {
  awaits: string;
  body: string;
}

const adjustment = shape<ClientTables['adjustment'], { id: number }, AdjustmentColumns>({
  name: 'adjustment',
  ...numberKey<'id', number>('id'),
  rest: ['awaits', 'body'],
  encode: (row) => ({ awaits: JSON.stringify(row.awaits), body: JSON.stringify(row.adjustment) }),
  decode: ({ awaits, body }) => ({ adjustment: parse(body), awaits: parse(awaits) }),
});

interface ConflictColumns {
  at: string;
  volume: ClientTables['conflict']['volume'];
  path: string;
  copy: string;
  kind: string;
  sides: string | null;
}

const conflict = shape<ClientTables['conflict'], { id: number }, ConflictColumns>({
  name: 'conflict',
  ...numberKey<'id', number>('id'),
  rest: ['at', 'volume', 'path', 'copy', 'kind', 'sides'],
  // A row that an older daemon recorded has none.
  encode: ({ when, sides = null, unseen, ...row }) => ({
    ...{ at: when, ...row },
    sides: sidesText(sides, unseen),
  }),
  decode: ({ at, volume, path, copy, kind, sides }) => ({
    ...{ when: at, volume, path, copy, kind },
    ...sidesFrom(sides),
  }),
});

type Sides = Pick<ClientTables['conflict'], 'sides' | 'unseen'>;

function sidesText(sides: Sides['sides'], unseen: Sides['unseen']): string | null {
  if (sides !== null) return JSON.stringify(sides);
  return unseen === undefined ? null : JSON.stringify({ unseen });
}

function sidesFrom(text: string | null): Sides {
  if (text === null) return { sides: null };
  const read = parse<ConflictSides | { readonly unseen: UnseenSides }>(text);
  return 'unseen' in read ? { sides: null, unseen: read.unseen } : { sides: read };
}

interface AliasColumns {
  kind: ClientTables['alias']['kind'];
  into_fid: Fid;
  /** 0 for what was merged. */
  lost: DataVersion;
}

const alias = shape<ClientTables['alias'], { fid: Fid }, AliasColumns>({
  name: 'alias',
  ...textKey<'fid', Fid>('fid'),
  rest: ['kind', 'into_fid', 'lost'],
  encode: (row) => ({
    kind: row.kind,
    into_fid: row.into,
    lost: row.kind === 'copied' ? row.lost : dataVersion(0),
  }),
  decode: ({ kind, into_fid: into, lost }) =>
    kind === 'copied' ? { kind, into, lost } : { kind, into },
});

/** A table of vnodes about which a person has said something, with the time of that. */
const markedSince = (name: 'pin' | 'excluded') =>
  shape<ClientTables['pin'], { fid: Fid }, { since: number }>({
    name,
    ...textKey<'fid', Fid>('fid'),
    rest: ['since'],
    encode: ({ since }) => ({ since }),
    decode: ({ since }) => ({ since: wallTime(since) }),
  });

interface NoteColumns {
  text: string;
  fid: Fid;
  version: DataVersion;
}

const note = shape<ClientTables['note'], { id: number }, NoteColumns>({
  name: 'note',
  ...numberKey<'id', number>('id'),
  rest: ['text', 'fid', 'version'],
  encode: ({ text, fid, version }) => ({ text, fid, version }),
  decode: ({ text, fid, version }) => ({ text, fid, version }),
});

export const SHAPES: { readonly [T in ClientTable]: TableShape<ClientTables[T]> } = {
  meta,
  volume,
  status,
  directory,
  entry,
  content,
  update,
  adjustment,
  conflict,
  alias,
  pin: markedSince('pin'),
  excluded: markedSince('excluded'),
  note,
};
