import { describe, expect, it } from '@jest/globals';
import type { Access } from '../../../../shared/model/stored.ts';
import { wallTime } from '../../../../shared/model/time.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import {
  commitOf,
  digest,
  fakeLaptop,
  FILE,
  foundBy,
  OTHER,
  ROOT,
  statusOf,
  VOLUME,
} from '../../../../test/support/observations.ts';
import type { LookBack, Observation } from './observation.ts';
import { snapshotsKept } from './snapshots-kept.ts';

const { client } = fakeLaptop();
const SNAPSHOT = { name: 'x', at: commitNumber(2), epoch: 'e', made: wallTime(0) };
const DOC = { name: 'doc', kind: 'file', size: 4, digest: digest('a') } as const;

const made: Observation = { kind: 'snapshot-made', volume: VOLUME, snapshot: SNAPSHOT };
const told = (what: LookBack['told']): Observation => ({
  kind: 'looked-back',
  client,
  told: what,
});
const folder = (entries: Extract<LookBack['told'], { what: 'folder' }>['entries']): Observation =>
  told({ what: 'folder', snapshot: SNAPSHOT, path: '', entries });
const refused = (code: string): Observation =>
  told({ what: 'refusal', snapshot: SNAPSHOT, path: '/doc', code });

/** A file, a snapshot of it, and another file in its place since. */
const BEFORE: readonly Observation[] = [
  commitOf(2, 1, { vnodes: [statusOf()], names: [[ROOT, 'doc', FILE]] }),
  made,
  commitOf(3, 2, {
    vnodes: [statusOf({ fid: OTHER, digest: digest('b') })],
    names: [[ROOT, 'doc', OTHER]],
  }),
];
const found = (...after: Observation[]) => foundBy(snapshotsKept, [...BEFORE, ...after]);
const removed: Observation = { kind: 'snapshot-removed', volume: VOLUME, name: 'x' };
const server = (contents: string[], hasContent = true) => ({
  server: { metaStore: { contents: () => contents }, hasContent: () => hasContent },
});

describe('the checker of snapshots', () => {
  it('accepts what the commit showed', async () => {
    const contents = { what: 'contents', path: '/doc', digest: digest('a') } as const;
    const list = told({ what: 'snapshots', snapshots: [SNAPSHOT] });
    const { name, kind, size } = DOC;
    expect(
      await found(
        list,
        folder([DOC]),
        folder([{ name, kind, size }]),
        told({ ...contents, snapshot: SNAPSHOT }),
        refused('not-connected'),
        { kind: 'forgotten', digests: [digest('b')] },
      ),
    ).toEqual([]);
  });

  it.each<[string, Observation]>([
    ['a name of now', folder([{ ...DOC, name: 'other' }])],
    ['contents of now in a folder', folder([{ ...DOC, digest: digest('b') }])],
    ['another size', folder([{ ...DOC, size: 5 }])],
    ['a name too few', folder([])],
    [
      'a folder that was not there',
      told({ what: 'folder', snapshot: SNAPSHOT, path: '/x', entries: [DOC] }),
    ],
    [
      'contents of now',
      told({ what: 'contents', snapshot: SNAPSHOT, path: '/doc', digest: digest('b') }),
    ],
    ['a refusal', refused('version-gone')],
    [
      'one that nobody made',
      told({ what: 'snapshots', snapshots: [{ ...SNAPSHOT, at: commitNumber(3) }] }),
    ],
    ['one of another epoch', told({ what: 'snapshots', snapshots: [{ ...SNAPSHOT, epoch: 'f' }] })],
    ['contents that are collected', { kind: 'forgotten', digests: [digest('a')] }],
  ])('reports when a laptop or the collection comes to %s', async (_, observation) => {
    expect(await found(observation)).toHaveLength(1);
  });

  it('lets contents go and be refused when the snapshot is removed or forgotten', async () => {
    const gone: Observation = { kind: 'forgotten', digests: [digest('a')] };
    expect(await found(removed, gone, refused('not-found'))).toEqual([]);
    const cut = { epoch: 'e', volume: VOLUME, last: commitNumber(1), first: commitNumber(9) };
    const restored: Observation = { kind: 'restored', epoch: 'f', volumes: [cut] };
    expect(await found(restored, gone)).toEqual([]);
  });

  it('lets contents be refused as damaged only where bits have turned', async () => {
    const damaged = refused('damaged-contents');
    expect(await found(damaged)).toHaveLength(1);
    expect(await found({ kind: 'rotted' }, damaged)).toEqual([]);
  });

  it('lets a snapshot be hidden only from a device that lost sight of its volume', async () => {
    const gone = refused('not-found');
    const may = (...access: readonly Access[]): Observation => ({
      kind: 'access',
      devices: [{ device: 1, revoked: false, access }],
    });
    const paired: Observation = {
      kind: 'saved',
      client,
      changes: [{ table: 'meta', key: 'device', value: 1 }],
    };
    const sees = may({ volume: VOLUME, name: 'home', rights: 'write' });
    expect(await found(paired, sees, gone)).toHaveLength(1);
    expect(await found(paired, sees, may(), gone)).toEqual([]);
  });

  it('lets a file without contents come back as none', async () => {
    const empty = commitOf(2, 1, {
      vnodes: [statusOf({ digest: null, size: 0 })],
      names: [[ROOT, 'doc', FILE]],
    });
    for (const code of ['no-contents', 'version-gone']) {
      expect(await foundBy(snapshotsKept, [empty, made, refused(code)])).toEqual([]);
    }
  });

  it('lets a question be refused as internal only where the database has failed', async () => {
    const internal = refused('internal');
    expect(await found(internal)).toHaveLength(1);
    expect(await found({ kind: 'database-fails' }, internal)).toEqual([]);
  });

  it('finds contents that the server has not in the end', async () => {
    expect(await foundBy(snapshotsKept, BEFORE, server([digest('a')]))).toEqual([]);
    expect(await foundBy(snapshotsKept, BEFORE, server([]))).toHaveLength(1);
    expect(await foundBy(snapshotsKept, BEFORE, server([digest('a')], false))).toHaveLength(1);
  });
});
