/**
 * Runs a stretch of the inputs of one parser. What an input is depends on the seed, the parser and its number alone, so a stretch can be
 * run again from anywhere.
 */
import { Draw } from './draw.ts';
import { Mutator } from './mutate.ts';
import type { Parser, ParserRow } from './parser.ts';
import { shrink } from './shrink.ts';

export interface Finding {
  readonly parser: string;
  readonly seed: number;
  readonly number: number;
  /** The finding in one line. */
  readonly what: string;
  readonly stack: string;
  /** The input in base64, shortened as long as the finding stays the same. */
  readonly input: string;
  readonly shortened: string;
}

export interface Stretch {
  readonly inputs: number;
  readonly taken: number;
  readonly findings: readonly Finding[];
}

/** The most time of this thread for one input of a few kilobytes. */
const MOST_CPU_MS = 2000;
/** The most findings of one stretch; further ones are likely the same. */
const MOST_FINDINGS = 10;
const STACK_LINES = 30;

export class Inputs {
  readonly #row: ParserRow;
  readonly #parser: Parser;
  readonly #mutator: Mutator;
  readonly #mending: Draw;
  readonly #seed: number;
  #era = -1;
  #corpus: readonly Uint8Array[] = [];

  constructor(row: ParserRow, parser: Parser, seed: number) {
    this.#row = row;
    this.#parser = parser;
    this.#seed = seed;
    this.#mutator = new Mutator(new Draw(`${seed}/${row.name}`), parser.tokens);
    this.#mending = new Draw(`${seed}/${row.name}/mend`);
  }

  /** The input with this number, valid until the next call. */
  at(number: number): Uint8Array {
    const era = Math.floor(number / this.#row.era);
    if (era !== this.#era) {
      this.#era = era;
      this.#corpus = this.#parser.corpus(this.#seed + era);
    }
    const input = this.#mutator.make(number, this.#corpus);
    const isMended = this.#parser.mend !== undefined && this.#mending.begin(number).chance(50);
    return isMended ? (this.#parser.mend?.(input) ?? input) : input;
  }
}

/** Tries one input again, with a parser that is opened for it alone. */
export async function judgeRow(
  row: ParserRow,
  input: Uint8Array,
): Promise<{ readonly taken: boolean; readonly error: unknown }> {
  const parser = await row.open();
  try {
    return await judge(parser, input);
  } finally {
    await parser.close?.();
  }
}

/** Tries one input. `error` is null when it was accepted, or refused as allowed. */
async function judge(
  parser: Parser,
  input: Uint8Array,
): Promise<{ readonly taken: boolean; readonly error: unknown }> {
  try {
    return { taken: await parser.check(input), error: null };
  } catch (error) {
    return { taken: false, error: parser.allows(error) ? null : (error ?? 'nothing was thrown') };
  }
}

/** Runs a stretch. `each` gets the number of an input before it is tried. */
export async function runStretch(
  row: ParserRow,
  parser: Parser,
  { seed, from, to }: { readonly seed: number; readonly from: number; readonly to: number },
  each: (number: number) => void = () => undefined,
): Promise<Stretch> {
  const inputs = new Inputs(row, parser, seed);
  const findings = new Map<string, Finding>();
  let taken = 0;
  for (let number = from; number < to; number++) {
    each(number);
    const input = inputs.at(number);
    const begun = performance.now();
    let error: unknown = null;
    try {
      const answer = parser.check(input);
      // What is answered at once is not waited for: a turn of the event loop costs more than most parsers.
      if (typeof answer === 'boolean' ? answer : await answer) taken += 1;
    } catch (thrown) {
      if (!parser.allows(thrown)) error = thrown ?? 'nothing was thrown';
    }
    if (error === null && performance.now() - begun < MOST_CPU_MS) continue;
    const bytes = Uint8Array.from(input);
    const what = error === null ? await slowness(parser, bytes) : shapeOf(error);
    if (what === null || findings.has(what) || findings.size === MOST_FINDINGS) continue;
    findings.set(what, await finding(parser, { parser: row.name, seed, number }, bytes, what));
  }
  return { inputs: to - from, taken, findings: [...findings.values()] };
}

/** The description of an error without the parts that depend on the input. */
export function shapeOf(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n').find((one) => one.trim() !== '') ?? '';
  return `${name}: ${line.replace(/\d+/g, 'N').slice(0, 200)}`;
}

/** Repeats a slow input and measures the time of this process, since others may have used the processor. */
async function slowness(parser: Parser, input: Uint8Array): Promise<string | null> {
  const begun = process.cpuUsage();
  await judge(parser, input);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000 < MOST_CPU_MS ? null : `takes more than ${MOST_CPU_MS} ms`;
}

async function finding(
  parser: Parser,
  where: Pick<Finding, 'parser' | 'seed' | 'number'>,
  input: Uint8Array,
  what: string,
): Promise<Finding> {
  const isSame = async (shorter: Uint8Array): Promise<boolean> => {
    const { error } = await judge(parser, shorter);
    return error !== null && shapeOf(error) === what;
  };
  const shorter = what.startsWith('takes') ? input : await shrink(input, isSame);
  const lines = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_LINES;
  const { error } = await judge(parser, shorter);
  Error.stackTraceLimit = lines;
  return {
    ...where,
    what,
    stack: error instanceof Error ? (error.stack ?? error.message) : String(error),
    input: base64(input),
    shortened: base64(shorter),
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
