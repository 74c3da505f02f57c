/**
 * Storms: real programs on real disks, while daemons and the server are killed, disks go, fill and become read-only, and lines are cut.
 *
 * A run has cases, each from a seed of its own: other disks, and some rounds. After each round all comes to rest, and everything is compared.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees } from '../../../app/lab/demo/compare-trees.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { checkAtRest, type Rested, type Trees } from './at-rest.ts';
import type { Scope } from './programs/program.ts';
import { runRound } from './round.ts';
import { keptAside, wholeTree } from './scans.ts';
import { settle } from './settle.ts';
import { FILLER, INNER, Stage, type Disks } from './stage.ts';
import type { StormDiskKind } from './storm-disk.ts';

const ROUNDS = 8;
/** A case that takes longer hangs: what a program and a rest may take has bounds of its own. */
const CASE_MINUTES = 12;
const LAPTOPS = ['ann', 'bob'] as const;
const IGNORED = `${FILLER}\n`;

export interface StormPlan {
  readonly seed: number;
  readonly rounds: number;
  readonly disks: readonly StormDiskKind[];
  readonly scopes: readonly Scope[];
  readonly faults: readonly string[];
  /** What the programs begin with. */
  readonly prepared: string;
  /** Where what is found is kept, in a folder of its own. */
  readonly kept: string;
  /** Told of each act as it happens. */
  readonly onAct: (line: string) => void;
}

/** What a case has done. */
export interface CaseReport {
  readonly findings: readonly string[];
  readonly disks: readonly string[];
  readonly rounds: number;
  readonly programs: number;
  readonly failed: number;
  readonly faults: readonly string[];
  readonly files: number;
  readonly conflicts: number;
  readonly confirmed: number;
  readonly kept: string | null;
}

export const USUAL_ROUNDS = ROUNDS;

/** Runs one case, until it has found something. */
export async function runCase(plan: StormPlan, asked: AbortSignal): Promise<CaseReport> {
  const stage = new Stage();
  try {
    return await new Case(plan, stage, asked).run();
  } finally {
    await stage.close();
  }
}

