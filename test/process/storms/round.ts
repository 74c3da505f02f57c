/** One round of a storm: programs work on both laptops, while things go wrong. It ends when all programs have, and nothing is wrong any more. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Tree } from '../../../app/lab/demo/read-tree.ts';
import type { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { outputOf } from '../../support/bench.ts';
import { FAULTS } from './faults.ts';
import { Gate } from './gate.ts';
import type { Scope, StormProgram } from './programs/program.ts';
import { programEnv } from './programs/prepare.ts';
import { serverNames, treeIn } from './scans.ts';
import { INNER, type Stage, type StormLaptop } from './stage.ts';

/** A program that takes longer is ended: none hangs a run. */
const PROGRAM_SECONDS = 120;
const MOST_PROGRAMS = 5;
const MOST_SCOPES = 5;

export interface RoundParts {
  readonly stage: Stage;
  readonly random: SeededRandom;
  /** In tokens: no other round has it. */
  readonly name: string;
  readonly prepared: string;
  readonly scopes: readonly Scope[];
  readonly faults: readonly string[];
  readonly note: (line: string) => void;
}

/** What a laptop had in the folders of a scope when its last program there had ended. */
export interface Left {
  readonly scope: Scope;
  readonly laptop: StormLaptop;
  readonly tree: Tree;
  /** Of files in shared scopes: how the server names their contents. */
  readonly serverNames: ReadonlyMap<string, string>;
}

/** What a round has done. */
export interface RoundDone {
  readonly left: readonly Left[];
  readonly programs: number;
  readonly failed: number;
  readonly faults: readonly string[];
}

interface Work {
  readonly scope: Scope;
  readonly laptop: StormLaptop;
  readonly programs: readonly StormProgram[];
}

/** Draws a round, and runs it. */
export async function runRound(parts: RoundParts): Promise<RoundDone> {
  const { stage, random } = parts;
  const works = drawWorks(parts);
  const faults = drawFaults(parts);
  const round = new Round(parts, works);
  const wrong = faults.map(({ name, laptop }) =>
    round.fault(name, laptop, random.fork(name + laptop.name)),
  );
  const [left] = await Promise.all([round.work(), ...wrong]);
  for (const { relay } of stage.laptops) relay.restore();
  return { left, ...round.figures, faults: faults.map(({ name }) => name) };
}

function drawWorks({ stage, random, scopes }: RoundParts): Work[] {
  const some = random.shuffled(scopes).slice(0, random.between(2, MOST_SCOPES));
  return some.flatMap((scope) => {
    const isBoth = scope.isShared && random.chance(0.6);
    const laptops = isBoth ? stage.laptops : [random.pick(stage.laptops)];
    return laptops.map((laptop) => {
      const programs = Array.from({ length: random.between(1, MOST_PROGRAMS) }, () =>
        random.pick(scope.programs),
      );
      return { scope, laptop, programs };
    });
  });
}

function drawFaults({
  stage,
  random,
  faults,
}: RoundParts): Array<{ name: string; laptop: StormLaptop }> {
  if (faults.length === 0) return [];
  const some = random.shuffled(faults).slice(0, random.below(4));
  const taken = new Set<unknown>();
  return some.flatMap((name) => {
    const laptop = random.pick(stage.laptops);
    const which = FAULTS[name]?.disk;
    if (which === undefined) return [{ name, laptop }];
    const disk = laptop[which];
    // One at a time is wrong with a disk.
    if (!disk.isReal || taken.has(disk)) return [];
    taken.add(disk);
    return [{ name, laptop }];
  });
}

class Round {
  readonly #parts: RoundParts;
  /** Those that have not ended. */
  readonly #works: Set<Work>;
  /** How many of them wait for a disk. */
  #blocked = 0;
  readonly #gates = new Map<StormLaptop, Gate>();
  readonly #waiting = new Set<() => void>();
  readonly #over: Promise<void>;
  #setOver: () => void = () => undefined;
  #numbers = 0;
  readonly figures = { programs: 0, failed: 0 };

  constructor(parts: RoundParts, works: readonly Work[]) {
    this.#parts = parts;
    this.#works = new Set(works);
    this.#over = new Promise((resolve) => (this.#setOver = resolve));
    for (const laptop of parts.stage.laptops) this.#gates.set(laptop, new Gate());
  }

  async work(): Promise<Left[]> {
    try {
      return await Promise.all([...this.#works].map((work) => this.#workIn(work)));
    } finally {
      this.#setOver();
    }
  }

  fault(name: string, laptop: StormLaptop, random: SeededRandom): Promise<void> {
    const { stage, note } = this.#parts;
    const gate = this.#gates.get(laptop) as Gate;
    const ended = (count: number): Promise<void> => this.#ended(count);
    const bench = { stage, laptop, gate, random, note, ended, over: this.#over };
    return FAULTS[name]?.run(bench) ?? Promise.resolve();
  }

  /** The programs of a laptop in one scope come one after another. */
  async #workIn(work: Work): Promise<Left> {
    const { scope, laptop, programs } = work;
    const gate = this.#gates.get(laptop) as Gate;
    const isOnDisk = scope.folders.some((folder) => folder.startsWith(`${INNER}/`));
    let leave = (): void => undefined;
    try {
      for (const program of programs) {
        leave();
        if (isOnDisk) leave = await this.#enter(gate);
        await this.#run(program, laptop);
      }
      const tree = treeIn(laptop.folder, scope.folders);
      const names = scope.isShared ? serverNames(laptop.folder, tree) : new Map<string, string>();
      return { scope, laptop, tree, serverNames: names };
    } finally {
      leave();
      this.#works.delete(work);
      this.#wakeIfStuck();
    }
  }

  async #enter(gate: Gate): Promise<() => void> {
    if (!gate.isClosed) return gate.enter();
    this.#blocked += 1;
    this.#wakeIfStuck();
    const leave = await gate.enter();
    this.#blocked -= 1;
    return leave;
  }

  /** Where all wait for a disk, whoever has it waits for nobody. */
  #wakeIfStuck(): void {
    if (this.#blocked < this.#works.size) return;
    for (const wake of [...this.#waiting]) wake();
  }

  async #run(program: StormProgram, laptop: StormLaptop): Promise<void> {
    const { name, random, prepared, stage, note } = this.#parts;
    const token = `t${name}-${laptop.name}-${(this.#numbers += 1)}`;
    const script = program.script(random.fork(token), token);
    const outside = stage.bench.path(`${laptop.name}-outside`);
    mkdirSync(outside, { recursive: true });
    note(`${laptop.name}: ${program.name}: ${script}`);
    const since = performance.now();
    const child = spawn('timeout', ['-k', '5', String(PROGRAM_SECONDS), 'sh', '-c', script], {
      cwd: laptop.folder,
      env: programEnv(prepared, outside),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stderr } = await outputOf(stage.bench.runs(child));
    const ms = Math.round(performance.now() - since);
    const said = stderr.trim().split('\n').at(-1) ?? '';
    note(
      `${laptop.name}: ${program.name} ended with ${code} after ${ms} ms${code === 0 ? '' : `: ${said}`}`,
    );
    this.figures.programs += 1;
    if (code !== 0) this.figures.failed += 1;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when so many more programs have ended, or all. */
  async #ended(count: number): Promise<void> {
    for (let left = count; left > 0 && this.#blocked < this.#works.size; left--) {
      await Promise.race([
        this.#over,
        new Promise<void>((resolve) => {
          const wake = (): void => {
            this.#waiting.delete(wake);
            resolve();
          };
          this.#waiting.add(wake);
        }),
      ]);
    }
  }
}
