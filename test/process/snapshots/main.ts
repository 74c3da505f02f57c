/**
 * How long a snapshot takes of a volume with many files: `npm run snapshots -- [files]` (100,000). The server's database is made as its
 * store makes it, and read from another process as an administrator's is. Exit 1 if the slowest of all snapshots takes more than BOUND_MS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallTime } from '../../../shared/model/time.ts';
import { contentsNamed } from '../../../server/adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../../server/adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import { snapshotUse } from '../../../server/maintenance/volumes/snapshot-use.ts';
import { createSnapshot, removeSnapshot } from '../../../server/maintenance/volumes/snapshots.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../conformance/meta-script.ts';

const BOUND_MS = 50;
const TIMES = 50;
/** Of one commit of the database. */
const GROUP = 2_000;
const files = Number(process.argv[2] ?? 100_000);

const folder = mkdtempSync(join(tmpdir(), 'godwit-snapshot-cost-'));
try {
  await measure(join(folder, 'server.db'));
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(file: string): Promise<void> {
  const store = new SqliteMetaStore(file);
  await store.open(FIRST);
  const script = await MetaScript.on(store);
  for (let n = 0; n < files; n++) {
    const fid = fidOf(2 + n);
    script.create(fid, ROOT, `file ${n}`).store(fid, n);
    if (n % GROUP === GROUP - 1 || n === files - 1) await script.flush();
  }
  const database = openServerDatabase(file);
  const made: number[] = [];
  const removed: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    made.push(timed(() => createSnapshot(database, 'home', `s${n}`, FIRST.when)));
  }
  const collected = timed(() => [...contentsNamed(database, wallTime(FIRST.when + 1))].length);
  // A hundredth of the files is saved anew since.
  for (let n = 0; n < files / 100; n++) script.store(fidOf(2 + n), n + files);
  await script.flush();
  const later = wallTime(FIRST.when + 1000 * 86_400_000);
  const counted = timed(() => snapshotUse(database, later).size);
  for (let n = 0; n < TIMES; n++)
    removed.push(timed(() => removeSnapshot(database, 'home', `s${n}`)));
  const without = timed(() => [...contentsNamed(database, wallTime(FIRST.when + 1))].length);
  database.close();
  await store.close();
  const slowest = Math.max(...made);
  console.log(`${files} files, ${TIMES} snapshots`);
  console.log(
    `made:    median ${median(made)} ms, slowest ${slowest.toFixed(1)} ms (at most ${BOUND_MS})`,
  );
  console.log(
    `removed: median ${median(removed)} ms, slowest ${Math.max(...removed).toFixed(1)} ms`,
  );
  console.log(
    `what is kept, asked: ${collected.toFixed(0)} ms with them, ${without.toFixed(0)} ms without`,
  );
  console.log(`what only they keep, asked: ${counted.toFixed(0)} ms`);
  if (slowest > BOUND_MS) process.exitCode = 1;
}

function timed(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function median(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(1);
}
