/**
 * The way down a path that is not known here, in one question (rule N1). Whoever looks a name up may say how it goes on from there: then all of the
 * way is asked for at once, and the look-ups that follow find it here.
 */
import { volumeOf, type Fid } from '../../../shared/model/fid.ts';
import { MAX_LOOKUP_NAMES } from '../../../shared/wire/limits.ts';
import { NAMES_FROM } from '../../../shared/wire/name-rpcs.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import { foundGone, learnGranted } from '../log/learn.ts';
import { isUncommitted, viewEntry, viewNameAlone } from '../log/view.ts';
import { isCurrent, statusKey } from './validation.ts';
import type { RequestId } from '../events.ts';
import type { ClientState } from '../state.ts';
import type { WaitKey } from '../waits/wait-key.ts';

/** A directory, and the names of the way down from it. */
export interface Way {
  readonly dir: Fid;
  readonly names: readonly string[];
}

const keyOf = ({ dir, names }: Way): WaitKey => ({ kind: 'lookup', dir, names });

/** What a name leads to that was told alone; null: it is free. undefined: that is not known, or may have changed since. */
export function foundAlone(
  state: ClientState,
  dir: Fid,
  name: string,
  since: RequestId,
): Fid | null | undefined {
  const status = state.names.attributes.get(dir);
  if (status?.kind !== 'directory' || state.names.volumes.isShut(dir)) return undefined;
  const told = state.names.directories.alone.get(dir, status.version, name);
  if (told === undefined || !isCurrent(state, dir, since)) return undefined;
  state.names.unused.touch(dir, state.now.at);
  return viewNameAlone(state, status, name, told);
}

/**
 * Asks for the way down. null: that can not be asked, was asked since the call began, or the directory was listed, if long ago. Else what to wait for.
 */
export function needWay(state: ClientState, way: Way, since: RequestId): WaitKey | null {
  const { dir, names } = way;
  const { directories, volumes } = state.names;
  if (names.length < 2 || !state.session.isUp || !volumes.has(volumeOf(dir))) return null;
  if (volumes.isShut(dir) || isUncommitted(state, dir)) return null;
  if (Number(state.meta.get('protocol') ?? 1) < NAMES_FROM) return null;
  if (directories.get(dir) !== undefined) return null;
  if (directories.alone.askedSince(dir, since)) return null;
  const asked = { dir, names: names.slice(0, MAX_LOOKUP_NAMES) };
  const key = keyOf(asked);
  if (state.delays.isHeld(key, state.now.at)) return key;
  if (state.sharing.questions.beginWay(key)) {
    const body = { fid: dir, names: [...asked.names] };
    state.send({ rpc: 'Lookup', body }, 'VALIDATE', { for: 'lookup', ...asked });
  }
  return key;
}

/** Goes down a way that is known here, and asks in this step whether all of it is still so: that is one question, not one for each name. */
export function validateWay(state: ClientState, { dir, names }: Way): void {
  if (!state.session.isUp || state.sharing.settings.validations === 'each') return;
  let at: Fid = dir;
  for (const name of names) {
    const next = viewEntry(state, at, name);
    if (next === undefined || next === null) return;
    if (state.names.attributes.get(next) === undefined || isUncommitted(state, next)) return;
    if (!state.isPromised(next)) state.sharing.questions.want(next);
    at = next;
  }
}

/**
 * Takes the way that the server told: statuses, promises, and the names between them. No names of a directory that was listed: the listing outlasts a
 * restart, and what was told alone does not, so an older state would be shown after the newer one.
 */
export function onWay(
  state: ClientState,
  request: RequestId,
  way: Way,
  { items, missing }: ReplyOf<'Lookup'>,
): void {
  const { directories } = state.names;
  const { alone } = directories;
  for (const [nth, { status, grant, unshared, behind }] of items.entries()) {
    state.sharing.behind.told(status.fid, behind === true, request);
    learnGranted(state, status, grant, request, unshared);
    alone.asked(status.fid, request);
    const name = way.names[nth];
    const next = items[nth + 1]?.status.fid;
    if (name === undefined || status.kind !== 'directory') continue;
    if (directories.get(status.fid) !== undefined) continue;
    if (next !== undefined) alone.put(status.fid, status.version, name, next);
    else if (missing) alone.put(status.fid, status.version, name, null);
  }
  ended(state, way);
  for (const { status } of items) state.waiting.signal(statusKey(status.fid));
}

/** The question failed. `code` null: its connection has ended. Whatever the server has against it, listings say the same. */
export function onWayFailed(
  state: ClientState,
  request: RequestId,
  way: Way,
  code: ErrorCode | null,
): void {
  if (code === 'no-such-vnode') foundGone(state, way.dir, request);
  if (code !== null) state.names.directories.alone.asked(way.dir, request);
  ended(state, way);
}

function ended(state: ClientState, way: Way): void {
  const key = keyOf(way);
  state.sharing.questions.endWay(key);
  state.waiting.signal(key);
}
