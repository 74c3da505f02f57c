/** Where what is queued is, for people: in the view, or where it was when it was logged. */
import { rootOf, type Fid, type VolumeId } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import { isRoot, pathOf, viewEntry, viewPlaces, viewStatus } from './view.ts';
import type { LoggedUpdate } from './update-log.ts';

/** Gives the path of the vnode of a queued update, '' for the root of the volume; its fid where no path is known. */
export function queuePath(state: ClientState, entry: LoggedUpdate): string {
  const { fid } = entry.update;
  if (isRoot(fid)) return '';
  const place = viewPlaces(state, fid)[0] ?? entry.place;
  return place === null ? fid : pathOfLogged(state, entry, place);
}

/** Gives the path of a place of a logged update: where its folder is gone, as it was when that was logged. */
export function pathOfLogged(state: ClientState, entry: LoggedUpdate, place: Place): string {
  const { ancestors, above } = entry;
  const top = ancestors.at(-1);
  const isWhole = ancestors[0] === place.dir && top !== undefined && isRoot(top);
  if (!isWhole || viewPlaces(state, place.dir).length > 0) return pathOf(state, place);
  return [...above.toReversed(), place.name].join('/');
}

function isAtOrUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** What is unanswered of what is at a path of a volume, or under it, in the order of the log. */
export function queuedAt(
  state: ClientState,
  volume: VolumeId,
  path: readonly string[],
): LoggedUpdate[] {
  const steps = findQueuedAt(state, volume, path);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in steps, with what the status lists by that path. Of a file only what touches it is looked at. Of a folder all of the log is, each update once and each folder on the way
 * up once; only where the folder is gone is the path of each update made and compared.
 */
export function* findQueuedAt(
  state: ClientState,
  volume: VolumeId,
  path: readonly string[],
): Generator<void, LoggedUpdate[]> {
  const found: LoggedUpdate[] = [];
  const there = resolve(state, volume, path);
  const text = path.join('/');
  const hasPath = (entry: LoggedUpdate): boolean =>
    isAtOrUnder(queuePath(state, entry), text) || isListedAt(state, entry, text);
  if (there !== null && viewStatus(state, there.fid)?.kind !== 'directory') {
    const { index } = state.log;
    const touching = [...index.onVnode(there.fid), ...index.onEntry(there.dir, there.name)];
    const entries = [...new Set(touching as LoggedUpdate[])].sort((a, b) => a.seq - b.seq);
    return entries.filter((entry) => entry.state !== 'answered' && hasPath(entry));
  }
  const below = there === null ? null : new Below(state, there.fid);
  for (const entry of state.log.all()) {
    yield;
    if (entry.state === 'answered' || entry.volume !== volume) continue;
    const isInFolder = below?.has(entry) === true || isListedAt(state, entry, text);
    const isIn = path.length === 0 || (below === null ? hasPath(entry) : isInFolder);
    if (isIn) found.push(entry);
  }
  return found;
}

/** It is not sent by itself, and the status lists it by a path at or under this one, whatever the view has. */
function isListedAt(state: ClientState, entry: LoggedUpdate, text: string): boolean {
  const { place } = entry;
  if (entry.state !== 'blocked' || place === null) return false;
  return isAtOrUnder(pathOfLogged(state, entry, place), text);
}

interface Resolved {
  readonly fid: Fid;
  readonly dir: Fid;
  readonly name: string;
}

/** What has the path in the view; null: nothing, or it is not known here. */
function resolve(state: ClientState, volume: VolumeId, path: readonly string[]): Resolved | null {
  let at: Resolved = { fid: rootOf(volume), dir: rootOf(volume), name: '' };
  for (const name of path) {
    const fid = viewEntry(state, at.fid, name) ?? null;
    if (fid === null) return null;
    at = { fid, dir: at.fid, name };
  }
  return at;
}

/** Knows of each folder that it has met whether it is in another one. */
class Below {
  readonly #state: ClientState;
  readonly #known = new Map<Fid, boolean>();

  constructor(state: ClientState, folder: Fid) {
    this.#state = state;
    this.#known.set(folder, true);
  }

  has({ update: { fid }, place: logged }: LoggedUpdate): boolean {
    const place = viewPlaces(this.#state, fid)[0] ?? logged;
    return this.#known.get(fid) ?? (place !== null && this.#isIn(place.dir));
  }

  #isIn(folder: Fid): boolean {
    const way = new Set<Fid>();
    let at: Fid | undefined = folder;
    while (at !== undefined && !this.#known.has(at) && !way.has(at) && !isRoot(at)) {
      way.add(at);
      at = viewPlaces(this.#state, at)[0]?.dir;
    }
    const isIn = at !== undefined && this.#known.get(at) === true;
    for (const each of way) this.#known.set(each, isIn);
    return isIn;
  }
}
