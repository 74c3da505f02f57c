/**
 * Carries out control requests on the daemon: the routes of shared/control/protocol.ts.
 */
import type { IncomingMessage } from 'node:http';
import { MAX_WAIT_MS } from '../../../shared/control/limits.ts';
import {
  COMMANDS,
  FS_OPERATIONS,
  type CommandArguments,
  type CommandName,
  type FsArguments,
  type FsOperationName,
} from '../../../shared/control/protocol.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { NetworkRule } from '../../../shared/model/network.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { WritebackChange } from '../../../shared/model/writeback.ts';
import type { UndoExtent } from '../../../shared/ports/controlled.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ConnectionHandles } from './connection-handles.ts';
import { callFileSystem } from './file-system-calls.ts';
import { folderReport } from './folder-report.ts';
import { groupContents, listGroups, orderGroup } from './groups/group-calls.ts';
import { preview } from './preview.ts';
import { readArguments } from './read-body.ts';
import { endOf, snapshotChanged, snapshotOf, type Served } from './served.ts';

export interface Outcome {
  readonly result: unknown;
  /** Done after the answer has gone out. */
  readonly afterwards?: () => void;
}

type Commands = {
  readonly [N in CommandName]: (
    served: Served,
    args: CommandArguments<N>,
  ) => Promise<Outcome> | Outcome;
};

const DONE: Outcome = { result: null };

const COMMAND_CALLS: Commands = {
  down: ({ daemon }) => ({ result: null, afterwards: () => daemon.down() }),
  pause: ({ pauses }, question) => {
    if ('untilNetworkChanges' in question) pauses.pauseUntilNetworkChanges();
    else pauses.pause(question.forMs ?? null);
    return { result: { pausedUntil: endOf(pauses) } };
  },
  resume: ({ pauses }) => {
    pauses.resume();
    return DONE;
  },
  queue: async ({ daemon }, question) => ({ result: await daemon.queue(question) }),
  'queue-at': async ({ daemon }, { volume, path }) => ({
    result: await daemon.queueAt(volume, path),
  }),
  fetches: ({ daemon }, { most }) => ({ result: daemon.fetches(most) }),
  preview: async ({ daemon }, { volume, path, most }) => ({
    result: await preview(daemon.fileSystem, volume, path, most),
  }),
  ui: async ({ page }) => ({ result: { url: await page.open() } }),
  'queue-order': async ({ daemon }, order) => ({ result: await daemon.orderQueue(order) }),
  writeback: async ({ daemon }, change) => ({
    result: await daemon.writeback(change as WritebackChange),
  }),
  consistency: async ({ daemon }, change) => ({ result: await daemon.consistency(change) }),
  sharing: ({ daemon }, { fid = null }) => ({ result: daemon.sharing(fid) }),
  'sharing-order': async ({ daemon }, { fid, order }) => ({
    result: await daemon.orderSharing(fid, order === 'auto' ? null : order),
  }),
  'server-address': ({ places }, { address }) => {
    places.moveServer(address);
    return DONE;
  },
  'folder-place': async ({ places }, { path }) => {
    await places.moveFolder(path);
    return DONE;
  },
  'cache-settings': async ({ daemon }, change) => ({ result: await daemon.cacheSettings(change) }),
  cache: async ({ daemon }, { act, volume, path }) => ({
    result: await daemon.cache.act(act, volume, path),
  }),
  'cache-use': ({ daemon }) => ({ result: daemon.cache.use() }),
  folder: async ({ daemon }, part) => ({ result: await folderReport(daemon.fileSystem, part) }),
  groups: async ({ daemon }, { volume }) => ({
    result: await listGroups(daemon.fileSystem, volume),
  }),
  group: async ({ daemon }, { volume, name }) => ({
    result: await groupContents(daemon.fileSystem, volume, name),
  }),
  'group-order': async ({ daemon }, { kind = 'chosen', ...order }) => ({
    result: await orderGroup(daemon.fileSystem, { ...order, kind }),
  }),
  'group-suggestions': ({ daemon }) => ({ result: daemon.suggestedGroups() }),
  'left-out': async ({ daemon }, { volume, path }) => ({
    result: { reason: await daemon.leftOut(volume, path) },
  }),
  scan: async ({ daemon }) => {
    await daemon.scan();
    daemon.hurry();
    return DONE;
  },
  flush: async ({ daemon }, { timeoutMs, now }) => {
    await daemon.flush(timeoutMs, now === true);
    return DONE;
  },
  confirm: async ({ daemon }, { path = null }) => ({
    result: { paths: await daemon.confirmRemovals(path) },
  }),
  reject: async ({ daemon }, { path = null }) => ({
    result: { paths: await daemon.rejectRemovals(path) },
  }),
  versions: async ({ daemon }, { volume, path }) => ({
    result: await daemon.past.versions(volume, path),
  }),
  removed: async ({ daemon }, { volume, path }) => ({
    result: await daemon.past.removed(volume, path),
  }),
  restore: async ({ daemon }, { volume, path, version, at, to }) => {
    const order = { path, version, at: at as WallTime | null, to };
    return { result: await daemon.past.restore(volume, order) };
  },
  undo: async ({ daemon }, { volume, extent, dryRun }) => ({
    result: await daemon.past.undo(volume, extent as UndoExtent, dryRun),
  }),
  record: async ({ recorder }, { recording, received, waitMs, end }) => {
    if (recording === null) return { result: recorder.begin() };
    if (end) return { result: recorder.end(recording, received) };
    return { result: await recorder.next(recording, received, waitMs) };
  },
  log: async ({ daemon }, { lines }) => ({ result: await daemon.logLines(lines) }),
  disk: async ({ daemon }) => ({ result: await daemon.diskUse() }),
  metrics: async ({ metrics }) => ({ result: { text: await metrics.text() } }),
  networks: ({ daemon }) => ({ result: daemon.networks() }),
  'network-rule': async ({ daemon }, { network, rule }) => {
    await daemon.ruleNetwork(network, rule === null ? null : given(rule));
    return DONE;
  },
  dismiss: ({ daemon }, { id }) => {
    daemon.dismissConflict(id);
    return DONE;
  },
  resolve: async ({ conflicts }, { id, keep }) => ({
    result: await conflicts.resolve(id, keep),
  }),
};

