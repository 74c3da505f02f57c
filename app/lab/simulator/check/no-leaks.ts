/**
 * Checker: nothing is left behind when all is at rest: no call, timer, promise, mark, message or file that nobody will ever end.
 *
 * What is under way ends within `ENDS_WITHIN`; what is there all that time is a leak. The looks are at growing distances: at even
 * ones, what comes and goes by itself every so many seconds could be met each time. At rest
 * - a laptop has no file task, handle, fetch, directory load, question, flush, ghost, or refusal that waits; of its calls only
 *   those of its front end that follows (one for each volume) wait; requests are the feed's (one for each volume), the one that
 *   keeps the lease, and what goes on by itself (blocks), and its link has as many open calls; its timers are the loop's next
 *   wake and the rest after a commit; no spool, staged or handed-out file is on its disk;
 * - the server has no update, load, row, message, break, dirty mark, held reply or read that waits but the polls of laptops that
 *   follow; its open calls are those; it holds promises only of devices with a connection or a running lease; its timers are the
 *   next deadline, the watch for rights, and a commit that is spaced; no spool file is on its disk; no stream is under way, and its files
 *   of streams are begun parts of uploads (they expire, D3) and deltas that are kept for the next who asks.
 *
 * Allowed: answered updates that the cache has not got to (they leave with the next base, P5); contents of stores that were
 * refused (retention takes them, D4); updates of a laptop that may only read (they stay, blocked, and are shown: W7).
 */
import { milliseconds } from '../../../../shared/model/time.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { CheckerKind } from './checker.ts';

const ENDS_WITHIN = milliseconds(60_000);
const LOOKS = 12;
/** Of 1 + 2 + ... + LOOKS parts, each look is one part later after the last than that one was. */
const PARTS = (LOOKS * (LOOKS + 1)) / 2;

/** The loop's next wake, and the rest after a commit. */
const CLIENT_TIMERS = 2;
/** The next deadline, the watch for rights, and a commit that is spaced. */
const SERVER_TIMERS = 3;
const CLIENT_TEMPORARY = ['/spool', '/store/out', '/store/staging', '/transfers/made'];
const SERVER_TEMPORARY = ['/data/spool'];
/** Requests that come and go by themselves. */
const OF_ITSELF: ReadonlySet<string> = new Set(['follow', 'time', 'blocks', 'catch-up']);

export const noLeaks: CheckerKind = {
  name: 'nothing is left behind',
  make: (report) => ({
    atRest: async (cluster) => {
      let left = leftIn(cluster);
      for (let look = 1; look <= LOOKS && left.length > 0; look++) {
        await cluster.pass(milliseconds((ENDS_WITHIN * look) / PARTS));
        const still = new Set(leftIn(cluster));
        left = left.filter((text) => still.has(text));
      }
      for (const text of left) report(text);
    },
  }),
};

/** Sentences without what changes from one moment to the next, so that what stays is seen to stay. */
export function leftIn(cluster: Cluster): string[] {
  const clients = cluster.clients.filter(({ running }) => running);
  return [...clients.flatMap(leftOf), ...leftOfServer(cluster)];
}

/** One more where it looks every so often how much room its disk has. */
const timersOf = ({ looksAtDisk }: ClientNode): number =>
  looksAtDisk ? CLIENT_TIMERS + 1 : CLIENT_TIMERS;

/** Counts that must be nothing, by what they count. */
type Counts = Readonly<Record<string, number>>;

