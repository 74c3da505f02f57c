/** Puts updates into the log with what a conflict may need to know later, and supersedes what was surely not sent. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { StoreUpdate, Update, UpdateSeq } from '../../../shared/model/update.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { growthOf } from './growth.ts';
import { sortLogged } from '../sharing/sort-stores.ts';
import type { ClientState } from '../state.ts';
import { lastPlace, originAt, viewPlaces, viewStatus } from './view.ts';
import { offer, reorder } from './offer.ts';
import {
  enter,
  isCancelled,
  isDamaged,
  newQueueStatus,
  queueStatusAfter,
  takeBack,
} from './queue-status.ts';
import { effectsOf, objectsOf } from './update-index.ts';
import type { LoggedUpdate, QueueStatus } from './update-log.ts';
import { isUnheardOf } from './vanish.ts';
import { type Mtime, mtimeFromMs } from '../../../shared/model/vnode.ts';
import type { Origin } from '../names/past-places.ts';

export interface LogOptions {
  /** A store's content in the file store. The log holds it from now on. */
  readonly content?: string;
  /** What it takes the place of: the number `flush` knows it by, and how often it was renumbered. */
  readonly rank?: UpdateSeq;
  readonly renumbered?: number;
  /** Where the vnode was, if that can't be seen any more. */
  readonly origin?: LoggedOrigin;
  /** The same, where the view has no name of it. */
  readonly had?: Origin | null;
  readonly movesDirectory?: boolean;
  readonly endsVnode?: boolean;
  /** Of what it takes the place of; left out: it is new. */
  readonly queueStatus?: QueueStatus | null;
}

/**
 * Appends an update to the log, with its origin, growth and queue status, and offers it to its
 * queue. The log holds its content in the file cache. An update that it depends on, and that a
 * person has put aside, is taken back.
 */
export function logUpdate(
  state: ClientState,
  update: Update,
  options: LogOptions = {},
): LoggedUpdate {
  const origin = originOf(state, update, options);
  const ends = options.endsVnode ?? endsVnode(state, update);
  const grows = growthOf(state, update, ends);
  const entry = state.log.append({
    update,
    content: options.content ?? null,
    place: origin.place,
    ancestors: origin.ancestors,
    above: origin.above,
    movesDirectory: options.movesDirectory ?? movesDirectory(state, update),
    endsVnode: ends,
    rank: options.rank ?? null,
    renumbered: options.renumbered ?? 0,
    queueStatus:
      options.queueStatus === undefined ? newQueueStatus(state, update.op) : options.queueStatus,
  });
  state.log.measure(entry, grows);
  const ended = ends ? endedBy(update)?.fid : undefined;
  if (ended !== undefined && mayBePointless(state, ended)) state.quota.noteEnded(ended);
  noteNames(state, update);
  if (entry.content !== null) state.cache.files.hold(entry.content);
  if (options.queueStatus === undefined) takeBack(state, entry);
  sortLogged(state, entry);
  enter(state, entry);
  offer(state, entry);
  state.changed = true;
  return entry;
}

/** What it names may have been put into a mount point before, and leave it by this. */
function noteNames({ conflict: { refusedInMounts, renamed } }: ClientState, update: Update): void {
  if (refusedInMounts.size === 0 || effectsOf(update).length === 0) return;
  for (const fid of objectsOf(update)) renamed.add(fid);
}

/** Something that was logged of a vnode before it was ended may not have to be sent. */
function mayBePointless(state: ClientState, fid: Fid): boolean {
  if (state.quota.heldCount + state.queue.delayedCount > 0 || isUnheardOf(state, fid)) return true;
  return state.log.index.onVnode(fid).some((entry) => isDamaged(entry as LoggedUpdate));
}

/**
 * A store: an earlier one that was surely not sent and that nothing builds on is pointless, and this one goes to the end of the queue (W5). It keeps
 * the rank, so a call that waits for the earlier one waits for this one. `had`: the name that the file had when it was opened, if the view has none
 * any more. Which update has the mark of the file meanwhile: hidden-updates.ts.
 */
