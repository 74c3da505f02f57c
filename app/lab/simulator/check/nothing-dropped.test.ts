import { describe, expect, it } from '@jest/globals';
import {
  called,
  commitOf,
  createOf,
  digest,
  fakeLaptop,
  FILE,
  foundBy,
  left,
  logged,
  OTHER,
  ROOT,
  rowOf,
  statusOf,
  storeOf,
  VOLUME,
} from '../../../../test/support/observations.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import { commitNumber, dataVersion, type Mtime } from '../../../../shared/model/vnode.ts';
import type { RowChange, UpdateRow } from '../../../../shared/ports/client-store.ts';
import { nothingDropped } from './nothing-dropped.ts';
import type { Observation } from './observation.ts';

const { client } = fakeLaptop();
const [asked, answered] = called(client, 'create', [ROOT, 'doc', {}], {}) as [
  Observation,
  Observation,
];
const create = logged(client, rowOf(1, createOf('doc')));
const refused: Observation = {
  kind: 'committed',
  writes: [
    {
      kind: 'applied',
      device: 1,
      result: { seq: updateSeq(1), ok: false, refusal: 'stale-base', existing: null },
    },
  ],
};

it('the checker finds an acknowledged call without a durable update', async () => {
  expect(await foundBy(nothingDropped, [asked, answered])).toEqual([
    'ada acknowledges create 1.1.1/doc, and its log has nothing of it',
  ]);
  expect(await foundBy(nothingDropped, [asked, create, answered])).toEqual([]);
});

it('the checker finds an update that leaves the log without a result', async () => {
  expect(await foundBy(nothingDropped, [create, left(client, 1)])).toHaveLength(1);
  expect(await foundBy(nothingDropped, [create, commitOf(2, 1), left(client, 1)])).toEqual([]);
});

it('the checker accepts that what a person takes out of the queue leaves, and nothing else', async () => {
  const both = logged(client, rowOf(1, createOf('doc')), rowOf(2, createOf('other', OTHER)));
  const givesUp: Observation = { kind: 'gives-up', client, updates: [updateSeq(1)] };
  expect(await foundBy(nothingDropped, [both, givesUp, left(client, 1)])).toEqual([]);
  expect(await foundBy(nothingDropped, [both, givesUp, left(client, 2)])).toHaveLength(1);
});

it('the checker separates updates of two copies of a data folder under one number', async () => {
  const { client: copy } = fakeLaptop();
  const named = (name: string): UpdateRow => rowOf(1, createOf('doc'), { name });
  const paired: RowChange = { table: 'meta', key: 'device', value: 1 };
  const before: Observation[] = [
    logged(client),
    { kind: 'copied', from: client, to: copy },
    logged(client, named('of the original')),
    logged(copy, named('of the copy')),
  ];
  const applied = commitOf(2, 1, { name: 'of the original' });
  const original = [...before, applied, left(client, 1)];
  expect(await foundBy(nothingDropped, original)).toEqual([]);
  // The copy has said Hello since: the original is that device all the same.
  const hello: Observation = { kind: 'saved', client: copy, changes: [paired] };
  expect(await foundBy(nothingDropped, [...before, applied, hello, left(client, 1)])).toEqual([]);
  expect(await foundBy(nothingDropped, [...before, applied, left(copy, 1)])).toHaveLength(1);
});

it('the checker accepts that an unsent file vanishes whole with its removal', async () => {
  const made = logged(client, rowOf(1, createOf('doc')), rowOf(2, storeOf(0, 'a')));
  const second: RowChange = { table: 'update', key: '2', value: undefined };
  const [asks, done] = called(client, 'remove', [{ dir: ROOT, name: 'doc' }, {}], null) as [
    Observation,
    Observation,
  ];
  const both = left(client, 1, second);
  expect(await foundBy(nothingDropped, [made, asks, both, done])).toEqual([]);
  expect(await foundBy(nothingDropped, [made, both])).toHaveLength(2);
  expect(await foundBy(nothingDropped, [made, asks, left(client, 1), done])).toHaveLength(2);
  const heard = commitOf(2, 1, { vnodes: [statusOf()], names: [[ROOT, 'doc', FILE]] });
  expect(await foundBy(nothingDropped, [made, heard, asks, both, done])).not.toEqual([]);
  const [other] = called(client, 'remove', [{ dir: ROOT, name: 'other' }, {}], null);
  expect(await foundBy(nothingDropped, [made, other as Observation, both])).toHaveLength(2);
});

