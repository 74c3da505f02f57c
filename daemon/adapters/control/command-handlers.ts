/** What each command of shared/control/commands.ts does on the daemon. A command without a handler does not compile. */
import type {
  CommandAnswer,
  CommandArguments,
  CommandName,
} from '../../../shared/control/commands.ts';
import type { NetworkRule } from '../../../shared/model/network.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { WritebackChange } from '../../../shared/model/writeback.ts';
import type { ControlledDaemon, PastTime, UndoExtent } from '../../../shared/ports/controlled.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { fromRoot } from '../../../shared/util/from-root.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { endOf, type ControlServices } from './control-services.ts';
import { findPath } from './find-path.ts';
import { findNames, folderReport } from './folder-report.ts';
import { groupContents, listGroups, orderGroup } from './groups/group-calls.ts';
import { preview } from './preview.ts';
import { acceptShare, leaveShare } from './shares/share-calls.ts';
import { lookAtShare, shareFolder } from './shares/share-folder.ts';

/** `args` were judged by the row of the command. May throw, or reject, GodwitError. */
export type Handlers = {
  readonly [N in CommandName]: (
    services: ControlServices,
    args: CommandArguments<N>,
  ) => Promise<CommandAnswer<N>> | CommandAnswer<N>;
};

export const HANDLERS: Handlers = {
  // The answer goes out first: see AFTERWARDS.
  down: () => null,
  pause: ({ pauses }, asked) => {
    if ('untilNetworkChanges' in asked) pauses.pauseUntilNetworkChanges();
    else pauses.pause(asked.forMs ?? null);
    return { pausedUntil: endOf(pauses) };
  },
  resume: ({ pauses }) => {
    pauses.resume();
    return null;
  },
  queue: ({ daemon }, asked) => daemon.queue(asked),
  'queue-at': ({ daemon }, { volume, path }) => daemon.queueAt(volume, path),
  fetches: ({ daemon }, { most }) => daemon.fetches(most),
  preview: ({ daemon }, asked) => preview(daemon.fileSystem, daemon.snapshot().folder, asked),
  ui: async ({ page }) => ({ url: await page.open() }),
  'queue-order': ({ daemon }, order) => daemon.orderQueue(order),
  writeback: ({ daemon }, change) => daemon.writeback(change as WritebackChange),
  consistency: ({ daemon }, change) => daemon.consistency(change),
  sharing: ({ daemon }, { fid = null }) => daemon.sharing(fid),
  'sharing-order': ({ daemon }, { fid, order }) =>
    daemon.orderSharing(fid, order === 'auto' ? null : order),
  access: ({ daemon }, { volume }) => daemon.access.list(volume),
  'set-access': async ({ daemon }, { volume, ...row }) => {
    await daemon.access.set(volume, row);
    return null;
  },
  teams: ({ daemon }, { team }) => daemon.access.teams(team),
  'change-team': async ({ daemon }, change) => {
    await daemon.access.changeTeam(change);
    return null;
  },
  shares: ({ daemon }) => daemon.access.shares(),
  'share-look': ({ daemon }, place) => lookAtShare(daemon, place),
  'share-folder': async ({ daemon }, { guests, makes = false, ...place }) => ({
    volume: await shareFolder(daemon, { place, guests, makes }),
  }),
  'accept-share': async ({ daemon }, { share, ...place }) => {
    await acceptShare(daemon, share, place);
    return null;
  },
  'leave-share': async ({ daemon }, { share }) => ({ stays: await leaveShare(daemon, share) }),
  locks: ({ daemon }) => daemon.locks.report(),
  lock: async ({ daemon }, { volume, path, mode }) => {
    const { fid } = await findSynced(daemon, volume, path);
    return daemon.locks.lock(fid, mode);
  },
  unlock: async ({ daemon }, { volume, path, breaks }) => {
    const { fid } = await findSynced(daemon, volume, path);
    await savesSeen(daemon);
    return daemon.locks.unlock(fid, breaks);
  },
  'server-address': ({ places }, { address }) => {
    places.moveServer(address);
    return null;
  },
  'device-name': async ({ daemon }, { name }) => {
    await daemon.renameDevice(name);
    return null;
  },
  'folder-place': async ({ places }, { path }) => {
    await places.moveFolder(path);
    return null;
  },
  limits: ({ daemon }, change) => daemon.limits(change),
  'cache-settings': ({ daemon }, change) => daemon.cacheSettings(change),
  'cache-preview': ({ daemon }, change) => daemon.cache.preview(change),
  cache: ({ daemon }, { act, volume, path }) => daemon.cache.act(act, volume, path),
  exclude: ({ daemon }, { volume, folder }) => daemon.cache.exclude(volume, folder),
  include: ({ daemon }, { volume, folder }) => daemon.cache.include(volume, folder),
  excluded: ({ daemon }) => daemon.cache.excluded(),
  'cache-use': ({ daemon }) => daemon.cache.use(),
  folder: ({ daemon }, part) => folderReport(daemon.programs, part, daemon.locks.report()),
  find: ({ daemon }, search) => findNames(daemon.fileSystem, search, daemon.locks.report()),
  open: async ({ desktop }, { path, reveal }) => {
    await desktop.open(path, reveal);
    return null;
  },
  groups: ({ daemon }, { volume }) => listGroups(daemon.fileSystem, volume),
  group: ({ daemon }, { volume, name }) => groupContents(daemon.fileSystem, volume, name),
  'group-order': ({ daemon }, { kind = 'chosen', ...order }) =>
    orderGroup(daemon.fileSystem, { ...order, kind }),
  'group-suggestions': ({ daemon }) => daemon.suggestedGroups(),
  'left-out': async ({ daemon }, { volume, path }) => ({
    reason: await daemon.leftOut(volume, path),
  }),
  scan: async ({ daemon }) => {
    await daemon.scan();
    daemon.hurry();
    return null;
  },
  flush: async ({ daemon }, { timeoutMs, now }) => {
    await daemon.flush(timeoutMs, now === true);
    return null;
  },
  confirm: async ({ daemon }, { path = null }) => ({ paths: await daemon.confirmRemovals(path) }),
  reject: async ({ daemon }, { path = null }) => ({ paths: await daemon.rejectRemovals(path) }),
  versions: ({ daemon }, { volume, path, at, snapshot }) =>
    daemon.past.versions(volume, path, pastTimeOf(at ?? null, snapshot)),
  'list-past': ({ daemon }, { volume, path, at, snapshot }) => {
    const then = pastTimeOf(at, snapshot);
    if (then === undefined) throw new GodwitError('usage', 'a time or a snapshot is wanted');
    return daemon.past.list(volume, path, then);
  },
  snapshots: ({ daemon }, { volume }) => daemon.past.snapshots(volume),
  removed: ({ daemon }, { volume, path }) => daemon.past.removed(volume, path),
  restore: ({ daemon }, { volume, path, version, at, to, removed, snapshot }) => {
    const about = {
      ...(removed === undefined ? {} : { removed }),
      ...(snapshot === undefined ? {} : { snapshot }),
    };
    const order = { path, version, at: at as WallTime | null, to, ...about };
    return daemon.past.restore(volume, order);
  },
  acts: ({ daemon }, { volume, most }) => daemon.past.acts(volume, most),
  undo: ({ daemon }, { volume, extent, dryRun }) =>
    daemon.past.undo(volume, extent as UndoExtent, dryRun),
  record: ({ recorder }, { recording, received, waitMs, end }) => {
    if (recording === null) return recorder.begin();
    if (end) return recorder.end(recording, received);
    return recorder.next(recording, received, waitMs);
  },
  log: ({ daemon }, { lines }) => daemon.logLines(lines),
  disk: ({ daemon }) => daemon.diskUse(),
  metrics: async ({ metrics }) => ({ text: await metrics.text() }),
  stats: ({ metrics }, { sinceMs }) => metrics.stats(sinceMs),
  networks: ({ daemon }) => daemon.networks(),
  'network-rule': async ({ daemon }, { network, rule }) => {
    await daemon.ruleNetwork(network, rule === null ? null : given(rule));
    return null;
  },
  dismiss: ({ daemon }, { id }) => {
    daemon.dismissConflict(id);
    return null;
  },
  resolve: ({ conflicts }, { id, keep }) => conflicts.resolve(id, keep),
};

