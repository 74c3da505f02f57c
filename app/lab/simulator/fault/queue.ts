/**
 * A person orders the queue of a laptop: something of it goes first, last, or not, or all of it is sent in another way for a while. In the
 * end what was cancelled is taken back, and every setting has its default again; until then nothing of it may be lost, or reach others.
 */
import type { QueueAct } from '../../../../shared/control/queue.ts';
import type { WritebackChange } from '../../../../shared/model/writeback.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import { isCancelled } from '../../../../daemon/core/log/queue-status.ts';
import type { LoggedUpdate } from '../../../../daemon/core/log/update-log.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { queueNow } from '../cluster/queue-now.ts';
import type { World } from '../world.ts';
import type { FaultFamily, FaultTarget } from './fault.ts';

const ORDERS = ['now', 'later', 'cancel', 'cancel', 'delay', 'logging', 'sync', 'limit'] as const;
type Order = (typeof ORDERS)[number];

const LONGEST_MS = 60_000;
const LONGEST_DELAY_MS = 40_000;
const LARGEST_LIMIT = 2_000;
const MOST_LISTED = 1_000;
const PATIENCE_MS = 5_000;
/** What became of something that was asked; `whenAll`: when it is answered. */
interface Outcome {
  readonly all: boolean;
  readonly whenAll: (done: () => void) => void;
}
const ALL_ANSWERED: Outcome = { all: true, whenAll: (done) => done() };
const AS_AT_FIRST: WritebackChange = { policy: 'async', delayMs: 0, dirtyLimit: null };

export const queue: FaultFamily = {
  name: 'queue',
  weight: 1,
  programsMeet: ['dirty-limit', 'not-committed'],
  draw: (random, { laptops }) => ({
    family: 'queue',
    laptop: random.below(laptops.length),
    order: random.pick(ORDERS),
    /** Which of those that are listed. */
    which: random.below(MOST_LISTED),
    withDependents: random.below(2) === 0,
    delayMs: random.below(LONGEST_DELAY_MS),
    limit: 1 + random.below(LARGEST_LIMIT),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ laptop, order, which, withDependents, delayMs, limit }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.machine.asleep) return null;
    const { daemon } = client;
    const { world } = target.cluster;
    const change = changeFor(order as Order, Number(delayMs), Number(limit));
    if (change === null) {
      const { entries } = queueNow(daemon, MOST_LISTED);
      const entry = entries[Number(which) % Math.max(entries.length, 1)];
      if (entry === undefined) return null;
      const about = { target: { number: entry.number }, withDependents: withDependents === true };
      const ordered = told(client, world, `queue ${String(order)} ${entry.number}`, [
        daemon.orderQueue({ act: order as QueueAct, ...about }),
      ]);
      return () => undone(client, target, ordered);
    }
    const ordered = told(client, world, `queue ${String(order)}`, [daemon.writeback(change)]);
    return () => undone(client, target, ordered);
  },
};

function changeFor(order: Order, delayMs: number, dirtyLimit: number): WritebackChange | null {
  switch (order) {
    case 'delay':
      return { delayMs };
    case 'limit':
      return { dirtyLimit };
    case 'logging':
    case 'sync':
      return { policy: order };
    default:
      return null;
  }
}

/** Durably: it is asked again by who comes up after a crash, and when an order that has not taken effect yet has. */
export async function undone(
  client: ClientNode,
  target: FaultTarget,
  ordered: Outcome = ALL_ANSWERED,
): Promise<void> {
  const { cluster } = target;
  for (let isOver = false; !isOver;) {
    await target.start(client);
    if (!client.running) return;
    // One who sleeps answers nothing.
    client.wake();
    const { daemon } = client;
    const asked = [daemon.writeback(AS_AT_FIRST), ...takenBack(daemon)];
    const { world } = cluster;
    const settled = told(client, world, 'queue as at first', asked);
    // Where the disk is full it is done when that is over, which may come after this.
    const late = world.time.now() + PATIENCE_MS;
    const isLate = (): boolean => world.time.now() >= late;
    await cluster.until(
      () => (settled.all && ordered.all) || !client.running || isLate(),
      `${client.name} to be as at first`,
    );
    // A daemon that has died meanwhile may have lost what it took back.
    const isBack = !ordered.all || isLate() || cancelledOf(daemon).length === 0;
    isOver = client.running && client.daemon === daemon && isBack;
  }
  if (!ordered.all) {
    ordered.whenAll(() => {
      if (client.running)
        told(client, cluster.world, 'queue as at first', takenBack(client.daemon));
    });
  }
  // Who copied the data folder meanwhile has what was cancelled in it as well, and takes it back too.
  for (const other of target.cluster.clients) {
    if (other === client || !other.running) continue;
    told(other, target.cluster.world, 'queue as at first', takenBack(other.daemon));
  }
}

function cancelledOf({ inside }: DaemonRuntime): LoggedUpdate[] {
  return [...inside.log.all()].filter(isCancelled);
}

function takenBack(daemon: DaemonRuntime): Array<Promise<unknown>> {
  return cancelledOf(daemon).map(({ seq }) =>
    daemon.orderQueue({ act: 'now', target: { number: seq }, withDependents: false }),
  );
}

/** Its results are recorded; that an update is no longer in the queue is no fault. */
export function told(
  client: ClientNode,
  world: World,
  what: string,
  asked: ReadonlyArray<Promise<unknown>>,
): Outcome {
  const hear: Array<() => void> = [];
  const settled = { all: false, whenAll: (done: () => void) => void hear.push(done) };
  Promise.allSettled(asked)
    .then((results) => {
      settled.all = true;
      for (const result of results) {
        if (result.status === 'fulfilled') continue;
        if (!(result.reason instanceof GodwitError)) world.fault(result.reason);
      }
      world.note(`${client.name} ${what}: told`);
      for (const done of hear) done();
    })
    .catch((error: unknown) => world.fault(error));
  return settled;
}
