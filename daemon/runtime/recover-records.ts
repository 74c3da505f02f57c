/**
 * What an earlier process recorded and did not commit: programs were answered for it. After the end of that process all of it is
 * there, contents too, and has only to be made durable. After a loss of power the rows of a save may be there and its contents not, or
 * half: it counts up to the first such save. So none of that is ever sent or takes a good version's place, nor what was built on it.
 */
import type { ClientStore, Recorded, UpdateRow } from '../../shared/ports/client-store.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import type { Log } from '../../shared/ports/log.ts';
import { ERROR_CODES, GodwitError } from '../../shared/wire/error-codes.ts';
import type { Client } from '../core/client.ts';

export interface RecordPorts {
  readonly clientStore: Pick<ClientStore, 'recorded' | 'commit'>;
  readonly fileStore: Pick<FileStore, 'sync' | 'check'>;
}

/** Before the rows are loaded. Gives the saves that are gone. Rejects as the stores do. */
export async function recoverRecords({
  clientStore,
  fileStore,
}: RecordPorts): Promise<UpdateRow[]> {
  const records = await clientStore.recorded();
  const last = records.at(-1);
  if (last === undefined) return [];
  const kept: Recorded[] = [];
  for (const record of records) {
    if (!(await isWhole(record, fileStore))) break;
    kept.push(record);
  }
  await clientStore.commit(
    kept.flatMap(({ changes }) => changes),
    last.number,
  );
  return records.slice(kept.length).flatMap(savesIn);
}

/** Makes the contents of the record durable, as far as they are there. */
async function isWhole(record: Recorded, fileStore: RecordPorts['fileStore']): Promise<boolean> {
  for (const { update, content } of savesIn(record)) {
    if (update.op !== 'store' || content === null) continue;
    try {
      await fileStore.sync([content]);
      if (!record.isDoubtful) continue;
      const { digest, length } = await fileStore.check(content);
      if (digest !== update.digest || length !== update.size) return false;
    } catch (error) {
      const code = error instanceof GodwitError ? error.code : null;
      // A file that can be read no more after a loss of power is not whole.
      if (record.isDoubtful && (code === 'not-found' || code === 'disk-failing')) return false;
      if (code !== 'not-found') throw error;
    }
  }
  return true;
}

function savesIn({ changes }: Recorded): UpdateRow[] {
  return changes.flatMap(({ table, value }) =>
    table === 'update' && value !== undefined && value.update.op === 'store' ? [value] : [],
  );
}

/** For people. There is no more than a moment's work in it. */
export function lostSaves(
  lost: readonly UpdateRow[],
  client: Pick<Client, 'pathOf'>,
): ErrorStatus[] {
  const { summary, remedy } = ERROR_CODES['save-lost'];
  const paths = new Set(
    lost.map(({ place, update }) => (place === null ? update.fid : client.pathOf(place))),
  );
  return [...paths].map((path) => ({ code: 'save-lost', message: summary, remedy, path }));
}

/** Files without a row are left from a crash, or were never acknowledged. */
export async function clearOrphans(
  { fileStore, log }: { readonly fileStore: FileStore; readonly log: Log },
  client: Client,
): Promise<void> {
  const known = client.contentNames();
  for (const { name } of await fileStore.list()) {
    if (known.has(name)) known.delete(name);
    else await fileStore.remove(name);
  }
  for (const name of known) log.error('a file of the store is missing', { name });
  client.missing(known);
}
