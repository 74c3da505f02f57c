/**
 * A daemon that exists only as what the control endpoint sees of it: a snapshot that tests change, commands that are
 * written down, and a file system in memory. What a test sets is what is told; for the rest it does as its port says, with what is in the
 * fake volume: it runs the port's suites.
 */
import type { DaemonDiskUse } from '../../shared/control/disk.ts';
import { MOST_NETWORK_RULES } from '../../daemon/limits.ts';
import type {
  FetchReport,
  PathQueue,
  QueueRequest,
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
import type { CachePreview, CacheReport, CacheUse } from '../../shared/control/cache.ts';
import { DEFAULT_CACHE, type CacheChange, type CacheSettings } from '../../shared/model/cache.ts';
import type {
  ActsReport,
  PastListing,
  RemovedReport,
  SnapshotsReport,
  RestoreReport,
  VersionsReport,
} from '../../shared/control/history.ts';
import type { NetworkList, NetworkRow } from '../../shared/control/network.ts';
import type { SharingOf, SharingReport, SharingRow } from '../../shared/control/sharing.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import type {
  Desktop,
  Pauses,
  Places,
  Resolver,
} from '../../daemon/adapters/control/control-services.ts';
import type { ResolutionReport } from '../../shared/control/resolution.ts';
import {
  DEFAULT_CONSISTENCY,
  type ConsistencyChange,
  type ConsistencySettings,
} from '../../shared/model/consistency.ts';
import { deviceNameFault } from '../../shared/model/device-name.ts';
import { volumeOf, type Fid } from '../../shared/model/fid.ts';
import { NO_RULE, wrongNetworkName, type NetworkRule } from '../../shared/model/network.ts';
import type { SharingOrder } from '../../shared/model/sharing.ts';
import { milliseconds, wallTime, type WallTime } from '../../shared/model/time.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { CacheKeeper, ControlledDaemon, PastKeeper } from '../../shared/ports/controlled.ts';
import type { Host, PeerCredentials } from '../../shared/ports/host.ts';
import { programVersion } from '../../shared/system/program-version.ts';
import { FakeAccessKeeper } from './fake-access-keeper.ts';
import { FakeCacheKeeper } from './fake-cache-keeper.ts';
import { fakeLimits } from './fake-limits.ts';
import { FakeLockKeeper } from './fake-lock-keeper.ts';
import { settled } from './settled.ts';
import { FakePast } from './fake-past.ts';
import { FakeQueueReport } from './fake-queue-report.ts';
import { FakeVolume } from './fake-volume.ts';

const ESTIMATE = { bytesPerSecond: null, seconds: 0, why: null };
const QUEUE = {
  ...{ updates: 0, inFlight: 0, bytes: 0, sentBytes: 0, cancelled: 0 },
  estimate: ESTIMATE,
};

