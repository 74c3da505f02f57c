/** What the core knows of the status snapshot: computed from the queues each time, never kept (promise 7). */
import type {
  ErrorStatus,
  QueueStatus,
  QuotaStatus,
  RecentFile,
  StatusSnapshot,
  WaitingStatus,
} from '../../../shared/control/snapshot.ts';
import type { NetworkStatus } from '../../../shared/control/network.ts';
import type { QueueName } from '../../../shared/control/queue.ts';
import { DAEMON_STATES, type DaemonState } from '../../../shared/model/daemon-state.ts';
import { volumeOf, type VolumeId } from '../../../shared/model/fid.ts';
import { elapsed, wallTime } from '../../../shared/model/time.ts';
import { isoTime } from '../../../shared/model/conflict-name.ts';
import { ERROR_CODES, NOTES, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import { gonePlaces } from '../conflict/gone-places.ts';
import { MOST_SHOWN, REMOVALS_SHOWN } from '../../limits.ts';
import { lockStatus } from '../lock/lock-report.ts';
import { limitStatus, networkStatus } from './network-status.ts';
import { devicesStatus } from '../names/known-devices.ts';
import type { ClientState } from '../state.ts';
import { waitingOf } from './waiting.ts';
import { dirtyLimit } from '../calls/back-pressure.ts';
import { estimateOf } from '../log/estimates.ts';
import { kept, type Kept } from '../log/kept.ts';
import { isCancelled } from '../log/queue-status.ts';
import { fromRoot } from '../../../shared/util/from-root.ts';
import { isAllSent } from '../../../shared/model/all-sent.ts';
import { sizeOf } from '../log/update-size.ts';
import { isFollowed } from '../names/followed.ts';
import { isBesideFolder } from '../names/followed.ts';
import { removedText } from '../names/volumes.ts';
import { pathOf, viewPlaces } from '../log/view.ts';

const CLOCK_STEP = 10_000;

const NOTHING_GOES = 'what is left is not sent by itself';

export interface Outside {
  /** Of the front end: what is not logged yet, and not in place yet; and what keeps it. */
  readonly unsettled: { readonly paths: number; readonly commits: number };
  readonly waiting: readonly WaitingStatus[];
  readonly errors: readonly ErrorStatus[];
}

export type CoreStatus = Omit<
  StatusSnapshot,
  'revision' | 'pid' | 'version' | 'server' | 'folder' | 'frontEnd'
>;

/** What the log comes to: all of it is looked at, so it is made once for each step (client-reports.ts). */
export interface LogTotals {
  readonly metadata: Counted;
  readonly data: Counted;
  /** Of what is sent by itself. */
  readonly left: { readonly metadata: number; readonly data: number };
  readonly blocked: readonly ErrorStatus[];
  /** Updates of volumes that were removed: one error of the volume says why. */
  readonly removed: number;
}

/** Counts the updates and bytes of the log by queue, in flight, put aside and blocked. */
export function logTally(state: ClientState): LogTotals {
  const metadata = { ...EMPTY_QUEUE };
  const data = { ...EMPTY_QUEUE };
  const left = { metadata: 0, data: 0 };
  const blocked: ErrorStatus[] = [];
  const gone = new Set(removedVolumes(state).map(([id]) => id));
  let removed = 0;
  for (const entry of state.log.all()) {
    if (entry.state === 'answered') continue;
    const queue = entry.update.op === 'store' ? data : metadata;
    queue.updates += 1;
    if (entry.state === 'sent') queue.inFlight += 1;
    if (entry.update.op === 'store') queue.bytes += entry.update.size;
    if (isCancelled(entry)) {
      queue.cancelled += 1;
      if (entry.update.op === 'store') queue.cancelledBytes += entry.update.size;
    }
    if (entry.state === 'blocked') queue.kept += 1;
    else if (entry.update.op === 'store') left.data += entry.update.size;
    else left.metadata += sizeOf(entry);
    const isGone = gone.has(entry.volume) && !isCancelled(entry);
    if (entry.state === 'blocked' && isGone) removed += 1;
    else if (entry.state === 'blocked' && blocked.length < MOST_SHOWN) {
      blocked.push(blockedError(kept(state, entry)));
    }
  }
  return { metadata, data, left, blocked, removed };
}

/**
 * Makes the part of the status snapshot that the core knows. `outside`: what the front end reports.
 * `tally`: the counts of the log at this step.
 */
export function coreStatus(state: ClientState, outside: Outside, tally: LogTotals): CoreStatus {
  const { metadata, left, blocked, removed } = tally;
  const data = { ...tally.data };
  const fetches = { running: state.cache.fetches.running, bytes: 0, receivedBytes: 0 };
  for (const { bytes } of state.cache.fetches.values()) fetches.bytes += bytes;
  for (const { purpose, sentBytes, receivedBytes } of state.requests.values()) {
    if (purpose.for === 'store') data.sentBytes += sentBytes;
    if (purpose.for === 'contents') fetches.receivedBytes += receivedBytes;
  }
  const session = sessionErrors(state);
  const isFull = state.session.isServerFull && metadata.updates + data.updates > 0;
  const isSaid = session.some(({ code }) => code === 'server-full');
  const full = isFull && !isSaid ? [shown('server-full', '', null)] : [];
  const dirty = state.log.dirtyBytes >= dirtyLimit(state) ? [shown('dirty-limit', '', null)] : [];
  const ours = [...session, ...removedErrors(state), ...full, ...dirty];
  const errors = [...ours, ...outside.errors, ...blocked];
  errors.splice(MOST_SHOWN);
  const queues = {
    metadata: told(state, 'metadata', metadata, left.metadata),
    data: told(state, 'data', data, Math.max(left.data - data.sentBytes, 0)),
  };
  const network = networkStatus(state);
  const updates = metadata.updates + data.updates;
  const queued = {
    updates,
    going: updates - metadata.kept - data.kept,
    cancelled: metadata.cancelled + data.cancelled,
    removed,
    isSent: isAllSent({ metadata, data }),
  };
  const waiting = waitingOf(state, queued, network, outside);
  const facts = { ...queues, errors, network, unsettled: outside.unsettled, waiting };
  const overall = worst(state, facts);
  return {
    state: overall,
    summary: summary(overall, state, facts),
    connected: state.session.isUp,
    ...(state.session.isUp ? {} : { offlineSince: offlineSince(state) }),
    device: {
      id: (state.meta.get('device') ?? null) as number | null,
      name: state.deviceName,
      user: (state.meta.get('user') ?? null) as string | null,
    },
    paused: state.session.isPaused,
    queues,
    fetches,
    unsettled: { ...outside.unsettled },
    waiting,
    cache: cacheStatus(state),
    volumes: volumes(state),
    conflicts: state.conflict.list.newest(
      MOST_SHOWN,
      (volume) => state.names.volumes.nameOf(volume),
      (row) => gonePlaces(state, row),
    ),
    errors,
    link: { ...state.session.link, ...clockAhead(state) },
    recent: recentFiles(state),
    ...manyRemoved(state),
    ...othersRemoved(state),
    network,
    ...limitStatus(state),
    ...lockStatus(state),
    ...devicesStatus(state),
  };
}

const EMPTY_QUEUE = {
  ...{ updates: 0, inFlight: 0, bytes: 0, sentBytes: 0 },
  ...{ cancelled: 0, cancelledBytes: 0, kept: 0 },
};
type Counted = typeof EMPTY_QUEUE;

function told(
  state: ClientState,
  name: QueueName,
  { kept, ...counts }: Counted,
  bytes: number,
): QueueStatus {
  const why = bytes === 0 && kept > 0 ? NOTHING_GOES : null;
  return { ...counts, estimate: estimateOf(state, name, bytes, why) };
}

interface Facts {
  readonly metadata: QueueStatus;
  readonly data: QueueStatus;
  readonly errors: readonly ErrorStatus[];
  readonly network: NetworkStatus | null;
  readonly unsettled: { readonly paths: number; readonly commits: number };
  readonly waiting: readonly WaitingStatus[];
}

function sessionErrors(state: ClientState): ErrorStatus[] {
  const { failure, isAnswered } = state.session;
  if (failure === null || !isAnswered) return [];
  return [shown(failure.code, failure.detail, null)];
}

/** Volumes that are shown here, and that the server has no more for now. */
function removedVolumes(state: ClientState): Array<[id: VolumeId, name: string]> {
  const isShown = (id: VolumeId): boolean =>
    state.config.frontEnd !== 'folder' || isFollowed(state, id);
  return [...state.names.volumes]
    .filter(([id, { isRemoved }]) => isRemoved && isShown(id))
    .map(([id, { row }]) => [id, row.info.name]);
}

function removedErrors(state: ClientState): ErrorStatus[] {
  return removedVolumes(state).map(([, name]) => shown('volume-removed', removedText(name), null));
}

function shown(code: ErrorCode, message: string, path: string | null): ErrorStatus {
  const { summary: general, remedy } = ERROR_CODES[code];
  return { code, message: message === '' ? general : message, remedy, path };
}

function blockedError({ code, path, volume, why, remedy }: Kept): ErrorStatus {
  const told = shown(code, why, path);
  return {
    ...told,
    ...(remedy === null ? {} : { remedy }),
    ...(volume === null ? {} : { volume }),
  };
}

/** The folder's own comes first: it is the one that is meant where nobody says which. */
function volumes(state: ClientState): StatusSnapshot['volumes'] {
  const isFollower = state.config.frontEnd === 'folder';
  const isOther = (volume: VolumeId): number => Number(isBesideFolder(state, volume));
  return [...state.names.volumes.values()]
    .map(({ row: { info }, head, applied, isShut }) => ({
      ...(isShut ? { shut: true as const } : {}),
      id: info.id,
      name: info.name,
      rights: info.rights,
      head: head,
      applied: isFollower ? applied : head,
      quota: quotaOf(state, info.id),
    }))
    .sort((a, b) => isOther(a.id) - isOther(b.id) || a.id - b.id);
}

function quotaOf(state: ClientState, volume: VolumeId): QuotaStatus | null {
  const room = state.quota.of(volume);
  if (room === undefined) return null;
  const { limit, used, free } = room;
  return { limit, used, free: Math.max(0, free - Math.max(0, state.log.growth.of(volume))) };
}

function worst(state: ClientState, facts: Facts): DaemonState {
  const found = new Set<DaemonState>(['idle']);
  if (facts.waiting.some(({ stands }) => stands === true)) found.add('incomplete');
  if (facts.waiting.some(({ stands }) => stands !== true)) found.add('syncing');
  if (isTrickling(facts)) found.add('trickling');
  if (state.session.isPaused) found.add('paused');
  if (!state.session.isUp) found.add('offline');
  if (state.conflict.list.size > 0) found.add('conflict');
  if (facts.errors.some(isWrong)) found.add('error');
  return DAEMON_STATES.findLast((candidate) => found.has(candidate)) ?? 'idle';
}

/** Something in the background moves slowly, or waits, because of the network. */
function isTrickling({ network }: Facts): boolean {
  if (network === null || network.background === 'free') return false;
  return network.waiting.stores + network.waiting.fetches > 0;
}

function summary(overall: DaemonState, state: ClientState, facts: Facts): string {
  const cancelled = facts.metadata.cancelled + facts.data.cancelled;
  const waiting = facts.metadata.updates + facts.data.updates - cancelled + facts.unsettled.paths;
  const left = waiting === 0 ? '' : `, ${waiting} ${waiting === 1 ? 'change' : 'changes'} waiting`;
  switch (overall) {
    case 'idle':
      return 'Everything is synced';
    case 'incomplete':
      return incompleteText(cancelled, facts);
    case 'syncing':
      if (waiting > 0) return `Syncing: ${waiting} to send`;
      return `Syncing${firstReason(facts.waiting.filter(({ stands }) => stands !== true))}`;
    case 'trickling':
      return `${tricklingText(facts.network)}${left}`;
    case 'paused':
      return `Paused${left}`;
    case 'offline':
      return `Offline: work goes on${left}`;
    case 'conflict':
      return `${state.conflict.list.size} conflict${state.conflict.list.size === 1 ? '' : 's'}${left}`;
    case 'error':
      return facts.errors.filter(isWrong).map(named)[0] ?? 'Something is wrong';
  }
}

function named({ path, volume, message }: ErrorStatus): string {
  if (path === null) return message;
  return `${volume === undefined ? '' : `${volume}:`}${fromRoot(path)}: ${message}`;
}

/** What a person has taken out is known to them; of the rest the first is named. */
function incompleteText(cancelled: number, { waiting }: Facts): string {
  const standing = waiting.filter(({ path, stands }) => stands === true && path !== null);
  if (standing.length === 0) return `Synced but for ${cancelled} taken out of the queue`;
  return `${standing.length} not synced${firstReason(standing)}`;
}

function firstReason([first]: readonly WaitingStatus[]): string {
  if (first === undefined) return '';
  return first.path === null ? `: ${first.reason}` : `: ${fromRoot(first.path)}: ${first.reason}`;
}

function tricklingText(network: NetworkStatus | null): string {
  if (network === null) return 'Trickling';
  const { name, background, until } = network;
  if (background === 'trickles') return `Trickling on ${name}`;
  const why = until === null ? 'as you said' : 'what may be moved there today is used up';
  return `Contents wait on ${name}, ${why}`;
}

function isWrong({ code }: ErrorStatus): boolean {
  return !NOTES.has(code);
}

function cacheStatus({ cache, names }: ClientState): CoreStatus['cache'] {
  let placeholders = 0;
  // A placeholder without a status is of a file that is gone.
  for (const fid of cache.placeholders())
    if (names.attributes.get(fid) !== undefined) placeholders += 1;
  const about = { files: cache.files.count, bytes: cache.files.bytes };
  return placeholders === 0 ? about : { ...about, placeholders };
}

function manyRemoved({ calls, now }: ClientState): Pick<StatusSnapshot, 'manyRemoved'> {
  const many = calls.removals.many();
  return many === null || now.wall - many.since > REMOVALS_SHOWN
    ? {}
    : { manyRemoved: { files: many.files, since: isoTime(many.since) } };
}

function othersRemoved(state: ClientState): Pick<StatusSnapshot, 'othersRemoved'> {
  const { volumes } = state.names;
  const all = state.sharing.othersRemovals.report(state.now.wall).flatMap((each) => {
    // Nothing can be brought back where nothing may be seen.
    if (volumes.get(each.volume)?.isShut === true) return [];
    return [{ ...each, volume: volumes.nameOf(each.volume) ?? '', since: isoTime(each.since) }];
  });
  return all.length === 0 ? {} : { othersRemoved: all };
}

/** In steps: what the answer was on its way would otherwise be a new status each time. */
function clockAhead({ session: { clockAheadMs: ahead } }: ClientState) {
  return ahead === null ? {} : { clockAheadMs: Math.round(ahead / CLOCK_STEP) * CLOCK_STEP };
}

function offlineSince({ session, now }: ClientState): string {
  return isoTime(wallTime(now.wall - elapsed(session.downSince, now.at)));
}

/** Newest first, by the names they have now; what has none any more is left out. */
function recentFiles(state: ClientState): RecentFile[] {
  return state.cache.recent.all().flatMap(([fid, { how, when }]) => {
    const place = viewPlaces(state, fid)[0];
    const volume = state.names.volumes.get(volumeOf(fid))?.row.info.name;
    if (place === undefined || volume === undefined) return [];
    return [{ volume, path: pathOf(state, place), how, when: isoTime(when) }];
  });
}
