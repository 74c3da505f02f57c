/**
 * What programs have put into a mount point that shows nothing, and have taken out again (M2). The server refuses the update that gave it a name there.
 * Nobody needs that name any more, and all that was done since would wait for it without end. So what was refused gives the name that it has by now.
 *
 * Invariants
 * 1. Only what was surely not applied is rewritten: what the server has refused on this connection, and what waits for that.
 * 2. Of a new vnode the names are left that it has now. Of one that the server has, the way from its name there to the one that it has now.
 * 3. Where another update needs one of these names in between, ours has a name of ours till then (SWAP_PREFIX): each is possible after those before.
 * 4. Each rewriting leaves fewer updates that take a name away, or gives a new vnode a name outside: so they come to an end.
 */
import { parseFid, rootOf, volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { isSwapName, SWAP_PREFIX } from '../../../shared/model/names.ts';
import type { Update, UpdateSeq } from '../../../shared/model/update.ts';
import type { DataVersion } from '../../../shared/model/vnode.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { withoutMark } from '../../../shared/wire/updates.ts';
import { refusesEntries } from '../log/mount-points.ts';
import { isInMountPoint } from '../log/queue-status.ts';
import { relog } from '../log/relog.ts';
import { effectsOf, objectsOf } from '../log/update-index.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import { madeBy, viewStatus } from '../log/view.ts';
import type { ClientState } from '../state.ts';
import { markAt, type MarkedPlace } from './outcome.ts';

type Op<O extends Update['op']> = Extract<Update, { op: O }>;
type Making = Op<'create' | 'mkdir' | 'symlink'>;
type Rename = Op<'rename'>;

/** Notes that an update was refused in a mount point: of it, and of all that waits for it, something may be outside by now. */
export function noteInMount(state: ClientState, entry: LoggedUpdate): void {
  const { conflict, log } = state;
  conflict.refusedInMounts.add(entry.seq);
  for (const { update } of [entry, ...log.dependents(entry)]) {
    for (const fid of objectsOf(update)) conflict.renamed.add(fid);
  }
}

/** Rewrites what was refused in mount points, of all vnodes that were given or have lost a name since. */
export function leaveMountPoints(state: ClientState): void {
  const { renamed, refusedInMounts } = state.conflict;
  if (renamed.size === 0) return;
  const firstOf = (fid: Fid): number => state.log.index.onVnode(fid)[0]?.seq ?? 0;
  // What was replaced goes before what replaces it. What is in a folder was made after it, and has left it before it goes.
  const order = (a: Fid, b: Fid): number =>
    Number(isReplaced(state, b)) - Number(isReplaced(state, a)) || firstOf(b) - firstOf(a);
  const fids = [...renamed].sort(order);
  renamed.clear();
  for (const fid of fids) while (rewriteOne(state, fid)) state.changed = true;
  for (const seq of refusedInMounts) {
    const entry = state.log.get(seq);
    if (entry === undefined || !isInMountPoint(entry)) refusedInMounts.delete(seq);
  }
}

function isReplaced({ log }: ClientState, fid: Fid): boolean {
  return log.index.onVnode(fid).some(({ update }) => update.fid !== fid);
}

/** A name that was refused, and what became of it. */
interface Way {
  readonly giver: LoggedUpdate;
  readonly from: Place;
  /** In the order of the log; the last one gave the name `end`, or took the last one away. */
  readonly takers: readonly LoggedUpdate[];
  readonly end: Place | null;
}

/** What becomes of the giver, and of those that wait for it and do not stay as they are. */
interface Plan {
  readonly instead: readonly Update[];
  readonly others: ReadonlyMap<UpdateSeq, Update | null>;
}

/** False: nothing of the vnode is left to be rewritten. */
function rewriteOne(state: ClientState, fid: Fid): boolean {
  const updates = state.log.index.onVnode(fid) as readonly LoggedUpdate[];
  for (const [index, giver] of updates.entries()) {
    const from = givenBy(giver.update, fid);
    if (from === null || !isStuck(state, giver)) continue;
    const later = updates.slice(index + 1);
    const way = { giver, from, ...followed(later, fid, from) };
    const plan = way.takers.length > 0 ? planOf(state, way, later) : outside(state, way, later);
    if (plan === null) continue;
    const { instead, others } = plan;
    relog(state, giver, {
      instead: instead.map((update) => ({ update })),
      dependent: (update, { seq }) => others.get(seq) ?? (others.has(seq) ? null : update),
      leaves: from,
      renumbered: 0,
    });
    return true;
  }
  return false;
}

/** The server has refused it for its mount point, or something that it waits for. */
function isStuck({ log }: ClientState, entry: LoggedUpdate): boolean {
  const open = [entry];
  const met = new Set(open);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isInMountPoint(next)) return true;
    for (const seq of next.waitsFor) {
      const earlier = log.get(seq);
      if (earlier === undefined || met.has(earlier)) continue;
      met.add(earlier);
      open.push(earlier);
    }
  }
  return false;
}

