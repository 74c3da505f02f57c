/**
 * The server has begun a new epoch (rule I1): it was put back from a backup. What this device knew of the part that was lost
 * is offered again, as updates; then what was queued here; and nothing local is replaced by an older version.
 *
 *   Hello says where our epoch ended -> read each volume as it was there, and what was committed since -> take the
 *   contents that are to be offered into the store -> all at once: the base is the server's, the log begins with the offers
 *
 * Invariants
 * 1. The session is not up before the last step; until then calls are answered from the old cache, as when away.
 * 2. The last step is one transaction. A crash or a lost connection before it leaves the old epoch, and the next Hello begins anew.
 * 3. Numbers are never used again: what was answered in the lost part goes under a new one, and so does all that was queued.
 * 4. From the Hello until the last step no contents leave the cache that the server does not have: they may be the last copy.
 *    Where the disk takes no copy of contents to offer, there is no last step: the next Hello begins anew.
 * 5. A front end gets the new epoch when every offer has been answered (`isOffering`): then no answer is older than what
 *    it shows.
 */
import { volumeOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { FileOutcome, RequestId } from '../events.ts';
import { MAX_PAGE_COMMITS } from '../../../shared/wire/limits.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { EPOCH_COPIES } from '../../limits.ts';
import type { CachedContent } from '../cache/file-cache.ts';
import type { ClientState } from '../state.ts';
import { offerAgain, wantedContents } from './offer-again.ts';
import type { EpochChange, LostVolume, Parting } from './lost-volume.ts';
import { entriesOf } from './tree.ts';
import type { TaskPurpose } from '../waits/tasks.ts';

/** What a disk wants that takes no copy, by what it says. */
const WANTED = {
  'disk-full': 'needs room here',
  'disk-failing': 'has to be copied on this disk, which fails,',
} as const;

/**
 * Begins the change; returns false if nothing of the server is cached. Only a comparison shows whether what is cached belongs to the lost part: a
 * status that we made ourselves may have the number of an earlier commit (log/settle.ts).
 */
export function beginEpochChange(
  state: ClientState,
  request: RequestId,
  reply: ReplyOf<'Hello'>,
  partings: readonly Parting[],
): boolean {
  const cuts = partings.filter(({ volume }) => state.names.volumes.has(volume));
  if (cuts.length === 0) return false;
  const volumes = cuts.map(({ volume, last, first }): LostVolume => {
    const then = { statuses: new Map(), entries: new Map() };
    return { volume, last, then, since: [], upTo: first };
  });
  state.recovery.begin({
    ...{ request, reply, volumes, toRead: [...volumes] },
    ...{ wanted: [], copying: 0, read: false },
  });
  state.session.changingEpoch();
  state.cache.files.yieldOnly(() => false);
  state.out.log(
    'warn',
    'the server was put back from a backup: what is known here is offered again',
    {
      volumes: volumes.length,
    },
  );
  readOn(state);
  return true;
}

/** The new epoch begins later than anything we know: only then its commits differ in number from the lost ones. */
export function areLater(state: ClientState, partings: readonly Parting[]): boolean {
  return partings.every(({ volume, first }) => {
    const known = state.names.volumes.get(volume);
    return known === undefined || known.head < first;
  });
}

function readOn(state: ClientState): void {
  const change = state.recovery.change;
  const next = change?.toRead[0];
  if (change === null) return;
  if (next !== undefined) {
    const { volume, last: at } = next;
    const body = { volume, at, after: null, limit: MAX_PAGE_COMMITS };
    state.send({ rpc: 'Snapshot', body }, 'FETCH', { for: 'lost-snapshot', volume });
    return;
  }
  change.read = true;
  state.cache.files.yieldOnly((content) => isThere(change, content));
  change.wanted = change.volumes.flatMap((lost) => wantedContents(state, lost));
  copyOn(state);
}

/** The server has these contents as well: they can be fetched again. Of a volume that is not seen now nobody knows. */
function isThere({ volumes, reply }: EpochChange, { fid, digest }: CachedContent): boolean {
  const lost = volumes.find(({ volume }) => volume === volumeOf(fid));
  if (lost === undefined) return reply.volumes.some(({ id }) => id === volumeOf(fid));
  return lost.then.statuses.get(fid)?.digest === digest;
}

/**
 * Takes a page of the volume as it was where the epochs part. It asks for the next page, or for the
 * commits since.
 */
export function onLostSnapshot(state: ClientState, page: ReplyOf<'Snapshot'>): void {
  const lost = state.recovery.change?.toRead[0];
  if (lost === undefined) return;
  for (const { status, names } of page.vnodes) {
    lost.then.statuses.set(status.fid, status);
    if (status.kind === 'directory') entriesOf(lost.then, status.fid);
    for (const { dir, name } of names) entriesOf(lost.then, dir).set(name, status.fid);
  }
  const { volume, last: at } = lost;
  const after = page.vnodes.at(-1)?.status.fid ?? null;
  if (page.more && after !== null) {
    const body = { volume, at, after, limit: MAX_PAGE_COMMITS };
    state.send({ rpc: 'Snapshot', body }, 'FETCH', { for: 'lost-snapshot', volume });
  } else askSince(state, volume, at);
}

function askSince(state: ClientState, volume: VolumeId, since: CommitNumber): void {
  const body = { volume, since, limit: MAX_PAGE_COMMITS, wait: false, promise: false };
  state.send({ rpc: 'Changes', body }, 'FETCH', { for: 'lost-since', volume });
}

/**
 * Takes commits that the restored server has made since the epochs part. It asks for more, or goes
 * on with the next volume.
 */
export function onLostSince(state: ClientState, page: ReplyOf<'Changes'>): void {
  const change = state.recovery.change;
  const lost = change?.toRead[0];
  if (change === null || lost === undefined) return;
  lost.since.push(...page.commits);
  if (page.upTo > lost.upTo) lost.upTo = page.upTo;
  if (page.upTo < page.head) return askSince(state, lost.volume, page.upTo);
  change.toRead.shift();
  readOn(state);
}

/**
 * Abandons the change of epoch after the server has refused a read, and ends the connection; the
 * next Hello begins anew. `code` null: the connection has ended already.
 */
export function onLostReadFailed(state: ClientState, code: ErrorCode | null): void {
  if (state.recovery.change === null || code === null) return;
  state.out.log('warn', 'the volume before the restore can not be read now', { code });
  abandonEpochChange(state);
  state.requests.disconnect();
}

/** The connection is gone: the next Hello begins anew. */
export function abandonEpochChange(state: ClientState): void {
  state.recovery.abandon();
}

/** Takes local copies of what is to be offered; then everything happens. */
function copyOn(state: ClientState): void {
  const change = state.recovery.change;
  if (!change?.read) return;
  while (state.config.localCopies && change.copying < EPOCH_COPIES) {
    const status = change.wanted.pop();
    if (status === undefined) break;
    const { fid, version, digest, size } = status;
    if (digest === null) continue;
    const name = state.cache.files.newName();
    change.copying += 1;
    const wanted = { fid, version, digest };
    const purpose = { for: 'lost-copy', name, ...wanted, change: change.request } as const;
    state.runTask({ what: 'local-copy', ...wanted, size, name }, purpose);
  }
  if (change.copying > 0) return;
  state.recovery.abandon();
  for (const lost of change.volumes) offerAgain(state, lost);
  state.recovery.complete(change);
}

/**
 * Takes a copy of contents that are to be offered again. Where it failed, it asks the front end for
 * any version of the file that it shows. A disk that is full or fails stops the change.
 */
export function onLostCopy(
  state: ClientState,
  purpose: Extract<TaskPurpose, { for: 'lost-copy' }>,
  outcome: FileOutcome,
): void {
  const { name, fid, version, digest, change } = purpose;
  if (outcome.ok && outcome.path !== null && digest !== null) {
    state.cache.files.add({ name, fid, version, digest, size: outcome.length });
  }
  const isHere = outcome.ok && outcome.path !== null;
  if (!isWaitedFor(state, change)) return;
  if (!outcome.ok && isOfDisk(outcome.code)) return waitForDisk(state, outcome.code);
  // The front end may have a version between the one that is lost here too and the restored one: better than that.
  if (!isHere && showsLostPart(state, fid)) {
    const any = state.cache.files.newName();
    const wanted = { for: 'lost-any-copy', name: any, fid, change } as const;
    return state.runTask({ what: 'any-copy', fid, name: any }, wanted);
  }
  copied(state);
}

/**
 * Takes a copy of the version of a file that the front end had, whichever it is, as the contents to offer. A disk that is full or fails stops the
 * change.
 */
export function onLostAnyCopy(
  state: ClientState,
  { name, fid, change }: Extract<TaskPurpose, { for: 'lost-any-copy' }>,
  outcome: FileOutcome,
): void {
  if (outcome.ok && outcome.version !== undefined && outcome.digest !== null) {
    const { version, digest, length: size } = outcome;
    state.cache.files.add({ name, fid, version, digest, size });
  }
  if (!isWaitedFor(state, change)) return;
  if (!outcome.ok && isOfDisk(outcome.code)) return waitForDisk(state, outcome.code);
  copied(state);
}

/** It may have been begun for a change that was abandoned: the one that is under way now waits for copies of its own. */
function isWaitedFor(state: ClientState, change: RequestId): boolean {
  return state.recovery.change?.request === change;
}

/** It is here, and the disk takes no copy of it now (LocalCopies). */
function isOfDisk(code: ErrorCode): code is keyof typeof WANTED {
  return code in WANTED;
}

/** Offered without them, what is in the folder would be replaced by what the restored server has. */
function waitForDisk(state: ClientState, code: keyof typeof WANTED): void {
  const detail = `what the server has lost ${WANTED[code]} before it can be given back`;
  state.out.log('warn', detail);
  abandonEpochChange(state);
  state.session.refused({ code, detail });
  state.changed = true;
  state.requests.disconnect();
}

/** What the front end has in place is of a commit that the server has lost. */
function showsLostPart(state: ClientState, fid: Fid): boolean {
  const lost = state.recovery.change?.volumes.find(({ volume }) => volume === volumeOf(fid));
  return lost !== undefined && (state.names.volumes.get(lost.volume)?.applied ?? 0) > lost.last;
}

function copied(state: ClientState): void {
  if (state.recovery.change !== null) state.recovery.change.copying -= 1;
  copyOn(state);
}
