/**
 * Collection: contents that no version names (any more) go, and packs that are mostly dead are written anew (rule D4).
 *
 * It runs inside of a server, or where none runs. What the metadata name is asked once, before anything is removed. Nothing can begin to name
 * what is about to go:
 * 1. A content gets a name only by a store, which puts it first. What is put from the beginning of the collection on, and what was being put
 *    then, is young, and stays (young-contents.ts).
 * 2. What had been put by then, and belongs to a store that is not committed yet, is `inUse`: asked in the step in which the
 *    collection begins.
 * 3. What had been committed by then is named by the metadata, which are asked after it.
 * What a delta on its way is against is `inUse` as well, and nothing that is put: so that is asked again before each removal. One that
 * begins just then finds its base gone, says so, and the contents come whole.
 *
 * A content that nothing names may also belong to a store that is about to be sent again: it stays until it has some age.
 * The row of `content` goes first, durably: a version whose contents are gone is known to be so before they are. A crash anywhere
 * leaves contents too many, which are met again the next time.
 */
import type { Digest } from '../../../shared/model/vnode.ts';

export interface Collected {
  readonly contents: number;
  readonly contentBytes: number;
  /** Packs that were written anew, or were empty. */
  readonly packs: number;
  /** Bytes of the disk that came free in packs. */
  readonly packBytes: number;
  /** Packs that were put aside whole, since something in them is damaged. */
  readonly packsAside: number;
  /** The disk had no room to write more packs anew. */
  readonly isCutShort: boolean;
}

/** What collection asks of a content store: of the packed one, and of the simulated one. */
export interface CollectedStore {
  /** From now on until `endCollection`, `removeOld` leaves alone what is put, or was being put. */
  beginCollection(): void;
  endCollection(): void;
  isYoung(digest: Digest): boolean;
  /** Every content; one that is in a pack and a file as well comes twice. `when`: milliseconds since 1970. */
  stored(): AsyncIterable<{
    readonly digest: Digest;
    readonly length: number;
    readonly when: number;
    readonly isPacked: boolean;
  }>;
  removeFile(digest: Digest): Promise<void>;
  removeOld(digest: Digest, before: number): Promise<void>;
  compact(
    sparse: number,
    readersAreIn: () => Promise<void>,
  ): Promise<{
    readonly packs: number;
    readonly bytes: number;
    readonly aside: number;
    readonly isCutShort: boolean;
  }>;
}

export interface CollectOptions {
  /** Their rows of `content` go, durably. */
  readonly forget: (digests: readonly Digest[]) => void;
  /** Contents that some version names, old ones that are kept included: in parts, between which a server goes on. */
  readonly named: () => Iterable<readonly Digest[]>;
  /** Contents of stores that are on their way, and what their deltas are against. */
  readonly inUse: () => Iterable<Digest>;
  /** What nothing names and was put before this time (milliseconds since 1970) goes. */
  readonly before: number;
  /** Others have their turn. */
  readonly breathe: () => Promise<void>;
  /** See compact-pack.ts. */
  readonly readersAreIn: () => Promise<void>;
}

/** Packs with less than this part alive are written anew: for each byte that is copied, at least one comes free. */
const SPARSE = 0.5;
/** Removed at a time: they share their syncs, and a crash in between leaves the rest for the next time. */
const BATCH = 1000;

/** Rejects as the disk does; where that is full, what is possible was done all the same. */
export async function collectContents(
  store: CollectedStore,
  options: CollectOptions,
): Promise<Collected> {
  store.beginCollection();
  try {
    const kept = new Set(options.inUse());
    for (const page of options.named()) {
      for (const digest of page) kept.add(digest);
      await options.breathe();
    }
    const removed = await removeOthers(store, kept, options);
    const { packs, bytes, aside, isCutShort } = await store.compact(SPARSE, options.readersAreIn);
    return { ...removed, packs, packBytes: bytes, packsAside: aside, isCutShort };
  } finally {
    store.endCollection();
  }
}

async function removeOthers(
  store: CollectedStore,
  kept: ReadonlySet<Digest>,
  { before, breathe, inUse, forget }: CollectOptions,
): Promise<{ contents: number; contentBytes: number }> {
  let contents = 0;
  let contentBytes = 0;
  let met = 0;
  const batch: Digest[] = [];
  const removeBatch = async (): Promise<void> => {
    const wanted = new Set(inUse());
    const isFree = (digest: Digest): boolean => !wanted.has(digest) && !store.isYoung(digest);
    const digests = batch.splice(0).filter(isFree);
    forget(digests);
    await Promise.all(digests.map((digest) => store.removeOld(digest, before)));
  };
  for await (const { digest, length, when, isPacked } of store.stored()) {
    if (++met % BATCH === 0) await breathe();
    // The pack counts where both are.
    if (!isPacked) await store.removeFile(digest);
    if (kept.has(digest) || when >= before) continue;
    contents++;
    contentBytes += length;
    batch.push(digest);
    if (batch.length >= BATCH) await removeBatch();
  }
  await removeBatch();
  return { contents, contentBytes };
}
