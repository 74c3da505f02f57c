/** Collects contents that no version needs any more, on an administrator's command: here if no server runs, else by the one that does. */
import { setTimeout as wait } from 'node:timers/promises';
import type { WallTime } from '../../../shared/model/time.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { SystemRandom } from '../../../shared/system/system-random.ts';
import { GodwitError, isErrorCode } from '../../../shared/wire/error-codes.ts';
import { collectContents, type Collected } from './collect-contents.ts';
import * as requests from './collection-requests.ts';
import { endRemovedVolumes } from '../volumes/removed-volumes.ts';
import { forgetContents, pagesOfNamed } from '../../adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import {
  type DataFolder,
  lockData,
  lockMaintenance,
  mustStop,
  startedFolder,
} from '../../data-folder.ts';
import { withStore } from '../check/check.ts';

const DAY_MS = 86_400_000;
const LOOK_MS = 100;
/** A server that runs looks once a second. One that is older than this command never does. */
const TAKEN_WITHIN_MS = 15_000;
const TOKEN_BYTES = 8;

/**
 * `days`: how old a content must be that nothing names. Rejects GodwitError `no-server`, `folder-unusable`, `upkeep-running`, `server-full`,
 * `already-running` (by a server that takes no requests).
 */
export async function collectServer(dataDir: string, days: number, host: Host): Promise<Collected> {
  const folder = startedFolder(dataDir);
  const lock = lockData(folder, host);
  if (lock === null) return collectThere(folder, days, host);
  try {
    return await collectHere(folder, days, host);
  } finally {
    lock.release();
  }
}

async function collectHere(folder: DataFolder, days: number, host: Host): Promise<Collected> {
  const maintenance = lockMaintenance(folder, host);
  let database = null;
  try {
    const opened = (database = openServerDatabase(folder.database));
    return await withStore(folder, false, async (store) => {
      const now = Date.now();
      await endRemovedVolumes(opened, now as WallTime, () => Promise.resolve());
      const collected = await collectContents(store, {
        forget: (digests) => forgetContents(opened, digests),
        named: () => pagesOfNamed(opened, now as WallTime),
        inUse: () => [],
        before: now - days * DAY_MS,
        breathe: () => Promise.resolve(),
        readersAreIn: () => Promise.resolve(),
      });
      requests.rememberCollection(opened, now);
      return collected;
    });
  } finally {
    database?.close();
    maintenance.release();
  }
}

async function collectThere(folder: DataFolder, days: number, host: Host): Promise<Collected> {
  const id = new SystemRandom().hex(TOKEN_BYTES);
  const database = openServerDatabase(folder.database);
  try {
    requests.askForCollection(database, { id, days });
    for (let waited = 0; ; waited += LOOK_MS) {
      const outcome = requests.outcomeOf(database, id);
      if (outcome?.state === 'done') return outcome.collected;
      if (outcome?.state === 'failed') throw asGodwitError(outcome);
      const lock = lockData(folder, host);
      if (lock !== null) {
        // It has ended meanwhile.
        requests.takeRequest(database);
        return await collectHere(folder, days, host).finally(() => lock.release());
      }
      if (outcome === null && waited >= TAKEN_WITHIN_MS) {
        requests.takeRequest(database);
        const what = `the server on ${folder.path} takes no requests`;
        throw mustStop(what);
      }
      await wait(LOOK_MS);
    }
  } finally {
    database.close();
  }
}

function asGodwitError({ code, message }: { code: string; message: string }): GodwitError {
  return new GodwitError(isErrorCode(code) ? code : 'internal', message);
}
