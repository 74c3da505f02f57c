/** A process of a bulk run: one stretch after the other, of the parsers of the module that it is given. What ends it ends no other. */
import { openSync, writeSync } from 'node:fs';
import { present } from '../../../shared/util/assert.ts';
import type { Parser, ParserRow } from './parser.ts';
import { runStretch, type Stretch } from './stretch.ts';

export interface Order {
  readonly parser: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** The file that gets each number before it is tried, for inputs from which the process does not return. */
  readonly diary: string | null;
}

export interface Answer extends Stretch {
  readonly ms: number;
}

/** The message that the parser is open; from then on, time counts for inputs. */
const BEGUN = 'begun';

// Most inputs are refused by an error: its stack costs more than all else, and nobody reads it.
Error.stackTraceLimit = 0;

const NUMBER_DIGITS = 16;
const table = import(present(process.argv[2], 'a table is given')) as Promise<{
  readonly TABLE: readonly ParserRow[];
}>;
const opened = new Map<string, Parser>();

async function rowOf(name: string): Promise<ParserRow> {
  const { TABLE } = await table;
  return present(
    TABLE.find((row) => row.name === name),
    name,
  );
}

async function parserOf(row: ParserRow): Promise<Parser> {
  const parser = opened.get(row.name) ?? (await row.open());
  opened.set(row.name, parser);
  return parser;
}

function writerOf(diary: string | null): ((number: number) => void) | undefined {
  if (diary === null) return undefined;
  const file = openSync(diary, 'w');
  return (number) => writeSync(file, String(number).padEnd(NUMBER_DIGITS), 0);
}

async function carryOut({ parser, seed, from, to, diary }: Order): Promise<Answer> {
  const row = await rowOf(parser);
  const open = await parserOf(row);
  const each = writerOf(diary);
  process.send?.(BEGUN);
  const begun = performance.now();
  const stretch = await runStretch(row, open, { seed, from, to }, each);
  return { ...stretch, ms: performance.now() - begun };
}

process.on('message', (order: Order) => {
  // Orders come one at a time: the next one follows the answer.
  void carryOut(order).then((answer) => process.send?.(answer));
});

// The parent is gone, so nobody can take an answer.
process.on('error', () => process.exit(1));

process.on('disconnect', () => {
  const close = async (parser: Parser): Promise<void> => parser.close?.();
  void Promise.allSettled([...opened.values()].map(close)).then(() => process.exit());
});
