/**
 * What the data folder of a server takes of the disk, by kind: as `du` counts, in blocks.
 *
 * Contents that several files have count once; live is what a present version has, past what only earlier ones have that retention keeps.
 * A pack is shared out by its records, and what none of them has is `dead`: a collection gives it back. `rest` is
 * what is left of the sum: folders, small files, and the last block of each file that a kind has a part of. Beside a server
 * that is being written to, the sums are those of a moment, nearly.
 */
import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { EMPTY_DIGEST, type Digest } from '../../shared/model/vnode.ts';
import type { WallTime } from '../../shared/model/time.ts';
import type { Sqlite } from '../../shared/sqlite/database.ts';
import { indexFile } from '../adapters/content-packs/content-packs.ts';
import { PackIndex } from '../adapters/content-packs/pack-index.ts';
import { HEADER_BYTES } from '../adapters/content-packs/record.ts';
import { contentsNamed } from '../adapters/meta-sqlite/contents-named.ts';
import { withServerDatabase } from '../adapters/meta-sqlite/server-database.ts';
import { startedFolder } from '../data-folder.ts';
import { snapshotUse } from './volumes/snapshot-use.ts';

export interface ContentUse {
  readonly count: number;
  readonly bytes: number;
}

export interface DiskUse {
  readonly live: ContentUse;
  readonly past: ContentUse;
  /** Contents that no version names which is kept: uploads, and what will be collected. */
  readonly unreferenced: ContentUse;
  /** In packs, and of no content. */
  readonly dead: number;
  /** What devices are sending. */
  readonly receiving: number;
  readonly metadata: number;
  readonly logs: number;
  /** Damaged contents, and what a restore moved away. */
  readonly aside: number;
  /** Kept for a disk that is full. */
  readonly reserve: number;
  readonly rest: number;
  /** All of the above. */
  readonly total: number;
  /** Of the disk, for who is not root. */
  readonly free: number;
  readonly volumes: readonly VolumeUse[];
}

/** As its users count: files that have the same contents are not one. */
export interface VolumeUse {
  readonly volume: string;
  readonly files: number;
  readonly bytes: number;
  /** Of contents that only earlier versions have. */
  readonly pastBytes: number;
  /** Of those, what only snapshots keep. */
  readonly snapshotBytes: number;
  readonly snapshots: number;
}

type Kind = 'live' | 'past' | 'unreferenced';
type Other = 'dead' | 'receiving' | 'metadata' | 'logs' | 'aside' | 'reserve';

/** Throws GodwitError `no-server`, `folder-unusable`, `damaged-database`. */
export function serverDiskUse(dataDir: string): DiskUse {
  const folder = startedFolder(dataDir);
  return withServerDatabase(folder.database, (database) =>
    diskUse(folder.path, database, Date.now() as WallTime),
  );
}

/** By the beginning of the name in the data folder. */
const PLACES: ReadonlyArray<readonly [RegExp, Other]> = [
  [/^(server|contents)\.db/, 'metadata'],
  [/^log$/, 'logs'],
  [/^(spool|streams)$/, 'receiving'],
  [/^(quarantine$|before-restore-|restore\.)/, 'aside'],
  [/^reserve$/, 'reserve'],
];
const BLOCK = 512;
const DIGEST = /^[0-9a-f]{64}$/;

function diskUse(path: string, database: Sqlite, now: WallTime): DiskUse {
  const kept = new Set(contentsNamed(database, now));
  const present = presentContents(database);
  const kindOf = (digest: Digest): Kind =>
    present.has(digest) ? 'live' : kept.has(digest) ? 'past' : 'unreferenced';
  const contents = new Contents(kindOf);
  const others = new Map<Other, number>();
  const add = (kind: Other, bytes: number): number =>
    others.set(kind, (others.get(kind) ?? 0) + bytes).get(kind) ?? 0;
  const inPacks = contents.addPacks(path);
  for (const name of readdirSync(path)) {
    const place = join(path, name);
    const [, kind] = PLACES.find(([pattern]) => pattern.test(name)) ?? [];
    if (kind !== undefined) add(kind, takenBy(place));
    else if (name === 'packs') add('dead', Math.max(0, filesIn(place) - inPacks));
    else if (name === 'contents') contents.addFiles(place);
  }
  const of = (kind: Other): number => others.get(kind) ?? 0;
  const parts = {
    ...contents.use(),
    dead: of('dead'),
    receiving: of('receiving'),
    metadata: of('metadata'),
    logs: of('logs'),
    aside: of('aside'),
    reserve: of('reserve'),
  };
  const { live, past, unreferenced, ...rest } = parts;
  const known = [live.bytes, past.bytes, unreferenced.bytes, ...Object.values(rest)];
  const total = takenBy(path);
  const { bavail, bsize } = statfsSync(path);
  return {
    ...parts,
    rest: total - known.reduce((sum, bytes) => sum + bytes, 0),
    total,
    free: bavail * bsize,
    volumes: volumesIn(database, kept, now),
  };
}

