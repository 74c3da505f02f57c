/** Starts the runtime of a daemon, with the adapters that it works on. */
import { installedSince, programVersion } from '../shared/system/program-version.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readInvitation, removeInvitation, type DaemonConfig } from '../shared/control/config.ts';
import { OWN_DIRECTORY } from '../shared/control/marker.ts';
import { CallMeter } from '../shared/metrics/call-meter.ts';
import type { MetricsOptions } from '../shared/metrics/metrics-endpoint.ts';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import type { MakeRecordings } from '../shared/ports/recordings.ts';
import { collectAll, IdleMemory } from '../shared/system/idle-memory.ts';
import { freeSpaceOn } from '../shared/system/free-disk.ts';
import { SystemClock, SystemTimers } from '../shared/system/system-clock.ts';
import { SystemRandom } from '../shared/system/system-random.ts';
import { generateIdentity } from '../shared/transport/identity.ts';
import { MsquicTransport } from '../shared/transport/msquic-transport.ts';
import type { GodwitError } from '../shared/wire/error-codes.ts';
import { MAX_HEADER_BYTES } from '../shared/wire/limits.ts';
import { setRecordsAside } from './adapters/folder/records/record-store.ts';
import { MOUNTED_FOLDER } from './adapters/mounted/mounted-records.ts';
import type { PauseEnds } from './adapters/pause/pause-ends.ts';
import { SqliteClientStore } from './adapters/store/client-store-sqlite.ts';
import { daemonDiskUse } from './adapters/store/disk-use.ts';
import { DiskFileStore } from './adapters/store/file-store-disk.ts';
import {
  bootOf,
  emptySpool,
  identityOf,
  refuseLostDatabase,
  type DataFolder,
  placeOf,
} from './data-folder.ts';
import type { KeptConfig } from './kept-config.ts';
import { DIRTY_SHARE } from './limits.ts';
import { newestLines } from './log-tail.ts';
import type { DaemonMetrics } from './metrics.ts';
import { DaemonRuntime } from './runtime/daemon-runtime.ts';
import { openTransferPorts } from './transfer-ports.ts';

export const SOFTWARE = programVersion();

export interface StartOptions extends Partial<MetricsOptions> {
  readonly dataDir: string;
  /** Where it is left out: DATA/log/daemon.log. */
  readonly log?: Log;
  /** The control socket's `down` was called; the daemon is to be closed. */
  readonly onDown?: () => void;
  /** The data folder is there no more; the daemon is to be closed. */
  readonly onGone?: (error: GodwitError) => void;
  /** A session has begun: the server has said which volumes this device sees. */
  readonly onVolumes?: () => void;
  /** What records for `godwit trace record`. Left out: this daemon records nothing. */
  readonly makeRecordings?: MakeRecordings;
  /** A bug of ours was met, or the database failed: it can't go on. Left out: the process dies of it. */
  readonly onFault?: (error: unknown) => void;
}

export interface StartedRuntime {
  readonly runtime: DaemonRuntime;
  readonly pauseEnds: PauseEnds;
  /** Told of the work that is done. The caller closes it. */
  readonly memory: IdleMemory;
  readonly calls: CallMeter;
}

/** Takes up what is durable in the data folder. Rejects as the stores do; then nothing is open. */
export async function startRuntime(
  folder: DataFolder,
  kept: KeptConfig,
  host: Host,
  log: Log,
  { meter, named }: DaemonMetrics,
  { onDown, onFault, onVolumes }: StartOptions,
): Promise<StartedRuntime> {
  const config = kept.now;
  emptySpool(folder);
  const invitation = readInvitation(folder.path);
  refuseLostDatabase(folder, invitation === null);
  const identity = identityOf(folder, () => generateIdentity(config.deviceName), host);
  const clock = new SystemClock(host);
  const timers = new SystemTimers(clock);
  const sideFiles = { dataDir: folder.path, host, log };
  const clientStore = SqliteClientStore.open(folder.database, host, bootOf(), sideFiles);
  const partial = openTransferPorts(folder, host, log);
  const calls = new CallMeter(() => clock.now());
  const ports = {
    makeTransport: calls.around(
      named.around(
        (handler) =>
          new MsquicTransport({
            identity,
            spool: folder.spool,
            handler: meter.over(handler),
            maxHeaderBytes: MAX_HEADER_BYTES,
            scheduling: config.scheduling ?? 'priorities',
          }),
      ),
    ),
    clock,
    timers,
    random: new SystemRandom(),
    clientStore,
    fileStore: new DiskFileStore({ folder: folder.store, host }),
    log,
    ...(partial === null ? {} : { partial }),
    diskRoom: () => freeSpaceOn(folder.store),
    breathe: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const { fingerprint } = identity;
  const installed = installedSince(SOFTWARE, () => clock.now());
  const settings = {
    ...settingsOf(folder, config),
    ...{ identity: fingerprint, invitation, installed },
  };
  const memory = new IdleMemory({ clock, timers, collect: collectAll });
  try {
    const runtime = await DaemonRuntime.start(ports, settings, {
      paired: () => removeInvitation(folder.path, host),
      renamed: (deviceName) => keepName(kept, deviceName, log),
      volumes: () => onVolumes?.(),
      setAside: (what) => setAside(folder, clientStore, what),
      committed: (rows) => memory.worked(rows),
      down: () => onDown?.(),
      fatal: onFault ?? dieOf,
      logLines: (count) => newestLines(folder.log, count),
      diskUse: (queued) => daemonDiskUse(folder.path, ownDirectoryOf(kept.now), queued),
    });
    return { runtime, pauseEnds: clientStore.pauseEnds(log), memory, calls };
  } catch (error) {
    memory.close();
    await clientStore.close();
    await partial?.chunkLists.close();
    throw error;
  }
}

/** For people and for `godwit config`: the database knows it too. */
function keepName(kept: KeptConfig, deviceName: string, log: Log): void {
  try {
    kept.change({ deviceName });
  } catch (error) {
    log.warn('the settings keep the former name of this laptop', { why: String(error) });
  }
}

function settingsOf(folder: DataFolder, config: DaemonConfig) {
  const { server, deviceName, frontEnd, frontEndWhy, scheduling } = config;
  return {
    ...{ server, deviceName, frontEnd, frontEndWhy, folder: config.folder },
    ...placeOf(folder),
    software: SOFTWARE,
    pid: process.pid,
    dirtyBytes: Math.floor(freeSpaceOn(folder.path).total * DIRTY_SHARE),
    watchesNetwork: true,
    ...(scheduling === undefined ? {} : { scheduling }),
  };
}

/** Of what is damaged nothing is used, and nothing is removed. */
function setAside(folder: DataFolder, database: SqliteClientStore, what: 'all' | 'folder'): void {
  if (what === 'all') database.copyAside(folder.path);
  setRecordsAside(folder.path);
  const mounted = join(folder.path, MOUNTED_FOLDER);
  const volumes = existsSync(mounted) ? readdirSync(mounted) : [];
  for (const volume of volumes) setRecordsAside(join(mounted, volume));
}

function ownDirectoryOf({ folder, frontEnd }: DaemonConfig): string | null {
  return folder === null || frontEnd === 'mount' ? null : join(folder, OWN_DIRECTORY);
}

/** Throws outside of every promise, so that nobody can swallow it: a crash, and a new start from what is durable. */
function dieOf(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
