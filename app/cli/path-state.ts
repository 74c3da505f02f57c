/** The sync state of a file, or of a folder: the least synced state of anything in it. */
import type { PathQueue } from '../../shared/control/queue.ts';
import type { SyncState } from '../../shared/ports/file-system.ts';

export interface PathState {
  readonly state:
    | 'synced'
    | 'queued'
    | 'delayed'
    | 'sending'
    | 'held back'
    | 'cancelled'
    | 'blocked'
    | 'conflict';
  /** Updates that wait, content bytes of them, and how many of these are sent. */
  readonly updates: number;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly reason: string | null;
}

/** `sync` is of the path itself: it may have an update that is in no list. */
export function pathState(sync: SyncState, queue: PathQueue): PathState {
  const { updates, bytes, sentBytes, kept, moving } = queue;
  const counts = { updates, bytes, sentBytes };
  if (sync === 'conflict') return { state: 'conflict', ...counts, reason: null };
  if (kept !== null) return { state: kept.state, ...counts, reason: kept.reason };
  const state = moving ?? (sync === 'queued' ? 'queued' : 'synced');
  return { state, ...counts, reason: null };
}

/**
 * Writes the state of a path for people: how many percent of it are sent, or its state with the
 * reason.
 */
export function stateText({ state, bytes, sentBytes, reason }: PathState): string {
  if (state === 'sending' && bytes > 0) return `sending ${Math.floor((100 * sentBytes) / bytes)} %`;
  return reason === null ? state : `${state}: ${reason}`;
}