class Contents {
  readonly #kindOf: (digest: Digest) => Kind;
  readonly #sums = new Map<Kind, { count: number; bytes: number }>();
  readonly #packed = new Set<string>();

  constructor(kindOf: (digest: Digest) => Kind) {
    this.#kindOf = kindOf;
  }

  /** Gives the bytes of all records that have a content. */
  addPacks(folder: string): number {
    const index = PackIndex.open(indexFile(folder), null);
    let bytes = 0;
    try {
      for (const { digest, length } of index.places()) {
        this.#packed.add(digest);
        this.#add(digest, HEADER_BYTES + length, 1);
        bytes += HEADER_BYTES + length;
      }
    } finally {
      index.close();
    }
    return bytes;
  }

  addFiles(folder: string): void {
    for (const below of readdirSync(folder)) {
      for (const name of readdirSync(join(folder, below))) {
        const stats = lstatSync(join(folder, below, name), { throwIfNoEntry: false });
        if (stats === undefined || !DIGEST.test(name)) continue;
        // One that is in a pack as well is no second content.
        this.#add(name as Digest, stats.blocks * BLOCK, this.#packed.has(name) ? 0 : 1);
      }
    }
  }

  use(): Record<Kind, ContentUse> {
    const of = (kind: Kind): ContentUse => this.#sums.get(kind) ?? { count: 0, bytes: 0 };
    return { live: of('live'), past: of('past'), unreferenced: of('unreferenced') };
  }

  #add(digest: Digest, bytes: number, count: number): void {
    const kind = this.#kindOf(digest);
    const sum = this.#sums.get(kind) ?? { count: 0, bytes: 0 };
    this.#sums.set(kind, { count: sum.count + count, bytes: sum.bytes + bytes });
  }
}

function presentContents(database: Sqlite): Set<Digest> {
  const rows = database.prepare<[], Digest>(
    "SELECT DISTINCT digest FROM vnode WHERE to_commit IS NULL AND links > 0 AND kind = 'file'" +
      ' AND digest IS NOT NULL',
  );
  return new Set(rows.pluck().iterate());
}

function volumesIn(database: Sqlite, kept: ReadonlySet<Digest>, now: WallTime): VolumeUse[] {
  const bySnapshots = snapshotUse(database, now);
  const live = database.prepare<[], VolumeUse & { id: number }>(
    'SELECT volume.id, volume.name AS volume, count(vnode.vnode) AS files, coalesce(sum(vnode.size), 0) AS bytes,' +
      ' 0 AS pastBytes, 0 AS snapshotBytes, 0 AS snapshots FROM volume LEFT JOIN vnode ON vnode.volume = volume.id AND to_commit IS NULL' +
      " AND links > 0 AND vnode.kind = 'file' GROUP BY volume.id ORDER BY volume.id",
  );
  const past = database.prepare<[number], { digest: Digest; size: number }>(
    'SELECT digest, max(size) AS size FROM vnode WHERE volume = ? AND links > 0 AND digest IS NOT NULL' +
      ' GROUP BY digest HAVING count(*) = count(to_commit)',
  );
  return live.all().map(({ id, ...use }) => {
    const pastBytes = past
      .all(id)
      .filter(({ digest }) => digest !== EMPTY_DIGEST && kept.has(digest))
      .reduce((sum, { size }) => sum + size, 0);
    const { bytes: snapshotBytes = 0, snapshots = 0 } = bySnapshots.get(id) ?? {};
    return { ...use, pastBytes, snapshotBytes, snapshots };
  });
}

/** Of files that are directly in a folder. */
function filesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + blocksOf(join(folder, name)), 0);
}

/** With all that is in it; what goes meanwhile counts or not. */
function takenBy(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  const own = stats.blocks * BLOCK;
  if (!stats.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + takenBy(join(path, name)), own);
}

function blocksOf(path: string): number {
  return (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK;
}
