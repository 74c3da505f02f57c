/** The output of a bulk run: a line for each parser, the findings with the commands that reproduce them, and one line at the end. */
import type { RowResult } from './crew.ts';
import type { Finding } from './stretch.ts';

export interface Report {
  readonly seed: number;
  readonly workers: number;
  readonly inputs: number;
  readonly seconds: number;
  readonly parsers: ReadonlyArray<{
    readonly name: string;
    readonly inputs: number;
    readonly taken: number;
    readonly seconds: number;
  }>;
  readonly findings: readonly Finding[];
}

const SHOWN_STACK = 6;

export function reportOf(
  results: readonly RowResult[],
  { seed, workers, ms }: { readonly seed: number; readonly workers: number; readonly ms: number },
): Report {
  return {
    ...{ seed, workers, seconds: seconds(ms) },
    inputs: results.reduce((sum, { inputs }) => sum + inputs, 0),
    parsers: results.map(({ name, inputs, taken, ms: own }) => ({
      ...{ name, inputs, taken, seconds: seconds(own) },
    })),
    findings: results.flatMap(({ findings }) => findings),
  };
}

export function linesOf({
  seed,
  workers,
  inputs,
  seconds: all,
  parsers,
  findings,
}: Report): string[] {
  const width = Math.max(...parsers.map(({ name }) => name.length));
  const table = parsers.map((row) => {
    const each = row.seconds > 0 ? Math.round(row.inputs / row.seconds) : row.inputs;
    const taken = `${Math.round((100 * row.taken) / Math.max(1, row.inputs))} %`;
    const cells = [
      count(row.inputs).padStart(12),
      taken.padStart(6),
      row.seconds.toFixed(1).padStart(8),
    ];
    return `${row.name.padEnd(width)} ${cells.join(' ')} ${count(each).padStart(10)}`;
  });
  const head = [
    'inputs'.padStart(12),
    'taken'.padStart(6),
    'seconds'.padStart(8),
    'a second'.padStart(10),
  ];
  return [
    `${'parser'.padEnd(width)} ${head.join(' ')}`,
    ...table,
    ...findings.flatMap(linesOfFinding),
    `${count(inputs)} inputs of ${parsers.length} parsers in ${Math.round(all)} s, ${workers} processes, seed ${seed}: ` +
      (findings.length === 0 ? 'nothing found' : `${findings.length} found`),
  ];
}

function linesOfFinding({
  parser,
  seed,
  number,
  what,
  stack,
  input,
  shortened,
}: Finding): string[] {
  return [
    `FOUND ${parser} (seed ${seed}, input ${number}): ${what}`,
    ...stack
      .split('\n')
      .slice(1, SHOWN_STACK)
      .map((line) => `  ${line.trim()}`),
    `  input: ${input}`,
    `  again: npm run fuzz -- --parser '${parser}' --input '${shortened}'`,
  ];
}

const count = (number: number): string => number.toLocaleString('en');
const seconds = (ms: number): number => Math.round(ms) / 1000;