export function logStore(
  state: ClientState,
  update: StoreUpdate,
  content: string,
  had: Origin | null = null,
): LoggedUpdate {
  const earlier = supersedable(state, update.fid, 'store');
  if (earlier?.update.op !== 'store' || earlier.update.base + 1 !== update.base) {
    return logUpdate(state, update, { content, had });
  }
  const { seq, rank, renumbered, expedited, content: before, update: was } = earlier;
  const grows = earlier.grows + update.size - was.size;
  const prerequisites = state.log.prerequisites(earlier);
  state.spared.add('overwritten', was);
  state.log.hidden.superseded(seq, update.fid);
  state.log.remove(earlier);
  state.queue.forget(seq);
  const queueStatus = queueStatusAfter(state, earlier);
  const superseding = { ...update, base: was.base };
  const { place, ancestors, above } = earlier;
  const named = had ?? (place === null ? null : { place, ancestors, above });
  const options = { content, rank, renumbered, queueStatus, had: named };
  const entry = logUpdate(state, superseding, options);
  entry.expedited = expedited;
  reorder(state);
  state.log.measure(entry, grows);
  for (const each of prerequisites) takeBack(state, each);
  state.conflict.adjustments.renumbered(seq, entry.seq);
  state.cache.files.renumber(content, update.fid, update.base);
  if (before !== null) letGo(state, update.fid, before);
  return entry;
}

/**
 * What is offered again may be in the log twice, with one content. And the server may have the very same as its present version: from another
 * copy of this data folder, or since somebody else has saved it too. Then it stays in the cache, as what is fetched does.
 */
function letGo(state: ClientState, fid: Fid, content: string): void {
  const isLogged = state.log.index.onVnode(fid).some((entry) => {
    return (entry as LoggedUpdate).content === content;
  });
  const present = state.config.frontEnd === 'folder' ? undefined : state.names.attributes.get(fid);
  const isPresent = present !== undefined && state.cache.files.find(present)?.name === content;
  if (!isLogged && !isPresent) state.cache.files.doom(content);
  state.cache.files.release(content);
}

/** A setattr: goes into an earlier one that was surely not sent. */
export function logSetattr(
  state: ClientState,
  update: Extract<Update, { op: 'setattr' }>,
): LoggedUpdate {
  const earlier = supersedable(state, update.fid, 'setattr');
  if (earlier?.update.op !== 'setattr') return logUpdate(state, update);
  const merged = {
    ...earlier.update,
    mode: update.mode ?? earlier.update.mode,
    mtime: update.mtime ?? earlier.update.mtime,
    xattrs: update.xattrs ?? earlier.update.xattrs,
  };
  state.log.amend(earlier, merged, null);
  state.spared.add('merged', update);
  takeBack(state, earlier);
  return earlier;
}

function supersedable(
  state: ClientState,
  fid: Fid,
  op: 'store' | 'setattr',
): LoggedUpdate | undefined {
  const last = state.log.index.onVnode(fid).at(-1) as LoggedUpdate | undefined;
  if (last === undefined || last.update.op !== op || !last.fresh) return undefined;
  const isHere = last.state === 'queued' || isCancelled(last);
  return isHere && last.waiters.size === 0 ? last : undefined;
}

type LoggedOrigin = Pick<LoggedUpdate, 'place' | 'ancestors' | 'above'>;

/** Where what it changes is; of what has no name any more, where it was. No place: no name of it was ever known here. */
function originOf(state: ClientState, update: Update, options: LogOptions): LoggedOrigin {
  const { origin, had } = options;
  if (origin !== undefined && origin.place !== null) return origin;
  const seen = placeOf(state, update);
  if (seen === null && had !== undefined && had !== null) return had;
  const place = seen ?? lastPlace(state, update.fid);
  return place === undefined ? { place: null, ancestors: [], above: [] } : originAt(state, place);
}

function placeOf(state: ClientState, update: Update): Place | null {
  switch (update.op) {
    case 'store':
    case 'setattr':
      return viewPlaces(state, update.fid)[0] ?? null;
    case 'rename':
      return { dir: update.toDir, name: update.toName };
    default:
      return { dir: update.dir, name: update.name };
  }
}

/** The view has no other name of what this takes a name from. */
function endsVnode(state: ClientState, update: Update): boolean {
  const ended = endedBy(update);
  if (ended === null) return false;
  const { fid, place } = ended;
  const others = viewPlaces(state, fid).filter((p) => p.dir !== place.dir || p.name !== place.name);
  return others.length === 0 && (viewStatus(state, fid)?.links ?? 2) <= 1;
}

function endedBy(update: Update): { fid: Fid; place: Place } | null {
  switch (update.op) {
    case 'remove':
    case 'rmdir':
      return { fid: update.fid, place: { dir: update.dir, name: update.name } };
    case 'rename': {
      const place = { dir: update.toDir, name: update.toName };
      return update.over === null ? null : { fid: update.over.fid, place };
    }
    default:
      return null;
  }
}

function movesDirectory(state: ClientState, update: Update): boolean {
  if (update.op !== 'rename') return false;
  return viewStatus(state, update.fid)?.kind === 'directory';
}

export function wallMtime(state: ClientState): Mtime {
  return mtimeFromMs(state.now.wall);
}
