/**
 * The server's composition root: the one place that sees core, runtime and adapters. Whoever starts a server brings the
 * log; whoever administers one needs no running server.
 */
import { SystemClock, SystemTimers } from '../shared/system/system-clock.ts';
import { SystemRandom } from '../shared/system/system-random.ts';
import { formatHostPort } from '../shared/model/host-port.ts';
import type { Scheduling } from '../shared/model/scheduling.ts';
import type { Duration } from '../shared/model/time.ts';
import { LinkError, type Identity } from '../shared/ports/link.ts';
import type { MetricsEndpoint, MetricsOptions } from '../shared/metrics/metrics-endpoint.ts';
import type { RetentionPolicy } from '../shared/model/retention.ts';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import { generateIdentity } from '../shared/transport/identity.ts';
import { MsquicLink } from '../shared/transport/msquic-link.ts';
import { NativeDelta } from '../shared/transport/native-delta.ts';
import { NativeHost } from '../shared/transport/native-host.ts';
import { diskError } from '../shared/system/disk-error.ts';
import { isNoRoom, noRoomIn, roomOn } from '../shared/system/free-disk.ts';
import { databaseError } from '../shared/sqlite/database.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import { MAX_HEADER_BYTES } from '../shared/wire/limits.ts';
import type { Collected } from './adapters/admin/collect-contents.ts';
import type { DiskUse } from './adapters/admin/disk-use.ts';
import { PackedContentStore } from './adapters/content-packs/content-packs.ts';
import { ReservedMetaStore } from './adapters/meta-sqlite/reserved-meta-store.ts';
import { openServerDatabase } from './adapters/meta-sqlite/server-database.ts';
import { DiskStreamFiles } from './adapters/stream-files/disk-stream-files.ts';
import * as administration from './administration.ts';
import * as collection from './collection.ts';
import { finishRestore } from './adapters/backup/put-in-place.ts';
import * as backups from './backup.ts';
import {
  dataFolder,
  emptySpool,
  lockData,
  makeDataFolder,
  rememberListening,
  type DataFolder,
} from './data-folder.ts';
import { DiskReserve } from './disk-reserve.ts';
import { Housekeeper } from './housekeeper.ts';
import * as diskUses from './disk-use.ts';
import { wholeIdentity, writeIdentity } from './identity-file.ts';
import { FETCH_WAIT, SHARE_PERIOD, SMALL_CONTENT } from './limits.ts';
import { STRANGER_LIMITS } from './runtime/peers.ts';
import { serverMetrics, type ServerMetrics } from './metrics.ts';
import * as restores from './restore.ts';
import { contentsInUse } from './runtime/contents-in-use.ts';
import { roomKept } from './runtime/room-kept.ts';
import { ServerRuntime } from './runtime/server-runtime.ts';
import * as quota from './quota.ts';
import * as retention from './retention.ts';
import * as upkeep from './upkeep.ts';

export type { DeviceRow, InvitationOptions, InvitationRow, RestoredRow } from './administration.ts';

export type { QuotaRow } from './quota.ts';
export type { CheckReport } from './upkeep.ts';
export type { BackupReport } from './backup.ts';
export type { RestoreReport } from './restore.ts';
export type { DiskUse } from './adapters/admin/disk-use.ts';

const SOFTWARE = 'godwit-server 0.1.0';
const COMMON_NAME = 'godwit server';
/** What the databases of a server take, and what a start writes beside them. */
const START_BYTES = 2_000_000;

export interface StartOptions extends MetricsOptions {
  readonly dataDir: string;
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Left out: by priorities. */
  readonly scheduling?: Scheduling;
  /** How long a read waits for an update that another device has hidden; left out: FETCH_WAIT. */
  readonly readerWait?: Duration;
  /** A bug of ours was met and the server ended. Left out: the process dies of it, to be started again. */
  readonly onFault?: (error: unknown) => void;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** What devices know it by. */
  readonly fingerprint: string;
  /** Where metrics are served over HTTP; null: nowhere. */
  readonly metrics: string | null;
  close(): Promise<void>;
}

