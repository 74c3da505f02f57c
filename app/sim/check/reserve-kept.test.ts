import { expect, it } from '@jest/globals';
import { foundBy } from '../../../test/support/observations.ts';
import { reserveKept } from './reserve-kept.ts';

interface About {
  readonly usedBytes: number;
  readonly contents: Record<string, number>;
  readonly held?: readonly string[];
  readonly logged?: readonly string[];
  readonly pins?: number;
}

const cluster = ({ usedBytes, contents, held = [], logged = [], pins = 0 }: About) => ({
  diskBytes: 1000,
  pass: () => Promise.resolve(),
  clients: [
    {
      name: 'ada',
      running: true,
      disk: { usedBytes },
      daemon: {
        inside: {
          pins: { size: pins },
          log: { all: () => logged.map((content) => ({ content })) },
          files: {
            names: () => new Set(Object.keys(contents)),
            isHeld: (name: string) => held.includes(name),
            get: (name: string) => ({ size: contents[name] }),
          },
        },
      },
    },
  ],
});

const contents = { one: 100, two: 200 };

it('finds what could go where less is free than should be', async () => {
  expect(await foundBy(reserveKept, [], cluster({ usedBytes: 951, contents }))).toEqual([
    'ada keeps 2 contents (300 bytes) that could be had again, though 49 bytes are free of its disk and 50 should be',
  ]);
});

it.each<[string, About]>([
  ['there is room', { usedBytes: 950, contents }],
  ['it was fetched last', { usedBytes: 999, contents: { one: 100 } }],
  ['it is held', { usedBytes: 999, contents, held: ['one'] }],
  ['it is logged', { usedBytes: 999, contents, logged: ['two'] }],
  ['something is pinned', { usedBytes: 999, contents, pins: 1 }],
])('finds nothing where %s', async (_why, about) => {
  expect(await foundBy(reserveKept, [], cluster(about))).toEqual([]);
  expect(await foundBy(reserveKept, [], { ...cluster(about), diskBytes: undefined })).toEqual([]);
});
