/**
 * Collection: contents that no version names (any more) go, and packs that are mostly dead are written anew (rule D4).
 *
 * What the metadata name is asked once, before anything is removed, and no server runs: so nothing can begin to name what is
 * about to go. A content that nothing names may belong to a store that was about to be committed: it stays until it has some age.
 * The row of `content` goes first, durably: a version whose contents are gone is known to be so before they are.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import type { PackedContentStore } from '../content-packs/content-packs.ts';

export interface Collected {
  readonly contents: number;
  readonly contentBytes: number;
  /** Packs that were written anew, or were empty. */
  readonly packs: number;
  /** Bytes of the disk that came free in packs. */
  readonly packBytes: number;
}

export interface CollectOptions {
  /** Contents that some version names, old ones that are kept included. */
  readonly named: ReadonlySet<Digest>;
  /** What nothing names and was put before this time (milliseconds since 1970) goes. */
  readonly before: number;
}

/** Packs with less than this part alive are written anew: for each byte that is copied, at least one comes free. */
const SPARSE = 0.5;
/** Removed at a time: they share their syncs, and a crash in between leaves the rest for the next time. */
const BATCH = 1000;

export async function collectContents(
  database: Sqlite,
  store: PackedContentStore,
  { named, before }: CollectOptions,
): Promise<Collected> {
  let contents = 0;
  let contentBytes = 0;
  const batch: Digest[] = [];
  const removeBatch = async (): Promise<void> => {
    const digests = batch.splice(0);
    forget(database, digests);
    await Promise.all(digests.map((digest) => store.remove(digest)));
  };
  for await (const { digest, length, when, isPacked } of store.stored()) {
    // The pack counts where both are.
    if (!isPacked) await store.removeFile(digest);
    if (named.has(digest) || when >= before) continue;
    contents++;
    contentBytes += length;
    batch.push(digest);
    if (batch.length >= BATCH) await removeBatch();
  }
  await removeBatch();
  const { packs, bytes } = await store.compact(SPARSE);
  return { contents, contentBytes, packs, packBytes: bytes };
}

function forget(database: Sqlite, digests: readonly Digest[]): void {
  const statement = database.prepare('DELETE FROM content WHERE digest = ?');
  database
    .transaction(() => {
      for (const digest of digests) statement.run(digest);
    })
    .immediate();
}
