import type { FileStore } from '../../shared/ports/file-store.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Client } from '../core/client.ts';

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
