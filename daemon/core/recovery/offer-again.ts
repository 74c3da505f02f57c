/**
 * The last step into a new epoch, for one volume: the base becomes the server's, and the log begins anew with what is known
 * here of the lost part, then with what was queued, each under a new number (rule I1).
 *
 * A version of the lost part means nothing any more. What was queued over one is queued over the version that its offer will
 * have; where somebody stored something else meanwhile, the server refuses it as any store over a stale base. A version of a file that the
 * restored server does not have becomes no version at all: its number may be another's by now.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { dataVersion, type DataVersion, type VnodeStatus } from '../../../shared/model/vnode.ts';
import type { StoreUpdate, Update, UpdateSeq } from '../../../shared/model/update.ts';
import { recordConflict } from '../conflict/outcome.ts';
import { applyChangeSet } from '../sharing/change-feed.ts';
import type { ClientState } from '../state.ts';
import { lastPlace, madeBy, originAt, viewPlaces } from '../log/view.ts';
import { leaveLog } from '../log/leave-log.ts';
import { logUpdate } from '../log/log-update.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { settle } from '../log/settle.ts';
import { lostPart, type LostPart } from './lost-part.ts';
import type { LostVolume } from './lost-volume.ts';
import { madeAlready } from './made-already.ts';
import { MovedVersions } from './moved-versions.ts';
import { withNamed } from './named-here.ts';
import { beginOffering } from '../log/offering.ts';
import { isOfItsPlace, RecoveredMoves } from './recovered-moves.ts';
import { Since, withOffered, type Tree } from './tree.ts';
import { meanServers } from '../log/learn.ts';
import type { Origin } from '../names/past-places.ts';

/** The contents to be offered that are not in the file store. */
export function wantedContents(state: ClientState, lost: LostVolume): VnodeStatus[] {
  const { now, covered } = knownNow(state, lost);
  const { updates } = compare(state, lost, now, () => true);
  const queued = logged(state, lost).filter((entry) => !covered.has(entry));
  const stored = updates.filter(({ op }) => op === 'store').map(({ fid }) => fid);
  const made = queued
    .filter(({ update }) => update.op === 'create')
    .map(({ update }) => update.fid);
  return [...new Set([...stored, ...made])]
    .map((fid) => now.statuses.get(fid))
    .filter((status) => {
      return status !== undefined && status.digest !== null && !hasContents(state, status);
    }) as VnodeStatus[];
}

/**
 * Takes one volume into the new epoch: installs the server's state, then logs the offers and the
 * queued updates again. All of it is staged in one step.
 */
export function offerAgain(state: ClientState, lost: LostVolume): void {
  const { now, covered } = knownNow(state, lost);
  const outdated = takeOlder(state, lost, now);
  const part = compare(state, lost, now, (status) => hasContents(state, status));
  const contents = holdContents(state, part, now);
  const places = placesOf(state, part);
  for (const fid of [...outdated, ...part.unavailable.map(({ fid }) => fid)]) {
    announceUnavailable(state, fid);
  }
  const taken = takeOut(state, lost).filter((entry) => !covered.has(entry));
  const already = madeAlready(state, taken, part.updates, lost);
  const queued = taken.filter((entry) => already.get(entry.update.fid) !== entry);
  const stored = storedIn(state, queued, part, now);
  for (const [{ fid }, content] of stored) {
    state.cache.files.hold(content);
    contents.set(fid, content);
  }
  const kept = [...contents.values(), ...queued.map(({ content }) => content)];
  installBase(state, lost, new Set(kept));
  const offers = logOffers(state, part.updates, { contents, already, places });
  const shifts = shiftsOf(lost, [...part.updates, ...stored.keys()], now);
  shiftRemoved(shifts, lost, queued, now);
  const versions = new MovedVersions(shifts);
  const moves = new RecoveredMoves(part.updates);
  for (const entry of queued) {
    logQueued(state, entry, moves.from(versions.over(entry.update)));
    for (const [update, content] of stored) {
      if (entry.update.op !== 'create' || entry.update.fid !== update.fid) continue;
      logUpdate(state, update, { content });
      state.cache.files.renumber(content, update.fid, dataVersion(1));
    }
  }
  // The server that there was may have had it, and others may offer it: it is no secret of ours, and nothing of it vanishes (W5).
  for (const entry of state.log.all()) if (entry.volume === lost.volume) entry.fresh = false;
  beginOffering(state, lost.volume, offers);
  for (const content of contents.values()) state.cache.files.release(content);
  moveHandles(state, versions);
  dropFetches(state, lost);
  // What the restored server has is not pending any more.
  state.out.wake(lost.volume);
  state.out.log('info', 'what the server had lost is offered again', {
    volume: lost.volume,
    updates: part.updates.length,
    queued: queued.length,
    unavailable: part.unavailable.length,
  });
}

