/** What of a plan goes before what waits for contents, and what waits with it. */
import { expect, it } from '@jest/globals';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import { apart } from './apart.ts';
import type { DiskAction } from './plan-remote.ts';

const VOLUME = 1 as VolumeId;
const ROOT = rootOf(VOLUME);
const [A, B, C, D] = [2, 3, 4, 5].map((number) => makeFid(VOLUME, number, 1)) as [
  Fid,
  Fid,
  Fid,
  Fid,
];
const at = (name: string, dir = ROOT) => ({ dir, name });
const make = (fid: Fid, name: string, dir = ROOT): DiskAction => ({
  ...{ do: 'make', status: { fid } as never, place: at(name, dir) },
});
const move = (fid: Fid, from: string, to: string, dir = ROOT): DiskAction => ({
  ...{ do: 'move', fid, from: at(from, dir), to: at(to), over: null },
});
const park = (fid: Fid, from: string): DiskAction => ({ do: 'park', fid, from: at(from) });
const unpark = (fid: Fid, to: string): DiskAction => ({
  ...{ do: 'move', fid, from: null, to: at(to), over: null },
});

it.each<[string, DiskAction[], Fid[], number[]]>([
  ['an unrelated action is in it', [make(A, 'a'), make(B, 'b')], [A], [1]],
  [
    'a name that is freed for the waiting file is not',
    [{ do: 'remove', fid: B, place: at('a') }, make(A, 'a')],
    [A],
    [],
  ],
  ['no action takes the name that the file still has', [move(A, 'a', 'x'), make(B, 'a')], [A], []],
  [
    'actions that depend on excluded ones are excluded too',
    [move(A, 'a', 'x'), move(B, 'b', 'a'), move(C, 'c', 'b'), move(D, 'd', 'e')],
    [A],
    [3],
  ],
  [
    'the directories above the file are not in it',
    [
      move(A, 'a', 'x', B),
      { do: 'rmdir', fid: B, place: at('b', C) },
      { do: 'rmdir', fid: C, place: at('c') },
      { do: 'rmdir', fid: D, place: at('d') },
    ],
    [A],
    [3],
  ],
  [
    'the names that are freed for what waits with the file are not',
    [move(C, 'c', 'd'), move(B, 'b', 'c'), move(A, 'a', 'b')],
    [A],
    [],
  ],
  ...[A, B, C].map((fid): [string, DiskAction[], Fid[], number[]] => [
    `a ring of names waits as a whole (${fid})`,
    [park(A, 'a'), move(B, 'b', 'a'), move(C, 'c', 'b'), unpark(A, 'c'), move(D, 'd', 'e')],
    [fid],
    [4],
  ]),
  [
    'a further name of a file waits with its first one',
    [move(A, 'a', 'x'), make(B, 'a'), { do: 'link', fid: B, place: at('b') }, make(C, 'c')],
    [A],
    [3],
  ],
  [
    'what goes into a directory that waits is not',
    [move(A, 'a', 'x'), make(B, 'a'), move(C, 'c', 'd'), make(D, 'd', B)],
    [A],
    [2],
  ],
  [
    'contents that have come do not wait for the name of their file',
    [{ do: 'contents', status: { fid: B } as never }, move(A, 'a', 'x'), move(B, 'b', 'a')],
    [A],
    [0],
  ],
])('the actions independent of a waiting file are found: %s', (_, actions, missing, left) => {
  expect(apart(actions, new Set(missing))).toEqual(left.map((index) => actions[index]));
});