/** The name that an update gives a vnode. */
function givenBy(update: Update, fid: Fid): Place | null {
  if (update.fid !== fid) return null;
  if (update.op === 'rename') return { dir: update.toDir, name: update.toName };
  const isGiven = madeBy(update) !== null || update.op === 'link';
  return isGiven && 'dir' in update ? { dir: update.dir, name: update.name } : null;
}

const isSame = (a: Place, b: Place): boolean => a.dir === b.dir && a.name === b.name;

function followed(
  later: readonly LoggedUpdate[],
  fid: Fid,
  from: Place,
): Pick<Way, 'takers' | 'end'> {
  const takers: LoggedUpdate[] = [];
  let end: Place | null = from;
  for (const entry of later) {
    const next: Place | null = end === null ? null : after(entry.update, fid, end);
    if (end === null || next === end) continue;
    takers.push(entry);
    end = next;
  }
  return { takers, end };
}

/** Where a vnode that is `at` a place is after an update of it; null: that name is taken away. */
function after(update: Update, fid: Fid, at: Place): Place | null {
  switch (update.op) {
    case 'rename': {
      const [from, to] = placesOf(update);
      if (update.fid === fid) return isSame(from, at) ? to : at;
      return isSame(to, at) ? null : at;
    }
    case 'remove':
    case 'rmdir':
      return isSame(update, at) ? null : at;
    default:
      return at;
  }
}

const placesOf = ({ fromDir, fromName, toDir, toName }: Rename): [from: Place, to: Place] => [
  { dir: fromDir, name: fromName },
  { dir: toDir, name: toName },
];

/** null: it stays refused as it is. */
function planOf(state: ClientState, way: Way, later: readonly LoggedUpdate[]): Plan | null {
  const { update } = way.giver;
  const plan =
    update.op === 'rename'
      ? planOfMoved(state, way, update)
      : update.op === 'link'
        ? planOfLink(state, way, update)
        : way.end === null
          ? planWithoutName(state, way, update as Making, later)
          : planOfMaking(state, way, update as Making, way.end);
  // Nothing is shown to others by a name of ours, and then refused.
  const isByOurs = plan?.instead.some((each) => isSwapped(each)) === true;
  return isByOurs && way.end !== null && isRefusedPlace(state, way.end) ? null : plan;
}

function isSwapped(update: Update): boolean {
  const given = givenBy(update, update.fid);
  return given !== null && isSwapName(given.name);
}

/** All that took the name on but the last one. What one of them replaced is gone all the same. */
function between(state: ClientState, { takers }: Way): Map<UpdateSeq, Update | null> {
  return new Map(
    takers.slice(0, -1).map(({ seq, update }) => {
      const over = update.op === 'rename' ? update.over : null;
      return [seq, over === null ? null : removalOver(state, update as Rename, over)];
    }),
  );
}

function removalOver(
  state: ClientState,
  update: Rename,
  over: NonNullable<Rename['over']>,
): Update {
  const [, to] = placesOf(update);
  return removal(state, { ...over, ...to, at: update.at });
}

function removal(
  state: ClientState,
  { fid, dir, name, base, at }: Place & { fid: Fid; base: DataVersion; at: Rename['at'] },
): Update {
  const isDirectory = viewStatus(state, fid)?.kind === 'directory';
  if (isDirectory) return { op: 'rmdir', fid, dir, name, at };
  return { op: 'remove', fid, dir, name, base, at };
}

/** What is left of the last one, where it took the name away: what was renamed over it is where it was renamed to. */
function withoutReplaced({ update }: LoggedUpdate): Update | null {
  return update.op === 'rename' ? { ...update, over: null } : null;
}

/** It is made where it is now. */
function planOfMaking(state: ClientState, way: Way, made: Making, end: Place): Plan {
  const { giver, takers } = way;
  const others = between(state, way);
  const last = takers.at(-1) as LoggedUpdate;
  const update = last.update as Rename;
  const isDirect = update.over === null && !isUsed(state, giver, end);
  const to = isDirect ? { ...end, ...markAt(update) } : swapPlace(made.fid);
  others.set(last.seq, isDirect ? null : renamedFrom(update, to));
  return { instead: [madeAt(made, to)], others };
}

/** It has no name any more that was followed: it is made by the next one that it has, or not at all. */
function planWithoutName(
  state: ClientState,
  way: Way,
  made: Making,
  later: readonly LoggedUpdate[],
): Plan | null {
  const { giver, takers } = way;
  const { fid } = made;
  const waiting = state.log.dependents(giver);
  // Something is in it still: it is not as it looks.
  if (waiting.some(({ update }) => effectsOf(update).some(({ dir }) => dir === fid))) return null;
  const others = between(state, way);
  const last = takers.at(-1) as LoggedUpdate;
  others.set(last.seq, withoutReplaced(last));
  const link = later.find(({ update, state: is }) => update.op === 'link' && is !== 'answered');
  if (link !== undefined) {
    const { instead, asLink } = madeByLink(state, giver, made, link.update as Op<'link'>);
    others.set(link.seq, asLink);
    return { instead: [instead], others };
  }
  for (const { seq, update } of waiting) {
    if (update.fid === fid && !others.has(seq)) others.set(seq, null);
  }
  return { instead: [], others };
}

