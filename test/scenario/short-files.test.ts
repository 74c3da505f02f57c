/** Many short files over a network with a long delay: the next message is sent while the answer to one is still on its way. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { MemoryTransport } from '../../app/lab/simulator/net/memory-transport.ts';
import { BATCHES_IN_FLIGHT } from '../../daemon/limits.ts';
import { seconds } from '../../shared/model/time.ts';
import { decodeRequest } from '../../shared/wire/codec.ts';
import { MAX_STORES_TOGETHER } from '../../shared/wire/limits.ts';

const ONE_WAY_MS = 1000;
const FILES = 6 * MAX_STORES_TOGETHER;

afterEach(() => {
  jest.restoreAllMocks();
});

/** The number of files in each message of each round trip. */
type Rounds = number[][];

async function roundsOf(seed: number): Promise<Rounds> {
  const cluster = await Cluster.start({ seed, partial: null });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.settled();
  for (const [from, to] of [
    [ada.name, SERVER_HOST],
    [SERVER_HOST, ada.name],
  ] as const) {
    cluster.network.shape(from, to, { delayMs: ONE_WAY_MS });
  }
  const rounds: Rounds = [];
  let first: number | null = null;
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const plain = MemoryTransport.prototype.request;
  jest.spyOn(MemoryTransport.prototype, 'request').mockImplementation(function (
    this: MemoryTransport,
    ...args
  ) {
    const [, { header, content }] = args;
    const message = content === null ? null : decodeRequest(header, 'client');
    const now = cluster.world.time.now();
    first ??= message === null ? null : now;
    const round = Math.floor((now - (first ?? now) + ONE_WAY_MS) / (2 * ONE_WAY_MS));
    if (message?.rpc === 'Store') (rounds[round] ??= []).push(1);
    if (message?.rpc === 'StoreMany') (rounds[round] ??= []).push(message.body.stores.length);
    return plain.apply(this, args);
  });
  await cluster.at(ada, async (files) => {
    for (let index = 0; index < FILES; index++) await files.write(`/f${index}`, `short ${index}`);
  });
  await cluster.pass(seconds(60));
  expect(ada.status.queues.data.updates).toBe(0);
  return rounds;
}

/**
 * A program that makes one file after the other has made a few when the first messages leave: those are short, for nothing is waited for. Their
 * answers come apart from those of the others, and so what takes their place is short again. But there is no round trip in which less is on its way
 * than may be, nor one with more messages.
 */
it.each([1, 2])('short files fill two messages in each round trip: seed %i', async (seed) => {
  const [first = [], ...rounds] = await roundsOf(seed);
  expect(first.length).toBeLessThanOrEqual(BATCHES_IN_FLIGHT);
  const last = rounds.pop() ?? [];
  expect(rounds.length).toBeGreaterThanOrEqual(2);
  for (const messages of rounds) {
    expect(sum(messages)).toBe(2 * MAX_STORES_TOGETHER);
    expect(messages.length).toBeLessThanOrEqual(2 + first.length);
  }
  expect(sum([...first, ...rounds.flat(), ...last])).toBe(FILES);
});

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
