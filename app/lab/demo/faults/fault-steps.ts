/** The steps of the demo under faults. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { sizeText } from '../../../../shared/util/amounts.ts';
import { compareTrees } from '../compare-trees.ts';
import { faultsOf, settle, type StepOutcome } from '../demo-step.ts';
import type { Laptop } from '../laptop.ts';
import { readTree } from '../read-tree.ts';
import { committedBytes } from './committed-bytes.ts';
import type { FaultDemo } from './fault-demo.ts';
import { Storm } from './storm.ts';
import { Supervised } from './supervised.ts';
import { HOT_FOLDER, Workload } from './workload.ts';

/**
 * Lets both laptops work while server, laptops, network and disk fail. A program that ends by
 * itself is a fault.
 */
export async function storm(demo: FaultDemo): Promise<StepOutcome> {
  const { a, b, disk, random, ledger, signal } = demo;
  for (const [path, { kind, contents }] of a.tree()) {
    if (kind === 'file')
      ledger.wrote(contents, null, path.split('/').at(-1) ?? '', `from the source: ${path}`);
  }
  mkdirSync(join(a.folder, HOT_FOLDER), { recursive: true });
  await settle(demo);
  const workloads = [a, b].map(
    (laptop) => new Workload(laptop, random.fork(`work ${laptop.name}`), ledger),
  );
  const over = new AbortController();
  const ended = AbortSignal.any([over.signal, signal]);
  const programs = supervise(demo, ended);
  try {
    const { relays, kills, cuts, onProgress } = demo;
    const report = await new Storm({
      kills,
      cuts,
      random,
      programs,
      relays,
      laptops: [a, b],
      workloads,
      disk,
      signal,
      onProgress,
    }).run();
    const faults = programs.flatMap((program) => program.faults);
    const items = workloads.reduce((sum, { done }) => sum + done, 0);
    const full = disk === null ? 'no small disk here' : `${report.fullDisk} times a full disk at B`;
    return {
      compared: `changes made; ${report.moves} other addresses, ${full}, ${report.flushes} flushes`,
      items,
      faults,
    };
  } finally {
    over.abort();
  }
}

function supervise({ server, a, b, disk }: FaultDemo, signal: AbortSignal): Supervised[] {
  const wasFull = (since: number): boolean => disk?.wasFull(since) === true;
  return [
    new Supervised('the server', server, signal),
    new Supervised('laptop A', a, signal),
    new Supervised('laptop B', b, signal, wasFull),
  ];
}

/** Compares laptop A with laptop B and with a new laptop, when all has settled. */
export async function compareAll(demo: FaultDemo): Promise<StepOutcome> {
  const { a, b, late, server, flushSeconds } = demo;
  await settleHeldBack(demo);
  await late.up(await server.invite());
  await late.flush(flushSeconds);
  const wanted = a.tree();
  const faults = [b, late].flatMap((laptop) =>
    faultsOf(`laptop ${laptop.name}`, compareTrees(wanted, laptop.tree())),
  );
  return {
    compared: 'A with B, and with a new laptop: what the server has',
    items: wanted.size,
    faults,
  };
}

/** Removals that a scan found, and that look like a disaster, wait for a word (rule W8): they were meant. */
async function settleHeldBack(demo: FaultDemo): Promise<void> {
  try {
    await settle(demo);
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'removals-held') throw error;
    for (const laptop of [demo.a, demo.b]) await laptop.command('confirm');
    await settle(demo);
  }
}

/**
 * Checks that every version that was written is there, superseded or removed, and that nothing else
 * is there.
 */
export function nothingLost(demo: FaultDemo): Promise<StepOutcome> {
  const { a, b, ledger } = demo;
  const there = new Set<string>();
  const faults: string[] = [];
  for (const laptop of [a, b]) {
    for (const [path, { kind, contents }] of laptop.tree()) {
      if (kind !== 'file') continue;
      there.add(contents);
      if (!ledger.has(contents))
        faults.push(`laptop ${laptop.name}: ${path}: contents that nobody wrote`);
    }
    for (const { kind, contents } of asideAt(laptop)) if (kind === 'file') there.add(contents);
  }
  faults.push(...ledger.missing(there));
  const compared = 'every version that was written: there, superseded or removed';
  return Promise.resolve({ compared, items: ledger.size, faults });
}

/** What the daemon could put in no place is kept in a folder of its own, and shown. */
function asideAt(laptop: Laptop) {
  const folder = join(laptop.folder, '.godwit', 'lost+found');
  return existsSync(folder) ? [...readTree(folder).values()] : [];
}

/** Checks that no temporary or parked file is left in the folders. */
export function nothingLeftOver(demo: FaultDemo): Promise<StepOutcome> {
  const { a, b } = demo;
  const faults: string[] = [];
  let items = 0;
  for (const { name, folder } of [a, b]) {
    for (const room of ['tmp', 'parked']) {
      const path = join(folder, '.godwit', room);
      const left = existsSync(path) ? readdirSync(path) : [];
      items += 1;
      if (left.length > 0)
        faults.push(`laptop ${name}: left in .godwit/${room}: ${left.join(', ')}`);
    }
  }
  return Promise.resolve({ compared: 'rooms for what is half made are empty', items, faults });
}

/**
 * Compares the bytes that each laptop sent with those of the versions that it committed. It finds
 * no fault.
 */
export async function countBytes(demo: FaultDemo): Promise<StepOutcome> {
  const { a, b, relays, server } = demo;
  const parts = [a, b].map(({ name }, index) => {
    const { bytes, versions } = committedBytes(server.dataDir, `laptop ${name}`);
    return `${name}: ${sizeText(relays[index]?.statistics().up.offered.payload ?? 0)} sent for ${sizeText(bytes)} in ${versions} versions`;
  });
  await Promise.resolve();
  return { compared: parts.join('; '), items: 0, faults: [] };
}