/** Without what was left out. */
function given(rule: { readonly [K in keyof NetworkRule]?: NetworkRule[K] | undefined }) {
  const entries = Object.entries(rule).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<NetworkRule>;
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);
export const isOperation = (name: string): name is FsOperationName =>
  Object.hasOwn(FS_OPERATIONS, name);

/**
 * Carries out one HTTP request of the control protocol. Rejects with the GodwitError that is the
 * reply.
 */
export async function handleCall(
  served: Served,
  handles: ConnectionHandles,
  request: IncomingMessage,
): Promise<Outcome> {
  const url = URL.parse(request.url ?? '/', 'http://daemon');
  if (url === null) throw new GodwitError('bad-message', 'what is asked for is no address');
  const [version, kind, name = '', ...rest] = url.pathname.slice(1).split('/');
  if (version === 'v1' && rest.length === 0) {
    if (request.method === 'GET' && kind === 'status' && name === '') {
      return { result: await status(served, url.searchParams) };
    }
    if (request.method === 'POST' && kind === 'command' && isCommand(name)) {
      return runCommand(served, name, await readArguments(request, COMMANDS[name]));
    }
    if (request.method === 'POST' && kind === 'fs' && isOperation(name)) {
      const args = await readArguments(request, FS_OPERATIONS[name]);
      return { result: (await runOperation(handles, name, args)) ?? null };
    }
  }
  throw new GodwitError('bad-message', `the daemon has no call ${request.method} ${url.pathname}`);
}

/** `args` have been read by the schema of that command. */
export async function runCommand<N extends CommandName>(
  served: Served,
  name: N,
  args: CommandArguments<N>,
): Promise<Outcome> {
  return COMMAND_CALLS[name](served, args);
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

function status(served: Served, query: URLSearchParams): Promise<StatusSnapshot> {
  const revision = wholeNumber(query, 'revision');
  return statusAfter(served, revision, wholeNumber(query, 'waitMs') ?? 0);
}

/** The snapshot when its revision is another one than `revision`, or as it is after `waitMs`. */
export async function statusAfter(
  served: Served,
  revision: number | null,
  waitMs: number,
): Promise<StatusSnapshot> {
  if (revision !== null && waitMs > 0 && snapshotOf(served).revision === revision) {
    await snapshotChanged(served, revision, Math.min(waitMs, MAX_WAIT_MS));
  }
  const snapshot = snapshotOf(served);
  const { url: metrics } = served.metrics;
  return metrics === null ? snapshot : { ...snapshot, metrics };
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d{1,15}$/.test(text)) throw new GodwitError('bad-message', `${name} is not a number`);
  return Number(text);
}
