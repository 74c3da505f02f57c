/**
 * The scrub: is every content that the metadata name there, and is it what its name says? And what do contents take of the disk?
 *
 * What nothing names is counted, and not read. It may run beside a server: the names were asked before the first content is looked at,
 * and what has moved meanwhile is no finding.
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { DiskContentStore } from '../../adapters/content-disk/content-disk.ts';
import { isMissing } from '../../adapters/content-disk/content-files.ts';
import { PackIndex } from '../../adapters/content-packs/pack-index.ts';
import { indexFile } from '../../adapters/content-packs/content-packs.ts';
import { packPath } from '../../adapters/content-packs/pack-name.ts';
import { scrubPack } from '../../adapters/content-packs/scrub-packs.ts';

/** Live: a present version has it; old: an earlier one that is kept. */
export type NamedContents = ReadonlyMap<Digest, 'live' | 'old'>;

export interface Use {
  readonly count: number;
  readonly bytes: number;
}

export interface CheckedContents {
  readonly use: {
    readonly live: Use;
    readonly old: Use;
    /** Contents that no version names, and those of them that are old enough to go. */
    readonly unnamed: Use;
    readonly collectable: Use;
    /** Packs, and how much of them belongs to no content that is there. */
    readonly packs: Use & { readonly deadBytes: number };
    /** Contents that are files of their own. */
    readonly files: Use;
  };
  /** Named, and not there. Sorted. */
  readonly missing: readonly Digest[];
  /** Those of them of which a pack has a record that can't be read any more. */
  readonly unreadable: readonly Digest[];
  /** Named, and there, and not what their name says. Sorted. */
  readonly damaged: readonly Digest[];
  /** Bytes of packs that are no record, though something was written behind them. */
  readonly strayBytes: number;
}

export interface CheckOptions {
  readonly folder: string;
  readonly host: Host;
  readonly named: NamedContents;
  /** What nothing names and was put before (milliseconds since 1970) may be collected. */
  readonly before: number;
  /** Waits as long as it takes to read no faster than wished. */
  readonly pace: (bytes: number) => Promise<void>;
}

/**
 * Reads all contents of a server, and reports which are missing, damaged or named by nothing. Sizes
 * are bytes. It changes nothing.
 */
export async function checkContents(options: CheckOptions): Promise<CheckedContents> {
  const { folder, named } = options;
  const index = PackIndex.open(indexFile(folder), null);
  try {
    const good = new Set<Digest>();
    const damaged = new Set<Digest>();
    const stray = await readPacks(options, index, good, damaged);
    const tally = new Tally(options);
    for (const content of index.places()) tally.add(content);
    const files = await readFiles(options, tally, good, damaged);
    for (const digest of named.keys()) {
      if (!good.has(digest) && !damaged.has(digest)) await readMoved(options, index, digest, good);
    }
    for (const digest of good) damaged.delete(digest);
    const missing = [...named.keys()].filter((name) => !good.has(name) && !damaged.has(name));
    return {
      use: { ...tally.use(), packs: packUse(index), files },
      missing: missing.sort(),
      unreadable: missing.filter((digest) => stray.contents.has(digest)),
      damaged: [...damaged].sort(),
      strayBytes: stray.bytes,
    };
  } finally {
    index.close();
  }
}

/** What is no record, and which contents it was. */
interface StrayFound {
  bytes: number;
  readonly contents: Set<Digest>;
}

async function readPacks(
  { folder, host, named, pace }: CheckOptions,
  index: PackIndex,
  good: Set<Digest>,
  damaged: Set<Digest>,
): Promise<StrayFound> {
  const live = index.liveIn();
  const isWanted = (digest: Digest): boolean => named.has(digest);
  const stray: StrayFound = { bytes: 0, contents: new Set() };
  for (const pack of index.packs()) {
    const expected = live.get(pack.number)?.count ?? 0;
    const found = await scrubPack({ folder, index, host, isWanted, pace }, pack, expected);
    for (const digest of found.good) good.add(digest);
    for (const digest of found.damaged) damaged.add(digest);
    for (const digest of found.unreadable) stray.contents.add(digest);
    stray.bytes += found.strayBytes;
  }
  return stray;
}

/** A server beside us may have written it anew, into a pack that was not there when we began. */
async function readMoved(
  { folder, host }: CheckOptions,
  index: PackIndex,
  digest: Digest,
  good: Set<Digest>,
): Promise<void> {
  const place = index.get(digest);
  if (place === null) return;
  const path = packPath(folder, { number: place.pack, mark: place.mark });
  const read = host.digestPart(path, place.offset, place.length).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if ((await read)?.digest === digest) good.add(digest);
}

/** A content that is in a pack as well is read there. */
async function readFiles(
  { folder, host, named, pace }: CheckOptions,
  tally: Tally,
  good: Set<Digest>,
  damaged: Set<Digest>,
): Promise<Use> {
  const files = new DiskContentStore(folder);
  let [count, bytes] = [0, 0];
  for await (const content of files.list()) {
    const { digest, length } = content;
    count++;
    bytes += length;
    if (good.has(digest) || damaged.has(digest)) continue;
    tally.add(content);
    if (!named.has(digest)) continue;
    const found = await files.locate(digest);
    if (found === null) continue;
    const read = await host.digestFile(found.path).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (read !== null) (read.digest === digest ? good : damaged).add(digest);
    await pace(length);
  }
  return { count, bytes };
}

class Tally {
  readonly #options: CheckOptions;
  readonly #sums = new Map<string, { count: number; bytes: number }>();

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  add({ digest, length, when }: { digest: Digest; length: number; when: number }): void {
    const kind = this.#options.named.get(digest) ?? 'unnamed';
    this.#count(kind, length);
    if (kind === 'unnamed' && when < this.#options.before) this.#count('collectable', length);
  }

  use(): { live: Use; old: Use; unnamed: Use; collectable: Use } {
    const of = (kind: string): Use => this.#sums.get(kind) ?? { count: 0, bytes: 0 };
    const [live, old] = [of('live'), of('old')];
    return { live, old, unnamed: of('unnamed'), collectable: of('collectable') };
  }

  #count(kind: string, length: number): void {
    const { count, bytes } = this.#sums.get(kind) ?? { count: 0, bytes: 0 };
    this.#sums.set(kind, { count: count + 1, bytes: bytes + length });
  }
}

function packUse(index: PackIndex): Use & { deadBytes: number } {
  const packs = index.packs();
  const bytes = packs.reduce((sum, { length }) => sum + length, 0);
  const live = [...index.liveIn().values()].reduce((sum, pack) => sum + pack.bytes, 0);
  return { count: packs.length, bytes, deadBytes: bytes - live };
}
