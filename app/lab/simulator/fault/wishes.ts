/**
 * A person uses rare settings and rare commands: a reader gets `try-again` if another laptop hides something newer, each file is read by itself, some
 * bounds of the cache are set; queued updates are ordered by their path, and listed in pages; networks have rules of a person's own, and a flush does
 * not mind them; versions are requested that never existed. In the end every setting has its default again.
 *
 * It weighs nothing, so that the seeds of the default mix keep their meaning.
 */
import { QUEUE_ACTS, QUEUE_NAMES } from '../../../../shared/control/queue.ts';
import type { QueueAct, QueueName, QueueOrder } from '../../../../shared/control/queue.ts';
import { METERED_RULE, METERED_RULES, type NetworkRule } from '../../../../shared/model/network.ts';
import {
  LEAST_LIMIT,
  NO_LIMITS,
  type LimitsChange,
} from '../../../../shared/model/transfer-limits.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import type { DaemonRuntime } from '../../../../daemon/runtime/daemon-runtime.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { setLimits } from '../cluster/set-limits.ts';
import { queueNow } from '../cluster/queue-now.ts';
import type { EndFault, FaultFamily, FaultTarget } from './fault.ts';
import { atHome, factsOf } from './metered.ts';
import { told, undone } from './queue.ts';

const WISHES = [
  ...(['try again', 'try again', 'each', 'as it is', 'bounds'] as const),
  ...(['order', 'order', 'order', 'order gone', 'pages', 'pages'] as const),
  ...(['rule', 'rule', 'no rule', 'wrong rule', 'spend', 'spend', 'never'] as const),
  ...(['limits', 'limits'] as const),
];
type Wish = (typeof WISHES)[number];
/** What needs no more than the daemon. */
type PlainWish = Exclude<Wish, 'limits'>;

/** What is drawn for all of them. */
interface Details {
  /** Something of the queue, and how much of its path is named. */
  readonly which: number;
  readonly depth: number;
  readonly act: QueueAct;
  readonly of: QueueName;
  readonly metered: NetworkRule['metered'];
  readonly forAll: boolean;
  readonly waitMs: number;
}

const LONGEST_MS = 30_000;
const LONGEST_WAIT_MS = 5_000;
const MOST_LISTED = 1_000;
const DEEPEST = 4;
/** Of a page of the queue. */
const FEW = 2;
const NOWHERE = 'nowhere';
const NETWORK = 'boat';
const RULE = { budget: 5_000, trickle: 500 };

export const wishes: FaultFamily = {
  name: 'wishes',
  weight: 0,
  programsMeet: ['newer-elsewhere', 'not-committed'],
  draw: (random, { laptops }) => ({
    family: 'wishes',
    laptop: random.below(laptops.length),
    wish: random.pick(WISHES),
    which: random.below(MOST_LISTED),
    depth: random.below(DEEPEST),
    act: random.pick(QUEUE_ACTS),
    of: random.pick(QUEUE_NAMES),
    metered: random.pick(METERED_RULES),
    forAll: random.below(2) === 0,
    waitMs: random.below(LONGEST_WAIT_MS),
    lastsMs: random.below(LONGEST_MS),
  }),
  begin: ({ laptop, wish, ...details }, target) => {
    const client = target.laptop(Number(laptop));
    if (!client.running || client.machine.asleep) return null;
    const { world } = target.cluster;
    const asked =
      wish === 'limits'
        ? setLimits(client, limitsBy(Number(details['which'])), target.cluster.hear)
        : carriedOut(client, wish as PlainWish, details as unknown as Details);
    told(client, world, String(wish), [asked]);
    return asAtFirst(client, wish as Wish, target);
  },
};

/** One of both, or both. */
function limitsBy(which: number): LimitsChange {
  const rate = LEAST_LIMIT * (1 + (which % 3));
  return which % 2 === 0 ? { upload: rate } : { upload: null, download: rate };
}

async function carriedOut(client: ClientNode, wish: PlainWish, details: Details): Promise<unknown> {
  const { daemon } = client;
  switch (wish) {
    case 'try again':
      return daemon.consistency({ awayReads: 'try-again' });
    case 'each':
      return daemon.consistency({ validations: 'each' });
    case 'as it is':
      return daemon.consistency({});
    case 'bounds':
      return daemon.cacheSettings({ prefetch: true });
    case 'order':
      return daemon.orderQueue(orderFor(client, details));
    case 'order gone':
      return daemon.orderQueue({ act: details.act, target: { number: 0 }, withDependents: false });
    case 'pages':
      return pages(daemon, details);
    case 'rule':
      return rule(daemon, details);
    case 'no rule':
      return daemon.ruleNetwork(NOWHERE, null);
    case 'wrong rule':
      return daemon.ruleNetwork('', { pause: true });
    case 'spend':
      return daemon.flush(details.waitMs, true);
    case 'never':
      return daemon.past.versions(volumeOf(client), ['never was there']);
  }
}

/** By the path of something that waits, or of a folder above it, or of all; now and then in a volume that there is not. */
function orderFor(client: ClientNode, { which, depth, act, forAll }: Details): QueueOrder {
  const { entries } = queueNow(client.daemon, MOST_LISTED);
  const path = entries[which % Math.max(entries.length, 1)]?.path ?? NOWHERE;
  const volume = which % 10 === 0 ? NOWHERE : volumeOf(client);
  const target = { volume, path: path.split('/').slice(0, depth) };
  return { act, target, withDependents: forAll };
}

function volumeOf({ status, volume }: ClientNode): string {
  return status.volumes.find(({ id }) => id === volume)?.name ?? NOWHERE;
}

/** One of the queues, and after a while the rest of that picture; then of one that there is not. */
async function pages(daemon: DaemonRuntime, { of, waitMs }: Details): Promise<unknown> {
  const { listing = 0, next = null } = await daemon.queue({ most: FEW, of });
  await new Promise<void>((resolve) => void daemon.timers.start(milliseconds(waitMs), resolve));
  if (next !== null) await daemon.queue({ most: MOST_LISTED, of, listing, from: next });
  return daemon.queue({ most: FEW, listing: listing + 1 });
}

async function rule(daemon: DaemonRuntime, { metered, forAll }: Details): Promise<unknown> {
  daemon.networkIs(factsOf(NETWORK, !forAll), 0);
  await daemon.ruleNetwork(NETWORK, { metered, ...(forAll ? RULE : {}) });
  if (!forAll) await daemon.ruleNetwork(METERED_RULE, RULE);
  return daemon.networks();
}

function asAtFirst(client: ClientNode, wish: Wish, target: FaultTarget): EndFault | null {
  const back = (...asked: Array<(daemon: DaemonRuntime) => Promise<unknown>>): void => {
    if (!client.running) return;
    const { daemon } = client;
    told(
      client,
      target.cluster.world,
      `${wish} no more`,
      asked.map((each) => each(daemon)),
    );
  };
  switch (wish) {
    case 'try again':
      return () => back((daemon) => daemon.consistency({ awayReads: 'committed' }));
    case 'each':
      return () => back((daemon) => daemon.consistency({ validations: 'together' }));
    case 'limits':
      return () => {
        if (!client.running) return;
        const gone = setLimits(client, NO_LIMITS, target.cluster.hear);
        told(client, target.cluster.world, 'limits no more', [gone]);
      };
    case 'order':
      return () => undone(client, target);
    case 'rule':
      return () => {
        back(
          (daemon) => daemon.ruleNetwork(NETWORK, null),
          (daemon) => daemon.ruleNetwork(METERED_RULE, null),
        );
        atHome(client);
      };
    default:
      return null;
  }
}
