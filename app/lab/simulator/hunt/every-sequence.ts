/**
 * `godwit sim --sequences 2`: every sequence of up to so many operations, with every crash at every step, on all cores. Each worker
 * gets a few hundred at a time.
 */
import { availableParallelism } from 'node:os';
import type { SequenceFailure } from '../run/run-sequences.ts';
import { examine } from '../shorten/failure.ts';
import { SequenceSlices } from '../workload/sequence-slices.ts';
import type { Arguments, Part } from './arguments.ts';
import { brokenRun } from './broken-run.ts';
import type { Io } from './commands.ts';
import { CrewMember, WorkerLost } from './crew.ts';
import type { Worker } from './hunt.ts';
import { LiveLine } from '../../../cli/live-line.ts';
import { runHere } from './run-here.ts';
import { failuresFolder, saveFailure } from './save-failure.ts';
import { programCommit } from './version.ts';

type SequencesArguments = Extract<Arguments, { readonly what: 'sequences' }>;

interface Slice {
  readonly depth: number;
  readonly from: number;
  readonly count: number;
}

const AT_ONCE = 250;

/**
 * Runs every short sequence of operations with every crash, and prints what was found. It gives
 * exit code 1 if a sequence failed, else 0.
 */
export async function everySequence(
  args: SequencesArguments,
  io: Io,
  hire: () => Worker = () => new CrewMember({ steps: null, faults: [] }),
): Promise<number> {
  const line = new LiveLine(io.err, 'silent');
  const all = new EverySequence(args.depth, args.part, io.interruption(), (text) =>
    line.show(text),
  );
  await all.run(Array.from({ length: args.workers ?? availableParallelism() }, hire));
  line.clear();
  const { cases, operations, failed, whole } = all;
  const { number, of } = args.part;
  const told = [];
  for (const one of failed) {
    told.push(await keep(one, failuresFolder(args.save), whole ? args.shortenRuns : 0));
  }
  if (args.json) {
    io.out.write(
      `${JSON.stringify({ part: `${number}/${of}`, cases, operations, whole, failures: told })}\n`,
    );
  } else {
    for (const { name, finding, file } of told) {
      io.out.write(`FOUND ${name}\n  ${finding}\n  godwit sim --replay ${file}\n`);
    }
    const end = whole ? '' : ' (ended before the last one)';
    const part = of === 1 ? '' : `part ${number} of ${of}: `;
    const count = `${part}${cases} sequences, ${operations} operations`;
    io.out.write(`${count}: ${told.length} found something${end}\n`);
  }
  return told.length === 0 ? 0 : 1;
}

class EverySequence {
  cases = 0;
  operations = 0;
  readonly failed: SequenceFailure[] = [];
  readonly #depth: number;
  readonly #part: Part;
  readonly #signal: AbortSignal;
  readonly #show: (text: string) => void;
  /** What the next worker gets that is free. */
  #next: Slice;
  /** Parts of slices that a worker broke at. */
  readonly #again: Slice[] = [];

  constructor(depth: number, part: Part, signal: AbortSignal, show: (text: string) => void) {
    this.#depth = depth;
    this.#part = part;
    this.#next = this.#first(1);
    this.#signal = signal;
    this.#show = show;
  }

  /** All of them were run. */
  get whole(): boolean {
    return !this.#signal.aborted;
  }

  async run(crew: readonly Worker[]): Promise<void> {
    const stop = (): void => void Promise.all(crew.map((member) => member.end()));
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.all(crew.map((member) => this.#work(member)));
    } finally {
      this.#signal.removeEventListener('abort', stop);
      await Promise.all(crew.map((member) => member.end()));
    }
  }

  async #work(member: Worker): Promise<void> {
    for (let slice = this.#take(); slice !== null; slice = this.#take()) {
      await this.#run(member, slice);
      this.#show(`${this.cases} sequences, ${this.failed.length} found something`);
    }
  }

  /** A part has every n-th slice of each depth. */
  #first(depth: number): Slice {
    return { depth, from: (this.#part.number - 1) * AT_ONCE, count: AT_ONCE };
  }

  #take(): Slice | null {
    if (this.#signal.aborted) return null;
    const again = this.#again.pop();
    if (again !== undefined) return again;
    if (this.#next.depth > this.#depth) return null;
    const slice = this.#next;
    this.#next = { ...slice, from: slice.from + this.#part.of * slice.count };
    return slice;
  }

  async #run(member: Worker, slice: Slice): Promise<void> {
    try {
      const answer = await member.ask({ do: 'sequences', ...slice });
      if (answer.did !== 'sequences') return;
      const { cases, operations, failures } = answer.report;
      this.cases += cases;
      this.operations += operations;
      this.failed.push(...failures);
      // It was the last one of its depth. Who asks beyond it hears of none.
      if (cases < slice.count && slice.depth === this.#next.depth) {
        this.#next = this.#first(slice.depth + 1);
      }
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (!this.#signal.aborted) this.#broke(slice, error.message);
    }
  }

  /** Which of them it was is found by halves. */
  #broke({ depth, from, count }: Slice, why: string): void {
    if (count > 1) {
      const half = Math.floor(count / 2);
      this.#again.push({ depth, from, count: half });
      this.#again.push({ depth, from: from + half, count: count - half });
      return;
    }
    for (const sequence of new SequenceSlices().of(depth, from, count)) {
      this.cases += 1;
      this.failed.push({ sequence, report: brokenRun(sequence.plan.seed, why) });
    }
  }
}

async function keep({ sequence, report }: SequenceFailure, folder: string, mostRuns: number) {
  const failure = await examine(sequence.plan, report, runHere, {
    mostRuns: report.digest === '' ? 0 : mostRuns,
    enough: () => false,
    progress: () => undefined,
  });
  const [first] = report.findings;
  return {
    name: sequence.name,
    finding: `${first?.checker}: ${first?.text.split('\n')[0]}`,
    file: saveFailure(folder, programCommit(), failure),
  };
}
