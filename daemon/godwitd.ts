/**
 * The daemon's composition root: the one place that sees core, runtime and adapters.
 *
 * Loaded, it runs until it is told to end (main.ts). A failure to start is one JSON line on standard error
 * (shared/control/startup-failure.ts); what fails later is in the status.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readInvitation, type DaemonConfig } from '../shared/control/config.ts';
import { announceDaemon } from '../shared/control/running-daemons.ts';
import { formatStartupFailure, startupFailure } from '../shared/control/startup-failure.ts';
import { createFileLog } from '../shared/logging/winston-log.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Host } from '../shared/ports/host.ts';
import type { Log } from '../shared/ports/log.ts';
import { diskError } from '../shared/system/disk-error.ts';
import { NativeHost } from '../shared/transport/native-host.ts';
import { present } from '../shared/util/assert.ts';
import { databaseError } from '../shared/sqlite/database.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import { startControlEndpoint } from './adapters/control/control-endpoint.ts';
import { FOLDER_LIMITS } from './adapters/folder/folder-limits.ts';
import { refuseTaken, refuseUnusable } from './adapters/folder/disk/root-guard.ts';
import { systemDisk } from './adapters/folder/disk/system-disk.ts';
import { systemMounts } from './adapters/folder/disk/system-mounts.ts';
import { refuseUnmountable } from './adapters/mount/mount-front-end.ts';
import type { ControlServices } from './adapters/control/control-services.ts';
import { pageCalls } from './adapters/page/page-calls.ts';
import { PageEndpoint } from '../shared/page/page-endpoint.ts';
import { takeDataFolder, type DataFolder } from './data-folder.ts';
import { configOf, KeptConfig } from './kept-config.ts';
import { watchData } from './data-watch.ts';
import { daemonMetrics } from './metrics.ts';
import { placesOf } from './places.ts';
import { noRecordings, recorderIn } from './recordings.ts';
import type { DaemonRuntime } from './runtime/daemon-runtime.ts';
import { serve } from './served-daemon.ts';
import { DaemonStats } from './stats.ts';
import { SyncedFolder } from './synced-folder.ts';
import { SOFTWARE, startRuntime, type StartOptions } from './start-runtime.ts';
import { watchAddresses, watchNetwork } from './watch-machine.ts';

/** Where the set-up puts the built page. */
const PAGE_FOLDER = join(import.meta.dirname, '..', 'app', 'tray', 'built', 'window');
const EXIT_FATAL = 7;

interface RunningDaemon {
  readonly runtime: DaemonRuntime;
  readonly socketPath: string;
  close(): Promise<void>;
}

/**
 * Rejects GodwitError: `usage` (no settings), `already-running`, `port-in-use` (that of metrics), `folder-unusable`, `folder-nested`,
 * `disk-full`, `disk-failing`, `newer-database` ...
 */
async function startDaemon(options: StartOptions): Promise<RunningDaemon> {
  const { dataDir } = options;
  configOf(dataDir);
  const host = new NativeHost();
  const folder = takeDataFolder(dataDir, host);
  const ended: Array<() => Promise<void> | void> = [() => folder.release()];
  const close = once(async () => {
    for (const end of ended.reverse()) await end();
  });
  try {
    const log = options.log ?? ownLog(folder, ended);
    const config = new KeptConfig(dataDir, host);
    log.info('starting', { version: SOFTWARE, frontEnd: config.now.frontEnd });
    refuseFolder(dataDir, config.now, host);
    await refuseMount(dataDir, config.now);
    const metrics = daemonMetrics(dataDir);
    // Before the first Hello: a port that is in use does not use up an invitation.
    const endpoint = await metrics.served({ ...options, log });
    ended.push(() => endpoint?.close());
    let shown: SyncedFolder | null = null;
    const hears = { ...options, onVolumes: () => void shown?.volumesHeard().catch(closing) };
    const started = await startRuntime(folder, config, host, log, metrics, hears);
    const { runtime, memory } = started;
    const { clock, timers } = runtime;
    const recorder = (options.makeRecordings ?? noRecordings)({
      ...{ clock, timers, log },
      client: () => (runtime.deviceName === '' ? undefined : runtime.deviceName),
    });
    const synced = new SyncedFolder({ dataDir, config, runtime, recorder, host, log });
    shown = synced;
    ended.push(() => synced.settled());
    ended.push(() => runtime.close());
    ended.push(() => memory.close());
    const served = serve({ ...started, config, host, log });
    ended.push(() => served.close());
    const core = runtime.inside;
    metrics.of({ snapshot: () => runtime.snapshot(), calls: started.calls, core });
    const stats = new DaemonStats({ calls: metrics.named, core }, { clock, timers });
    ended.push(() => stats.close());
    const monitor = watchNetwork(runtime, served.pauses, log);
    ended.push(() => monitor.close());
    const watch = watchAddresses(runtime);
    ended.push(() => watch.close());
    await synced.open();
    const text = () => present(metrics.text(), 'a daemon that runs has figures');
    const counted = (sinceMs: number | null) => stats.report(sinceMs);
    const told = { url: endpoint?.url ?? null, text, stats: counted };
    const places = placesOf({ config, runtime, folder: synced, log });
    const whole = withPage({ ...served, places, recorder, metrics: told }, clock, log);
    const control = await startControlEndpoint({ ...whole, dataDir, host, log });
    ended.push(() => control.close());
    ended.push(() => whole.page.close());
    // Before: who waits for records is answered.
    ended.push(() => recorder.close());
    ended.push(announced(dataDir, log));
    const data = watchData(folder, timers, (error) => {
      log.error('the data folder is gone', { path: dataDir });
      options.onGone?.(error);
    });
    ended.push(() => data.close());
    memory.worked();
    return { runtime, socketPath: control.socketPath, close };
  } catch (error) {
    await close().catch(() => undefined);
    // Of one of several, and none of them says which.
    throw databaseError(diskError(dataDir, error), `what ${dataDir} holds`);
  }
}

