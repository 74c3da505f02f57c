import { expect, it } from '@jest/globals';
import { makeFid } from '../../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../../shared/model/vnode.ts';
import { HeldRows } from './held-rows.ts';

const fidOf = (vnode: number) => makeFid(1, vnode, 1);
const DIR = fidOf(1);
const status = (vnode: number): VnodeStatus => ({ fid: fidOf(vnode) }) as unknown as VnodeStatus;
const entry = (name: string, vnode: number) => ({ dir: DIR, name, fid: fidOf(vnode) });

it('the held rows list each change since the last save once', () => {
  const held = new HeldRows();
  held.setVnode(status(2));
  held.setEntry(entry('a', 2));
  expect(held.changes()).toEqual({
    vnodes: [{ fid: fidOf(2), status: status(2) }],
    entries: [{ dir: DIR, name: 'a', row: entry('a', 2) }],
  });
  held.changesSaved();
  expect(held.changes()).toEqual({ vnodes: [], entries: [] });
  held.doneVnode(fidOf(2));
  held.doneEntry(DIR, 'a');
  expect(held.changes()).toEqual({
    vnodes: [{ fid: fidOf(2), status: null }],
    entries: [{ dir: DIR, name: 'a', row: null }],
  });
  held.changesSaved();
  expect(held.changes()).toEqual({ vnodes: [], entries: [] });
});

it('the held rows list nothing that came and went since the last save', () => {
  const held = new HeldRows();
  for (let round = 0; round < 2; round++) {
    held.setVnode(status(2));
    held.setEntry(entry('a', 2));
    held.doneVnode(fidOf(2));
    held.doneEntry(DIR, 'a');
    expect(held.changes()).toEqual({ vnodes: [], entries: [] });
    held.changesSaved();
  }
});

it('the held rows list a saved row as gone when it came back and went meanwhile', () => {
  const held = new HeldRows();
  held.setVnode(status(2));
  held.setEntry(entry('a', 2));
  held.changesSaved();
  for (let round = 0; round < 2; round++) {
    held.doneVnode(fidOf(2));
    held.doneEntry(DIR, 'a');
    held.setVnode(status(2));
    held.setEntry(entry('a', 2));
  }
  held.clear();
  expect(held.changes()).toEqual({
    vnodes: [{ fid: fidOf(2), status: null }],
    entries: [{ dir: DIR, name: 'a', row: null }],
  });
});
