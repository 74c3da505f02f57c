/** Puts updates into the log with what a conflict may need to know later, and supersedes what was surely not sent. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { StoreUpdate, Update, UpdateSeq } from '../../../shared/model/update.ts';
import type { Standing } from '../../../shared/ports/client-store.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { endedBy as endedVnode, growthOf } from '../quota/growth.ts';
import { sortLogged } from '../consistency/sort-stores.ts';
import type { ClientState } from '../state.ts';
import { chainOf, viewPlaces, viewStatus } from '../view.ts';
import { offer } from './offer.ts';
import { enter, isAside, newStanding, takeBack, writtenAgain } from './standing.ts';
import type { LoggedUpdate } from './update-log.ts';

export interface LogOptions {
  /** A store's content in the file store. The log holds it from now on. */
  readonly content?: string;
  /** What it takes the place of: the number `flush` knows it by, and how often it was renumbered. */
  readonly rank?: UpdateSeq;
  readonly renumbered?: number;
  /** Where the vnode was, if that can't be seen any more. */
  readonly origin?: Pick<LoggedUpdate, 'place' | 'ancestors'>;
  readonly movesDirectory?: boolean;
  readonly endsVnode?: boolean;
  /** Of what it takes the place of; left out: it is new. */
  readonly standing?: Standing | null;
}

export function logUpdate(
  state: ClientState,
  update: Update,
  options: LogOptions = {},
): LoggedUpdate {
  const origin = options.origin ?? originOf(state, update);
  const ends = options.endsVnode ?? endsVnode(state, update);
  const grows = growthOf(state, update, ends);
  const entry = state.log.append({
    update,
    content: options.content ?? null,
    place: origin.place,
    ancestors: origin.ancestors,
    movesDirectory: options.movesDirectory ?? movesDirectory(state, update),
    endsVnode: ends,
    rank: options.rank ?? null,
    renumbered: options.renumbered ?? 0,
    standing: options.standing === undefined ? newStanding(state, update.op) : options.standing,
  });
  state.log.measure(entry, grows);
  const ended = ends && state.heldBack.size + state.delayed.size > 0 ? endedVnode(update) : null;
  if (ended !== null) state.endedVnodes.push(ended);
  if (entry.content !== null) state.files.hold(entry.content);
  if (options.standing === undefined) takeBack(state, entry);
  sortLogged(state, entry);
  enter(state, entry);
  offer(state, entry);
  state.changed = true;
  return entry;
}

/** A store: takes the place of an earlier one that was surely not sent and that nothing builds on. */
export function logStore(state: ClientState, update: StoreUpdate, content: string): LoggedUpdate {
  const earlier = supersedable(state, update.fid, 'store');
  if (earlier?.update.op !== 'store' || earlier.update.base + 1 !== update.base) {
    return logUpdate(state, update, { content });
  }
  const before = earlier.content;
  state.files.hold(content);
  const grows = earlier.grows + update.size - earlier.update.size;
  state.log.amend(earlier, { ...update, base: earlier.update.base }, content);
  state.log.measure(earlier, grows);
  takeBack(state, earlier);
  writtenAgain(state, earlier);
  state.files.renumber(content, update.fid, update.base);
  if (before !== null) {
    // What is offered again may be in the log twice, with one content.
    const isLogged = state.log.index.onVnode(update.fid).some((entry) => {
      return (entry as LoggedUpdate).content === before;
    });
    if (!isLogged) state.files.doom(before);
    state.files.release(before);
  }
  state.changed = true;
  return earlier;
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
  const isHere = last.state === 'queued' || isAside(last);
  return isHere && last.waiters.size === 0 ? last : undefined;
}

function originOf(state: ClientState, update: Update): { place: Place | null; ancestors: Fid[] } {
  const place = placeOf(state, update);
  return { place, ancestors: place === null ? [] : chainOf(state, place.dir) };
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
