/** Exactly one version of some contents, for a front end that puts it in place. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { ReceivedContent } from '../../../shared/ports/transport.ts';
import { waitFor, WORKING, type Attempt } from '../waits/attempt-result.ts';
import type { WaitingCall } from '../waits/waiting-calls.ts';
import type { Call, FileOutcome } from '../events.ts';
import type { ContentsFetch } from './fetch-list.ts';
import type { ClientState } from '../state.ts';
import { needCheck } from './check-contents.ts';
import { discard, obtainKey, queued } from './fetches.ts';
import type { CachedContent } from './file-cache.ts';
import type { FetchKey } from '../waits/wait-key.ts';

/**
 * Attempts to give a front end a file with exactly this version and digest. Cached contents are
 * copied, or moved out where a folder asks and nobody holds them; a file task does that. Else the
 * call waits for a check or a fetch.
 */
export function attemptObtain(
  state: ClientState,
  call: number,
  fid: Fid,
  version: DataVersion,
  digest: Digest,
): Attempt {
  const key = obtainKey(fid, version, digest);
  const cached = state.cache.files.find({ fid, version, digest });
  if (cached !== null) {
    const { name } = cached;
    const check = needCheck(state, name);
    if (check !== null) return waitFor(check);
    // A folder keeps it from now on; where there is none, the cache is the place of what programs and people want here.
    const mayLeave = state.config.frontEnd === 'folder' && !state.cache.files.isHeld(name);
    const what = mayLeave ? 'take' : 'copy-out';
    if (what === 'take') state.cache.files.left(name);
    else state.cache.files.hold(name);
    const held = what === 'take' ? null : name;
    state.runTask({ what, name }, { for: 'given', call, name: held, length: cached.size });
    return WORKING;
  }
  if (!state.cache.fetches.has(key)) queued(state, key, fid, version, 'caller', digest);
  return waitFor(key);
}

/** Those that a front end wants to put in place, of all who wait for this. */
const obtaining = (state: ClientState, key: FetchKey): WaitingCall[] =>
  state.waiting.waitingOn(key).filter(({ what }) => what.op === 'obtain');

/** A program waits for what it brings. */
export function isDemanded(state: ClientState, { key, into, ahead }: ContentsFetch): boolean {
  if (into === 'cache') return !ahead;
  return state.waiting.waitingOn(key).length > obtaining(state, key).length;
}

/** Tells whether a call asked for just this: others wait for it because it brings what they want, too. */
export function isMeantFor({ into, version }: ContentsFetch, what: Call): boolean {
  if (what.op === 'obtain') return into === 'caller';
  const isOfPast = what.op === 'open' && what.how.mode === 'write' && what.how.from !== undefined;
  return into === 'cache' && isOfPast === (version !== null);
}

/** Those who wait for a fetch that is not theirs: they look anew. */
export function letGo(state: ClientState, fetching: ContentsFetch): void {
  for (const { call, what } of state.waiting.waitingOn(fetching.key)) {
    if (!isMeantFor(fetching, what)) state.waiting.wake(call);
  }
}

/** A folder that waits for what is in the cache now has a copy; programs have the file itself. */
export function giveCopies(
  state: ClientState,
  { fid, version, digest, name, size }: Omit<CachedContent, 'used'>,
): void {
  const key = obtainKey(fid, version, digest);
  if (state.cache.fetches.get(key)?.state === 'queued') state.cache.fetches.drop(key);
  for (const { call } of obtaining(state, key)) {
    state.cache.files.hold(name);
    // It waits for its file now, and not for facts.
    state.waiting.wait(call, []);
    state.runTask({ what: 'copy-out', name }, { for: 'given', call, name, length: size });
  }
}

/** Several callers may want the same version: the first gets the file, the others ask again. */
export function handToCaller(
  state: ClientState,
  fetching: ContentsFetch,
  content: ReceivedContent | null,
): void {
  state.cache.fetches.drop(fetching.key);
  const first = state.waiting.waitingOn(fetching.key)[0];
  if (first === undefined) return discard(state, content);
  const length = content?.length ?? 0;
  const purpose = { for: 'given', call: first.call, name: null, length } as const;
  // It waits for its file now, and not for facts.
  state.waiting.wait(first.call, []);
  state.runTask({ what: 'hand-over', spool: content?.path ?? null }, purpose);
  state.waiting.signal(fetching.key);
}

/** A file is in the hands of its caller. */
export function onGiven(
  state: ClientState,
  purpose: { call: number; name: string | null; length: number },
  outcome: FileOutcome,
): void {
  if (purpose.name !== null) state.cache.files.release(purpose.name);
  if (state.waiting.get(purpose.call) === undefined) {
    if (outcome.ok && outcome.path !== null) {
      state.out.emit({ kind: 'file', task: 0, work: { what: 'discard', spool: outcome.path } });
    }
    return;
  }
  if (!outcome.ok) return state.refuse(purpose.call, outcome.code, outcome.message);
  state.answer(purpose.call, { path: outcome.path, length: purpose.length }, outcome.path);
}