class Case {
  readonly #plan: StormPlan;
  readonly #stage: Stage;
  readonly #asked: AbortSignal;
  readonly #acts: string[] = [];
  readonly #since = performance.now();
  readonly #figures = {
    ...{ rounds: 0, programs: 0, failed: 0, files: 0, conflicts: 0, confirmed: 0 },
  };
  readonly #faults: string[] = [];

  constructor(plan: StormPlan, stage: Stage, asked: AbortSignal) {
    this.#plan = plan;
    this.#stage = stage;
    this.#asked = asked;
  }

  async run(): Promise<CaseReport> {
    const random = new SeededRandom(`storm ${this.#plan.seed}`);
    const disks = Object.fromEntries(LAPTOPS.map((name) => [name, this.#drawDisks(random)]));
    const names = LAPTOPS.map(
      (name) => `${disks[name]?.outer.name} with ${disks[name]?.inner.name}`,
    );
    this.#note(`seed ${this.#plan.seed}: ${names.join(', ')}`);
    const findings = await this.#bounded(this.#rounds(disks, random));
    const kept = findings.length > 0 ? this.#keep(findings) : null;
    const { failed, ...figures } = this.#figures;
    return { findings, disks: names, failed, ...figures, faults: this.#faults, kept };
  }

  /** Nothing is found where the end of the run was asked for. */
  async #bounded(rounds: Promise<string[]>): Promise<string[]> {
    let timer: NodeJS.Timeout | undefined;
    const ended = new Promise<string[]>((resolve) => {
      const late = `the case has not ended after ${CASE_MINUTES} minutes`;
      timer = setTimeout(() => resolve([late]), CASE_MINUTES * 60_000);
      this.#asked.addEventListener('abort', () => resolve([]));
    });
    try {
      const findings = await Promise.race([rounds, ended]);
      return this.#asked.aborted ? [] : findings;
    } finally {
      clearTimeout(timer);
    }
  }

  #drawDisks(random: SeededRandom): Disks {
    const { disks } = this.#plan;
    const outer = random.pick(disks);
    return { outer, inner: random.pick(disks) };
  }

  async #rounds(disks: Record<string, Disks>, random: SeededRandom): Promise<string[]> {
    try {
      await this.#stage.begin(disks);
      let trees = await this.#first();
      for (let round = 0; round < this.#plan.rounds && !this.#asked.aborted; round++) {
        const found = await this.#round(round, trees, random.fork(`round ${round}`));
        if (found.findings.length > 0) return [...found.findings];
        trees = found.trees;
      }
      return await this.#end(trees);
    } catch (error) {
      return [`the run itself: ${(error as Error).message}`];
    }
  }

  /** The first rest: what is ignored, and the folder in which the disks are. */
  async #first(): Promise<Trees> {
    const [first] = this.#stage.laptops;
    if (first === undefined) throw new Error('there is no laptop');
    writeFileSync(join(first.folder, '.godwitignore'), IGNORED);
    const { findings } = await settle(this.#stage, (line) => this.#note(line));
    if (findings.length > 0) throw new Error(findings.join('; '));
    return new Map(this.#stage.laptops.map((laptop) => [laptop, wholeTree(laptop.folder)]));
  }

  async #round(round: number, before: Trees, random: SeededRandom): Promise<Rested> {
    const { scopes, faults, prepared, seed } = this.#plan;
    const stage = this.#stage;
    const note = (line: string): void => this.#note(line);
    note(`round ${round}`);
    const name = `${seed}-${round}`;
    const done = await runRound({ stage, random, name, prepared, scopes, faults, note });
    note('all is mended');
    const figures = this.#figures;
    figures.rounds += 1;
    figures.programs += done.programs;
    figures.failed += done.failed;
    this.#faults.push(...done.faults);
    const rest = await settle(stage, note);
    figures.conflicts = rest.conflicts;
    figures.confirmed += rest.confirmed;
    note('all is at rest');
    if (rest.findings.length > 0) return { findings: rest.findings, trees: before };
    const rested = await checkAtRest({ stage, scopes, before, done, prepared });
    figures.files = Math.max(...[...rested.trees.values()].map((tree) => tree.size));
    return rested;
  }

  /** A third laptop has what the volume has; nothing of ours is left when the others have ended. */
  async #end(trees: Trees): Promise<string[]> {
    const stage = this.#stage;
    const [tree = new Map()] = trees.values();
    const { data, folder } = await stage.reader('carl');
    await stage.flush({ data });
    const isWhole = stage.laptops.every(
      ({ outer, inner }) => !outer.kind.lacks && !inner.kind.lacks,
    );
    const differences = compareTrees(tree, wholeTree(folder)).filter(
      ({ path, aspect }) => path !== INNER && (isWhole || aspect === 'contents'),
    );
    const findings = differences
      .slice(0, 8)
      .map(
        ({ path, aspect, wanted, found }) =>
          `the volume has other than ann: ${path}: ${aspect}: ${wanted}, there ${found}`,
      );
    const check = await stage.bench.godwit([
      'server',
      'check',
      '--data',
      stage.server.data,
      '--json',
    ]);
    if (check.code !== 0) findings.push(`the server's contents: ${check.stdout}${check.stderr}`);
    for (const laptop of stage.laptops) {
      await stage.bench.json(['down', '--data', laptop.data]);
      const left = [...keptAside(laptop.folder, INNER).keys()].filter((path) =>
        /\/(tmp|parked)\//.test(path),
      );
      findings.push(...left.slice(0, 8).map((path) => `${laptop.name} has left ${path}`));
    }
    return findings;
  }

  #note(line: string): void {
    const act = `${(performance.now() - this.#since).toFixed(0).padStart(7)} ${line}`;
    this.#acts.push(act);
    this.#plan.onAct(act);
  }

  /** Copies what is there, for its disks go with this process. */
  #keep(findings: readonly string[]): string {
    const kept = join(this.#plan.kept, `seed-${this.#plan.seed}`);
    mkdirSync(kept, { recursive: true });
    const { bench } = this.#stage;
    const text = [...this.#acts, ...findings.map((each) => `FOUND ${each}`), ''].join('\n');
    writeFileSync(join(kept, 'acts.txt'), text);
    for (const name of ['server', ...LAPTOPS, 'state']) {
      const copied = spawnSync('cp', ['-a', bench.path(name), kept], { encoding: 'utf8' });
      if (copied.status !== 0) writeFileSync(join(kept, `${name}.not-copied`), copied.stderr);
    }
    return kept;
  }
}
