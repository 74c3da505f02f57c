/**
 * Waits until a daemon that was just started has said hello to its server, or until it is clear that it will
 * not: it ended, the server refused it, or nobody answers.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ControlClient } from '../../../shared/control/client.ts';
import { readControlFile } from '../../../shared/control/control-file.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError, isErrorCode, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { brief } from '../printable.ts';
import { startupError, type StartedDaemon } from '../children.ts';

/** From the start of the process to its control socket: databases are opened and recovered in it. */
const START_LIMIT_MS = 60_000;
const POLL_MS = 25;
/** From the end of its control socket to that of the process. */
const END_LIMIT_MS = 30_000;

/** What the server, or the lack of one, can say to a hello. Other errors of a daemon are no reason to end it. */
const HELLO_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'server-unreachable',
  'server-full',
  'wrong-fingerprint',
  'protocol-version',
  'not-paired',
  'device-revoked',
  'invitation-unknown',
  'invitation-used',
  'invitation-expired',
  'incarnation-reused',
  'epoch-changed',
  'server-behind',
  'volume-removed',
]);

/** The server has said no, for good. A daemon that ended for another reason may have been let in already. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof GodwitError) || !HELLO_ERRORS.has(error.code)) return false;
  return error.severity !== 'transient';
}

/** The daemon goes on without its server, and tries again by itself. `error` null: there was a hello. */
export function goesOnOffline(error: GodwitError | null): boolean {
  return error?.code === 'server-unreachable' || error?.code === 'server-full';
}

const NOTHING_SET_UP: Partial<Record<ErrorCode, string>> = {
  'server-unreachable':
    'check the address and that UDP gets through, and give the command again; nothing was set up',
  'server-full': 'free space on the server, and give the command again; nothing was set up',
};

/** The error of a first start that met no hello: nothing is kept of it, so nothing goes on. */
export function notPaired(error: GodwitError): GodwitError {
  const remedy = NOTHING_SET_UP[error.code];
  return remedy === undefined ? error : new GodwitError(error.code, error.message, remedy);
}

/** Why there is no connection: what the server said, or that it is away. */
export function offlineText(status: StatusSnapshot): string {
  const { address } = status.server;
  const error = helloError(status);
  const isAway = error === null || error.code === 'server-unreachable';
  return isAway
    ? `offline: ${address} is away`
    : `not connected to ${address}: ${brief(error.message)}`;
}

export interface HelloOutcome {
  readonly status: StatusSnapshot;
  /** Why there was no hello; null: there was one. */
  readonly error: GodwitError | null;
}

/**
 * Waits until a daemon has said hello, for at most `limitMs` after it began to answer. Throws the
 * reason for which the daemon ended, if it ends before.
 */
export async function waitForHello(
  dataDir: string,
  started: StartedDaemon,
  limitMs: number,
): Promise<HelloOutcome> {
  const ended = started.ended.then((): never => {
    throw startupError(dataDir);
  });
  // Nobody may be listening any more when it ends much later.
  ended.catch(() => undefined);
  const stop = new AbortController();
  try {
    const client = await Promise.race([connectTo(dataDir, started.pid), ended]);
    try {
      const timer = setTimeout(() => stop.abort(), limitMs);
      const outcome = await Promise.race([helloOf(client, stop.signal), ended]);
      clearTimeout(timer);
      return outcome;
    } finally {
      client.close();
    }
  } catch (error) {
    // Its socket goes first where it ends, and then it says why.
    if (error instanceof GodwitError && error.code === 'not-running') {
      await Promise.race([ended, wait(END_LIMIT_MS, undefined, { ref: false })]);
    }
    throw error;
  } finally {
    stop.abort();
  }
}

async function connectTo(dataDir: string, pid: number): Promise<ControlClient> {
  for (let waited = 0; waited < START_LIMIT_MS; waited += POLL_MS) {
    const file = readControlFile(dataDir);
    if (file?.pid === pid) return new ControlClient(file.socket);
    await wait(POLL_MS);
  }
  throw new GodwitError('timed-out', `process ${pid}: the daemon does not open its control socket`);
}

async function helloOf(client: ControlClient, signal: AbortSignal): Promise<HelloOutcome> {
  let last: StatusSnapshot | null = null;
  for await (const status of client.snapshots(signal)) {
    last = status;
    if (status.connected) return { status, error: null };
    const error = helloError(status);
    if (error !== null) return { status, error };
  }
  const status = last ?? (await client.status());
  const { address } = status.server;
  return { status, error: new GodwitError('server-unreachable', `${address}: no answer`) };
}

/** What the status says of a hello that failed; null: nothing. */
export function helloError({ errors }: StatusSnapshot): GodwitError | null {
  for (const { code, message } of errors) {
    if (isErrorCode(code) && HELLO_ERRORS.has(code)) return new GodwitError(code, message);
  }
  return null;
}
