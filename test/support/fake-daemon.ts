/**
 * A daemon that exists only as what the control endpoint sees of it: a snapshot that tests change, commands that are
 * written down, and a file system in memory.
 */
import type { DaemonDiskUse } from '../../shared/control/disk.ts';
import { QUEUE_PAGE } from '../../daemon/limits.ts';
import type {
  FetchReport,
  QueueAsked,
  QueueOrder,
  QueueOutcome,
  QueueReport,
} from '../../shared/control/queue.ts';
import {
  DEFAULT_WRITEBACK,
  type WritebackChange,
  type WritebackSettings,
} from '../../shared/model/writeback.ts';
import type { SuggestedGroup } from '../../shared/control/groups.ts';
import type { CacheReport, CacheUse } from '../../shared/control/cache.ts';
import { DEFAULT_CACHE, type CacheChange, type CacheSettings } from '../../shared/model/cache.ts';
import type { RestoreReport } from '../../shared/control/history.ts';
import type { NetworkList, NetworkRow } from '../../shared/control/network.ts';
import type { SharingOf, SharingReport, SharingRow } from '../../shared/control/sharing.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import type { Pauses, Places, Resolver } from '../../daemon/adapters/control/served.ts';
import type { ResolutionReport } from '../../shared/control/resolution.ts';
import {
  DEFAULT_CONSISTENCY,
  type ConsistencyChange,
  type ConsistencySettings,
} from '../../shared/model/consistency.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { NO_RULE, type NetworkRule } from '../../shared/model/network.ts';
import type { SharingOrder } from '../../shared/model/sharing.ts';
import { milliseconds, wallTime, type WallTime } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { CacheKeeper, ControlledDaemon, PastKeeper } from '../../shared/ports/controlled.ts';
import type { Host, PeerCredentials } from '../../shared/ports/host.ts';
import type { Log } from '../../shared/ports/log.ts';
import { FakeVolume } from './fake-volume.ts';

const NO_USE = { files: 0, bytes: 0 };
const ESTIMATE = { bytesPerSecond: null, seconds: 0, why: null };
const QUEUE = {
  ...{ updates: 0, inFlight: 0, bytes: 0, sentBytes: 0, cancelled: 0 },
  estimate: ESTIMATE,
};

export const IDLE: StatusSnapshot = {
  revision: 1,
  pid: 4711,
  version: '0.0.0',
  state: 'idle',
  summary: 'Everything is synced',
  connected: true,
  server: { address: '127.0.0.1:1', fingerprint: 'f'.repeat(64) },
  device: { id: 1, name: 'laptop', user: 'ann' },
  folder: '/home/ann/Godwit',
  frontEnd: 'folder',
  paused: false,
  queues: { metadata: QUEUE, data: QUEUE },
  fetches: { running: 0, bytes: 0, receivedBytes: 0 },
  unsettled: { paths: 0, commits: 0 },
  cache: { files: 0, bytes: 0 },
  volumes: [{ id: 1, name: 'home', rights: 'write', head: 7, applied: 7, quota: null }],
  conflicts: [],
  errors: [],
  link: { rttMs: 1, sentBytes: 0, receivedBytes: 0 },
};

const VERSION = {
  number: 7,
  when: Date.UTC(2026, 0, 2, 3, 4, 5),
  by: 'laptop',
  size: 1234,
  present: true,
  kept: true,
};

/** When it is, to it. */
export const PAUSED_AT = new Date(2026, 0, 2, 14, 0).getTime();

export class FakeDaemon implements ControlledDaemon {
  readonly fileSystem: FakeVolume;
  /** What was called, in order. */
  readonly calls: string[] = [];
  /** What `flush` does; at once and in good order where it is not set. */
  flushing: (timeoutMs: number | null) => Promise<void> = () => Promise.resolve();
  #snapshot: StatusSnapshot = IDLE;
  #waiting: Array<() => void> = [];

  constructor(folder: string) {
    this.fileSystem = new FakeVolume(folder);
  }

