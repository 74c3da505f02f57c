/** What is not logged a second time when a server is put back, as what it makes is known to be made (rule I1). */
import { expect, it } from '@jest/globals';
import type { ChangeSet } from '../../../shared/model/change.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Update } from '../../../shared/model/update.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { madeAlready } from './made-already.ts';
import type { Tree } from './tree.ts';

const [ROOT, DOC, OTHER] = ['1.1.1', '1.7.2', '1.8.2'] as [Fid, Fid, Fid];
const AT = { mtime: '0', at: '0', mode: 0o644, xattrs: [], target: 'x' };

const make = (op: string, fid: Fid, name: string) =>
  ({ op, fid, dir: ROOT, name, ...AT }) as unknown as Update;

interface Known {
  readonly offers?: readonly Update[];
  /** What the restored server has under some name, and what was made there since. */
  readonly has?: Record<string, VnodeStatus>;
  readonly since?: Record<string, VnodeStatus>;
  readonly loggedBefore?: number;
}

/** By their positions. */
function already(updates: readonly Update[], known: Known): number[] {
  const { offers = [], has = {}, since = {}, loggedBefore = 0 } = known;
  const queued = updates.map((update, i) => ({ update, rank: i + 1 }) as LoggedUpdate);
  const log = { mayBeACopys: ({ rank }: LoggedUpdate): boolean => rank <= loggedBefore };
  const state = { log };
  const statuses = new Map(Object.values(has).map((status) => [status.fid, status]));
  const names = Object.entries(has).map(([name, { fid }]) => [name, fid] as const);
  const then: Tree = { statuses, entries: new Map([[ROOT, new Map(names)]]) };
  const sets = Object.entries(since).map(([name, status]) => ({
    vnodes: [status],
    entries: [
      { dir: ROOT, name, fid: status.fid },
      { dir: ROOT, name, fid: null },
    ],
  }));
  const lost = { then, since: sets as unknown as ChangeSet[] };
  const found = madeAlready(state as unknown as ClientState, queued, offers, lost);
  return [...found.values()].map(({ rank }) => rank);
}

const is = (kind: VnodeStatus['kind'], target: string | null = null, links = 1) =>
  ({ fid: DOC, kind, target, links, digest: null }) as unknown as VnodeStatus;

const doc = make('create', DOC, 'doc');
const moved = make('create', DOC, 'moved since');

it.each(['create', 'mkdir', 'symlink'])(
  'a queued update that an offer repeats counts as made: %s',
  (op) => {
    const offer = make(op, DOC, 'moved since');
    const queued = [make('create', OTHER, 'other'), make(op, DOC, 'doc')];
    expect(already(queued, { offers: [offer] })).toEqual([2]);
  },
);

it('a queued update whose file the restored server has counts as made', () => {
  expect(already([doc], { has: { doc: is('file') } })).toEqual([1]);
  expect(already([doc], { has: { 'moved since': is('file') } })).toEqual([]);
});

it('a queued update whose file another client has offered since counts as made, though it is gone', () => {
  expect(already([doc], { since: { doc: is('file', null, 0) } })).toEqual([1]);
  expect(already([doc], { since: { 'moved since': is('file', null, 0) } })).toEqual([]);
});

it('a queued update that nobody has made, or of another operation, is sent', () => {
  const rename = {
    ...{ op: 'rename', fid: DOC, fromDir: ROOT, fromName: 'doc', toDir: ROOT, toName: 'b' },
    ...{ over: null, at: '0' },
  } as unknown as Update;
  expect(already([doc], {})).toEqual([]);
  expect(already([rename], { offers: [rename, moved], has: { doc: is('file') } })).toEqual([]);
});

it('a queued update of another kind or possibly of a copied data folder is sent', () => {
  const folder = make('mkdir', DOC, 'doc');
  expect(already([doc], { offers: [folder], has: { doc: is('symlink', 'x') } })).toEqual([]);
  const link = make('symlink', DOC, 'doc');
  expect(already([link], { has: { doc: is('symlink', 'another') } })).toEqual([]);
  expect(already([link], { has: { doc: is('symlink', 'x') } })).toEqual([1]);
  const known = { offers: [moved, make('create', OTHER, 'other')], loggedBefore: 1 };
  expect(already([doc, make('create', OTHER, 'other')], known)).toEqual([2]);
});
