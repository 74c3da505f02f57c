/**
 * `godwit up`: starts the daemon of a data folder and returns when it has said hello to its server. The first time it
 * pairs the device with the server of an invitation; where that fails, nothing is kept.
 */
import { existsSync, renameSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { ControlClient } from '../../../shared/control/client.ts';
import {
  type DaemonConfig,
  readConfig,
  readInvitation,
  RECORDS_FILE,
  removeInvitation,
  writeConfig,
} from '../../../shared/control/config.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { programVersion } from '../../../shared/system/program-version.ts';
import { SCHEDULINGS } from '../../../shared/model/scheduling.ts';
import { GodwitError, NOTES } from '../../../shared/wire/error-codes.ts';
import { parsePort, parseVolumeName } from '../arguments.ts';
import { oneOf } from '../fixed-values.ts';
import { CLI_MAIN, spawnDaemon, type HowDaemon, type StartedDaemon } from '../children.ts';
import { OwnServer } from '../../first-run/own-server.ts';
import { flag, METRICS_HELP, SCHEDULING_HELP, type Cli } from '../cli.ts';
import type { Context } from '../context.ts';
import { namingDisk } from '../disk-room.ts';
import { EXIT } from '../exit-codes.ts';
import { aborted } from '../interruption.ts';
import { printable } from '../printable.ts';
import { laboratory } from '../laboratory.ts';
import { olderDaemon, RESTART } from '../older-daemon.ts';
import { waitForEnd } from '../processes.ts';
import { statusLine } from '../status-lines.ts';
import { isLeftMount, prepareFolders } from '../up/prepare-folders.ts';
import { writeSettings } from '../up/write-settings.ts';
import {
  difference,
  metricsDifference,
  planUp,
  type UpOptions,
  type UpPlan,
  type UpRequest,
} from '../up/up-plan.ts';
import { unseenVolume } from '../up/unseen-volume.ts';
import {
  goesOnOffline,
  isRefusal,
  notPaired,
  offlineText,
  waitForHello,
} from '../up/wait-for-hello.ts';

/** A handshake that nobody answers is given up by QUIC after some 10 s. A server on a busy machine, or on a full disk, gets as long once more. */
const PAIRING_LIMIT_MS = 20_000;
/** Work goes on offline, so there is less to wait for. */
const HELLO_LIMIT_MS = 5000;
const END_LIMIT_MS = 30_000;

interface UpFlags extends UpOptions {
  readonly invite?: string;
  readonly foreground?: boolean;
}

/**
 * Builds `godwit up`, which pairs a device if it is new and starts its daemon. It returns after the
 * hello, or with `--foreground` when the daemon has ended. Throws GodwitError `already-running` if
 * `--foreground` finds a daemon.
 */
export function upCommand(cli: Cli): Command {
  const command = cli.withData(
    'up',
    'start syncing a folder; the first time with an invitation',
    'usual',
  );
  flag(command, '--folder <dir>', 'the folder to keep in sync');
  flag(command, '--invite <url>', 'invitation of the server; - to read it from standard input');
  const kinds =
    'folder, none, mount (an early state: files are fetched when they are opened), or auto: mount where FUSE can be used, else folder';
  flag(command, '--front-end <kind>', kinds, undefined, oneOf('folder', 'mount', 'auto', 'none'));
  flag(command, '--name <name>', 'what this device is called (default: the name of the machine)');
  const volume = 'the volume that the folder shows (default: as the server says)';
  flag(command, '--volume <name>', volume, undefined, parseVolumeName);
  flag(command, '--scheduling <how>', SCHEDULING_HELP, undefined, oneOf(...SCHEDULINGS));
  flag(command, '--foreground', 'stay until Ctrl-C, and end the daemon then');
  flag(command, '--metrics <port>', METRICS_HELP, undefined, parsePort);
  return cli.does<UpFlags>(command, async (context, options) => {
    const { dataDir } = context;
    const request: UpRequest = {
      dataDir,
      options,
      invitation: await invitationText(context, options.invite),
      existing: readConfig(dataDir),
      pending: readInvitation(dataDir),
      isShown: existsSync(join(dataDir, RECORDS_FILE)),
      hostname: hostname(),
    };
    if (request.existing !== null) await startOwnServer(dataDir);
    const running = await statusIfRunning(dataDir);
    if (running !== null) {
      // `--foreground` ends its daemon, and this one was started by another command.
      if (options.foreground === true) throw runningAlready(dataDir, running, '');
      return printRunning(context, request, running);
    }
    const plan = planUp(request);
    const folders = [dataDir, ...(plan.config.folder === null ? [] : [plan.config.folder])];
    const how = {
      endsWithUs: options.foreground === true,
      metricsPort: options.metrics,
      recorder: (await laboratory())?.RECORDER,
    };
    const before = request.existing?.volume;
    return namingDisk(folders, () => start(context, plan, how, before));
  });
}

/** A server that a person has set up on this laptop with a click: it is to be there whenever the laptop syncs. */
function startOwnServer(data: string): Promise<void> {
  return new OwnServer({ data, node: process.execPath, cli: CLI_MAIN }).startIfKept();
}

async function invitationText(context: Context, given: string | undefined): Promise<string | null> {
  if (given === undefined) return null;
  return given === '-' ? readText(context.io.stdin) : given;
}

async function statusIfRunning(dataDir: string): Promise<StatusSnapshot | null> {
  let client: ControlClient | null = null;
  try {
    client = ControlClient.of(dataDir);
    return await client.status();
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'not-running') return null;
    throw error;
  } finally {
    client?.close();
  }
}