function madeByLink(
  state: ClientState,
  giver: LoggedUpdate,
  made: Making,
  link: Op<'link'>,
): { instead: Update; asLink: Update | null } {
  if (!isUsed(state, giver, link)) return { instead: madeAt(made, link), asLink: null };
  const { fid, dir, name, at } = link;
  const swap = swapPlace(fid);
  const asLink: Rename = {
    ...{ op: 'rename', fid, fromDir: swap.dir, fromName: swap.name, toDir: dir, toName: name },
    ...{ over: null, at, ...markAt(link) },
  };
  return { instead: madeAt(made, swap), asLink };
}

/** A new file that has its first name in a mount point is made by one that it has outside; the first is the second then, and is refused. */
function outside(state: ClientState, way: Way, later: readonly LoggedUpdate[]): Plan | null {
  const { giver, from } = way;
  const made = giver.update;
  if (madeBy(made) === null || !isRefusedPlace(state, from)) return null;
  const link = later.find(({ update }) => update.op === 'link' && !isRefusedPlace(state, update));
  const given = link?.update;
  if (link === undefined || given?.op !== 'link' || isUsed(state, giver, given)) return null;
  const { fid, at } = given;
  const others = new Map([[link.seq, { op: 'link', fid, ...from, at } as const]]);
  return { instead: [madeAt(made as Making, given)], others };
}

/** Nothing can be made there: it is a mount point, or the making of the directory was refused. */
function isRefusedPlace(state: ClientState, { dir }: Place): boolean {
  if (refusesEntries(state, dir) !== null) return true;
  const [first] = state.log.index.onVnode(dir) as readonly LoggedUpdate[];
  return first !== undefined && madeBy(first.update) !== null && isStuck(state, first);
}

/** The second name is the one that it has now, or there is none. */
function planOfLink(state: ClientState, way: Way, link: Op<'link'>): Plan {
  const { takers, end } = way;
  const others = between(state, way);
  const last = takers.at(-1) as LoggedUpdate;
  if (end === null) {
    others.set(last.seq, withoutReplaced(last));
    return { instead: [], others };
  }
  const { fid } = link;
  const update = last.update as Rename;
  if (update.over === null) {
    others.set(last.seq, { op: 'link', fid, ...end, at: update.at, ...markAt(update) });
    return { instead: [], others };
  }
  const swap = swapPlace(fid);
  others.set(last.seq, renamedFrom(update, swap));
  return { instead: [{ op: 'link', fid, ...swap, at: link.at }], others };
}

/** It goes from where the server has it to where it is now, in one step. */
function planOfMoved(state: ClientState, way: Way, moved: Rename): Plan {
  const { giver, takers, end } = way;
  const { fid, at } = moved;
  const others = between(state, way);
  const last = takers.at(-1) as LoggedUpdate;
  const [had] = placesOf(moved);
  const isDirect = !isUsed(state, giver, had);
  const swap = swapPlace(fid);
  const from = isDirect ? had : swap;
  const instead: Update[] = moved.over === null ? [] : [removalOver(state, moved, moved.over)];
  if (!isDirect) instead.push({ ...moved, toDir: swap.dir, toName: swap.name, over: null });
  const { update } = last;
  if (end !== null) {
    const isBack = isSame(from, end) && (update as Rename).over === null;
    others.set(last.seq, isBack ? null : renamedFrom(update as Rename, from));
  } else if (update.op === 'remove' || update.op === 'rmdir') {
    others.set(last.seq, { ...update, ...from });
  } else {
    const base = (update as Rename).over?.base as DataVersion;
    instead.push(removal(state, { fid, ...from, base, at }));
    others.set(last.seq, withoutReplaced(last));
  }
  return { instead, others };
}

/** Others that wait for an update give or take this name. */
function isUsed({ log }: ClientState, giver: LoggedUpdate, place: Place): boolean {
  const { fid } = giver.update;
  return log.dependents(giver).some(({ update }) => {
    return update.fid !== fid && effectsOf(update).some((effect) => isSame(effect, place));
  });
}

function madeAt(made: Making, { dir, name, ...said }: MarkedPlace): Update {
  return { ...withoutMark(made), dir, name, ...markAt(said) };
}

const renamedFrom = (update: Rename, { dir, name }: Place): Update => ({
  ...update,
  ...{ fromDir: dir, fromName: name },
});

function swapPlace(fid: Fid): Place {
  return { dir: rootOf(volumeOf(fid)), name: `${SWAP_PREFIX}${parseFid(fid)?.vnode ?? 0}` };
}
