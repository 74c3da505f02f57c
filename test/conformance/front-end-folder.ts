/** The folder on the disk of this machine, as a harness for the conformance suites of front ends. */
import { existsSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { milliseconds } from '../../shared/model/time.ts';
import { FolderBench } from '../support/folder-bench.ts';
import { HookedHost } from '../support/hooked-host.ts';
import type { FrontEndHarness, TreeAbilities } from './front-end-harness.ts';
/** After this many rounds of settling, the two sides are taken to differ for good. */
const MOST_ROUNDS = 40;

export const folder = (): Promise<FrontEndHarness> => folderOn(null);

/** Makes the harness. `where` is a folder on the disk to test; null uses the disk of temporary files. */
export async function folderOn(where: string | null): Promise<FrontEndHarness> {
  const host = new HookedHost();
  const bench = new FolderBench(host, where);
  const stored: string[] = [];
  bench.volume.onLog = (update) => {
    if (update.op === 'store') stored.push(bench.volume.textOf(update.digest));
  };
  await bench.start();
  return {
    root: bench.root,
    other: bench.other,
    abilities: abilitiesOf(where ?? tmpdir()),
    settled: () => settled(bench),
    until: async (condition) => {
      let isMet = false;
      // The one that is not told first asks no more: what the test does next may end what a condition looks at.
      const once = (): boolean => (isMet ||= condition());
      await Promise.race([bench.until(once), bench.volume.until(once)]);
    },
    volume: () => bench.volume.tree(),
    tree: () => treeOf(bench),
    bytes: (path) => bench.volume.bytesAt(path),
    status: (path) => bench.volume.status(path),
    // Errors about what the disk can't do are not about the test.
    errors: () => bench.folder.status().errors.filter(({ code }) => code !== 'disk-limits'),
    stored: () => stored,
    at: (moment, act, times) => host.at(moment, act, times),
    refuse: (moment, name, code) => host.refuse(moment, name, code),
    lateTimeOver: async () => {
      await bench.close();
      bench.limits = { ...bench.limits, late: milliseconds(0) };
      await bench.start();
    },
    end: () => bench.destroy(),
  };
}

/** The tree of the folder, without files that belong to this machine only. */
function treeOf(bench: FolderBench): Record<string, string> {
  const entries = Object.entries(bench.tree());
  return Object.fromEntries(entries.filter(([path]) => !path.endsWith('.db-shm')));
}

/** Settles until both sides are equal, since one round may cause another. Each round scans. */
async function settled(bench: FolderBench): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    await bench.settled();
    const [here, there] = [treeOf(bench), bench.volume.tree()];
    if (isDeepStrictEqual(here, there)) return;
  }
  expect(treeOf(bench)).toEqual(bench.volume.tree());
}

/** Finds the abilities by trying, since the same test runs on many disks. */
function abilitiesOf(where: string): TreeAbilities {
  const dir = mkdtempSync(join(where, 'godwit-abilities-'));
  const file = join(dir, 'Name');
  writeFileSync(file, '');
  truncateSync(file, 1024 * 1024);
  const abilities: TreeAbilities = {
    exactNames: !existsSync(join(dir, 'name')),
    holes: statSync(file).blocks * 512 < 1024 * 1024,
  };
  rmSync(dir, { recursive: true });
  return abilities;
}