function printRunning(context: Context, request: UpRequest, status: StatusSnapshot): void {
  const differs =
    difference(request.existing, request) ?? metricsDifference(status.metrics, request.options);
  if (differs !== null) throw runningAlready(context.dataDir, status, `, with ${differs}`);
  say(context, status, true, null);
  const old = olderDaemon(status, programVersion());
  if (old !== null) context.note(`${old}; ${RESTART}`);
}

function runningAlready(dataDir: string, { pid }: StatusSnapshot, how: string): GodwitError {
  const who = `a daemon (process ${pid})`;
  return new GodwitError('already-running', `${dataDir}: ${who} runs on this data folder${how}`);
}

async function start(
  context: Context,
  plan: UpPlan,
  how: HowDaemon,
  volumeBefore: string | undefined,
): Promise<number> {
  const { dataDir } = context;
  const { NativeHost } = await import('../../../shared/transport/native-host.ts');
  const host = new NativeHost();
  const { folder } = plan.config;
  const place = folder === null || isLeftMount(folder) ? null : folder;
  const undo = prepareFolders(dataDir, place, host, plan.pairing === null);
  let started: StartedDaemon | null = null;
  let unseen: GodwitError | null = null;
  try {
    writeSettings(dataDir, plan, host);
    // On the way to a first hello, an interrupted `up` leaves nothing behind that it did not announce.
    const interrupted = context.interruption.claim();
    started = spawnDaemon(dataDir, how);
    let answer = await helloOf(dataDir, started, plan, interrupted);
    if (plan.spare !== null && answer.error?.code === 'incarnation-reused') {
      await end(started);
      setIdentityAside(dataDir);
      context.note('this data folder is a copy: it is paired again, as another device');
      started = spawnDaemon(dataDir, how);
      answer = await helloOf(dataDir, started, plan, interrupted);
    }
    const { status, error } = answer;
    const goesOn = plan.pairing === null && goesOnOffline(error);
    if (error !== null && !goesOn) throw plan.pairing === null ? error : notPaired(error);
    unseen = error === null ? unseenVolume(plan.config, status) : null;
    if (unseen !== null) throw unseen;
    const shown = plan.config.frontEnd === 'mount' ? await mounted(dataDir, status) : status;
    say(context, shown, false, plan.pairing === null && plan.spare === null ? null : plan.config);
    if (!how.endsWithUs) return release(started);
    return await stay(started, interrupted);
  } catch (error) {
    if (started !== null) await end(started);
    if (error instanceof GodwitError && error.code === 'already-running') undo.leave();
    else if (unseen !== null || isVolumeRefused(plan, error)) {
      forgetVolume(dataDir, plan, volumeBefore, host);
    } else if (plan.pairing !== null) undo.run(isRefusal(error));
    throw error;
  } finally {
    // The daemon has read it by now. In the folder it would say that the device is not paired yet.
    if (plan.spare !== null) removeInvitation(dataDir, host);
  }
}

