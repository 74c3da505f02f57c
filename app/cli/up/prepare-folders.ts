/**
 * Makes the data folder and the synced folder where they are missing, and takes back what was made when the start
 * fails after all.
 */
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { removeConfig, removeInvitation } from '../../../shared/control/config.ts';
import { refuseForDaemon, refuseForSync } from '../../../shared/control/foreign-folder.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { removeEmpty } from '../../../shared/system/make-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { makeUsable } from '../usable-folder.ts';
import { removeMade } from './made-by-start.ts';

/** Where the daemon keeps its key. It makes it right before its first hello. */
const IDENTITY = 'identity.json';

export interface Undo {
  /** Pairing did not come about. `refused`: the server said no, so nothing of this device is known to it. */
  run(refused: boolean): void;
  /** Another start was sooner: all in the data folder is of its daemon. */
  leave(): void;
}

/**
 * Makes the data folder and the synced folder if they are missing, and returns how to take that
 * back. `folder` null: the front end has none. `isPaired`: the synced folder is left to the daemon, which knows whether one that
 * is missing was there; an empty one in its place would be in the way of who brings it back. Throws a GodwitError, and leaves no new folder, if
 * one can not be used.
 */
export function prepareFolders(
  dataDir: string,
  folder: string | null,
  host: Host,
  isPaired = false,
): Undo {
  refuseForDaemon(dataDir);
  if (folder !== null) refuseForSync(folder);
  const made = makeUsable(dataDir, 0o700);
  const before = new Set(readdirSync(dataDir));
  try {
    if (folder !== null && !(isPaired && !existsSync(folder))) {
      made.unshift(...makeUsable(folder, 0o777));
      checkApart(dataDir, folder);
    }
  } catch (error) {
    removeEmpty(made);
    throw error;
  }
  return {
    run(refused) {
      removeConfig(dataDir, host);
      removeInvitation(dataDir, host);
      // Else a key that was made stays: the invitation may have been redeemed by it, and only it can do so again.
      if (refused || !existsSync(join(dataDir, IDENTITY))) {
        removeMade(dataDir, before);
      }
      removeEmpty(made);
    },
    leave: () => removeEmpty(made),
  };
}

/** Whether a mount is there whose daemon was killed: nothing can be asked of it, and the next daemon takes it away. */
export function isLeftMount(folder: string): boolean {
  try {
    lstatSync(folder);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTCONN';
  }
}

/** The daemon's own files must not be synced, and the folder must not lie among them. */
function checkApart(dataDir: string, folder: string): void {
  const data = realpathSync(dataDir);
  const synced = realpathSync(folder);
  const inside = (outer: string, inner: string): boolean => {
    const way = relative(outer, inner);
    return way === '' || (!way.startsWith('..') && !way.startsWith('/'));
  };
  if (inside(synced, data) || inside(data, synced)) {
    throw new GodwitError(
      'folder-unusable',
      `${folder}: the synced folder and the data folder ${dataDir} lie in each other`,
    );
  }
}
