/** Notes are shown, and nothing is wrong for them. */
import { expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { isAllSent } from '../../../shared/model/all-sent.ts';
import { instant, wallTime } from '../../../shared/model/time.ts';
import type { Event } from '../events.ts';
import { ClientBench } from '../../../test/support/client-bench.ts';

const entry = (code: string): ErrorStatus => ({ code, message: code, remedy: 'none', path: 'p' });

it.each([
  [['special-file'], false],
  [['special-file', 'disk-full'], true],
])('the status with the errors %j is wrong: %s', async (codes, isWrong) => {
  const { client } = await (await ClientBench.start()).join();
  const { state, summary, errors } = client.reports.status({
    unsettled: { paths: 0, commits: 0 },
    waiting: [],
    errors: codes.map(entry),
  });
  expect(errors.map(({ code }) => code)).toEqual(codes);
  expect(state === 'error').toBe(isWrong);
  expect(summary === '/p: disk-full').toBe(isWrong);
});

it.each([
  [[['a', true]], 'incomplete', '1 not synced: /a: it lasts'],
  [
    [
      ['a', true],
      ['b', true],
    ],
    'incomplete',
    '2 not synced: /a: it lasts',
  ],
  [
    [
      ['a', true],
      ['b', false],
    ],
    'syncing',
    'Syncing: /b: it lasts',
  ],
  [[], 'idle', 'Everything is synced'],
] as const)(
  'the status with the waiting files %j has the state %s',
  async (rows, state, summary) => {
    const { client } = await (await ClientBench.start()).join();
    const waiting = rows.map(([path, stands]) => ({
      ...{ path, reason: 'it lasts' },
      ...(stands ? { stands } : {}),
    }));
    const unsettled = { paths: 0, commits: 0 };
    const errors = rows.length > 0 ? [entry('name-refused')] : [];
    const status = client.reports.status({ unsettled, waiting, errors });
    expect([status.state, status.summary]).toEqual([state, summary]);
  },
);

it('the status says of what is sent that the server has not answered', async () => {
  const bench = await ClientBench.start();
  const a = await bench.join();
  const status = () =>
    a.client.reports.status({ unsettled: { paths: 0, commits: 0 }, waiting: [], errors: [] });
  const writing = a.write('1.1.1' as Fid, 'doc', 'four words are here');
  while (!isAllSent(status().queues)) await bench.one();
  expect(status().waiting?.[0]?.reason).toMatch(/^[12] changes? sent; the server has not answered/);
  await writing;
  expect(isAllSent(status().queues)).toBe(false);
});

it('the status includes the length of contents that are being fetched', async () => {
  const bench = await ClientBench.start();
  const [a, b] = [await bench.join(), await bench.join()];
  const { fid } = await a.write('1.1.1' as Fid, 'doc', 'four words are here');
  await b.list();
  const fetches = () =>
    b.client.reports.status({ unsettled: { paths: 0, commits: 0 }, waiting: [], errors: [] })
      .fetches;
  const reading = b.read(fid);
  while (fetches().running === 0) await bench.one();
  expect(fetches()).toEqual({ running: 1, bytes: 19, receivedBytes: 0 });
  await reading;
  expect(fetches()).toEqual({ running: 0, bytes: 0, receivedBytes: 0 });
});

it('the status has how far the clock of the server is ahead, by its last answer', async () => {
  const bench = await ClientBench.start();
  const { client } = await bench.join();
  const now = { at: instant(bench.now), wall: wallTime(bench.now) };
  const ahead = () =>
    client.reports.status({ unsettled: { paths: 0, commits: 0 }, waiting: [], errors: [] }).link
      .clockAheadMs;
  const step = (event: Event) => client.step(event, now).effects;
  for (const [by, shown] of [
    [7_201_234, 7_200_000],
    [-4_000, 0],
    [-126_000, -130_000],
  ] as const) {
    const what = { op: 'flush', volume: 1 as VolumeId, timeoutMs: null } as const;
    const sent = step({ kind: 'call', call: 900 + by, what });
    const asked = sent.find(
      (effect) => effect.kind === 'request' && effect.message.rpc === 'GetTime',
    );
    if (asked?.kind !== 'request') throw new Error('no question');
    const body = { wall: wallTime(now.wall + by), heads: [] };
    const reply = { rpc: 'GetTime', ok: true, body } as const;
    step({ kind: 'reply', request: asked.request, reply, content: null, jitter: 0 });
    expect(JSON.stringify(ahead())).toBe(String(shown));
  }
});
