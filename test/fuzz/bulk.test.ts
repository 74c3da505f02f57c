/**
 * The bulk runs (`npm run fuzz`): each parser of their table takes some of its inputs and does nothing that it may not, and what a
 * parser may not do is found, with an input that shows it again.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';
import { present } from '../../shared/util/assert.ts';
import { piecesOf, runCrew } from './bulk/crew.ts';
import { STARVED, TABLE as FAULTY_ROWS } from './bulk/faulty-table.ts';
import { LONGEST } from './bulk/mutate.ts';
import type { ParserRow } from './bulk/parser.ts';
import { linesOf, reportOf } from './bulk/report.ts';
import { Inputs, judgeRow, runStretch } from './bulk/stretch.ts';
import { TABLE } from './bulk/table.ts';

const MAIN = fileURLToPath(new URL('./bulk/main.ts', import.meta.url));
const FAULTY_TABLE = new URL('./bulk/faulty-table.ts', import.meta.url);

const FAULTY = FAULTY_ROWS.filter((row) => row !== STARVED);

const faulty = (name: string): ParserRow =>
  present(
    FAULTY.find((row) => row.name === name),
    name,
  );

async function stretchOf(row: ParserRow, to: number) {
  const parser = await row.open();
  try {
    return await runStretch(row, parser, { seed: 1, from: 0, to });
  } finally {
    await parser.close?.();
  }
}

/** One input of it can not be written as an argument: quotes are of the shell. */
function fuzz(...args: string[]) {
  const run = join(ROOT, 'build', 'run.mjs');
  const answer = spawnSync(process.execPath, [run, MAIN.slice(ROOT.length + 1), ...args], {
    encoding: 'utf8',
  });
  return { code: answer.status, output: answer.stdout };
}

describe('parsers', () => {
  // What goes to the disk is slow.
  test.each(TABLE.map((row) => [row.name, row] as const))(
    'the parser of %s survives a stretch of random inputs',
    async (_, row) => {
      const { findings, taken } = await stretchOf(row, row.weight < 0.1 ? 80 : 120);
      expect(findings).toEqual([]);
      expect(taken).toBeGreaterThan(0);
    },
  );

  test('each parser has a name of its own', () => {
    expect(new Set(TABLE.map(({ name }) => name)).size).toBe(TABLE.length);
  });
});

describe('inputs', () => {
  test('any input can be drawn again without those before it', async () => {
    const row = present(
      TABLE.find(({ name }) => name === 'invitations'),
      'invitations',
    );
    const draw = async (numbers: readonly number[]): Promise<string[]> => {
      const inputs = new Inputs(row, await row.open(), 7);
      return numbers.map((number) => Buffer.from(inputs.at(number)).toString('base64'));
    };
    const all = await draw(Array.from({ length: 300 }, (_, i) => i));
    expect(await draw([299, 17])).toEqual([all[299], all[17]]);
    expect(new Set(all).size).toBeGreaterThan(250);
  });

  test('inputs grow up to the longest length and no longer', async () => {
    const row = faulty('is fine');
    const inputs = new Inputs(row, await row.open(), 7);
    const lengths = Array.from({ length: 20_000 }, (_, i) => inputs.at(i).length);
    expect(Math.max(...lengths)).toBeGreaterThan(LONGEST / 2);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(LONGEST);
    expect(Math.min(...lengths)).toBe(0);
  });
});

describe('findings', () => {
  test('a bulk run finds a thrown error once, shortens its input and reproduces it', async () => {
    const row = faulty('throws');
    const { findings } = await stretchOf(row, 1000);
    expect(findings).toHaveLength(1);
    const [found] = findings;
    expect(found).toMatchObject({ what: 'TypeError: not so N.N', shortened: '8Q==' });
    const input = Buffer.from(present(found, 'a finding').input, 'base64');
    expect(String((await judgeRow(row, input)).error)).toContain('not so');
  });

  test('a bulk run finds inputs that hang or kill the process, and the other parsers go on', async () => {
    const results = await runCrew({
      ...{ table: FAULTY_TABLE, rows: FAULTY, inputs: 400, seed: 1, workers: 2, stuckMs: 1500 },
    });
    const [throwing, hanging, dying, fine] = results.map(({ inputs }) => inputs);
    expect([throwing, fine]).toEqual([100, 100]);
    for (const inputs of [hanging, dying]) expect(inputs).toBeLessThan(100);
    const found = new Set(results.flatMap(({ findings }) => findings.map(({ what }) => what)));
    expect([...found].sort()).toEqual([
      'TypeError: not so N.N',
      'does not end',
      'ends the process (SIGKILL)',
    ]);
    for (const { name, findings } of results.slice(1, 3)) {
      const byte = name === 'hangs' ? 0xf2 : 0xf3;
      expect([...Buffer.from(findings[0]?.input ?? '', 'base64')]).toContain(byte);
    }
    const lines = linesOf(reportOf(results, { seed: 1, workers: 2, ms: 10 })).join('\n');
    expect(lines).toContain("again: npm run fuzz -- --parser 'throws' --input '8Q=='");
    expect(lines).toMatch(/inputs of 4 parsers in 0 s, 2 processes, seed 1: 3 found$/);
  });
});

test('a bulk run that gets no processor time finishes late, without a finding', async () => {
  const [found] = await runCrew({
    ...{ table: FAULTY_TABLE, rows: [STARVED], inputs: 30, seed: 1, workers: 1, stuckMs: 300 },
  });
  expect(found).toMatchObject({ inputs: 30, taken: 30, findings: [] });
});

test('inputs are shared out by weight, and each parser gets at least one', () => {
  const rows = [
    { ...faulty('throws'), weight: 3 },
    { ...faulty('hangs'), weight: 1, era: 10 },
    { ...faulty('dies'), weight: 1e-9 },
  ];
  const pieces = piecesOf(rows, 100).map(({ row, from, to }) => [row.name, from, to]);
  expect(pieces).toEqual([
    ['hangs', 0, 10],
    ['throws', 0, 75],
    ['dies', 0, 1],
    ['hangs', 10, 20],
    ['hangs', 20, 25],
  ]);
});

describe('the fuzz command', () => {
  test('reports a run without findings as JSON and exits with 0', () => {
    const { code, output } = fuzz(
      '--parser',
      'part notes',
      '--inputs',
      '500',
      '--seed',
      '3',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ seed: 3, inputs: 500, findings: [] });
  });

  test('repeats one given input', () => {
    const input = Buffer.from('no invitation').toString('base64');
    const { code, output } = fuzz('--parser', 'invitations', '--input', input);
    expect([code, output]).toEqual([0, 'refused\n']);
  });

  test.each([
    ['--parser', 'no such'],
    ['--inputs', '0'],
    ['--seed', 'x'],
    ['--input', 'AA=='],
  ])('rejects the arguments %s %s as a usage error', (...args) => {
    expect(fuzz(...args).code).toBe(2);
  });
});
