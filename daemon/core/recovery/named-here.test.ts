/** What a laptop knows of names when the server is put back, with what it has done and heard the answer to (rule I1). */
import { expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import type { ClientState } from '../state.ts';
import { withNamed } from './named-here.ts';
import type { Tree } from './tree.ts';

const VOLUME = 1 as VolumeId;
const [ROOT, OLD, OTHER, NEW] = ['1.1.1', '1.7.2', '1.8.2', '1.9.2'] as [Fid, Fid, Fid, Fid];
const LAST = commitNumber(10);

const make = (fid: Fid, name: string) => ({ op: 'create', fid, dir: ROOT, name });
const link = (fid: Fid, name: string) => ({ op: 'link', fid, dir: ROOT, name });
const remove = (fid: Fid, name: string) => ({ op: 'remove', fid, dir: ROOT, name, base: 1 });
const move = (fid: Fid, fromName: string, toName: string, over: Fid | null) => ({
  ...{ op: 'rename', fid, fromDir: ROOT, fromName, toDir: ROOT, toName },
  over: over === null ? null : { fid: over, base: 1 },
});

/** What is known in the end, of what had the names before, and of how many updates nothing is logged again. */
function known(
  names: Record<string, Fid>,
  updates: readonly object[],
  { answeredAt = 11, asOf = 10, links = 1 } = {},
) {
  const entries = updates.map((update) => {
    return { volume: VOLUME, update, answer: { commit: commitNumber(answeredAt) } };
  });
  const state = {
    log: { all: () => entries },
    names: { directories: { get: () => ({ asOf: commitNumber(asOf) }) } },
  } as unknown as ClientState;
  const statuses = new Map([OLD, OTHER, NEW].map((fid) => [fid, { fid, links }]));
  const now = {
    statuses,
    entries: new Map([[ROOT, new Map(Object.entries(names))]]),
  } as unknown as Tree;
  const covered = withNamed(state, VOLUME, LAST, now).size;
  return { names: Object.fromEntries(now.entries.get(ROOT) ?? []), covered, left: statuses.size };
}

it('a file is known under its new name although its old name was given away since', () => {
  const updates = [move(OLD, 'a', 'b', OTHER), make(NEW, 'a')];
  const names = { a: NEW, b: OLD };
  expect(known({ a: OLD, b: OTHER }, updates)).toEqual({ names, covered: 2, left: 2 });
});

it('a replaced file is kept when it has another known name', () => {
  const names = { b: OLD, c: OTHER };
  const updates = [move(OLD, 'a', 'b', OTHER)];
  expect(known({ a: OLD, b: OTHER, c: OTHER }, updates)).toEqual({ names, covered: 1, left: 3 });
});

it('a replaced file is kept when its other name is in an unknown directory', () => {
  const updates = [move(OLD, 'a', 'b', OTHER)];
  const told = { names: { b: OLD }, covered: 1, left: 3 };
  expect(known({ a: OLD, b: OTHER }, updates, { links: 2 })).toEqual(told);
});

it('a file is known under its second name', () => {
  const updates = [link(OLD, 'b'), remove(OLD, 'a'), make(NEW, 'a')];
  expect(known({ a: OLD }, updates)).toEqual({ names: { a: NEW, b: OLD }, covered: 2, left: 3 });
});

it('names are unchanged when the file has its name already', () => {
  const updates = [move(OLD, 'a', 'b', null)];
  expect(known({ c: OLD }, updates, { asOf: 11 })).toMatchObject({ names: { c: OLD }, covered: 1 });
});

it('names that the server has are left to the server', () => {
  const updates = [move(OLD, 'a', 'b', null)];
  const before = { answeredAt: 10 };
  expect(known({ a: OLD }, updates, before)).toMatchObject({ names: { a: OLD }, covered: 0 });
});