interface OffersKnown {
  readonly contents: ReadonlyMap<Fid, string>;
  readonly already: ReadonlyMap<Fid, LoggedUpdate>;
  readonly places: ReadonlyMap<Fid, Origin>;
}

/** Where the files are whose contents are offered: with their base that is not known any more, and others may have removed them since. */
function placesOf(state: ClientState, { updates }: LostPart): Map<Fid, Origin> {
  const places = new Map<Fid, Origin>();
  for (const { op, fid } of updates) {
    const place = op === 'store' ? lastPlace(state, fid) : undefined;
    if (place !== undefined) places.set(fid, originAt(state, place));
  }
  return places;
}

/**
 * Gives the numbers (ranks) that they go by. Offers of what something queued has made already go by that one's, which `flush` waits for;
 * the one that makes it is awaited in its stead.
 */
function logOffers(
  state: ClientState,
  offers: readonly Update[],
  { contents, already, places }: OffersKnown,
): UpdateSeq[] {
  const ranks: UpdateSeq[] = [];
  const makings = new Map<Fid, UpdateSeq>();
  for (const update of offers) {
    const content = update.op === 'store' ? contents.get(update.fid) : undefined;
    const before = already.get(update.fid);
    const { rank, seq } = logUpdate(state, update, {
      ...(content === undefined ? {} : { content }),
      ...(before === undefined ? {} : { rank: before.rank }),
      had: places.get(update.fid) ?? null,
    });
    ranks.push(rank);
    if (update.op === 'store' && content !== undefined) {
      state.cache.files.renumber(content, update.fid, dataVersion(update.base + 1));
    }
    if (madeBy(update) !== null) makings.set(update.fid, seq);
  }
  for (const [fid, { seq }] of already) {
    state.conflict.adjustments.renumbered(seq, makings.get(fid) ?? null);
  }
  return ranks;
}

/**
 * What is known here of the volume as it was when the server was lost; what is older than the restored state is left out. A version that it never had
 * is later, even if its status names an older commit.
 */
function knownNow(
  state: ClientState,
  { volume: id, last, then }: LostVolume,
): { readonly now: Tree; readonly covered: ReadonlySet<LoggedUpdate> } {
  const caughtUp = state.names.volumes.get(id)?.row.caughtUp ?? 0;
  const now: Tree = { statuses: new Map(), entries: new Map() };
  for (const status of state.names.attributes.all()) {
    if (volumeOf(status.fid) !== id) continue;
    const before = then.statuses.get(status.fid);
    const isLater =
      status.commit > last || (before !== undefined && status.version > before.version);
    if (isLater || caughtUp >= last) now.statuses.set(status.fid, status);
  }
  for (const dir of state.names.directories.all()) {
    const known = state.names.directories.get(dir);
    if (known === undefined || volumeOf(dir) !== id) continue;
    if (known.asOf >= last || caughtUp >= last) now.entries.set(dir, new Map(known.entries));
  }
  return { now, covered: withNamed(state, id, last, now) };
}

function compare(
  state: ClientState,
  { volume, last, then, since }: LostVolume,
  now: Tree,
  has: (status: VnodeStatus) => boolean,
): LostPart {
  const entries = [...then.entries].map(([dir, names]) => [dir, new Map(names)] as const);
  const before = { statuses: new Map(then.statuses), entries: new Map(entries) };
  withOffered(before, now, new Since(since));
  const root = state.names.volumes.get(volume)?.row.info.root ?? (`${volume}.1.1` as Fid);
  const isQueued = (fid: Fid): boolean => hasQueuedStore(state, fid);
  const isNameless = ({ fid, commit }: VnodeStatus): boolean =>
    commit > last && state.log.index.onVnode(fid).every(({ update }) => isOfItsPlace(update, fid));
  return lostPart({ root, then: before, now, has, isQueued, isNameless });
}

function hasContents(state: ClientState, status: VnodeStatus): boolean {
  return contentOf(state, status) !== null;
}

/** A queued store of ours may have the number of another's version: only the digest distinguishes the two. */
function contentOf(state: ClientState, { fid, version, digest }: VnodeStatus): string | null {
  if (digest === null) return null;
  const exact = state.cache.files.find({ fid, version, digest });
  const cached = exact ?? state.cache.files.newestOf(fid, (content) => content.digest === digest);
  return cached?.name ?? null;
}

