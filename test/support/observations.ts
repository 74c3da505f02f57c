/** Observations made up for tests of checkers: a laptop that is none, and rows as databases write them. */
import type { Checker, CheckerKind } from '../../app/lab/simulator/check/checker.ts';
import type { FileCall, Observation } from '../../app/lab/simulator/check/observation.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import { instant } from '../../shared/model/time.ts';
import { makeFid, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { RowWrite } from '../../shared/model/stored.ts';
import type { Update, UpdateNonce, UpdateResult } from '../../shared/model/update.ts';
import { updateSeq } from '../../shared/model/update.ts';
import type { Digest, Mtime, VnodeStatus } from '../../shared/model/vnode.ts';
import { commitNumber, dataVersion } from '../../shared/model/vnode.ts';
import type { RowChange, UpdateRow } from '../../shared/ports/client-store.ts';
import type { Attributes } from '../../shared/ports/file-system.ts';
import { AliasList } from '../../daemon/core/names/alias-list.ts';
import { Outbox } from '../../daemon/core/effects.ts';
import { VnodeQuestions } from '../../daemon/core/sharing/vnode-questions.ts';

export const VOLUME = 1 as VolumeId;
export const ROOT = makeFid(1, 1, 1);
export const FILE = makeFid(1, 2, 2);
export const OTHER = makeFid(1, 3, 2);
export const digest = (letter: string): Digest => letter.repeat(64) as Digest;

/** A laptop as checkers see one, whose state a test sets. */
export interface FakeLaptop {
  readonly client: ClientNode;
  readonly session: { isUp: boolean; downSince: number };
  readonly log: { lastSeq: number; unanswered: number };
  readonly volumes: Map<VolumeId, { readonly isShut: boolean }>;
  readonly status: { state: string };
  readonly replica: { applied: number };
  /** The names that its root shows. */
  readonly entries: Map<string, Fid>;
  now: number;
}

export function fakeLaptop(name = 'ada', frontEnd: 'folder' | 'none' = 'none'): FakeLaptop {
  const session = { isUp: true, downSince: 0 };
  const nothing = { inDirectory: () => [], onVnode: () => [], onEntry: () => [] };
  const log = { lastSeq: 0, unanswered: 0, index: nothing };
  const volumes = new Map([[VOLUME, { isShut: false }]]);
  const meta = new Map([['device', 1]]);
  const entries = new Map<string, Fid>();
  const listing = { asOf: commitNumber(0), version: dataVersion(0), entries };
  const aliases = new AliasList(new Outbox());
  const names = { volumes, aliases, directories: { get: () => listing }, attributes: new Map() };
  const rooms = {
    conflict: { adjustments: { size: 0 } },
    sharing: { questions: new VnodeQuestions() },
  };
  const inside = { session, log, meta, names, ...rooms, isPromised: () => false };
  const status = { state: 'idle' };
  const replica = { applied: 0 };
  const parts = { session, log, volumes, status, replica, entries };
  const fake: FakeLaptop = { client: undefined as never, ...parts, now: 0 };
  const client = {
    name,
    frontEnd,
    volume: VOLUME,
    running: true,
    daemon: { inside },
    status,
    replica,
    clock: { now: () => instant(fake.now) },
    disk: { digest: () => digest('0') },
    lost: () => [],
  };
  return Object.assign(fake, { client: client as unknown as ClientNode });
}

/** The reports of a checker after these observations and a look at this cluster. */
export async function foundBy(
  kind: CheckerKind,
  observations: readonly Observation[],
  cluster: object | null = null,
): Promise<string[]> {
  const found: string[] = [];
  const checker: Checker = kind.make((text) => found.push(text));
  for (const observation of observations) checker.hear?.(observation);
  if (cluster !== null) await checker.atRest?.(cluster as Cluster);
  return found;
}

export function statusOf(changed: Partial<VnodeStatus> = {}): VnodeStatus {
  return {
    fid: FILE,
    kind: 'file',
    mode: 0o644,
    mtime: '1' as Mtime,
    size: 4,
    version: dataVersion(1),
    commit: commitNumber(2),
    digest: digest('a'),
    target: null,
    links: 1,
    xattrs: [],
    ...changed,
  };
}

export function attributesOf(
  changed: Partial<VnodeStatus> = {},
  sync: Attributes['sync'] = 'committed',
): Attributes {
  return { ...statusOf(changed), cached: true, sync };
}

/** One commit of device 1: the statuses it left, the names it gave, and its result. */
export function commitOf(
  number: number,
  seq: number,
  about: {
    readonly vnodes?: readonly VnodeStatus[];
    readonly names?: ReadonlyArray<readonly [Fid, string, Fid | null]>;
    readonly device?: number;
    /** The name of the update. */
    readonly name?: UpdateNonce;
  } = {},
): Observation {
  const { vnodes = [], names = [], device = 1, name = null } = about;
  const commit = commitNumber(number);
  const writes: RowWrite[] = [
    ...vnodes.map((status, ordinal): RowWrite => {
      const row = { status: { ...status, commit }, entries: 0 };
      return { kind: 'vnode', row, previous: null, ordinal };
    }),
    ...names.map(([dir, name, fid]): RowWrite => {
      return { kind: 'entry', dir, name, fid, commit, previous: null };
    }),
    { kind: 'log', volume: VOLUME, commit, device, seq: updateSeq(seq), when: 0 as never },
    { kind: 'applied', device, result: accepted(number, seq, vnodes), name },
  ];
  return { kind: 'committed', writes };
}

export function accepted(
  commit: number,
  seq: number,
  vnodes: readonly VnodeStatus[] = [],
): UpdateResult {
  const touched = vnodes.map(({ fid, version }) => ({
    fid,
    before: dataVersion(Math.max(version - 1, 0)),
    after: version,
  }));
  return { seq: updateSeq(seq), ok: true, commit: commitNumber(commit), touched };
}

export function toldOf(...results: UpdateResult[]): Observation {
  return { kind: 'told', peer: 'writer', results };
}

/** A call that is answered at once; an error is a refusal. */
export function called(
  client: ClientNode,
  method: FileCall['method'],
  given: readonly unknown[],
  value: unknown,
): Observation[] {
  const call: FileCall = { client, method, given };
  const end: Observation =
    value instanceof Error
      ? { kind: 'denied', call, error: value }
      : { kind: 'answered', call, value };
  return [{ kind: 'asked', call }, end];
}

export function rowOf(seq: number, update: Update, changed: Partial<UpdateRow> = {}): UpdateRow {
  return {
    seq: updateSeq(seq),
    name: null,
    update,
    content: null,
    place: null,
    ancestors: [],
    above: [],
    movesDirectory: false,
    endsVnode: false,
    rank: updateSeq(seq),
    renumbered: 0,
    standing: null,
    answer: null,
    ...changed,
  };
}

/** Device 1 saves these rows of its log. */
export function logged(client: ClientNode, ...rows: UpdateRow[]): Observation {
  const changes: RowChange[] = [
    { table: 'meta', key: 'device', value: 1 },
    ...rows.map((row): RowChange => ({ table: 'update', key: String(row.seq), value: row })),
  ];
  return { kind: 'saved', client, changes };
}

/** The update with this number leaves the log. */
export function left(client: ClientNode, seq: number, ...others: RowChange[]): Observation {
  const gone: RowChange = { table: 'update', key: String(seq), value: undefined };
  return { kind: 'saved', client, changes: [gone, ...others] };
}

export function storeOf(base: number, letter: string, fid = FILE): Update {
  const [mtime, size] = ['1' as Mtime, 4];
  return { op: 'store', fid, base: dataVersion(base), size, digest: digest(letter), mtime };
}

export function renameOf(fid: Fid, from: string, to: string, over: Fid | null = null): Update {
  const at = '1' as Mtime;
  const replaced = over === null ? null : { fid: over, base: dataVersion(1) };
  const names = { fromDir: ROOT, fromName: from, toDir: ROOT, toName: to };
  return { op: 'rename', fid, ...names, over: replaced, at };
}

export function createOf(name: string, fid = FILE): Update {
  const [mtime, at] = ['1' as Mtime, '1' as Mtime];
  return { op: 'create', fid, dir: ROOT, name, mode: 0o644, mtime, xattrs: [], at };
}
