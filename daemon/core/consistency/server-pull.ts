/**
 * Server pull (rules S2, S5): somebody waits for an update of ours. It rises to FETCH, with everything that it depends on, on its way
 * or queued, and without its delay; a queue that is paused stays so, and what is blocked too: then the server is told that nothing is
 * coming.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { UpdateSeq } from '../../../shared/model/update.ts';
import type { ClientState } from '../state.ts';
import { hurry as endDelays } from '../writeback/standing.ts';
import type { LoggedUpdate } from '../writeback/update-log.ts';
import { changesFile } from './hidden-updates.ts';

export function onPull(state: ClientState, call: number, fids: readonly Fid[]): void {
  for (const seq of state.raised) if (!isLeft(state, seq)) state.raised.delete(seq);
  const held = fids.filter((fid) => !hurry(state, fid));
  state.out.emit({ kind: 'pulled', call, held });
}

/** False: nothing of it is coming. */
function hurry(state: ClientState, fid: Fid): boolean {
  const wanted = new Map<UpdateSeq, LoggedUpdate>();
  for (const { seq, update } of state.log.index.onVnode(fid)) {
    if (changesFile(update)) gather(state, seq, wanted);
  }
  if (wanted.size === 0) return false;
  const isComing = [...wanted.values()].every(({ state: stage }) => {
    return stage === 'sent' || (stage === 'queued' && !state.paused);
  });
  if (isComing) for (const entry of wanted.values()) raise(state, entry);
  return isComing;
}

/** It, and what it waits for. */
function gather(state: ClientState, seq: UpdateSeq, wanted: Map<UpdateSeq, LoggedUpdate>): void {
  const left = [seq];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const entry = state.log.get(next);
    if (entry === undefined || !isLeft(state, next) || wanted.has(next)) continue;
    wanted.set(next, entry);
    left.push(...entry.waitsFor);
  }
}

function raise(state: ClientState, entry: LoggedUpdate): void {
  const { seq } = entry;
  if (state.raised.has(seq)) return;
  state.raised.add(seq);
  endDelays(state, entry);
  for (const { id, purpose } of state.requests.values()) {
    const carries =
      (purpose.for === 'store' && purpose.seq === seq) ||
      (purpose.for === 'batch' && purpose.seqs.includes(seq));
    if (carries) state.out.emit({ kind: 'raise', request: id, priorityClass: 'FETCH' });
  }
}

function isLeft(state: ClientState, seq: UpdateSeq): boolean {
  const entry = state.log.get(seq);
  return entry !== undefined && entry.state !== 'answered';
}
