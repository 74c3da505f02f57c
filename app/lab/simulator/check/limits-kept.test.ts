import { expect, it } from '@jest/globals';
import { fakeLaptop, foundBy } from '../../../../test/support/observations.ts';
import { limitsKept } from './limits-kept.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

/** A laptop whose server was told of its limit, or not. */
function laptop(isTold = true): Laptop {
  const { client } = fakeLaptop('ada');
  Object.assign(client.daemon.inside, { limits: { isTold: () => isTold } });
  return client;
}

const RATE = 20_000;
const BURST = 16 * 1024;
const set = (client: Laptop): Observation[] => [
  { kind: 'limiting', client },
  { kind: 'limited', client, limits: { upload: RATE, download: RATE } },
];
const up = (at: number, bytes: number, lane = 'one'): Observation => ({
  ...{ kind: 'left', from: 'ada', to: 'server' },
  ...{ at, bytes, lane },
});
const down = (at: number, bytes: number): Observation => ({
  ...{ kind: 'left', from: 'server', to: 'ada' },
  ...{ at, bytes, lane: 'back' },
});

it('the checker finds contents that leave a laptop faster than its limit', async () => {
  const found = await foundBy(limitsKept, [...set(laptop()), up(0, BURST), up(100, 2_010)]);
  expect(found).toEqual(['ada sends server 10 bytes more than 20000 a second let']);
});

it('the checker finds contents that the server sends faster, as soon as it keeps the limit', async () => {
  const sent = [down(0, BURST), down(0, 10)];
  expect(await foundBy(limitsKept, [...set(laptop()), ...sent])).toEqual([
    'server sends ada 10 bytes more than 20000 a second let',
  ]);
  expect(await foundBy(limitsKept, [...set(laptop(false)), ...sent])).toEqual([]);
});

it('the checker finds a limit that the server never heard of', async () => {
  const client = laptop(false);
  expect(await foundBy(limitsKept, set(client), { clients: [client] })).toEqual([
    'ada has a limit for what it receives, and the server was not told',
  ]);
  expect(await foundBy(limitsKept, set(laptop()), { clients: [laptop()] })).toEqual([]);
});

it('the checker goes on after a restart of the daemon', async () => {
  const ended: Observation = { kind: 'ended', who: 'ada', how: 'killed' };
  const found = await foundBy(limitsKept, [...set(laptop()), ended, up(0, 2 * BURST)]);
  expect(found).toHaveLength(1);
});

it.each<[string, (client: Laptop) => Observation[]]>([
  ['that keep the rate', () => [up(0, BURST), up(500, RATE / 2), up(1_000, RATE / 2)]],
  ['on another connection', () => [up(0, BURST), up(0, BURST, 'other')]],
  [
    'on the first connection of the next process',
    () => [up(0, BURST), { kind: 'ended', who: 'ada', how: 'killed' }, up(0, BURST)],
  ],
  [
    'of a server that began anew',
    () => [down(0, BURST), { kind: 'ended', who: 'server', how: 'power' }, down(0, BURST)],
  ],
  ['while a change is under way', (client) => [{ kind: 'limiting', client }, up(0, 1e6)]],
  ['without a limit', (client) => [{ kind: 'limited', client, limits: null }, up(0, 1e6)]],
  [
    'after an end in the middle of a change',
    (client) => [
      { kind: 'limiting', client },
      { kind: 'ended', who: 'ada', how: 'power' },
      up(0, 1e6),
    ],
  ],
])('the checker accepts contents %s', async (_what, then) => {
  const client = laptop();
  expect(await foundBy(limitsKept, [...set(client), ...then(client)])).toEqual([]);
});
