/** How far one file is, or a folder with all that is in it: the least that is true of all of it. */
import type { QueueEntry } from '../../shared/control/queue.ts';
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

/** `path` without a slash before it; empty: the whole volume. */
export function pathState(
  sync: SyncState,
  queue: readonly QueueEntry[],
  volume: string,
  path: string,
): PathState {
  const isIn = (entry: QueueEntry): boolean =>
    entry.volume === volume &&
    (path === '' || entry.path === path || entry.path.startsWith(`${path}/`));
  const found = queue.filter(isIn);
  const sum = (of: (entry: QueueEntry) => number): number =>
    found.reduce((all, entry) => all + of(entry), 0);
  const counts = {
    updates: found.length,
    bytes: sum(({ bytes }) => bytes),
    sentBytes: sum(({ sentBytes }) => sentBytes),
  };
  if (sync === 'conflict') return { state: 'conflict', ...counts, reason: null };
  for (const state of ['blocked', 'held back', 'cancelled'] as const) {
    const kept = found.find((entry) => entry.state === state);
    if (kept !== undefined) return { state, ...counts, reason: kept.reason };
  }
  const state = movingState(found, sync === 'queued');
  return { state, ...counts, reason: null };
}

function movingState(found: readonly QueueEntry[], isQueued: boolean): PathState['state'] {
  if (found.some((entry) => entry.kind === 'store' && entry.state === 'on its way')) {
    return 'sending';
  }
  if (found.some((entry) => entry.state === 'delayed')) return 'delayed';
  return found.length > 0 || isQueued ? 'queued' : 'synced';
}

export function stateText({ state, bytes, sentBytes, reason }: PathState): string {
  if (state === 'sending' && bytes > 0) return `sending ${Math.floor((100 * sentBytes) / bytes)} %`;
  return reason === null ? state : `${state}: ${reason}`;
}