/** The page asks for what the control socket is asked for. */
function withPage(
  parts: Omit<ControlServices, 'page'>,
  clock: Clock,
  log: Log,
): ControlServices & { readonly page: PageEndpoint } {
  const calls = pageCalls(() => whole);
  const whole = { ...parts, page: new PageEndpoint({ folder: PAGE_FOLDER, calls, clock, log }) };
  return whole;
}

/**
 * Before the first Hello: an invitation is not used up for a folder that can't be synced. Later the folder's own guard asks. One that another daemon
 * has is refused at each start: whoever starts this one is told, and not only who asks for a status.
 */
function refuseFolder(dataDir: string, { frontEnd, folder: root }: DaemonConfig, host: Host): void {
  if (frontEnd !== 'folder' || root === null) return;
  const files = systemDisk(host);
  if (readInvitation(dataDir) !== null) {
    const { nestedLook } = FOLDER_LIMITS;
    refuseUnusable({ ...{ root, dataDir, nestedLook }, files, mounts: systemMounts });
  }
  refuseTaken(root, files);
}

/** The same of what a volume is to be mounted at. */
async function refuseMount(dataDir: string, { frontEnd, folder }: DaemonConfig): Promise<void> {
  if (frontEnd !== 'mount' || folder === null || readInvitation(dataDir) === null) return;
  await refuseUnmountable(folder);
}

/** So that commands need not be told where the data are. Without it they do. */
function announced(dataDir: string, log: Log): () => void {
  try {
    return announceDaemon(dataDir);
  } catch (error) {
    log.warn('commands will not find this daemon by themselves', {
      error: (error as Error).message,
    });
    return () => undefined;
  }
}

function ownLog(folder: DataFolder, ended: Array<() => Promise<void> | void>): Log {
  const log = createFileLog({ file: folder.log, level: 'info' });
  ended.push(() => log.close());
  return log;
}

/** A call that ends with the daemon. */
const closing = (): void => undefined;

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 0xffff)) throw new GodwitError('usage', `--metrics ${text}: not a port`);
  return port;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      metrics: { type: 'string' },
      recorder: { type: 'string' },
    },
  });
  if (values.data === undefined) throw new GodwitError('usage', 'give the data folder: --data DIR');
  const dataDir = isAbsolute(values.data) ? values.data : resolve(values.data);
  const metricsPort = values.metrics === undefined ? {} : { metricsPort: portOf(values.metrics) };
  const recorder =
    values.recorder === undefined
      ? {}
      : { makeRecordings: await recorderIn(resolve(values.recorder)) };
  let end = (): void => undefined;
  const asked = new Promise<void>((resolve) => (end = resolve));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end());
  const { promise: fault, reject: onFault } = Promise.withResolvers<never>();
  const { promise: gone, resolve: onGone } = Promise.withResolvers<GodwitError>();
  const daemon = await Promise.race([
    startDaemon({
      dataDir,
      ...metricsPort,
      ...recorder,
      onDown: () => end(),
      onFault,
      onGone,
    }),
    fault,
  ]);
  const lost = await Promise.race([asked, fault, gone]);
  if (lost === undefined) return daemon.close();
  // Of what it would put in order there is nothing left.
  await daemon.close().catch(() => undefined);
  throw lost;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = startupFailure(error);
    process.stderr.write(`${formatStartupFailure(known)}\n`);
    process.exit(known.severity === 'fatal' ? EXIT_FATAL : 1);
  },
);
