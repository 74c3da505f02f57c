/**
 * Carries out control requests on the daemon: the routes of shared/control/protocol.ts.
 */
import type { IncomingMessage } from 'node:http';
import type { Command } from '../../../shared/control/command.ts';
import {
  COMMANDS,
  isCommand,
  type CommandArguments,
  type CommandName,
} from '../../../shared/control/commands.ts';
import {
  FS_OPERATIONS,
  isOperation,
  type FsArguments,
  type FsOperationName,
} from '../../../shared/control/file-operations.ts';
import { MAX_WAIT_MS } from '../../../shared/control/limits.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { AFTERWARDS, HANDLERS } from './command-handlers.ts';
import type { ConnectionHandles } from './connection-handles.ts';
import { snapshotChanged, snapshotOf, type ControlServices } from './control-services.ts';
import { callFileSystem } from './file-system-calls.ts';
import { acrossMounts } from './across-mounts.ts';
import { readArguments } from '../../../shared/control/read-body.ts';

export interface Outcome {
  readonly result: unknown;
  /** Done after the answer has gone out. */
  readonly afterwards?: () => void;
}

/**
 * Carries out one request of the control socket: a status, a command, or a call of the file-system
 * port. Throws GodwitError `bad-message` for a route that is not known, and whatever the call
 * throws.
 */
export async function handleCall(
  services: ControlServices,
  handles: ConnectionHandles,
  request: IncomingMessage,
): Promise<Outcome> {
  const url = URL.parse(request.url ?? '/', 'http://daemon');
  if (url === null) throw new GodwitError('bad-message', 'what is asked for is no address');
  const [version, kind, name = '', ...rest] = url.pathname.slice(1).split('/');
  if (version === 'v1' && rest.length === 0) {
    if (request.method === 'GET' && kind === 'status' && name === '') {
      return { result: await status(services, url.searchParams) };
    }
    if (request.method === 'POST' && kind === 'command' && isCommand(name)) {
      return readCommand(services, name, request);
    }
    if (request.method === 'POST' && kind === 'fs' && isOperation(name)) {
      const args = await readArguments(request, FS_OPERATIONS[name]);
      return { result: (await runOperation(handles, name, args)) ?? null };
    }
  }
  throw new GodwitError('bad-message', `the daemon has no call ${request.method} ${url.pathname}`);
}

/** Judges the body of the request by the row of the command, and hands it to its handler. */
export async function readCommand<N extends CommandName>(
  services: ControlServices,
  name: N,
  request: IncomingMessage,
): Promise<Outcome> {
  const { args }: Command = COMMANDS[name];
  const given = (await readArguments(request, args)) as CommandArguments<N>;
  const result = await HANDLERS[name](services, acrossMounts(services.daemon, given));
  const afterwards = AFTERWARDS[name];
  return afterwards === undefined ? { result } : { result, afterwards: () => afterwards(services) };
}

/** `args` have been read by the schema of that operation. */
export function runOperation(
  handles: ConnectionHandles,
  name: FsOperationName,
  args: unknown,
): Promise<unknown> {
  switch (name) {
    case 'open':
      return handles.open(args as FsArguments<'open'>);
    case 'createOpen':
      return handles.createOpen(args as FsArguments<'createOpen'>);
    case 'close':
      return handles.close(args as FsArguments<'close'>);
    case 'abandon':
      return handles.abandon(args as FsArguments<'abandon'>);
    case 'rename':
      return handles.rename(args as FsArguments<'rename'>);
    default:
      return callFileSystem(handles.fileSystem, name, args as FsArguments<typeof name>);
  }
}

function status(services: ControlServices, query: URLSearchParams): Promise<StatusSnapshot> {
  const revision = wholeNumber(query, 'revision');
  return statusAfter(services, revision, wholeNumber(query, 'waitMs') ?? 0);
}

/** The snapshot when its revision is another one than `revision`, or as it is after `waitMs`; null: as it is at this moment. */
export async function statusAfter(
  services: ControlServices,
  revision: number | null,
  waitMs: number,
): Promise<StatusSnapshot> {
  if (revision !== null && waitMs > 0 && snapshotOf(services).revision === revision) {
    await snapshotChanged(services, revision, Math.min(waitMs, MAX_WAIT_MS));
  }
  const told = snapshotOf(services, revision === null);
  const { url: metrics } = services.metrics;
  return metrics === null ? told : { ...told, metrics };
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d{1,15}$/.test(text)) throw new GodwitError('bad-message', `${name} is not a number`);
  return Number(text);
}
