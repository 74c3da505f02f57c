/**
 * A bulk run: the inputs of all parsers, in pieces, on so many processes. A piece from which a process does not come back is run
 * again with a diary, which tells the input; then its parser is left alone.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParserRow } from './parser.ts';
import { Inputs, type Finding } from './stretch.ts';
import type { Answer, Order } from './worker.ts';

/** The time to start a process and to open a parser. */
const OPEN_MS = 2 * 60_000;
/** Times the limit, in time of the wall: a process that waits for something uses no processor, and one that gets none is to be waited for. */
const WAITS = 10;
/** The unit of the times of a process on Linux. */
const TICK_MS = 10;
const FIELDS_BEFORE_TIMES = 11;
/** As the worker says it (BEGUN): to import it would start it. */
const BEGUN = 'begun';

export interface RunOptions {
  /** The URL of the module whose TABLE has the rows. */
  readonly table: URL;
  readonly rows: readonly ParserRow[];
  readonly inputs: number;
  readonly seed: number;
  readonly workers: number;
  /** A piece that takes the processor for longer, once its parser is open, does not end; or one that takes ten times as long without it. */
  readonly stuckMs: number;
  /** The time after which no more pieces are begun. */
  readonly mostMs?: number;
  readonly progress?: (done: number) => void;
}

export interface RowResult {
  readonly name: string;
  inputs: number;
  /** The number of accepted inputs. */
  taken: number;
  /** Of one process. */
  ms: number;
  findings: Finding[];
}

interface Piece {
  readonly row: ParserRow;
  readonly from: number;
  readonly to: number;
}

/** The share of each parser by its weight, one input at least. */
export function piecesOf(rows: readonly ParserRow[], inputs: number): Piece[] {
  const all = rows.reduce((sum, { weight }) => sum + weight, 0);
  const pieces = rows.flatMap((row) => {
    const count = Math.max(1, Math.ceil((inputs * row.weight) / all));
    const starts = Array.from({ length: Math.ceil(count / row.era) }, (_, i) => i * row.era);
    return starts.map((from) => ({
      piece: { row, from, to: Math.min(count, from + row.era) },
      begins: from / count,
    }));
  });
  // All go on side by side: a run that is cut short has had its part of each.
  pieces.sort((a, b) => a.begins - b.begins || a.piece.row.era - b.piece.row.era);
  return pieces.map(({ piece }) => piece);
}

/** Runs all pieces. The results are in the order of the rows. */
export async function runCrew(options: RunOptions): Promise<RowResult[]> {
  const waiting = piecesOf(options.rows, options.inputs).reverse();
  const results = new Map<string, RowResult>(
    options.rows.map(({ name }) => [name, { name, inputs: 0, taken: 0, ms: 0, findings: [] }]),
  );
  let done = 0;
  const tell = ({ row }: Piece, { inputs, taken, ms, findings }: Answer): void => {
    const result = results.get(row.name);
    if (result === undefined) return;
    result.inputs += inputs;
    result.taken += taken;
    result.ms += ms;
    const known = new Set(result.findings.map(({ what }) => what));
    result.findings.push(...findings.filter(({ what }) => !known.has(what)));
    done += inputs;
    options.progress?.(done);
  };
  const scratch = mkdtempSync(join(tmpdir(), 'godwit-fuzz-crew-'));
  try {
    const members = Array.from({ length: options.workers }, (_, i) =>
      new Member(options, join(scratch, `diary-${i}`)).work(waiting, tell),
    );
    await Promise.all(members);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return [...results.values()];
}

/** The reason for a missing answer. */
interface Lost {
  readonly lost: string;
}

class Member {
  readonly #options: RunOptions;
  readonly #diary: string;
  readonly #until: number;
  #process: ChildProcess | null = null;

  constructor(options: RunOptions, diary: string) {
    this.#options = options;
    this.#diary = diary;
    this.#until = performance.now() + (options.mostMs ?? Infinity);
  }

  async work(waiting: Piece[], tell: (piece: Piece, answer: Answer) => void): Promise<void> {
    for (let piece = waiting.pop(); piece !== undefined; piece = waiting.pop()) {
      if (performance.now() > this.#until) break;
      const answer = await this.#run(piece, null);
      if (!('lost' in answer)) tell(piece, answer);
      else await this.#examine(piece, tell, waiting);
    }
    this.#process?.disconnect();
  }

  /** With a diary: what comes before the input is counted, what comes behind it is left out. */
  async #examine(
    piece: Piece,
    tell: (piece: Piece, answer: Answer) => void,
    waiting: Piece[],
  ): Promise<void> {
    const answer = await this.#run(piece, this.#diary);
    if (!('lost' in answer)) return tell(piece, answer);
    // The diary is empty when the parser could not be opened.
    const number = Math.max(
      piece.from,
      Number(readFileSync(this.#diary, { encoding: 'utf8', flag: 'a+' })),
    );
    const finding = await this.#finding(piece, number, answer.lost);
    const inputs = number + 1 - piece.from;
    tell(piece, { inputs, taken: 0, ms: 0, findings: [finding] });
    const others = waiting.filter(({ row }) => row !== piece.row);
    waiting.splice(0, waiting.length, ...others);
  }

  /** Makes the finding for an input. Throws when the input can't be made, which is a bug of these tests. */
  async #finding({ row }: Piece, number: number, what: string): Promise<Finding> {
    const { seed } = this.#options;
    const parser = await row.open();
    const input = Buffer.from(new Inputs(row, parser, seed).at(number)).toString('base64');
    await parser.close?.();
    return { parser: row.name, seed, number, what, stack: '', input, shortened: input };
  }

  #run({ row, from, to }: Piece, diary: string | null): Promise<Answer | Lost> {
    const process = this.#started();
    const order: Order = { parser: row.name, seed: this.#options.seed, from, to, diary };
    return new Promise((resolve) => {
      const settle = (answer: Answer | Lost): void => {
        clearTimeout(stuck);
        process.removeAllListeners();
        if ('lost' in answer) this.#process = null;
        resolve(answer);
      };
      const giveUp = (): void => {
        process.removeAllListeners();
        process.kill('SIGKILL');
        settle({ lost: 'does not end' });
      };
      const watch = (limitMs: number): NodeJS.Timeout => {
        const [begun, used] = [performance.now(), processorMs(process)];
        const look = (): void => {
          const leftMs = limitMs - (processorMs(process) - used);
          if (leftMs <= 0 || performance.now() - begun >= WAITS * limitMs) return giveUp();
          stuck = setTimeout(look, leftMs);
        };
        return setTimeout(look, limitMs);
      };
      let stuck = watch(OPEN_MS);
      process.on('message', (answer) => {
        if (answer !== BEGUN) return settle(answer as Answer);
        clearTimeout(stuck);
        stuck = watch(this.#options.stuckMs);
      });
      process.on('exit', (code, signal) =>
        settle({ lost: `ends the process (${signal ?? code})` }),
      );
      process.on('error', () => undefined);
      process.send(order);
    });
  }

  #started(): ChildProcess {
    this.#process ??= fork(new URL('./worker.ts', import.meta.url), [this.#options.table.href], {
      execArgv: [],
      serialization: 'advanced',
    });
    return this.#process;
  }
}

/** Time of the processor that a process has taken; where the system does not tell it so, the time of the wall. */
function processorMs({ pid }: ChildProcess): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything; the times of user and system are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = fields.slice(FIELDS_BEFORE_TIMES).map(Number);
    return TICK_MS * ((user ?? 0) + (system ?? 0));
  } catch {
    return performance.now();
  }
}
