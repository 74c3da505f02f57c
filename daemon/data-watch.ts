/**
 * Whether the data folder is still there. Without it the daemon is a dead end: no command finds it, and no other can be started for the same
 * synced folder. So it ends; the synced folder stays as it is.
 */
import type { Timers, TimerHandle } from '../shared/ports/clock.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';
import type { TakenFolder } from './data-folder.ts';
import { DATA_LOOK } from './limits.ts';

/** Calls `onGone` once, when the folder was removed, moved away or replaced. Gives what ends the watch. */
export function watchData(
  folder: Pick<TakenFolder, 'path' | 'isThere'>,
  timers: Timers,
  onGone: (error: GodwitError) => void,
): { close(): void } {
  let timer: TimerHandle;
  const look = (): void => {
    if (folder.isThere()) timer = timers.start(DATA_LOOK, look);
    else onGone(goneError(folder.path));
  };
  timer = timers.start(DATA_LOOK, look);
  return { close: () => timer.cancel() };
}

function goneError(path: string): GodwitError {
  return new GodwitError(
    'folder-unusable',
    `${path}: this data folder was removed or moved while the daemon ran; it has ended, and the files in the synced folder stay`,
    '`godwit up` with a new invitation pairs this laptop again; or put the data folder back',
  );
}