/**
 * Where the newest contents of a file are nowhere here, those of the lost version that is here are offered: they are newer than
 * the restored ones. Gives the files.
 */
function takeOlder(state: ClientState, { volume, then }: LostVolume, now: Tree): Fid[] {
  const outdated: Fid[] = [];
  // A device that may only read can not offer: its contents are reported as lost.
  if (state.names.volumes.get(volume)?.row.info.rights !== 'write') return outdated;
  for (const status of [...now.statuses.values()]) {
    const { fid, kind, digest } = status;
    if (kind !== 'file' || digest === null || hasContents(state, status)) continue;
    if (hasQueuedStore(state, fid)) continue;
    const before = then.statuses.get(fid);
    const older = state.cache.files.newestAfter(fid, before?.version ?? 0);
    if (older === null || older.digest === null || older.digest === before?.digest) continue;
    now.statuses.set(fid, { ...status, digest: older.digest, size: older.size });
    outdated.push(fid);
  }
  return outdated;
}

function hasQueuedStore(state: ClientState, fid: Fid): boolean {
  return state.log.index.onVnode(fid).some(({ update }) => update.op === 'store');
}

/** Nothing that is to be offered goes with the base it belonged to. */
function holdContents(state: ClientState, part: LostPart, now: Tree): Map<Fid, string> {
  const held = new Map<Fid, string>();
  for (const update of part.updates) {
    const status = update.op === 'store' ? now.statuses.get(update.fid) : undefined;
    const content = status === undefined ? null : contentOf(state, status);
    if (content === null) continue;
    state.cache.files.hold(content);
    held.set(update.fid, content);
  }
  return held;
}

/**
 * What was stored in files whose making is in the log still: its own place is after that. Their store may have been answered
 * before the making was: then it is in the log no more.
 */
function storedIn(
  state: ClientState,
  queued: readonly LoggedUpdate[],
  part: LostPart,
  now: Tree,
): Map<StoreUpdate, string> {
  const stored = new Map<StoreUpdate, string>();
  const offered = new Set(part.updates.map(({ op, fid }) => (op === 'store' ? fid : null)));
  for (const { update } of queued) {
    const status = now.statuses.get(update.fid);
    if (update.op !== 'create' || status === undefined || offered.has(update.fid)) continue;
    const { fid, digest, size, mtime } = status;
    const content = contentOf(state, status);
    if (digest === null || content === null) continue;
    stored.set({ op: 'store', fid, base: dataVersion(0), size, digest, mtime }, content);
  }
  return stored;
}

/** The log of the volume, but for what the restored server has as well. */
function logged(state: ClientState, { volume, last }: LostVolume): LoggedUpdate[] {
  return [...state.log.all()].filter((entry) => {
    return entry.volume === volume && (entry.answer === null || entry.answer.commit > last);
  });
}

/** Contents stay held. */
function takeOut(state: ClientState, lost: LostVolume): LoggedUpdate[] {
  const taken = logged(state, lost);
  for (const entry of taken) {
    if (entry.update.op === 'store' && !entry.fresh) {
      state.queue.mark(entry.seq);
    }
    leaveLog(state, entry);
  }
  return taken;
}

/** The server's volume as it was, and then what it has committed since. */
function installBase(
  state: ClientState,
  { volume: id, last, then, since, upTo }: LostVolume,
  kept: ReadonlySet<string | null>,
): void {
  const volume = state.names.volumes.get(id);
  if (volume === undefined) return;
  const logged = new Set([...kept, ...[...state.log.all()].map(({ content }) => content)]);
  const known = [...state.names.attributes.all()].map(({ fid }) => fid);
  const held: string[] = [];
  const newest = new Map(then.statuses);
  for (const { vnodes } of since) for (const status of vnodes) newest.set(status.fid, status);
  for (const fid of new Set([...known, ...state.names.directories.all()])) {
    if (volumeOf(fid) !== id) continue;
    state.names.attributes.forget(fid);
    state.names.directories.forget(fid);
    const status = newest.get(fid);
    const present = status?.kind === 'file' && status.links > 0 ? status : null;
    // It has to stay through the versions on the way to it.
    const content = present === null ? null : state.cache.files.find(present);
    if (content !== null) {
      held.push(content.name);
      state.cache.files.hold(content.name);
    }
    state.cache.files.keepOnly(fid, present);
    state.cache.files.doomOthers(fid, present, logged);
  }
  state.names.attributes.beginEpoch(id);
  state.names.directories.alone.clear();
  // The server may give the numbers of these blocks again (rule I3).
  volume.madeBefore = [];
  for (const status of then.statuses.values()) {
    state.names.attributes.set(status);
    meanServers(state, status.fid);
  }
  for (const [dir, entries] of then.entries) {
    const status = then.statuses.get(dir);
    if (status !== undefined) state.names.directories.install(dir, last, status.version, entries);
  }
  for (const set of since) applyChangeSet(state, set);
  for (const name of held) state.cache.files.release(name);
  for (const fid of then.statuses.keys()) settle(state, fid);
  volume.row = { ...volume.row, caughtUp: upTo };
  volume.head = upTo;
  volume.walk = null;
  volume.catchingUp = 'no';
  state.conflict.list.giveUpUnseen(id);
  state.names.volumes.save(volume);
}

