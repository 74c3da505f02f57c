/**
 * The server's composition root: the one place that sees core, runtime and adapters. Whoever starts a server brings the
 * log; whoever administers one needs no running server.
 */
import { formatHostPort } from '../shared/model/host-port.ts';
import { TransportError, type Identity } from '../shared/ports/transport.ts';
import type { MetricsEndpoint } from '../shared/metrics/metrics-endpoint.ts';
import type { Host } from '../shared/ports/host.ts';
import { generateIdentity } from '../shared/transport/identity.ts';
import { NativeHost } from '../shared/transport/native-host.ts';
import { diskError } from '../shared/system/disk-error.ts';
import { isNoRoom, noRoomIn } from '../shared/system/free-disk.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import type { PackedContentStore } from './adapters/content-packs/content-packs.ts';
import { finishRestore } from './maintenance/restore/put-in-place.ts';
import {
  dataFolder,
  emptySpool,
  lockData,
  makeDataFolder,
  rememberListening,
  type DataFolder,
} from './data-folder.ts';
import type { MaintenanceScheduler } from './maintenance/scheduler.ts';
import { wholeIdentity, writeIdentity } from './identity-file.ts';
import { KnownKinds } from './known-kinds.ts';
import { serverMetrics } from './metrics.ts';
import { tellingOfPaired } from './paired-log.ts';
import * as restores from './maintenance/restore/restore.ts';
import type { ServerRuntime } from './runtime/server-runtime.ts';
import type { StatisticsEndpoint } from './statistics-endpoint.ts';
import {
  type StartOptions,
  statisticsOf,
  reserveOf,
  openContents,
  schedulerOf,
  runtimeOn,
  START_BYTES,
} from './compose.ts';

export type { PairedDevice } from './paired-log.ts';

const COMMON_NAME = 'godwit server';

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
export async function startServer(given: StartOptions): Promise<RunningServer> {
  const { onPaired } = given;
  const log = onPaired === undefined ? given.log : tellingOfPaired(given.log, onPaired);
  const options = { ...given, log };
  const folder = dataFolder(options.dataDir);
  makeDataFolder(folder);
  const host = new NativeHost();
  const lock = locked(folder, host);
  let runtime: ServerRuntime | null = null;
  let contents: PackedContentStore | null = null;
  let scheduler: MaintenanceScheduler | null = null;
  let endpoint: MetricsEndpoint | null = null;
  let administration: StatisticsEndpoint | null = null;
  const kinds = new KnownKinds(folder.database, () => performance.now());
  try {
    const reserve = reserveOf(folder, options.log);
    finishRestore(folder.path, restores.nameOfNow(), host);
    makeDataFolder(folder);
    const identity = identityOf(folder, host);
    emptySpool(folder);
    contents = await openContents(folder, reserve, options.log);
    const metrics = serverMetrics(folder.path);
    endpoint = await metrics.served(options);
    const parts = { folder, identity, host, contents, reserve, metrics, kinds };
    runtime = runtimeOn(parts, options);
    await runtime.start();
    scheduler = schedulerOf(parts, runtime, options.log);
    const address = await listening(runtime, options);
    rememberListening(folder, formatHostPort(address), host);
    options.log.info('listening', { address: formatHostPort(address) });
    administration = await statisticsOf(parts, runtime, options.log);
    const started = runtime;
    const [store, keeper, served, asked] = [contents, scheduler, endpoint, administration];
    scheduler.start();
    const close = once(async () => {
      await asked?.close();
      await served?.close();
      await keeper.close();
      await started.close();
      await store.close();
      kinds.close();
      lock.release();
      options.log.info('closed');
    });
    const { fingerprint } = identity;
    return { ...address, fingerprint, metrics: endpoint?.url ?? null, close };
  } catch (error) {
    await administration?.close();
    await endpoint?.close();
    await scheduler?.close().catch(() => undefined);
    await runtime?.close().catch(() => undefined);
    await contents?.close().catch(() => undefined);
    kinds.close();
    lock.release();
    throw isNoRoom(error)
      ? new GodwitError('disk-full', noRoomIn(folder.path, START_BYTES))
      : diskError(folder.path, error);
  }
}

async function listening(
  runtime: ServerRuntime,
  { listen }: StartOptions,
): Promise<{ host: string; port: number }> {
  try {
    return await runtime.listen(listen);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const where = formatHostPort(listen);
    if (error.code === 'port-in-use') {
      throw new GodwitError('port-in-use', `${where} is in use by another program`);
    }
    if (error.code === 'address') {
      throw new GodwitError(
        'bad-address',
        `can't listen there: ${error.message}`,
        'give an address that this machine has, such as 0.0.0.0:PORT for all of them',
      );
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

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}
