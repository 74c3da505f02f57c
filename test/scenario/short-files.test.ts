/** Many short files over a long line: while the answer to one message of them is on its way, so is the next. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import { MemoryLink } from '../../app/lab/simulator/net/memory-link.ts';
import { seconds } from '../../shared/model/time.ts';
import { decodeRequest } from '../../shared/wire/codec.ts';
import { MAX_STORES_TOGETHER } from '../../shared/wire/limits.ts';

const ONE_WAY_MS = 1000;
const FILES = 4 * MAX_STORES_TOGETHER;

afterEach(() => {
  jest.restoreAllMocks();
});

it('leave in two full messages at a time', async () => {
  const cluster = await Cluster.start({ seed: 1, partial: null });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.settled();
  for (const [from, to] of [
    [ada.name, SERVER_HOST],
    [SERVER_HOST, ada.name],
  ] as const) {
    cluster.network.shape(from, to, { delayMs: ONE_WAY_MS });
  }
  /** How many files the messages of a second had. */
  const sent = new Map<number, number[]>();
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const plain = MemoryLink.prototype.request;
  jest.spyOn(MemoryLink.prototype, 'request').mockImplementation(function (
    this: MemoryLink,
    ...args
  ) {
    const [, { header, content }] = args;
    const message = content === null ? null : decodeRequest(header, 'client');
    const second = Math.floor(cluster.world.time.now() / 1000);
    if (message?.rpc === 'StoreMany') {
      sent.set(second, [...(sent.get(second) ?? []), message.body.stores.length]);
    }
    return plain.apply(this, args);
  });
  await cluster.at(ada, async (files) => {
    for (let index = 0; index < FILES; index++) await files.write(`/f${index}`, `short ${index}`);
  });
  await cluster.pass(seconds(60));
  // What is logged first leaves at once, by itself; then as much as two messages hold is on its way in each round trip.
  const rounds = [...sent.values()].map((messages) => messages.reduce((sum, all) => sum + all, 0));
  const full = rounds.filter((stores) => stores > MAX_STORES_TOGETHER);
  expect(full.length).toBeGreaterThanOrEqual(2);
  expect(rounds.length - full.length).toBeLessThanOrEqual(1);
  for (const stores of full) expect(stores).toBeGreaterThan(1.9 * MAX_STORES_TOGETHER);
  expect(ada.status.queues.data.updates).toBe(0);
});