/** How far the version of each vnode has moved: from the one it had here to the one its offer will have. */
function shiftsOf(
  { then, since }: LostVolume,
  updates: readonly Update[],
  now: Tree,
): Map<Fid, number> {
  const offered = new Map<Fid, number>();
  for (const update of updates) {
    if (update.op === 'create') offered.set(update.fid, 0);
    if (update.op === 'store') offered.set(update.fid, update.base + 1);
  }
  const told = new Since(since);
  const shifts = new Map<Fid, number>();
  for (const { fid, kind, digest, version } of now.statuses.values()) {
    if (kind !== 'file') continue;
    const stored = digest === null ? null : told.versionOf(fid, digest);
    const next = offered.get(fid) ?? stored ?? then.statuses.get(fid)?.version ?? 0;
    if (next !== version) shifts.set(fid, next - version);
  }
  return shifts;
}

/**
 * What was removed in the lost part is not known any more, but what is queued may be over a version of that: over the one the restored
 * server has, from which that was made. Its number may be another's by now.
 */
function shiftRemoved(
  shifts: Map<Fid, number>,
  { then }: LostVolume,
  queued: readonly LoggedUpdate[],
  now: Tree,
): void {
  for (const { update } of queued) {
    const over = madeOver(update);
    if (over === null || now.statuses.has(over.fid) || shifts.has(over.fid)) continue;
    const last = then.statuses.get(over.fid)?.version ?? 0;
    shifts.set(over.fid, Math.min(last - over.base, 0));
  }
}

/** The version of a file that an update is over. */
function madeOver(update: Update): { readonly fid: Fid; readonly base: DataVersion } | null {
  if (update.op === 'rename') return update.over;
  return update.op === 'store' || update.op === 'remove' ? update : null;
}

function logQueued(state: ClientState, entry: LoggedUpdate, update: Update): void {
  const { place, ancestors, above, rank, renumbered, content } = entry;
  const { movesDirectory, endsVnode, queueStatus } = entry;
  const origin = { place, ancestors, above };
  const kept = { rank, renumbered, origin, movesDirectory, endsVnode, queueStatus };
  const again = logUpdate(state, update, content === null ? kept : { ...kept, content });
  if (content !== null) {
    if (update.op === 'store') {
      state.cache.files.renumber(content, update.fid, dataVersion(update.base + 1));
    }
    state.cache.files.release(content);
  }
  state.conflict.adjustments.renumbered(entry.seq, again.seq);
}

function moveHandles(state: ClientState, versions: MovedVersions): void {
  for (const handle of state.calls.handles.values()) {
    handle.base = versions.now(handle.fid, handle.base);
  }
}

/**
 * Drops the fetches of a volume, since a version number of the lost part may name another version now. Calls that wait fetch again, or learn that the
 * file is gone.
 */
function dropFetches(state: ClientState, { volume }: LostVolume): void {
  for (const { key, fid, into } of [...state.cache.fetches.values()]) {
    if (volumeOf(fid) !== volume) continue;
    state.cache.fetches.drop(key);
    for (const { call } of state.waiting.waitingOn(key)) {
      if (into === 'caller') state.refuse(call, 'version-gone', 'the server has lost that version');
    }
    state.waiting.signal(key);
  }
}

/** Only its name was known here. Another device may have it, and offer it. Said while the place is still known. */
function announceUnavailable(state: ClientState, fid: Fid): void {
  const place = viewPlaces(state, fid)[0];
  if (place === undefined) {
    state.out.log('warn', 'the server lost a file whose contents are not here', { fid });
  } else recordConflict(state, place, place, 'contents-lost');
}
