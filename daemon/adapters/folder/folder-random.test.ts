/**
 * Random work on both sides, offline and on, with restarts: in the end both sides are the same, nothing waits, and nothing that
 * was obtained is left over.
 * `GODWIT_SEEDS=100-300` runs others than the few of every day.
 */
import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { compareNames } from '../../../shared/model/names.ts';
import { FolderBench } from '../../../test/support/folder-bench.ts';
import { RandomEdits } from '../../../test/support/random-edits.ts';

const EVERY_DAY = '1-8';
const ROUNDS = 5;
const SETTLES_WITHIN_MS = 20_000;

function seeds(): number[] {
  const [from = 1, to = from] = (process.env['GODWIT_SEEDS'] ?? EVERY_DAY).split('-').map(Number);
  return Array.from({ length: to - from + 1 }, (_none, at) => from + at);
}

/** A file that nobody will store any more has no contents, and is not shown (rule W2). */
function shown(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([, text]) => text !== '(none)'));
}

function textOf(tree: Record<string, string>): string {
  return JSON.stringify(Object.entries(tree).sort(([a], [b]) => compareNames(a, b)));
}

async function converge(bench: FolderBench): Promise<void> {
  const { volume } = bench;
  const leftOver = (): string[] => readdirSync(bench.path('.godwit', 'tmp'));
  const isSame = (): boolean => textOf(shown(volume.tree())) === textOf(bench.tree());
  const isQuiet = (): boolean =>
    volume.queue.length === 0 && bench.folder.unsettled().paths === 0 && leftOver().length === 0;
  for (const until = Date.now() + SETTLES_WITHIN_MS; Date.now() < until;) {
    await bench.settled();
    if (isSame() && isQuiet()) return;
  }
  expect(bench.tree()).toEqual(shown(volume.tree()));
  expect(bench.folder.unsettled()).toEqual({ paths: 0, commits: 0 });
  expect(leftOver()).toEqual([]);
}

describe('random edits on both sides', () => {
  it.each(seeds())('converge to one tree: seed %i', async (seed) => {
    const bench = await new FolderBench().start();
    const edits = new RandomEdits(bench, seed);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        if (edits.chance(0.4)) bench.volume.connected = false;
        for (let step = edits.upTo(8); step > 0; step--) {
          if (edits.chance(0.6)) edits.local();
          else await edits.remote();
          if (edits.chance(0.3)) await bench.folder.scan();
        }
        if (edits.chance(0.2)) {
          await bench.close();
          bench.volume.connected = true;
          await bench.open();
        }
        bench.volume.connected = true;
        await converge(bench);
        expect(bench.lines.filter((line) => line.startsWith('error'))).toEqual([]);
      }
    } catch (error) {
      process.stderr.write(`seed ${seed}:\n${edits.done.join('\n')}\n`);
      throw error;
    } finally {
      await bench.destroy();
    }
  });
});