/**
 * Rejects GodwitError `folder-unusable`, `already-running`, `port-in-use`, `bad-address`, `newer-database`,
 * `damaged-database`, `disk-full`, `disk-failing`.
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const folder = dataFolder(options.dataDir);
  makeDataFolder(folder);
  const host = new NativeHost();
  const lock = locked(folder, host);
  let runtime: ServerRuntime | null = null;
  let contents: PackedContentStore | null = null;
  let house: Housekeeper | null = null;
  let endpoint: MetricsEndpoint | null = null;
  try {
    const reserve = reserveOf(folder, options.log);
    finishRestore(folder.path, restores.nameOfNow(), host);
    makeDataFolder(folder);
    const identity = identityOf(folder, host);
    emptySpool(folder);
    contents = await openContents(folder, reserve, options.log);
    const metrics = serverMetrics(folder.path);
    endpoint = await metrics.served(options);
    const parts = { folder, identity, host, contents, reserve, metrics };
    runtime = runtimeOn(parts, options);
    await runtime.start();
    house = houseOf(parts, runtime, options.log);
    const address = await listening(runtime, options);
    rememberListening(folder, formatHostPort(address), host);
    options.log.info('listening', { address: formatHostPort(address) });
    const started = runtime;
    const [store, keeper, served] = [contents, house, endpoint];
    house.start();
    const close = once(async () => {
      await served?.close();
      await keeper.close();
      await started.close();
      await store.close();
      lock.release();
      options.log.info('closed');
    });
    const { fingerprint } = identity;
    return { ...address, fingerprint, metrics: endpoint?.url ?? null, close };
  } catch (error) {
    await endpoint?.close();
    await house?.close().catch(() => undefined);
    await runtime?.close().catch(() => undefined);
    await contents?.close().catch(() => undefined);
    lock.release();
    throw isNoRoom(error)
      ? new GodwitError('disk-full', noRoomIn(folder.path, START_BYTES))
      : diskError(folder.path, error);
  }
}

export function createInvitation(
  dataDir: string,
  options: administration.InvitationOptions,
): Promise<string> {
  return promised(dataDir, () => administration.createInvitation(dataDir, options));
}

export function listInvitations(dataDir: string): Promise<administration.InvitationRow[]> {
  return promised(dataDir, () => administration.listInvitations(dataDir));
}

/** A data folder put back from a backup goes on as a new epoch; no server may run on it. */
export function beginEpoch(dataDir: string): Promise<administration.RestoredRow[]> {
  return promised(dataDir, () => administration.beginEpoch(dataDir, new NativeHost()));
}

export function listDevices(dataDir: string): Promise<administration.DeviceRow[]> {
  return promised(dataDir, () => administration.listDevices(dataDir));
}

/** Reads what the metadata name, beside a server or without one. */
export function checkServer(
  dataDir: string,
  options: upkeep.CheckOptions,
): Promise<upkeep.CheckReport> {
  return promised(dataDir, () => upkeep.checkServer(dataDir, options, new NativeHost()));
}

/** Contents that nobody needs go: a server that runs does it. */
export function collectServer(dataDir: string, days: number): Promise<Collected> {
  return promised(dataDir, () => collection.collectServer(dataDir, days, new NativeHost()));
}

/** Copies what is new into a folder that the server can be restored from, beside a server or without one. */
export function backupServer(
  dataDir: string,
  request: backups.BackupRequest,
): Promise<backups.BackupReport> {
  return promised(dataDir, () => backups.backupServer(dataDir, request, new NativeHost()));
}

/** A backup becomes the data folder, in a new epoch; no server may run on it. */
export function restoreServer(
  dataDir: string,
  request: restores.RestoreRequest,
): Promise<restores.RestoreReport> {
  return restores.restoreServer(dataDir, request, new NativeHost());
}

export function serverDiskUse(dataDir: string): Promise<DiskUse> {
  return promised(dataDir, () => diskUses.serverDiskUse(dataDir));
}

/** How long older versions are kept; with nothing to change it only tells. */
export function changeRetention(
  dataDir: string,
  change: Partial<RetentionPolicy>,
): Promise<RetentionPolicy> {
  return promised(dataDir, () => retention.changeRetention(dataDir, change));
}