it('the checker accepts that also for a file that only the other copy of a data folder has sent', async () => {
  const { client: copy } = fakeLaptop();
  const made = logged(client, rowOf(1, createOf('doc')));
  const copied: Observation = { kind: 'copied', from: client, to: copy };
  const sent = commitOf(2, 1, { vnodes: [statusOf()], names: [[ROOT, 'doc', FILE]] });
  const store = logged(client, rowOf(2, storeOf(0, 'a')));
  const second: RowChange = { table: 'update', key: '2', value: undefined };
  const [asks] = called(client, 'remove', [{ dir: ROOT, name: 'doc' }, {}], null);
  const removed = [store, asks as Observation, left(client, 1, second)];
  expect(await foundBy(nothingDropped, [made, copied, sent, ...removed])).toEqual([]);
  expect(await foundBy(nothingDropped, [made, sent, copied, ...removed])).toHaveLength(1);
});

it('the checker finds a refused store that is not reported', async () => {
  const store = logged(client, rowOf(1, storeOf(1, 'a')));
  expect(await foundBy(nothingDropped, [store, refused, left(client, 1)])).toHaveLength(1);
  const told: RowChange = {
    table: 'conflict',
    key: '1',
    value: {
      when: '',
      volume: null,
      path: 'doc',
      copy: 'doc (conflict)',
      kind: 'contents',
      sides: null,
    },
  };
  expect(await foundBy(nothingDropped, [store, refused, left(client, 1, told)])).toEqual([]);
  const again = rowOf(2, storeOf(1, 'a'), { rank: updateSeq(1), renumbered: 1 });
  const renumbered: RowChange = { table: 'update', key: '2', value: again };
  expect(await foundBy(nothingDropped, [store, refused, left(client, 1, renumbered)])).toEqual([]);
});

it('the checker accepts a refusal after two restores from different backups', async () => {
  const store = logged(client, rowOf(2, storeOf(1, 'a')));
  const denied: Observation = {
    kind: 'committed',
    writes: [
      {
        kind: 'applied',
        device: 1,
        result: { seq: updateSeq(2), ok: false, refusal: 'no-right', existing: null },
      },
    ],
  };
  const putBack = (epoch: string, last: number): Observation => {
    const first = commitNumber(1000 + Number(epoch));
    const cut = { epoch: 'first', volume: VOLUME, last: commitNumber(last), first };
    return { kind: 'restored', epoch, volumes: [cut] };
  };
  const stored = commitOf(2, 1, { vnodes: [statusOf()] });
  const told = [store, denied, left(client, 2)];
  const older = [stored, putBack('1', 1)];
  expect(await foundBy(nothingDropped, [...older, ...told])).toHaveLength(1);
  expect(await foundBy(nothingDropped, [...older, putBack('2', 2), ...told])).toEqual([]);
});

it('the checker accepts that a restored server has made a file of that name, and no other reason', async () => {
  const restored: Observation = { kind: 'restored', epoch: '1', volumes: [] };
  const made = (fid: Fid, name: string): Observation => {
    return commitOf(2, 9, { vnodes: [statusOf({ fid })], names: [[ROOT, name, fid]] });
  };
  const run = (...before: Observation[]) =>
    foundBy(nothingDropped, [create, ...before, left(client, 1)]);
  expect(await run(restored, made(FILE, 'doc'))).toEqual([]);
  expect(await run(made(FILE, 'doc'))).toHaveLength(1);
  expect(await run(restored, made(OTHER, 'doc'))).toHaveLength(1);
  expect(await run(restored, made(FILE, 'other'))).toHaveLength(1);
});

it('the checker accepts a removal without a result only where a restored server has the name no more', async () => {
  const restored: Observation = { kind: 'restored', epoch: '1', volumes: [] };
  const named = (fid: Fid | null): Observation => commitOf(2, 9, { names: [[ROOT, 'doc', fid]] });
  const about = { op: 'remove', fid: FILE, dir: ROOT, name: 'doc' } as const;
  const removal = rowOf(1, { ...about, base: dataVersion(1), at: '1' as Mtime });
  const run = (...before: Observation[]) =>
    foundBy(nothingDropped, [logged(client, removal), ...before, left(client, 1)]);
  expect(await run(named(FILE), restored, named(null))).toEqual([]);
  expect(await run(named(FILE), named(null))).toHaveLength(1);
  expect(await run(restored, named(FILE))).toHaveLength(1);
});

