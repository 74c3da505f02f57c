import { describe, expect, it } from '@jest/globals';
import {
  fakeLaptop,
  FILE,
  foundBy,
  OTHER,
  ROOT,
  VOLUME,
} from '../../../../test/support/observations.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { updateSeq, type CopyMark } from '../../../../shared/model/update.ts';
import { commitNumber } from '../../../../shared/model/vnode.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { calledLikeCopy } from '../workload/called-like-copies.ts';
import { conflictsListed } from './conflicts-listed.ts';
import type { Observation } from './observation.ts';

const COPY = 'doc (conflict, ada, 2026-01-01 00.00.00)';
const CALLED = calledLikeCopy('/doc', new SeededRandom(1)).slice(1);
const BOB = 2;

const { client } = fakeLaptop('bob', 'folder');
Object.assign(client.status, { volumes: [{ rights: 'write' }] });
const cluster = { clients: [client] };
const paired: Observation = {
  kind: 'saved',
  client,
  changes: [{ table: 'meta', key: 'device', value: BOB }],
};

/** Device 1 gives a name. */
function named(number: number, name: string, copyOf?: CopyMark): Observation {
  const [commit, seq] = [commitNumber(number), updateSeq(number)];
  const mark = copyOf === undefined ? {} : { copyOf };
  const log = { volume: VOLUME, commit, device: 1, seq, when: 0 as never, ...mark };
  const fid = name === 'doc' ? FILE : OTHER;
  return {
    kind: 'committed',
    writes: [
      { kind: 'entry', dir: ROOT, name, fid, commit, previous: null },
      { kind: 'log', ...log },
    ],
  };
}

function applied(number: number): Observation {
  const commit = commitNumber(number);
  const change = { commit, device: 1, seq: updateSeq(number), vnodes: [], entries: [] };
  return { kind: 'applied', client, change };
}

/** `mine`: the vnode of the copy; null: its sides were given up. */
function listed(copy: string, key = '1', mine: Fid | null = null): Observation {
  const side = { kind: 'file', fid: mine, version: 1, digest: null, target: null } as never;
  const sides = mine === null ? null : { mine: side, theirs: null };
  const about = { when: '', volume: VOLUME, path: 'doc', sides } as const;
  const value = { ...about, copy, kind: 'elsewhere' } as const;
  return { kind: 'saved', client, changes: [{ table: 'conflict', key, value }] };
}

const doc = named(2, 'doc');
const copied = [paired, doc, named(3, COPY, 'doc'), applied(3)];
const found = (...observations: Observation[]) => foundBy(conflictsListed, observations, cluster);

describe('the checker of listed conflicts', () => {
  it('finds a conflict about a file that a program called so', async () => {
    expect(await found(paired, listed(CALLED))).toEqual([
      expect.stringContaining('is a file that a program called so'),
    ]);
    expect(await found(paired, listed(COPY))).toEqual([]);
    expect(await found(paired, listed(`${CALLED} (conflict, ada, 2026-01-01 00.00.00)`))).toEqual(
      [],
    );
  });

  it('judges a name when it is listed and not when the list follows a rename', async () => {
    expect(await found(paired, listed(COPY), listed(CALLED))).toEqual([]);
  });

  it('knows a copy that a program renamed in the step in which it is listed without its sides', async () => {
    const renamed = named(4, CALLED, null);
    expect(await found(...copied, renamed, listed(CALLED), listed(COPY, '2'))).toEqual([]);
  });

  it('takes a file for none although it has the name that a copy had, where its side is known', async () => {
    const renamed = named(4, CALLED, null);
    expect(await found(...copied, renamed, listed(COPY), listed(CALLED, '2', FILE))).toEqual([
      expect.stringContaining('is a file that a program called so'),
    ]);
  });

  it('finds a copy that a laptop has beside its winner and does not list', async () => {
    expect(await found(...copied)).toEqual([expect.stringContaining('lists no conflict')]);
    expect(await found(...copied, listed(COPY))).toEqual([]);
  });

  it.each<[string, Observation[]]>([
    ['of which nothing was said', [paired, doc, named(3, COPY), applied(3)]],
    ['which is none', [paired, doc, named(3, COPY, null), applied(3)]],
    ['that the laptop has not put in place', [paired, doc, named(3, COPY, 'doc')]],
    ['whose winner is gone', [...copied, named(4, 'other')].toSpliced(1, 1)],
    [
      'of a device that may not write',
      [
        {
          kind: 'access',
          devices: [{ device: BOB, revoked: true, access: [] }],
        },
        ...copied,
      ],
    ],
  ])('accepts a copy %s', async (_what, observations) => {
    expect(await found(...observations)).toEqual([]);
  });
});