function leftOf(client: ClientNode): string[] {
  const state = client.daemon.inside;
  const {
    log,
    conflict: { adjustments },
  } = state;
  const volumes = state.names.volumes.size;
  const others = [...state.requests.values()].filter(({ purpose }) => !OF_ITSELF.has(purpose.for));
  const followed = client.frontEnd === 'folder' ? 1 : 0;
  const counts: Counts = {
    'unanswered updates': client.rights === 'read' ? 0 : log.unanswered,
    adjustments: client.frontEnd === 'folder' ? adjustments.size : 0,
    'file tasks': state.tasks.size,
    handles: state.calls.handles.size,
    'fetches of contents': state.cache.fetches.size + state.cache.fetches.running,
    'directory loads': state.sharing.questions.count.directories,
    'vnodes being asked about': state.sharing.questions.count.vnodes,
    flushes: state.queue.flushes.size,
    'numbers that were renumbered on their way': state.queue.renumbered.size,
    'refusals that wait': state.conflict.unresolved().size,
    'stores and batches in flight':
      state.queue.storesInFlight + state.queue.batchesInFlight + state.queue.storeBytesInFlight,
    'requests nobody waits for': others.length,
    'requests too many': Math.max(state.requests.size - 2 * volumes - 1, 0),
    'open calls without a request': Math.max(client.openCalls - state.requests.size, 0),
    'calls that wait': Math.max([...state.waiting.all()].length - followed, 0),
    'timers too many': Math.max(client.timersWaiting - timersOf(client), 0),
  };
  return [...findingsOf(client.name, counts), ...files(client.name, client.disk, CLIENT_TEMPORARY)];
}

/** Page after page of what was changed, for minutes where the line is slow: the answers may be on their way each time. */
const catchingUp = (clients: readonly ClientNode[]): number =>
  clients
    .filter(({ running }) => running)
    .flatMap(({ daemon }) => [...daemon.inside.requests.values()])
    .filter(({ purpose }) => purpose.for === 'catch-up').length;

function leftOfServer({ server, clients }: Cluster): string[] {
  const { inside: state } = server;
  const devices = [...state.devices.values()];
  const sum = (count: (device: (typeof devices)[number]) => number): number =>
    devices.reduce((all, device) => all + count(device), 0);
  const volumes = [...state.volumes];
  const inAll = (count: (volume: (typeof volumes)[number]) => number): number =>
    volumes.reduce((all, volume) => all + count(volume), 0);
  const polls = inAll(({ reads }) => reads.pollers.size);
  const { limits } = state.volumes;
  const now = server.clock.now();
  const streams = server.streamsLeft;
  const counts: Counts = {
    'updates under way':
      sum((device) => device.updates.size + device.waiting) + state.waitingUpdates,
    'updates that are parked': sum((device) => device.parked.size),
    'replies that are held': sum((device) => device.owed + device.heldReplies.length),
    'updates of the grace': inAll(({ held }) => held.length),
    'stores being received': state.receiving.size,
    loads: state.commits.left.loads,
    'rows of no commit': state.commits.isIdle ? 0 : 1,
    'rows over the database': state.rows.size + inAll(({ rows }) => rows.size),
    'groups that retire': state.commits.left.retiring,
    breaks: state.breaks.size + inAll(({ breaks }) => breaks.size),
    'fetches that wait':
      limits.waitingFetches.count + inAll(({ reads }) => reads.marksWaitedFor.length),
    'questions for updates': limits.pulls.size,
    'reads to begin again': state.again.length,
    'polls too many': Math.max(polls - 2 * clients.length, 0),
    'open calls without a poll': Math.max(
      server.openCalls - state.calls.size - catchingUp(clients),
      0,
    ),
    'calls too many': Math.max(state.calls.size - 3 * clients.length, 0),
    'promises of devices that are away': sum((device) =>
      device.connection === null && device.lease <= now ? limits.promises.total(device.id) : 0,
    ),
    'previous instances whose leases are over': [...state.previousInstances.values()].filter(
      ({ lease }) => lease <= now,
    ).length,
    'dirty marks': clients.reduce((all, client) => {
      const { device } = client;
      return device === null ? all : all + state.volumes.limits.marks.total(device);
    }, 0),
    'timers too many': Math.max(server.timersWaiting - SERVER_TIMERS, 0),
    'streams under way': streams.busy,
  };
  return [
    ...findingsOf('the server', counts),
    ...files('the server', server.disk, SERVER_TEMPORARY),
    ...streams.strange.map((path) => `the server keeps ${path}`),
  ];
}

function findingsOf(who: string, counts: Counts): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what]) => `${who} keeps ${what}`);
}

function files(
  who: string,
  disk: { list(folder: string): string[] },
  folders: readonly string[],
): string[] {
  return folders.flatMap((folder) => disk.list(folder)).map((path) => `${who} keeps ${path}`);
}
