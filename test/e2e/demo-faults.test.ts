/** The demo under faults, a short one of a fixed seed: kills, cuts and a full disk, and nothing is lost. The long one is run by hand. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Bench } from '../support/bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

it('`godwit demo --faults` holds in every comparison and leaves nothing behind', async () => {
  const source = bench.path('source');
  mkdirSync(join(source, 'folder'), { recursive: true });
  for (let index = 0; index < 40; index++) {
    writeFileSync(
      join(source, index % 2 === 0 ? 'folder' : '.', `file ${index}`),
      `${index}\n`.repeat(50),
    );
  }
  const args = ['demo', source, '--faults', '--seed', '7', '--kills', '3', '--cuts', '3', '--json'];
  const { code, stdout } = await bench.godwit(args, { env: { TMPDIR: bench.root } });
  const { ok, kept, seed, steps } = JSON.parse(stdout) as {
    ok: boolean;
    kept: string | null;
    seed: number;
    steps: Array<{ title: string; items: number; faults: string[] }>;
  };
  expect(steps.flatMap(({ faults }) => faults)).toEqual([]);
  expect({ ok, code, kept, seed }).toEqual({ ok: true, code: 0, kept: null, seed: 7 });
  const lost = steps.find(({ title }) => title === 'nothing is lost');
  expect(lost?.items).toBeGreaterThan(60);
  expect(readdirSync(bench.root).filter((name) => name.startsWith('godwit-demo'))).toEqual([]);
});
