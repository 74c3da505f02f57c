/** Measures how long others wait while a long queue is listed, and the cost of being watched. */
import { setTimeout as after } from 'node:timers/promises';
import { allOfQueue } from '../../../shared/control/all-of-queue.ts';
import { ControlClient } from '../../../shared/control/client.ts';
import type { QueueRequest, QueueReport } from '../../../shared/control/queue.ts';
import type { QueueBench } from './queue-bench.ts';

/** The time between two requests of the waiting client. */
const PROBE_MS = 2;

export type Tell = (line: string) => void;

export async function lookAtQueue(bench: QueueBench, tell: Tell): Promise<void> {
  const client = ControlClient.of(bench.data);
  const ask = async (asked: QueueRequest): Promise<QueueReport> =>
    await client.command('queue', asked);
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const { tookMs, waitedMs } = await beside(bench, work);
    tell(
      `${name}: ${tookMs.toFixed(0)} ms; another program waited ${waitedMs.toFixed(0)} ms at most`,
    );
  };
  try {
    await measure('nothing, for a second', () => after(1000));
    // Any change makes the listing outdated.
    const anew = async (): Promise<void> => void (await client.command('pause', {}));
    await anew();
    await measure('a first page of both queues', () => ask({ most: 50 }));
    await anew();
    await measure('a first page of the stores', () => ask({ most: 50, of: 'data' }));
    await anew();
    await measure('a page from the middle of the stores', () =>
      ask({ most: 50, of: 'data', from: 20_000 }),
    );
    await anew();
    const told: number[] = [];
    await measure('all of it', async () => told.push((await allOfQueue(ask)).entries.length));
    tell(`entries told: ${told.join()}`);
    await client.command('resume', {});
    tell(`unwatched: ${(await bench.processorShare()).toFixed(2)} % of a core`);
    const stop = new AbortController();
    const watching = watch(client, stop.signal);
    tell(`watched: ${(await bench.processorShare()).toFixed(2)} % of a core`);
    stop.abort();
    await watching;
  } finally {
    client.close();
  }
}

async function watch(client: ControlClient, signal: AbortSignal): Promise<void> {
  try {
    for await (const status of client.snapshots(signal)) void status;
  } catch {
    if (!signal.aborted) throw new Error('the daemon can not be watched');
  }
}

/** `waitedMs`: the longest that a question which takes no time waited for its answer. */
async function beside(
  { data }: QueueBench,
  work: () => Promise<unknown>,
): Promise<{ readonly tookMs: number; readonly waitedMs: number }> {
  const other = ControlClient.of(data);
  await other.command('cache-settings', {});
  let isOver = false;
  let waitedMs = 0;
  const probing = (async () => {
    while (!isOver) {
      const asked = performance.now();
      await other.command('cache-settings', {});
      waitedMs = Math.max(waitedMs, performance.now() - asked);
      await after(PROBE_MS);
    }
  })();
  const begun = performance.now();
  await work();
  const tookMs = performance.now() - begun;
  isOver = true;
  await probing;
  other.close();
  return { tookMs, waitedMs };
}