it('the checker accepts a stale store only when a later store over it exists', async () => {
  const stores = logged(client, rowOf(1, storeOf(0, 'a')), rowOf(2, storeOf(1, 'b')));
  const stale = (letter: string): Observation => {
    const existing = statusOf({ digest: digest(letter) });
    const about = { seq: updateSeq(1), ok: false, refusal: 'stale-base', existing } as const;
    return { kind: 'committed', writes: [{ kind: 'applied', device: 1, result: about }] };
  };
  const second: RowChange = { table: 'update', key: '2', value: undefined };
  const both = left(client, 1, second);
  expect(await foundBy(nothingDropped, [stores, stale('b'), both])).toEqual([]);
  expect(await foundBy(nothingDropped, [stores, stale('b'), left(client, 1)])).toHaveLength(1);
  expect(await foundBy(nothingDropped, [stores, stale('c'), both])).not.toEqual([]);
});

it('the checker accepts a store without a result when the restored server has the same contents', async () => {
  const store = logged(client, rowOf(3, storeOf(1, 'a')));
  const cut = { epoch: 'first', volume: VOLUME, last: commitNumber(1), first: commitNumber(9) };
  const restored: Observation = { kind: 'restored', epoch: 'second', volumes: [cut] };
  const stored = commitOf(10, 7, { vnodes: [statusOf()], device: 2 });
  const over = commitOf(11, 8, { vnodes: [statusOf({ digest: digest('b') })], device: 2 });
  const gone = left(client, 3);
  expect(await foundBy(nothingDropped, [store, restored, stored, gone])).toEqual([]);
  expect(await foundBy(nothingDropped, [store, restored, stored, over, gone])).toHaveLength(1);
  expect(await foundBy(nothingDropped, [store, restored, gone])).toHaveLength(1);
  expect(await foundBy(nothingDropped, [store, stored, gone])).toHaveLength(1);
  const since = commitOf(10, 7, { vnodes: [statusOf({ version: dataVersion(2) })], device: 2 });
  expect(await foundBy(nothingDropped, [store, restored, since, over, gone])).toEqual([]);
  expect(await foundBy(nothingDropped, [store, since, over, gone])).toHaveLength(1);
});

describe('a rename that left nothing in the log', () => {
  type Names = Readonly<Record<string, typeof FILE>>;
  const one: Names = { doc: FILE, other: FILE };
  const two: Names = { doc: FILE, other: OTHER };

  /** What the names are of when it is asked for, when `saver` saves meanwhile, and when it is answered. */
  function foundOf(names: readonly [Names, Names, Names], saver = 'ada'): string[] {
    const [ada, bob] = [fakeLaptop(), fakeLaptop('bob')];
    const [from, to] = ['doc', 'other'].map((name) => ({ dir: ROOT, name }));
    const [begun, done] = called(ada.client, 'rename', [from, to], null) as [
      Observation,
      Observation,
    ];
    const shown = names.values();
    const texts: string[] = [];
    const checker = nothingDropped.make((text) => texts.push(text));
    for (const heard of [begun, logged(saver === 'ada' ? ada.client : bob.client), done]) {
      for (const [name, fid] of Object.entries(shown.next().value ?? {})) {
        ada.entries.set(name, fid);
      }
      checker.hear?.(heard);
    }
    return texts;
  }

  it.each([
    ['when it was called', [one, two, two]],
    ['during the call', [two, one, two]],
    ['when it was answered', [two, two, one]],
  ] as const)('is accepted as one of a vnode over itself if it was that %s', (_, names) => {
    expect(foundOf(names)).toEqual([]);
  });

  it('is reported when the two names were never of one vnode', () => {
    expect(foundOf([two, two, two])).toEqual([
      'ada acknowledges rename 1.1.1/doc 1.1.1/other, and its log has nothing of it',
    ]);
    expect(foundOf([two, one, two], 'bob')).toHaveLength(1);
  });
});

it.each([
  ['when it was called', true, []],
  ['never', false, ['ada acknowledges setattr 1.2.2, and its log has nothing of it']],
])(
  'the checker follows calls for a losing file to its copy, which was not placed yet %s',
  (_, isCopied, found) => {
    const { client: ada } = fakeLaptop();
    const aliases = ada.daemon.inside.names.aliases;
    if (isCopied) aliases.put(FILE, { kind: 'copied', into: OTHER, lost: dataVersion(1) });
    const [begun, done] = called(ada, 'setattr', [FILE, {}], null) as [Observation, Observation];
    const texts: string[] = [];
    const checker = nothingDropped.make((text) => texts.push(text));
    checker.hear?.(begun);
    aliases.drop(FILE); // with the save in which the attribute of the copy is logged
    checker.hear?.(done);
    expect(texts).toEqual(found);
  },
);