  /** A new revision. */
  become(change: Partial<StatusSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change, revision: this.#snapshot.revision + 1 };
    for (const wake of this.#waiting.splice(0)) wake();
  }

  snapshot(): StatusSnapshot {
    return this.#snapshot;
  }

  changed(revision: number, waitMs: number): Promise<void> {
    this.calls.push(`changed ${revision} ${waitMs}`);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  pause(): void {
    this.calls.push('pause');
    this.become({ paused: true, state: 'paused' });
  }
  resume(): void {
    this.calls.push('resume');
    this.become({ paused: false, state: 'idle' });
  }
  /** What is queued, and how orders end. */
  queued: QueueReport = { total: 0, entries: [], why: null };
  ordered: QueueOutcome | GodwitError = { updates: 1, others: 0, underWay: 0, why: null };
  settings: WritebackSettings = DEFAULT_WRITEBACK;
  /** Rules of networks, as they were set. */
  readonly ruled: NetworkRow[] = [];
  consistent: ConsistencySettings = DEFAULT_CONSISTENCY;
  sharingRows: SharingRow[] = [];
  sharingRefused: GodwitError | null = null;
  /** What is being fetched. */
  fetching: FetchReport = { total: 0, entries: [] };
  queue({ most, from = 0, of, listing = 1 }: QueueAsked): Promise<QueueReport> {
    this.calls.push(
      `queue ${most}${from === 0 ? '' : ` from ${from}`}${of === undefined ? '' : ` of ${of}`}`,
    );
    if (listing !== 1) return Promise.reject(new GodwitError('listing-gone'));
    const { total, entries, why } = this.queued;
    const asked = entries.filter(
      ({ kind }) => of === undefined || (kind === 'store') === (of === 'data'),
    );
    const page = asked.slice(from, from + Math.min(most, QUEUE_PAGE));
    const end = from + page.length;
    const next = end < asked.length ? end : null;
    const counted = of === undefined ? total : asked.length;
    return Promise.resolve({ total: counted, entries: page, why, listing, next });
  }
  fetches(most: number): FetchReport {
    this.calls.push(`fetches ${most}`);
    return this.fetching;
  }
  orderQueue(order: QueueOrder): Promise<QueueOutcome> {
    this.calls.push(`order ${JSON.stringify(order)}`);
    if (this.ordered instanceof GodwitError) return Promise.reject(this.ordered);
    return Promise.resolve(this.ordered);
  }
  writeback({ policy, delayMs, dirtyLimit }: WritebackChange): Promise<WritebackSettings> {
    this.calls.push(`writeback ${JSON.stringify({ policy, delayMs, dirtyLimit })}`);
    this.settings = {
      policy: policy ?? this.settings.policy,
      delay: delayMs === undefined ? this.settings.delay : milliseconds(delayMs),
      dirtyLimit: dirtyLimit === undefined ? this.settings.dirtyLimit : dirtyLimit,
    };
    return Promise.resolve(this.settings);
  }
  consistency({
    invalidations,
    storePriorities,
    awayReads,
    validations,
  }: ConsistencyChange): Promise<ConsistencySettings> {
    const change = { invalidations, storePriorities, awayReads, validations };
    this.calls.push(`consistency ${JSON.stringify(change)}`);
    const { consistent: was } = this;
    this.consistent = {
      invalidations: invalidations ?? was.invalidations,
      storePriorities: storePriorities ?? was.storePriorities,
      awayReads: awayReads ?? was.awayReads,
      validations: validations ?? was.validations,
    };
    return Promise.resolve(this.consistent);
  }
  sharing(fid: Fid | null): SharingReport {
    return { orders: this.sharingRows, of: fid === null ? null : this.#sharingOf(fid) };
  }
  orderSharing(fid: Fid, order: SharingOrder | null): Promise<SharingOf> {
    this.calls.push(`sharing ${fid} ${order}`);
    if (this.sharingRefused !== null) return Promise.reject(this.sharingRefused);
    const others = this.sharingRows.filter((row) => row.fid !== fid);
    const row = order === null ? [] : [{ volume: 'home', path: 'doc', fid, order }];
    this.sharingRows = [...others, ...row];
    return Promise.resolve(this.#sharingOf(fid));
  }
  #sharingOf(fid: Fid): SharingOf {
    const row = this.sharingRows.find((each) => each.fid === fid);
    if (row === undefined) return { order: 'auto', from: null, counts: 'unshared' };
    return { order: row.order, from: row.path, counts: row.order };
  }
  hurry(): void {
    this.calls.push('hurry');
  }
  scan(): Promise<void> {
    this.calls.push('scan');
    return Promise.resolve();
  }
  flush(timeoutMs: number | null, now = false): Promise<void> {
    this.calls.push(`flush ${timeoutMs}${now ? ' now' : ''}`);
    return this.flushing(timeoutMs);
  }
  confirmRemovals(): Promise<number> {
    this.calls.push('confirm');
    return Promise.resolve(60);
  }
  rejectRemovals(): Promise<number> {
    this.calls.push('reject');
    return Promise.resolve(0);
  }
  /** What `undo` and `restore` answer. */
  report: RestoreReport = { done: [], failed: [] };
  readonly past: PastKeeper = {
    versions: (volume, path) => {
      this.calls.push(`versions ${volume} ${path.join('/')}`);
      return Promise.resolve({ path: `/${path.join('/')}`, removed: null, versions: [VERSION] });
    },
    removed: (volume, path) => {
      this.calls.push(`removed ${volume} ${path.join('/')}`);
      return Promise.resolve({ path: `/${path.join('/')}`, removed: [] });
    },
    restore: (volume, order) => {
      this.calls.push(`restore ${volume} ${JSON.stringify(order)}`);
      return Promise.resolve(this.report);
    },
    undo: (volume, extent, dryRun) => {
      this.calls.push(`undo ${volume} ${JSON.stringify(extent)} ${dryRun}`);
      return Promise.resolve(this.report);
    },
  };
  caching: CacheSettings = DEFAULT_CACHE;
  cacheSettings(change: CacheChange): Promise<CacheSettings> {
    this.calls.push(`cache-settings ${JSON.stringify(change)}`);
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    const told = given.map(([name, value]) => [
      name,
      value ?? (DEFAULT_CACHE as unknown as Record<string, unknown>)[name],
    ]);
    this.caching = { ...this.caching, ...(Object.fromEntries(told) as Partial<CacheSettings>) };
    if (change.maximum !== undefined) {
      this.caching = { ...this.caching, isBounded: change.maximum !== null };
    }
    return Promise.resolve(this.caching);
  }
  suggested: SuggestedGroup[] = [];
  suggestedGroups(): SuggestedGroup[] {
    return this.suggested;
  }
  /** What `pin` and its like answer. */
  cached: CacheReport = { files: 1, bytes: 1000, unchanged: 0, failed: 0, exceptions: [] };
  cacheHas: CacheUse = {
    ...{ files: 0, bytes: 0 },
    kept: { toSend: NO_USE, open: NO_USE, pinned: NO_USE, ahead: NO_USE, rest: NO_USE },
    ...{ settings: DEFAULT_CACHE, limit: DEFAULT_CACHE.maximum, reserve: null, disk: null },
    pins: { total: 0, first: [] },
  };
  readonly cache: CacheKeeper = {
    use: () => this.cacheHas,
    act: (act, volume, path) => {
      this.calls.push(`${act} ${volume} ${path.join('/')}`);
      return Promise.resolve(this.cached);
    },
  };
  networks(): NetworkList {
    return { networks: this.ruled };
  }

  ruleNetwork(network: string, change: Partial<NetworkRule> | null): Promise<void> {
    this.calls.push(`network-rule ${network} ${JSON.stringify(change)}`);
    const at = this.ruled.findIndex((row) => row.network === network);
    const [before] = at < 0 ? [] : this.ruled.splice(at, 1);
    if (change !== null) {
      const rule = { ...NO_RULE, ...before?.rule, ...change };
      this.ruled.push({ network, rule, used: 0, current: false });
    }
    return Promise.resolve();
  }

  logLines(count: number): Promise<string[]> {
    return Promise.resolve(['{"message":"one"}', '{"message":"two"}'].slice(-count));
  }
  diskUse(): Promise<DaemonDiskUse> {
    return Promise.resolve({
      cache: { files: 2, bytes: 8192 },
      toSend: { files: 1, bytes: 4096 },
      ...{ moving: 0, held: 0, database: 100_000, logs: 0, rest: 4096 },
      ...{ total: 116_384, free: 1e9 },
    });
  }
  readonly pauses: Pauses & { until: WallTime | null; untilNetworkChanges: boolean } = {
    until: null,
    untilNetworkChanges: false,
    pauseUntilNetworkChanges: () => {
      this.pauses.untilNetworkChanges = true;
      this.calls.push('pause until the network changes');
      this.become({ paused: true, state: 'paused', summary: 'Paused' });
    },
    edition: 0,
    listen: () => () => undefined,
    pause: (forMs) => {
      this.pauses.until = forMs === null ? null : wallTime(PAUSED_AT + forMs);
      if (forMs === null) return this.pause();
      this.calls.push(`pause ${forMs}`);
      this.become({ paused: true, state: 'paused', summary: 'Paused' });
    },
    resume: () => {
      this.pauses.until = null;
      this.resume();
    },
  };
  /** What a change of them is refused with. */
  placesRefused: GodwitError | null = null;
  readonly places: Places = {
    moveServer: (address) => {
      this.calls.push(`server-address ${address}`);
      if (this.placesRefused !== null) throw this.placesRefused;
      this.become({ server: { ...this.#snapshot.server, address } });
    },
    moveFolder: (folder) => {
      this.calls.push(`folder-place ${folder}`);
      if (this.placesRefused !== null) return Promise.reject(this.placesRefused);
      this.become({ folder });
      return Promise.resolve();
    },
  };
  /** What `resolve` answers, or rejects with. */
  resolution: Partial<ResolutionReport> | GodwitError = {};
  readonly conflicts: Resolver = {
    resolve: (id, keep) => {
      this.calls.push(`resolve ${id} ${keep}`);
      if (this.resolution instanceof GodwitError) return Promise.reject(this.resolution);
      const report = { id, keep, volume: 'home', path: null, removed: null, note: null };
      return Promise.resolve({ ...report, ...this.resolution });
    },
  };
  dismissConflict(id: number): void {
    this.calls.push(`dismiss ${id}`);
  }
  down(): void {
    this.calls.push('down');
  }
}

/** A host whose peers are who the test says, and whose locks are in memory. */
export function fakeHost(peer: PeerCredentials): Host {
  const held = new Set<string>();
  const parts: Pick<Host, 'peerCredentials' | 'lockFile'> = {
    peerCredentials: () => peer,
    lockFile(path) {
      if (held.has(path)) return null;
      held.add(path);
      return { release: () => void held.delete(path) };
    },
  };
  return parts as Host;
}

/** Keeps what was logged, as `level message`. */
export function listLog(lines: string[]): Log {
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log: Log = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    with: () => log,
  };
  return log;
}
