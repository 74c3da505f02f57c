/** What the data folder of a daemon takes of the disk, and the directory of ours in the synced folder (shared/control/disk.ts). */
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { DaemonDiskUse } from '../../../shared/control/disk.ts';

type Kind = 'cache' | 'toSend' | 'moving' | 'held' | 'database' | 'logs' | 'rest';

/** By the beginning of the path in the data folder. The first that fits counts. */
const PLACES: ReadonlyArray<readonly [RegExp, Kind]> = [
  [/^store\/lost\+found\//, 'held'],
  [/^(spool|transfers|store\/staging|store\/out)\//, 'moving'],
  [/^(daemon|folder|chunk-lists)\.db/, 'database'],
  [/^log\//, 'logs'],
];
const CONTENT = /^store\/contents\/([^/]+)$/;
/** Short ones that are to be sent, many in a file. */
const PACK = /^store\/packs\/[^/]+$/;
const BLOCK = 512;

/** `queued`: names of contents that are to be sent. `own`: the directory of ours in the synced folder; null: there is none. */
export async function daemonDiskUse(
  dataDir: string,
  own: string | null,
  queued: ReadonlySet<string>,
): Promise<DaemonDiskUse> {
  const bytes = new Map<Kind, number>();
  const files = { cache: 0, toSend: 0 };
  const add = (kind: Kind, more: number): void =>
    void bytes.set(kind, (bytes.get(kind) ?? 0) + more);
  const packed = new Set(queued);
  let hasPacks = false;
  for await (const { path, taken } of entriesIn(dataDir, '')) {
    if (PACK.test(path)) {
      hasPacks = true;
      add('toSend', taken);
      continue;
    }
    const content = CONTENT.exec(path)?.[1];
    if (content === undefined) {
      add(PLACES.find(([pattern]) => pattern.test(path))?.[1] ?? 'rest', taken);
      continue;
    }
    const kind = packed.delete(content) ? 'toSend' : 'cache';
    files[kind]++;
    add(kind, taken);
  }
  if (hasPacks) files.toSend += packed.size;
  if (own !== null) for await (const { taken } of entriesIn(own, '')) add('held', taken);
  const of = (kind: Kind): number => bytes.get(kind) ?? 0;
  const { bavail, bsize } = await statfs(dataDir);
  return {
    cache: { files: files.cache, bytes: of('cache') },
    toSend: { files: files.toSend, bytes: of('toSend') },
    moving: of('moving'),
    held: of('held'),
    database: of('database'),
    logs: of('logs'),
    rest: of('rest'),
    total: [...bytes.values()].reduce((sum, more) => sum + more, 0),
    free: bavail * bsize,
  };
}

/** The folder itself as well; folders end with a slash. What goes meanwhile is left out. */
async function* entriesIn(
  root: string,
  below: string,
): AsyncGenerator<{ path: string; taken: number }, void, undefined> {
  const at = join(root, below);
  const stats = await lstat(at).catch(() => null);
  if (stats === null) return;
  yield { path: stats.isDirectory() ? `${below}/` : below, taken: stats.blocks * BLOCK };
  if (!stats.isDirectory()) return;
  for (const name of await readdir(at).catch(() => [])) {
    yield* entriesIn(root, below === '' ? name : `${below}/${name}`);
  }
}
