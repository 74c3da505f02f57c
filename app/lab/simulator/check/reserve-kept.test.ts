import { expect, it } from '@jest/globals';
import { foundBy } from '../../../../test/support/observations.ts';
import { reserveKept } from './reserve-kept.ts';

interface About {
  readonly usedBytes: number;
  readonly contents: Record<string, number>;
  readonly held?: readonly string[];
  readonly logged?: readonly string[];
  readonly pins?: number;
  /** Of what somebody has said; null: as if nobody had. */
  readonly reserve?: number | null;
}

const cluster = (
  { usedBytes, contents, held = [], logged = [], pins = 0, reserve }: About,
  diskBytes: number | undefined = 1000,
) => ({
  pass: () => Promise.resolve(),
  clients: [
    {
      name: 'ada',
      running: true,
      diskBytes,
      disk: { usedBytes },
      clientStore: { meta: (key: string) => (key === 'cache-reserve' ? reserve : undefined) },
      daemon: {
        inside: {
          log: { all: () => logged.map((content) => ({ content })) },
          cache: {
            pins: { size: pins },
            files: {
              names: () => new Set(Object.keys(contents)),
              isHeld: (name: string) => held.includes(name),
              get: (name: string) => ({ size: contents[name] }),
            },
          },
        },
      },
    },
  ],
});

const contents = { one: 100, two: 200 };

/** Nobody looks at its disk. */
function unmeasured(about: About) {
  const { clients, pass } = cluster(about);
  return { pass, clients: clients.map((client) => ({ ...client, diskBytes: undefined })) };
}

it('the checker finds evictable contents when less disk is free than the reserve', async () => {
  expect(await foundBy(reserveKept, [], cluster({ usedBytes: 951, contents }))).toEqual([
    'ada keeps 2 contents (300 bytes) that could be had again, though 49 bytes are free of its disk and 50 should be',
  ]);
});

it('the checker uses the configured reserve', async () => {
  expect(
    await foundBy(reserveKept, [], cluster({ usedBytes: 900, contents, reserve: 101 })),
  ).toEqual([expect.stringContaining('100 bytes are free of its disk and 101 should be')]);
  const asUsual = cluster({ usedBytes: 951, contents, reserve: null });
  expect(await foundBy(reserveKept, [], asUsual)).toHaveLength(1);
});

it.each<[string, About]>([
  ['there is space', { usedBytes: 950, contents }],
  ['no reserve is configured', { usedBytes: 1000, contents, reserve: 0 }],
  ['they were fetched last', { usedBytes: 999, contents: { one: 100 } }],
  ['they are open', { usedBytes: 999, contents, held: ['one'] }],
  ['they are in the log', { usedBytes: 999, contents, logged: ['two'] }],
  ['something is pinned', { usedBytes: 999, contents, pins: 1 }],
])('the checker accepts cached contents when %s', async (_why, about) => {
  expect(await foundBy(reserveKept, [], cluster(about))).toEqual([]);
  expect(await foundBy(reserveKept, [], unmeasured(about))).toEqual([]);
});
