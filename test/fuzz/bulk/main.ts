/**
 * `npm run fuzz -- [--inputs N] [--seconds N] [--parser NAME] [--seed N] [--workers N] [--json]`: inputs by the million for every parser of bytes from
 * outside, or for those whose name has NAME in it. `--input BASE64` tries one input again. Exit code 1 where something was found.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { runCrew } from './crew.ts';
import type { ParserRow } from './parser.ts';
import { linesOf, reportOf } from './report.ts';
import { judgeRow, shapeOf } from './stretch.ts';
import { TABLE } from './table.ts';
import { flagsOf, wrongFlag } from '../../support/flags.ts';

const TABLE_MODULE = new URL('./table.ts', import.meta.url);
const STUCK_MS = 2 * 60_000;
const TOLD_EVERY_MS = 10_000;

const values = flagsOf('npm run fuzz', {
  inputs: { type: 'string', default: '1000000' },
  parser: { type: 'string', default: '' },
  seed: { type: 'string' },
  seconds: { type: 'string' },
  workers: { type: 'string' },
  input: { type: 'string' },
  json: { type: 'boolean', default: false },
});

function whole(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text) || Number(text) < 1)
    wrongFlag(`--${name} ${text}: not a number from 1`);
  return Number(text);
}

function chosen(name: string): ParserRow[] {
  const exact = TABLE.filter((row) => row.name === name);
  const rows = exact.length > 0 ? exact : TABLE.filter((row) => row.name.includes(name));
  if (rows.length > 0) return rows;
  return wrongFlag(
    `no parser is called so; there are:\n  ${TABLE.map((row) => row.name).join('\n  ')}`,
  );
}

async function again(row: ParserRow, base64: string): Promise<void> {
  const { taken, error } = await judgeRow(row, Buffer.from(base64, 'base64'));
  if (error === null) return void process.stdout.write(taken ? 'taken\n' : 'refused\n');
  process.stdout.write(`FOUND ${error instanceof Error ? error.stack : shapeOf(error)}\n`);
  process.exitCode = 1;
}

async function run(rows: readonly ParserRow[]): Promise<void> {
  const seed = whole('seed', values.seed ?? String(randomInt(1, 2 ** 31)));
  const workers = whole('workers', values.workers ?? String(availableParallelism()));
  const begun = performance.now();
  let told = begun;
  const progress = (done: number): void => {
    const now = performance.now();
    if (now - told < TOLD_EVERY_MS) return;
    told = now;
    process.stderr.write(
      `${done.toLocaleString('en')} inputs, ${Math.round((now - begun) / 1000)} s\n`,
    );
  };
  const inputs = whole('inputs', values.inputs);
  const mostMs = values.seconds === undefined ? Infinity : 1000 * whole('seconds', values.seconds);
  const results = await runCrew({
    ...{ table: TABLE_MODULE, rows, inputs, seed, workers },
    ...{ stuckMs: STUCK_MS, mostMs, progress },
  });
  const report = reportOf(results, { seed, workers, ms: performance.now() - begun });
  process.stdout.write(`${values.json ? JSON.stringify(report) : linesOf(report).join('\n')}\n`);
  if (report.findings.length > 0) process.exitCode = 1;
}

const rows = chosen(values.parser);
const [first] = rows;
if (values.input === undefined) await run(rows);
else if (rows.length === 1 && first !== undefined) await again(first, values.input);
else wrongFlag('--input is for one parser: give its name with --parser');
