/** The parts of a server that runs, each put together from the adapters that it needs. */
import { SystemClock, SystemTimers } from '../shared/system/system-clock.ts';
import { SystemRandom } from '../shared/system/system-random.ts';
import type { Scheduling } from '../shared/model/scheduling.ts';
import type { Duration } from '../shared/model/time.ts';
import type { Identity } from '../shared/ports/transport.ts';
import type { MetricsOptions } from '../shared/metrics/metrics-endpoint.ts';
import type { Host } from '../shared/ports/host.ts';
import type { PairedDevice } from './paired-log.ts';
import type { Log } from '../shared/ports/log.ts';
import { MsquicTransport } from '../shared/transport/msquic-transport.ts';
import { NativeDelta } from '../shared/transport/native-delta.ts';
import { freeSpaceOn } from '../shared/system/free-disk.ts';
import { MAX_HEADER_BYTES } from '../shared/wire/limits.ts';
import { PackedContentStore } from './adapters/content-packs/content-packs.ts';
import { ReservedMetaStore } from './adapters/meta-sqlite/reserved-meta-store.ts';
import { openServerDatabase } from './adapters/meta-sqlite/server-database.ts';
import { DiskStreamFiles } from './adapters/stream-files/disk-stream-files.ts';
import type { DataFolder } from './data-folder.ts';
import { DiskReserve } from './maintenance/disk-reserve.ts';
import { MaintenanceScheduler } from './maintenance/scheduler.ts';
import { FETCH_WAIT, SHARE_PERIOD, SMALL_CONTENT } from './limits.ts';
import { STRANGER_LIMITS } from './runtime/peers.ts';
import type { KnownKinds } from './known-kinds.ts';
import type { ServerMetrics } from './metrics.ts';
import { OneAtATime } from './runtime/one-at-a-time.ts';
import { contentsInUse } from './runtime/contents-in-use.ts';
import { reservedSpace } from './runtime/reserved-space.ts';
import { ServerRuntime } from './runtime/server-runtime.ts';
import { serverStatistics } from './statistics.ts';
import { startStatisticsEndpoint, type StatisticsEndpoint } from './statistics-endpoint.ts';

const SOFTWARE = 'godwit-server 0.1.0';
/** What the databases of a server take, and what a start writes beside them. */
export const START_BYTES = 2_000_000;

export interface StartOptions extends MetricsOptions {
  readonly dataDir: string;
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Left out: by priorities. */
  readonly scheduling?: Scheduling;
  /** How long a read waits for an update that another device has hidden; left out: FETCH_WAIT. */
  readonly readerWait?: Duration;
  /** A device has used an invitation. */
  readonly onPaired?: (device: PairedDevice) => void;
  /** A bug of ours was met and the server ended. Left out: the process dies of it, to be started again. */
  readonly onFault?: (error: unknown) => void;
}

export interface Parts {
  readonly folder: DataFolder;
  readonly identity: Identity;
  readonly host: Host;
  readonly contents: PackedContentStore;
  readonly reserve: DiskReserve;
  readonly metrics: ServerMetrics;
  readonly kinds: KnownKinds;
}

/** A disk that is full already gets the room that a start needs. */
export function reserveOf(folder: DataFolder, log: Log): DiskReserve {
  const reserve = new DiskReserve(folder.reserve, log);
  if (freeSpaceOn(folder.path).free < START_BYTES) reserve.give();
  return reserve;
}

/** Small ones are let in without a look at the disk, as long as there is a reserve. */
function hasRoomFor({ spool }: DataFolder, reserve: DiskReserve, bytes: number): boolean {
  return reserve.isForContents && (bytes <= SMALL_CONTENT || bytes < freeSpaceOn(spool).free);
}

/**
 * Opens the content store of the data folder; a full disk makes it give up the reserve. Rejects as
 * PackedContentStore.open does.
 */
export function openContents(
  folder: DataFolder,
  reserve: DiskReserve,
  log: Log,
): Promise<PackedContentStore> {
  const room = {
    isForContents: () => reserve.isForContents,
    isUsedUp: () => void reserve.give(),
  };
  return PackedContentStore.open(folder.path, { log, wall: Date.now, room });
}

/**
 * Makes the scheduler of maintenance for a running server, with a database connection of its own.
 */
export function schedulerOf(
  { folder, host, contents, reserve }: Parts,
  runtime: ServerRuntime,
  log: Log,
): MaintenanceScheduler {
  const clock = new SystemClock(host);
  const database = openServerDatabase(folder.database);
  // The store's thread writes the log back.
  database.pragma('wal_autocheckpoint = 0');
  return new MaintenanceScheduler({
    folder,
    database,
    host,
    contents,
    inUse: () => contentsInUse(runtime.inside),
    kept: () => reservedSpace(runtime.inside, clock.now()),
    clock,
    timers: new SystemTimers(clock),
    log,
    reserve,
    room: () => freeSpaceOn(folder.path),
  });
}

/**
 * Makes the runtime of a server on the real ports; it does not listen yet. `readerWait` left out:
 * FETCH_WAIT. `onFault` left out: a fault ends the process.
 */
export function runtimeOn(
  { folder, identity, host, contents, reserve, metrics, kinds }: Parts,
  { log, onFault, readerWait = FETCH_WAIT, scheduling = 'priorities' }: StartOptions,
): ServerRuntime {
  const clock = new SystemClock(host);
  const { spool } = folder;
  const streams = { delta: new NativeDelta(), files: new DiskStreamFiles(folder.streams, host) };
  const { meter, named } = metrics;
  const bounds = { maxHeaderBytes: MAX_HEADER_BYTES, strangers: STRANGER_LIMITS };
  const pieces = new OneAtATime((then) => void setImmediate(then));
  const linkOptions = { identity, spool, scheduling, ...bounds };
  const runtime = new ServerRuntime({
    createLink: named.around(
      (handler) => new MsquicTransport({ ...linkOptions, handler: meter.over(handler) }),
    ),
    clock,
    timers: new SystemTimers(clock),
    goOn: (then, isFirst) => pieces.goOn(then, isFirst),
    random: new SystemRandom(),
    hasRoomFor: (bytes) => hasRoomFor(folder, reserve, bytes),
    metaStore: new ReservedMetaStore(folder.database, host, () => reserve.give()),
    contentStore: contents,
    streams,
    log,
    software: SOFTWARE,
    sharing: { period: SHARE_PERIOD, readerWait },
    onFault: onFault ?? dieOf,
  });
  const takesContents = (): boolean => reserve.isForContents;
  metrics.of({ runtime, now: () => clock.now(), takesContents, kinds: () => kinds.get() });
  return runtime;
}

/** Makes the socket of the administrator. Null: there can be none. */
export function statisticsOf(
  { folder, host, reserve, metrics, kinds }: Parts,
  runtime: ServerRuntime,
  log: Log,
): Promise<StatisticsEndpoint | null> {
  const clock = new SystemClock(host);
  const source = {
    ...{ runtime, metrics, now: () => clock.now(), kinds: () => kinds.get() },
    takesContents: () => reserve.isForContents,
    free: () => freeSpaceOn(folder.path).free,
  };
  const statistics = () => serverStatistics(source);
  return startStatisticsEndpoint({ dataDir: folder.path, host, log, statistics });
}

/** Throws outside of every promise, so that nobody can swallow it. */
function dieOf(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
