/**
 * Contents that may never get to the server are copied to where their owner finds them, `lost+found` of the data folder (C1).
 *
 * Invariants
 * 1. A row says that a copy is wanted, and by which name, until the copy is there. A start makes again what was noted and not done, so one that
 *    was made just before a crash may be there twice.
 * 2. Until then the contents stay in the file store, whatever becomes of the update that named them.
 * 3. Contents that stay in the log are copied once.
 */
import type { FileOutcome } from '../events.ts';
import type { LoggedUpdate } from '../log/update-log.ts';
import type { ClientState } from '../state.ts';

/** Of the keys of such rows; the name of the contents follows. */
export const LOST = 'lost-';
/** The value of a row where the copy is there, and the contents are in the log still. Else it is the name of the copy. */
const MADE = true;

/** Wants a copy of the contents of an update, if it has some and there is none. */
export function keepFindable(state: ClientState, { content, place, update }: LoggedUpdate): void {
  if (content === null || state.meta.has(LOST + content)) return;
  const readable = place?.name ?? update.fid;
  state.meta.set(LOST + content, readable);
  state.cache.files.hold(content);
  copy(state, content, readable);
}

/** Given up: it is in the log no more. A copy that is wanted still is made. */
export function leftForGood(state: ClientState, content: string): void {
  if (state.meta.get(LOST + content) === MADE) state.meta.drop(LOST + content);
  else state.conflict.givenUp.set(content, false);
}

/** The contents that must stay in the file store, though the cache may know nothing of them any more. */
export function* wantedLost(state: ClientState): Generator<[content: string, readable: string]> {
  for (const key of state.meta.keys()) {
    if (!key.startsWith(LOST)) continue;
    const readable = state.meta.get(key);
    if (typeof readable === 'string') yield [key.slice(LOST.length), readable];
  }
}

/** At a start: what was not done is done, and what left the log meanwhile needs no row. */
export function loseAgain(state: ClientState): void {
  const logged = new Set<string | null>();
  for (const { content } of state.log.all()) logged.add(content);
  for (const key of [...state.meta.keys()]) {
    const content = key.slice(LOST.length);
    if (key.startsWith(LOST) && !logged.has(content)) leftForGood(state, content);
  }
  for (const [content, readable] of [...wantedLost(state)]) {
    state.cache.files.hold(content);
    copy(state, content, readable);
  }
}

/** There is room on the disk: what did not fit before is copied. What the cache knows no size of waits for the next start. */
export function loseWhatFits(state: ClientState, free: number): void {
  const { givenUp } = state.conflict;
  let left = free;
  for (const [content, hadNoRoom] of givenUp) {
    const readable = state.meta.get(LOST + content);
    const size = state.cache.files.get(content)?.size ?? Infinity;
    if (!hadNoRoom || typeof readable !== 'string' || size >= left) continue;
    left -= size;
    givenUp.set(content, false);
    copy(state, content, readable);
  }
}

function copy(state: ClientState, content: string, readable: string): void {
  state.runTask({ what: 'lose', name: content, readable }, { for: 'lose', name: content });
}

/** The copy is there. Where it could not be made, what is in the log is copied when it is refused again, and what was given up later. */
export function onLost(state: ClientState, content: string, outcome: FileOutcome): void {
  const { files } = state.cache;
  const { givenUp } = state.conflict;
  // What is not there can't be copied: it was put aside with the whole store.
  const isOver = outcome.ok || outcome.code === 'not-found';
  if (!isOver && givenUp.has(content)) {
    // It stays noted, and in the file store.
    givenUp.set(content, outcome.code === 'disk-full');
    return;
  }
  givenUp.delete(content);
  const known = files.get(content);
  const onVnode = known === undefined ? [] : state.log.index.onVnode(known.fid);
  const isLogged = (onVnode as readonly LoggedUpdate[]).some((entry) => entry.content === content);
  if (outcome.ok && isLogged) state.meta.set(LOST + content, MADE);
  else state.meta.drop(LOST + content);
  if (known !== undefined) files.release(content);
  else state.out.emit({ kind: 'file', task: 0, work: { what: 'remove', name: content } });
}
