/** The sync state of a file, or of a folder: the least synced state of anything in it. */
import type { PathQueue } from '../../shared/control/queue.ts';
import type { ExcludedStatus, UnstoredStatus } from '../../shared/control/snapshot.ts';
import type { SyncState } from '../../shared/ports/file-system.ts';
import { formatCount } from './format.ts';

/** What is here is not the newest. */
export const NEWER_ELSEWHERE = 'another laptop has a newer version that it has not sent yet';

export interface PathState {
  readonly state:
    | 'synced'
    | 'not synced'
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

/** Said of a file that lacks contents (rule W2). */
export const UNSTORED = 'its contents have not come from the laptop that made it';

/** `sync` is of the path itself: it may have an update that is in no list. `isUnstored`: a file has no contents yet. */
export function pathState(sync: SyncState, queue: PathQueue, isUnstored = false): PathState {
  const { updates, bytes, sentBytes, kept, moving } = queue;
  const counts = { updates, bytes, sentBytes };
  if (sync === 'conflict') return { state: 'conflict', ...counts, reason: null };
  if (kept !== null) return { state: kept.state, ...counts, reason: kept.reason };
  const state = moving ?? (sync === 'queued' ? 'queued' : 'synced');
  if (state === 'synced' && isUnstored) return { state: 'not synced', ...counts, reason: UNSTORED };
  return { state, ...counts, reason: null };
}

/** Names the files whose contents have not come: one of them, and how many others there are. */
export function unstoredText(
  { files, path }: UnstoredStatus,
  shown: (path: string) => string,
): string {
  const more = files === 1 ? '' : ` (and ${files - 1} more)`;
  return `${shown(path)}: ${UNSTORED}${more}`;
}

/** Names the folders that are not kept on this laptop. */
export function excludedText(
  excluded: readonly ExcludedStatus[],
  shown: (path: string) => string,
): string {
  const [first, ...others] = excluded.map(({ path }) => shown(path));
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const left = excluded.reduce((sum, folder) => sum + folder.left, 0);
  const still =
    left === 0 ? '' : `; ${formatCount(left, 'file or folder', 'files and folders')} still here`;
  return `${first ?? ''}${more}: not kept on this laptop${still} (\`godwit excluded\`)`;
}

/**
 * Writes the state of a path for people: how many percent of it are sent, or its state with the
 * reason.
 */
export function stateText({ state, bytes, sentBytes, reason }: PathState): string {
  if (state === 'sending' && bytes > 0) return `sending ${Math.floor((100 * sentBytes) / bytes)} %`;
  return reason === null ? state : `${state}: ${reason}`;
}