/** Rejects as `findPath`; what is there and left out, as by an ignore rule, is not said to be missing. */
async function findSynced(
  daemon: ControlledDaemon,
  volume: string,
  path: readonly string[],
): Promise<Attributes> {
  try {
    return await findPath(daemon.fileSystem, volume, path);
  } catch (error) {
    const isAbsent = error instanceof GodwitError && error.code === 'not-found';
    const reason = isAbsent ? await daemon.leftOut(volume, path) : null;
    if (reason === null) throw error;
    const particulars = `${fromRoot(path.join('/'))} is not synced: ${reason}`;
    throw new GodwitError('not-found', particulars, 'only what is synced can be locked');
  }
}

/** How often, and how long each time, `unlock` waits for the folder to see what was saved. */
const LOOKS = 20;
const LOOK_MS = 250;

/** What was saved by now is seen to be saved under the lock (rule K3), unless something in the folder is written all the time. */
async function savesSeen(daemon: ControlledDaemon): Promise<void> {
  await daemon.scan();
  for (let n = 0; n < LOOKS && daemon.snapshot().unsettled.paths > 0; n++) {
    await daemon.changed(daemon.snapshot().revision, LOOK_MS);
  }
}

/** What is done when the answer of a command has gone out. */
export const AFTERWARDS: {
  readonly [N in CommandName]?: (services: ControlServices) => void;
} = {
  down: ({ daemon }) => daemon.down(),
};

/** Without what was left out. */
function given(rule: { readonly [K in keyof NetworkRule]?: NetworkRule[K] | undefined }) {
  const entries = Object.entries(rule).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<NetworkRule>;
}

/** What was said of a time; undefined: nothing. */
function pastTimeOf(at: number | null, snapshot: string | undefined): PastTime | undefined {
  if (snapshot !== undefined) return { snapshot };
  return at === null ? undefined : { at: at as WallTime };
}
