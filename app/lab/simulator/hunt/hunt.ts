/**
 * Runs many seeds side by side until the time is up, the seeds are through, or somebody has seen enough. The first
 * seed of each kind of failure is shortened; the others are counted.
 */
import { randomInt } from 'node:crypto';
import type { Report } from '../run/run-plan.ts';
import type { Failure } from '../shorten/failure.ts';
import { kindOf } from '../shorten/shorten-plan.ts';
import { brokenRun } from './broken-run.ts';
import type { ShortenedFolder } from './folder-world.ts';
import { CrewMember, WorkerLost } from './crew.ts';
import type { WorkerData } from './worker-messages.ts';

export interface HuntOptions {
  readonly making: WorkerData;
  readonly workers: number;
  /** Null: until the seeds are through. */
  readonly minutes: number | null;
  /** Null: random seeds. */
  readonly range: { readonly from: number; readonly count: number } | null;
  readonly shortenRuns: number;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Makes a worker; left out: a thread. */
  readonly hire?: (making: WorkerData) => Worker;
  /** A seed failed. `failure` null: like one before it, or it was not shortened. */
  readonly failed: (report: Report, failure: Failure | ShortenedFolder | null) => void;
}

export type Worker = Pick<CrewMember, 'ask' | 'end'>;

export interface Totals {
  seeds: number;
  steps: number;
  operations: number;
  /** Seeds with findings, the first ones of many. */
  readonly failing: Report[];
  failures: number;
}

/** Seeds with findings that are printed one by one. */
const MOST_FAILING = 1_000;
/** Kinds of failures that are shortened; a program that is this broken is mended first. */
const MOST_KINDS = 20;
/** Shortening may go on so long after the end of the hunt. */
const GRACE_MS = 60_000;
const RANDOM_SEEDS = 2 ** 47;

/** Runs seeds on several workers, and shortens the first failure of each kind. */
export class Hunt {
  readonly totals: Totals = { seeds: 0, steps: 0, operations: 0, failing: [], failures: 0 };
  readonly #options: HuntOptions;
  readonly #started = Date.now();
  readonly #deadline: number | null;
  readonly #kinds = new Set<string>();
  readonly #crew: readonly Worker[];
  #given = 0;

  constructor(options: HuntOptions) {
    this.#options = options;
    const { minutes, making, workers, hire = (data) => new CrewMember(data) } = options;
    this.#deadline = minutes === null ? null : this.#started + minutes * 60_000;
    this.#crew = Array.from({ length: workers }, () => hire(making));
  }

  get seconds(): number {
    return (Date.now() - this.#started) / 1000;
  }

  /** Resolves when it is over; nothing of it runs any more. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const stop = (): void => void Promise.all(this.#crew.map((member) => member.end()));
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.all(this.#crew.map((member) => this.#work(member)));
    } finally {
      signal.removeEventListener('abort', stop);
      await Promise.all(this.#crew.map((member) => member.end()));
    }
  }

  async #work(member: Worker): Promise<void> {
    for (let seed = this.#next(); seed !== null; seed = this.#next()) {
      const report = await this.#runSeed(member, seed);
      if (report === null) return;
      this.totals.seeds += 1;
      this.totals.steps += report.steps;
      this.totals.operations += report.operations;
      if (report.findings.length > 0) await this.#found(member, report);
    }
  }

  /** Null: nobody wants more. */
  #next(): number | null {
    const { range, signal } = this.#options;
    if (signal.aborted) return null;
    if (this.#deadline !== null && Date.now() >= this.#deadline) return null;
    if (range === null) return randomInt(RANDOM_SEEDS);
    return this.#given < range.count ? range.from + this.#given++ : null;
  }

  /** Null: the hunt was ended. */
  async #runSeed(member: Worker, seed: number): Promise<Report | null> {
    try {
      const answer = await member.ask({ do: 'run', seed });
      return answer.did === 'run' ? answer.report : null;
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (this.#options.signal.aborted) return null;
      return brokenRun(seed, error.message);
    }
  }

  async #found(member: Worker, report: Report): Promise<void> {
    const { totals } = this;
    totals.failures += 1;
    if (totals.failing.length < MOST_FAILING) totals.failing.push(report);
    const failure = await this.#examined(member, report);
    this.#options.failed(report, failure);
  }

  async #examined(member: Worker, report: Report): Promise<Failure | ShortenedFolder | null> {
    const { shortenRuns, signal } = this.#options;
    const kind = report.findings.map(kindOf)[0] ?? '';
    if (this.#kinds.has(kind) || this.#kinds.size >= MOST_KINDS) return null;
    this.#kinds.add(kind);
    // A run without a digest did not end: there is nothing that could be tried again.
    if (report.digest === '' || signal.aborted) return null;
    const until = this.#deadline === null ? null : this.#deadline + GRACE_MS;
    try {
      const { seed } = report;
      const answer = await member.ask({ do: 'examine', seed, mostRuns: shortenRuns, until });
      return answer.did === 'examine' ? answer.failure : null;
    } catch (error) {
      if (error instanceof WorkerLost) return null;
      throw error;
    }
  }
}
