/** Steps in which both laptops change something, or something is away: the server, or the daemon of laptop B. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { compareTrees } from './compare-trees.ts';
import { DEMO_FOLDER, faultsOf, settle, type Demo, type StepOutcome } from './demo-step.ts';
import type { Laptop } from './laptop.ts';
import { compareBoth } from './tree-steps.ts';

/** QUIC needs a while to be sure that the other side is gone. */
const NOTICE_LIMIT_MS = 60_000;
const MANY_FILES = 800;
const BIG_BYTES = 24_000_000;
const LOOK_MS = 2;

/**
 * Changes one file at both laptops while they are paused, and checks that both versions and the
 * conflict are shown.
 */
export async function concurrentChange(demo: Demo): Promise<StepOutcome> {
  const { a, b } = demo;
  const path = join(DEMO_FOLDER, 'both.txt');
  mkdirSync(join(a.folder, DEMO_FOLDER), { recursive: true });
  writeFileSync(join(a.folder, path), 'as it was\n');
  await settle(demo);
  await Promise.all([a.command('pause'), b.command('pause')]);
  writeFileSync(join(a.folder, path), 'what A wrote\n');
  writeFileSync(join(b.folder, path), 'what B wrote\n');
  await Promise.all([a.command('resume'), b.command('resume')]);
  await settle(demo);
  const faults = faultsOf('laptop B', compareTrees(a.tree(), b.tree()));
  for (const laptop of [a, b]) faults.push(...versionFaults(laptop));
  const told = await conflictsOf(a);
  const toldToo = await conflictsOf(b);
  if (told === 0 || toldToo === 0) faults.push('a laptop does not list the conflict');
  return { compared: 'A with B; both versions on both', items: a.tree().size, faults };
}

function versionFaults({ name, folder }: Laptop): string[] {
  const own = join(folder, DEMO_FOLDER);
  const versions = readdirSync(own)
    .filter((file) => file.startsWith('both'))
    .map((file) => readFileSync(join(own, file), 'utf8'))
    .sort();
  const wanted = ['what A wrote\n', 'what B wrote\n'];
  if (JSON.stringify(versions) === JSON.stringify(wanted)) return [];
  return [`laptop ${name}: ${JSON.stringify(wanted)} wanted, ${JSON.stringify(versions)} found`];
}

/** Counts them, and dismisses them, so that later steps see the plain state. */
async function conflictsOf(laptop: Laptop): Promise<number> {
  const { conflicts } = (await laptop.command('conflicts')) as { conflicts: Array<{ id: number }> };
  for (const { id } of conflicts) await laptop.command('conflicts', 'dismiss', String(id));
  return conflicts.length;
}

/**
 * Ends the server while both laptops work, and checks that they tell so and have each other's work
 * afterwards.
 */
export async function serverAway(demo: Demo): Promise<StepOutcome> {
  const { a, b, server, awaySeconds, signal } = demo;
  await server.end();
  const away = (status: StatusSnapshot): boolean => !status.connected;
  await Promise.all([a.until(away, NOTICE_LIMIT_MS), b.until(away, NOTICE_LIMIT_MS)]);
  const shown = [watchOffline(a, awaySeconds), watchOffline(b, awaySeconds)];
  for (const laptop of [a, b]) work(laptop, 'first');
  await wait((awaySeconds * 1000) / 2, undefined, { signal });
  for (const laptop of [a, b]) work(laptop, 'second');
  const faults = (await Promise.all(shown)).flat();
  await server.up();
  const back = (status: StatusSnapshot): boolean => status.connected;
  await Promise.all([a.until(back, NOTICE_LIMIT_MS), b.until(back, NOTICE_LIMIT_MS)]);
  await settle(demo);
  faults.push(...faultsOf('laptop B', compareTrees(a.tree(), b.tree())));
  for (const laptop of [a, b]) faults.push(...workFaults(laptop));
  return { compared: 'A with B; the work of both on both', items: a.tree().size, faults };
}

/** Some new files, one changed and one renamed later. */
function work(laptop: Laptop, time: 'first' | 'second'): void {
  const folder = join(laptop.folder, DEMO_FOLDER, `offline ${laptop.name}`);
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < 20; index++) {
    writeFileSync(join(folder, `${time} ${index}.txt`), `${laptop.name} ${time} ${index}\n`);
  }
  if (time === 'first') return;
  writeFileSync(join(folder, 'first 0.txt'), 'changed offline\n');
  renameSync(join(folder, 'first 1.txt'), join(folder, 'renamed.txt'));
  rmSync(join(folder, 'first 2.txt'));
}

function workFaults({ name, folder }: Laptop): string[] {
  return ['A', 'B'].flatMap((author) => {
    const own = join(folder, DEMO_FOLDER, `offline ${author}`);
    const names = readdirSync(own);
    const changed = readFileSync(join(own, 'first 0.txt'), 'utf8');
    const holds = names.length === 39 && changed === 'changed offline\n';
    return holds ? [] : [`laptop ${name}: the work of ${author} is not all there`];
  });
}

/** Everything that is shown while the server is away and is not "offline". */
async function watchOffline(laptop: Laptop, seconds: number): Promise<string[]> {
  const faults: string[] = [];
  const look = ({ connected, state, errors }: StatusSnapshot): boolean => {
    if (connected) faults.push(`laptop ${laptop.name}: connected, and there is no server`);
    else if (state !== 'offline') faults.push(`laptop ${laptop.name}: ${state} is shown`);
    for (const { code, message } of errors) {
      if (code !== 'server-unreachable') faults.push(`laptop ${laptop.name}: ${message} is shown`);
    }
    return false;
  };
  // Nothing ends the watch but its time.
  await laptop.until(look, seconds * 1000).catch(() => undefined);
  return [...new Set(faults)];
}

/**
 * Kills laptop B while files of A arrive there, and compares both laptops afterwards. That B had
 * everything before the kill is a fault of the step.
 */
export async function killMidway(demo: Demo): Promise<StepOutcome> {
  const { a, b, signal } = demo;
  await b.command('pause');
  const path = join(DEMO_FOLDER, 'while B is killed');
  mkdirSync(join(a.folder, path));
  for (let index = 0; index < MANY_FILES; index++) {
    writeFileSync(join(a.folder, path, `file ${index}`), `number ${index}\n`.repeat(index));
  }
  writeFileSync(join(a.folder, path, 'big.bin'), Buffer.alloc(BIG_BYTES, 'godwit'));
  await a.flush(demo.flushSeconds);
  const wanted = a.tree();
  await b.command('resume');
  const there = await arrived(join(b.folder, path), MANY_FILES / 4, signal);
  await b.kill();
  await b.up();
  await settle(demo);
  const outcome = compareBoth(
    demo,
    wanted,
    `A and B; B killed with ${there} of ${MANY_FILES + 1} there`,
  );
  if (there <= MANY_FILES) return outcome;
  return { ...outcome, faults: [...outcome.faults, 'B was done before it could be killed'] };
}

/** Resolves when at least so many entries are in a folder, to their number. */
async function arrived(folder: string, count: number, signal: AbortSignal): Promise<number> {
  for (let waited = 0; waited < NOTICE_LIMIT_MS; waited += LOOK_MS) {
    let found = 0;
    try {
      found = readdirSync(folder).length;
    } catch {
      // Not there yet.
    }
    if (found >= count) return found;
    await wait(LOOK_MS, undefined, { signal });
  }
  return 0;
}