/** The snapshot of a daemon that has nothing to do. */
export const IDLE: StatusSnapshot = {
  revision: 1,
  pid: 4711,
  version: programVersion(),
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

/** The time at which the daemon believes a pause began. */
export const PAUSED_AT = new Date(2026, 0, 2, 14, 0).getTime();

/** The daemon behind a control endpoint. */
export class FakeDaemon implements ControlledDaemon {
  readonly fileSystem: FakeVolume;
  readonly programs: FakeVolume;
  /** The calls, in order. */
  readonly calls: string[] = [];
  limits = fakeLimits(this.calls);
  /** The implementation of `flush`. */
  flushing: (timeoutMs: number | null) => Promise<void> = (timeoutMs) => this.#flush(timeoutMs);
  #snapshot: StatusSnapshot = IDLE;
  readonly #waiting = new Set<() => void>();
  readonly #queue: FakeQueueReport;
  readonly #cache: FakeCacheKeeper;
  readonly locks: FakeLockKeeper;
  readonly access = new FakeAccessKeeper(this.calls);
  readonly #past: FakePast;

  constructor(folder: string) {
    this.fileSystem = new FakeVolume(folder);
    this.programs = this.fileSystem;
    this.#queue = new FakeQueueReport(this.fileSystem);
    this.#cache = new FakeCacheKeeper(this.fileSystem);
    this.locks = new FakeLockKeeper(this.calls, this.fileSystem);
    this.#past = new FakePast(this.fileSystem);
  }

  /** Changes the snapshot, which gets a new revision. */
  become(change: Partial<StatusSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change, revision: this.#snapshot.revision + 1 };
    for (const wake of [...this.#waiting]) wake();
  }

  /** Disconnects or reconnects the server. */
  connect(connected: boolean): void {
    this.fileSystem.connected = connected;
    this.become({ connected });
  }

  snapshot(): StatusSnapshot {
    return this.#snapshot;
  }

  changed(revision: number, waitMs: number): Promise<void> {
    this.calls.push(`changed ${revision} ${waitMs}`);
    if (this.#snapshot.revision !== revision) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, waitMs).unref();
      this.#waiting.add(end);
    });
  }

  pause(): void {
    this.calls.push('pause');
    this.fileSystem.paused = true;
    this.become({ paused: true, state: 'paused' });
  }
  resume(): void {
    this.calls.push('resume');
    this.fileSystem.paused = false;
    this.fileSystem.goOn();
    this.become({ paused: false, state: 'idle' });
  }
  /** The queue, computed or set by a test. */
  get queued(): QueueReport {
    return this.#queue.now;
  }
  set queued(report: QueueReport) {
    this.#queue.set = report;
  }
  /** The outcome of orders that a test sets; null computes it. */
  ordered: QueueOutcome | GodwitError | null = null;
  settings: WritebackSettings = DEFAULT_WRITEBACK;
  /** The network rules in the order in which they were set. */
  readonly ruled: NetworkRow[] = [];
  consistent: ConsistencySettings = DEFAULT_CONSISTENCY;
  sharingRows: SharingRow[] = [];
  sharingRefused: GodwitError | null = null;
  /** The list of fetches. */
  fetching: FetchReport = { total: 0, entries: [] };
  queueAt(volume: string, path: readonly string[]): Promise<PathQueue> {
    return settled(() => this.#queue.at(volume, path));
  }
  queue(asked: QueueRequest): Promise<QueueReport> {
    const { most, from = 0, of } = asked;
    this.calls.push(
      `queue ${most}${from === 0 ? '' : ` from ${from}`}${of === undefined ? '' : ` of ${of}`}`,
    );
    return settled(() => this.#queue.page(asked));
  }
  fetches(most: number): FetchReport {
    this.calls.push(`fetches ${most}`);
    const { total, entries } = this.fetching;
    return { total, entries: entries.slice(0, most) };
  }
  orderQueue(order: QueueOrder): Promise<QueueOutcome> {
    this.calls.push(`order ${JSON.stringify(order)}`);
    const { ordered } = this;
    if (ordered instanceof GodwitError) return Promise.reject(ordered);
    return settled(() => ordered ?? this.#queue.order(order));
  }
  writeback({ policy, delayMs, dirtyLimit }: WritebackChange): Promise<WritebackSettings> {
    this.calls.push(`writeback ${JSON.stringify({ policy, delayMs, dirtyLimit })}`);
    this.settings = {
      policy: policy ?? this.settings.policy,
      delay: delayMs === undefined ? this.settings.delay : milliseconds(delayMs),
      dirtyLimit: dirtyLimit === undefined ? this.settings.dirtyLimit : dirtyLimit,
    };
    this.fileSystem.delays = this.settings.delay > 0;
    return Promise.resolve(this.settings);
  }
  consistency(asked: ConsistencyChange): Promise<ConsistencySettings> {
    const { invalidations, storePriorities, awayReads, validations } = asked;
    const change = { invalidations, storePriorities, awayReads, validations };
    this.calls.push(`consistency ${JSON.stringify(change)}`);
    // What is left out stays.
    this.consistent = { ...this.consistent, ...(JSON.parse(JSON.stringify(change)) as object) };
    return Promise.resolve(this.consistent);
  }
  renameDevice(name: string): Promise<void> {
    this.calls.push(`rename-device ${name}`);
    const fault = deviceNameFault(name);
    if (fault !== null) return Promise.reject(new GodwitError('usage', fault));
    this.become({ device: { ...this.#snapshot.device, name } });
    return Promise.resolve();
  }
  sharing(fid: Fid | null): SharingReport {
    return { orders: this.sharingRows, of: fid === null ? null : this.#sharingOf(fid) };
  }
  orderSharing(fid: Fid, order: SharingOrder | null): Promise<SharingOf> {
    this.calls.push(`sharing ${fid} ${order}`);
    if (this.sharingRefused !== null) return Promise.reject(this.sharingRefused);
    return settled(() => {
      this.#mayOrder(fid);
      const others = this.sharingRows.filter((row) => row.fid !== fid);
      const place = { volume: 'home', path: this.fileSystem.pathOf(fid) };
      this.sharingRows = [...others, ...(order === null ? [] : [{ ...place, fid, order }])];
      return this.#sharingOf(fid);
    });
  }
  #mayOrder(fid: Fid): void {
    const { connected, info, server, view } = this.fileSystem;
    if (!connected) throw new GodwitError('not-connected');
    if (volumeOf(fid) !== info.id) throw new GodwitError('no-such-volume');
    if (server.get(fid) !== null) return;
    throw new GodwitError(view.get(fid) === null ? 'no-such-vnode' : 'not-committed');
  }
  #sharingOf(fid: Fid): SharingOf {
    const row = this.sharingRows.find((each) => each.fid === fid);
    if (row !== undefined) return { order: row.order, from: row.path, counts: row.order };
    const [place] = this.fileSystem.view.names(fid);
    if (place !== undefined) return this.#sharingOf(place.dir);
    return { order: 'auto', from: null, counts: 'unshared' };
  }
  hurry(): void {
    this.calls.push('hurry');
    this.#queue.hurry();
  }
  readonly left: Record<string, string> = {};
  readonly acrossMounts = <P>(place: P): P => place;
  leftOut(_volume: string, path: readonly string[]): Promise<string | null> {
    return Promise.resolve(this.left[path.join('/')] ?? null);
  }
  scan(): Promise<void> {
    this.calls.push('scan');
    return Promise.resolve();
  }
  flush(timeoutMs: number | null, now = false): Promise<void> {
    this.calls.push(`flush ${timeoutMs}${now ? ' now' : ''}`);
    return this.flushing(timeoutMs);
  }
  async #flush(timeoutMs: number | null): Promise<void> {
    this.#queue.hurry();
    await this.fileSystem.flush(this.fileSystem.info.id, timeoutMs);
    if (this.held > 0) throw new GodwitError('removals-held');
  }
  /** How many removals are held back. */
  held = 0;
  confirmRemovals(): Promise<number> {
    this.calls.push('confirm');
    return Promise.resolve(this.#release());
  }
  rejectRemovals(): Promise<number> {
    this.calls.push('reject');
    return Promise.resolve(this.#release());
  }
  #release(): number {
    const { held } = this;
    this.held = 0;
    return held;
  }
  /** The answers about history that a test sets; null computes them. */
  versions: VersionsReport | null = null;
  removed: RemovedReport | null = null;
  listed: PastListing | null = null;
  snapshots: SnapshotsReport = { snapshots: [] };
  report: RestoreReport | null = null;
  acted: ActsReport | null = null;
  readonly past: PastKeeper = {
    versions: (volume, path, then) => {
      const asked = then === undefined ? '' : ` ${JSON.stringify(then)}`;
      this.calls.push(`versions ${volume} ${path.join('/')}${asked}`);
      return settled(() => this.versions ?? this.#past.versions(volume, path));
    },
    list: (volume, path, then) => {
      this.calls.push(`list ${volume} ${path.join('/')} ${JSON.stringify(then)}`);
      return settled(() => this.listed ?? { path: `/${path.join('/')}`, entries: [] });
    },
    snapshots: (volume) => {
      this.calls.push(`snapshots ${volume}`);
      return settled(() => this.snapshots);
    },
    removed: (volume, path) => {
      this.calls.push(`removed ${volume} ${path.join('/')}`);
      return settled(() => this.removed ?? this.#past.removed(volume, path));
    },
    restore: (volume, order) => {
      this.calls.push(`restore ${volume} ${JSON.stringify(order)}`);
      return settled(() => this.report ?? this.#past.restore(volume, order));
    },
    acts: (volume, most) => {
      this.calls.push(`acts ${volume} ${most}`);
      return settled(() => this.acted ?? this.#past.acts(volume, most));
    },
    undo: (volume, extent, dryRun) => {
      this.calls.push(`undo ${volume} ${JSON.stringify(extent)} ${dryRun}`);
      return settled(async () => {
        if (this.report !== null) return this.report;
        if (this.held > 0) throw new GodwitError('removals-held');
        return this.#past.undo(volume, extent, dryRun);
      });
    },
  };
  #said: CacheChange = {};
  get caching(): CacheSettings {
    return this.#cache.settings;
  }
  cacheSettings(change: CacheChange): Promise<CacheSettings> {
    this.calls.push(`cache-settings ${JSON.stringify(change)}`);
    return settled(() => {
      const { said, next } = this.#cacheAfter(change);
      this.#said = said;
      this.#cache.settings = next;
      return next;
    });
  }
  #cacheAfter(change: CacheChange) {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    const said: CacheChange = { ...this.#said, ...(Object.fromEntries(given) as CacheChange) };
    const maximum = said.maximum ?? DEFAULT_CACHE.maximum;
    const next = {
      maximum,
      minimum: said.minimum ?? Math.min(DEFAULT_CACHE.minimum, maximum),
      reserve: said.reserve ?? DEFAULT_CACHE.reserve,
      prefetch: said.prefetch ?? DEFAULT_CACHE.prefetch,
      isBounded: typeof said.maximum === 'number',
    };
    if (next.minimum > maximum) throw new GodwitError('usage', 'cache.minimum: more than the most');
    return { said, next, change };
  }
  suggested: SuggestedGroup[] = [];
  suggestedGroups(): SuggestedGroup[] {
    return this.suggested.toSorted((a, b) => b.times - a.times);
  }
  /** The answer of `pin` and similar calls that a test sets; null computes it. */
  get cached(): CacheReport | null {
    return this.#cache.setReport;
  }
  set cached(report: CacheReport | null) {
    this.#cache.setReport = report;
  }
  /** The use of the cache. */
  get cacheHas(): CacheUse {
    return this.#cache.use();
  }
  set cacheHas(use: CacheUse) {
    this.#cache.setUse = use;
  }
  /** What a bound would take away, where a test sets it. */
  set previewed(preview: CachePreview) {
    this.#cache.setPreview = preview;
  }
  readonly cache: CacheKeeper = {
    use: () => this.cacheHas,
    exclude: (...at) => this.#cache.exclusions.exclude(...at),
    include: (...at) => this.#cache.exclusions.include(...at),
    excluded: () => this.#cache.exclusions.excluded(),
    preview: (change) => settled(() => this.#cache.preview(this.#cacheAfter(change).change)),
    act: (act, volume, path) => {
      this.calls.push(`${act} ${volume} ${path.join('/')}`);
      return settled(() => this.#cache.act(act, volume, path));
    },
  };
  networks(): NetworkList {
    return { networks: this.ruled.toSorted((a, b) => (a.network < b.network ? -1 : 1)) };
  }

  ruleNetwork(network: string, change: Partial<NetworkRule> | null): Promise<void> {
    this.calls.push(`network-rule ${network} ${JSON.stringify(change)}`);
    const at = this.ruled.findIndex((row) => row.network === network);
    const isFull = at < 0 && this.ruled.length >= MOST_NETWORK_RULES;
    if (wrongNetworkName(network) !== null || isFull) {
      return Promise.reject(new GodwitError('usage', network));
    }
    if (change === null && at < 0) return Promise.reject(new GodwitError('not-found', network));
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
  /** The error that refuses a new address or folder. */
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
  readonly desktop: Desktop = {
    open: (path, reveal) => {
      this.calls.push(`${reveal ? 'reveal' : 'open'} ${path.join('/')}`);
      return Promise.resolve();
    },
  };
  /** The answer or error of `resolve`. */
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
    const conflicts = this.#snapshot.conflicts.filter((conflict) => conflict.id !== id);
    if (conflicts.length < this.#snapshot.conflicts.length) this.become({ conflicts });
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