/** `volume` null: of all. */
export function quotas(dataDir: string, volume: string | null): Promise<quota.QuotaRow[]> {
  return promised(dataDir, () => quota.quotas(dataDir, volume, new NativeHost()));
}

/** How much the files of a volume may take together; null: as much as there is. */
export function changeQuota(
  dataDir: string,
  volume: string,
  limit: number | null,
): Promise<quota.QuotaRow[]> {
  return promised(dataDir, () => quota.changeQuota(dataDir, volume, limit, new NativeHost()));
}

export function revokeDevice(dataDir: string, device: number): Promise<void> {
  return promised(dataDir, () => administration.revokeDevice(dataDir, device));
}

interface Parts {
  readonly folder: DataFolder;
  readonly identity: Identity;
  readonly host: Host;
  readonly contents: PackedContentStore;
  readonly reserve: DiskReserve;
  readonly metrics: ServerMetrics;
}

/** A disk that is full already gets the room that a start needs. */
function reserveOf(folder: DataFolder, log: Log): DiskReserve {
  const reserve = new DiskReserve(folder.reserve, log);
  if (roomOn(folder.path).free < START_BYTES) reserve.give();
  return reserve;
}

/** Small ones are let in without a look at the disk, as long as there is a reserve. */
function hasRoomFor({ spool }: DataFolder, reserve: DiskReserve, bytes: number): boolean {
  return reserve.isForContents && (bytes <= SMALL_CONTENT || bytes < roomOn(spool).free);
}

function openContents(
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

function houseOf(
  { folder, host, contents, reserve }: Parts,
  runtime: ServerRuntime,
  log: Log,
): Housekeeper {
  const clock = new SystemClock(host);
  return new Housekeeper({
    folder,
    database: openServerDatabase(folder.database),
    host,
    contents,
    inUse: () => contentsInUse(runtime.inside),
    kept: () => roomKept(runtime.inside, clock.now()),
    clock,
    timers: new SystemTimers(clock),
    log,
    reserve,
    room: () => roomOn(folder.path),
  });
}

function runtimeOn(
  { folder, identity, host, contents, reserve, metrics }: Parts,
  { log, onFault, readerWait = FETCH_WAIT, scheduling = 'priorities' }: StartOptions,
): ServerRuntime {
  const clock = new SystemClock(host);
  const { spool } = folder;
  const streams = { delta: new NativeDelta(), files: new DiskStreamFiles(folder.streams, host) };
  const { meter } = metrics;
  const bounds = { maxHeaderBytes: MAX_HEADER_BYTES, strangers: STRANGER_LIMITS };
  const linkOptions = { identity, spool, scheduling, ...bounds };
  const runtime = new ServerRuntime({
    createLink: (handler) => new MsquicLink({ ...linkOptions, handler: meter.over(handler) }),
    clock,
    timers: new SystemTimers(clock),
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
  metrics.of({ runtime, now: () => clock.now(), takesContents });
  return runtime;
}

async function listening(
  runtime: ServerRuntime,
  { listen }: StartOptions,
): Promise<{ host: string; port: number }> {
  try {
    return await runtime.listen(listen);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    const where = formatHostPort(listen);
    if (error.code === 'port-in-use') {
      throw new GodwitError('port-in-use', `${where} is in use by another program`);
    }
    if (error.code === 'address') {
      throw new GodwitError('bad-address', `can't listen on ${where}: ${error.message}`);
    }
    throw error;
  }
}

function locked(folder: DataFolder, host: Host): { release(): void } {
  const lock = lockData(folder, host);
  if (lock !== null) return lock;
  throw new GodwitError('already-running', `a server runs on ${folder.path} already`);
}

function identityOf(folder: DataFolder, host: Host): Identity {
  const known = wholeIdentity(folder);
  if (known !== null) return known;
  const made = generateIdentity(COMMON_NAME);
  writeIdentity(folder, made, host);
  return made;
}

/** Throws outside of every promise, so that nobody can swallow it. */
function dieOf(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

/** What a damaged database says in the middle of its rows has a code, too. */
async function promised<T>(dataDir: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseError(error, dataFolder(dataDir).database);
  }
}
