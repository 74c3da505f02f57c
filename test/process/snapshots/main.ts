/**
 * How long a snapshot takes of a volume with many files: `npm run snapshots -- [files]` (100,000). The server's database is made as its
 * store makes it, and read from another process as an administrator's is. Then another process clones the volume while this one commits. Exit 1 if the
 * slowest of all snapshots takes more than BOUND_MS.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { wallTime } from '../../../shared/model/time.ts';
import { contentsNamed } from '../../../server/adapters/meta-sqlite/contents-named.ts';
import { openServerDatabase } from '../../../server/adapters/meta-sqlite/server-database.ts';
import { SqliteMetaStore } from '../../../server/adapters/meta-sqlite/sqlite-meta-store.ts';
import { snapshotUse } from '../../../server/maintenance/volumes/snapshot-use.ts';
import { cloneVolume } from '../../../server/maintenance/administration.ts';
import { createSnapshot, removeSnapshot } from '../../../server/maintenance/volumes/snapshots.ts';
import { fidOf, FIRST, MetaScript, ROOT } from '../../conformance/meta-script.ts';

const BOUND_MS = 50;
const TIMES = 50;
/** Of one commit of the database. */
const GROUP = 2_000;
const CLONE = '--clone';

const [first = '100000', second = ''] = process.argv.slice(2);
if (first === CLONE) await cloneHere(second);
else await measureHere();

async function measureHere(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-snapshot-cost-'));
  try {
    await measure(join(folder, 'server.db'), Number(first));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As the process of an administrator does it; prints how long it took. */
async function cloneHere(folder: string): Promise<void> {
  const begun = performance.now();
  await cloneVolume(folder, { name: 'copy', owner: null, quota: null }, 'home');
  console.log((performance.now() - begun).toFixed(0));
}

/** Commits of a server meanwhile, each of one save. */
async function measureClone(folder: string, script: MetaScript): Promise<void> {
  const own = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, own, CLONE, folder]);
  let took = '';
  child.stdout.on('data', (text: Buffer) => (took += text.toString()));
  child.stderr.pipe(process.stderr);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let isOver = false;
  void ended.then(() => (isOver = true));
  const waited: number[] = [];
  while (!isOver) {
    const begun = performance.now();
    await script.store(fidOf(2), waited.length).flush();
    waited.push(performance.now() - begun);
    await wait(1);
  }
  console.log(`cloned:  ${took.trim()} ms beside ${waited.length} commits`);
  const slowest = Math.max(...waited).toFixed(1);
  console.log(`commits meanwhile: median ${median(waited)} ms, slowest ${slowest} ms`);
}

async function measure(file: string, files: number): Promise<void> {
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
  await measureClone(dirname(file), script);
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