/** What is written before the volume is mounted would lie beneath it. Where it can't be mounted the status says why. */
async function mounted(dataDir: string, before: StatusSnapshot): Promise<StatusSnapshot> {
  if (!before.connected) return before;
  const client = ControlClient.of(dataDir);
  try {
    await client.command('scan', {}).catch(() => undefined);
    return await client.status();
  } finally {
    client.close();
  }
}

/** A daemon that knows its volumes from before ends at once where the one that is named is none of them. */
function isVolumeRefused({ pairing }: UpPlan, error: unknown): boolean {
  return pairing === null && error instanceof GodwitError && error.code === 'no-such-volume';
}

/** The device is paired, and may not see the volume: the next `up` begins with the one of before, if that is another. */
function forgetVolume(
  dataDir: string,
  { config }: UpPlan,
  before: string | undefined,
  host: Host,
): void {
  const { volume, ...rest } = config;
  if (volume === undefined) return;
  const kept = before === undefined || before === volume ? {} : { volume: before };
  writeConfig(dataDir, { ...rest, ...kept }, host);
}

function helloOf(dataDir: string, started: StartedDaemon, plan: UpPlan, signal: AbortSignal) {
  const limit = plan.pairing === null ? HELLO_LIMIT_MS : PAIRING_LIMIT_MS;
  return Promise.race([
    waitForHello(dataDir, started, limit),
    aborted(signal).then((): never => {
      throw new GodwitError('timed-out', 'up: interrupted');
    }),
  ]);
}

/** The next start makes another one. The old one is kept: it was the key of a device. */
function setIdentityAside(dataDir: string): void {
  const file = join(dataDir, 'identity.json');
  renameSync(file, `${file}.refused`);
}

/** The daemon outlives us. */
function release(started: StartedDaemon): number {
  started.child.unref();
  return EXIT.fine;
}

async function stay(started: StartedDaemon, interrupted: AbortSignal): Promise<number> {
  const ending = await Promise.race([started.ended, aborted(interrupted)]);
  if (ending === undefined) await end(started);
  return ending === undefined || ending.code === 0 ? EXIT.fine : EXIT.failed;
}

async function end(started: StartedDaemon): Promise<void> {
  started.child.kill('SIGTERM');
  if (!(await waitForEnd(started.pid, END_LIMIT_MS))) started.child.kill('SIGKILL');
}

/** `asked`: the settings with which the device was paired; null: it was paired before. */
function say(
  context: Context,
  status: StatusSnapshot,
  already: boolean,
  asked: DaemonConfig | null,
): void {
  const { pid, state, connected, server, folder, device, metrics } = status;
  const isWrong = status.errors.some(({ code }) => !NOTES.has(code));
  const isWell = folder !== null && !isWrong;
  const where = isWell ? `${folder} is kept in sync` : 'the daemon runs';
  const { frontEnd, frontEndWhy } = status;
  const chosen = frontEndWhy === undefined ? {} : { frontEndWhy };
  const how = connected ? `connected to ${server.address}` : offlineText(status);
  const more = metrics === undefined ? {} : { metrics };
  const told = { pid, state, connected, server, folder, frontEnd, ...chosen, device, already };
  context.result({ ...told, ...more }, [
    `${already ? 'running already: ' : ''}${where} (${how})`,
    ...(frontEndWhy === undefined ? [] : [`front end ${frontEnd}: ${printable(frontEndWhy)}`]),
    ...(metrics === undefined ? [] : [`metrics: ${metrics}`]),
    ...(asked === null || asked.deviceName === device.name ? [] : [numbered(asked, device.name)]),
    // The daemon runs all the same: what is wrong may pass, such as a folder that is away.
    ...(already || isWrong ? [statusLine(status)] : []),
  ]);
}

const numbered = ({ deviceName }: DaemonConfig, name: string): string =>
  `this laptop is called ${printable(name)}: another one of yours is called ${printable(deviceName)}`;
