/**
 * Shortens a plan that fails, as long as it fails in the same way: leaves entries out, then makes what is left simpler, and
 * again, until nothing helps any more or the runs are used up.
 */
import type { Finding } from '../check/finding.ts';
import type { Plan } from '../plan/plan.ts';
import { simplerPlans } from './simpler-plans.ts';
import { smallestPart } from './smallest-part.ts';

export interface Shortened {
  readonly plan: Plan;
  /** Runs it took. */
  readonly runs: number;
  /** Nothing more can be left out; false: it was ended before. */
  readonly done: boolean;
}

export interface ShortenOptions {
  readonly mostRuns: number;
  /** Asked before each run: to end it early. */
  readonly enough?: () => boolean;
  /** Hears of each run, and of how many entries are left. */
  readonly progress?: (runs: number, entries: number) => void;
}

/** Findings of a plan, when it is run. */
export type Try = (plan: Plan) => Promise<readonly Finding[]>;

/** Shortens a failing plan, as long as `run` finds a failure of the same `kind`. */
export async function shortenPlan(
  plan: Plan,
  kind: string,
  run: Try,
  options: ShortenOptions,
): Promise<Shortened> {
  const shortening = new Shortening(plan, kind, run, options);
  await shortening.run();
  return shortening.outcome;
}

/**
 * What makes two findings the same: the checker; where the program itself broke, also what it said, without its
 * numbers, for that tells one bug from another.
 */
export function kindOf({ checker, text }: Finding): string {
  if (!text.includes('\n')) return checker;
  const [said = ''] = text.split('\n', 1);
  return `${checker}: ${said.replaceAll(/[0-9a-f]{8,}|\d+/g, '#')}`;
}

class Shortening {
  readonly #kind: string;
  readonly #run: Try;
  readonly #options: ShortenOptions;
  /** Plans that were tried and did not fail so. */
  readonly #inVain = new Set<string>();
  #plan: Plan;
  #runs = 0;
  #ended = false;

  constructor(plan: Plan, kind: string, run: Try, options: ShortenOptions) {
    this.#plan = plan;
    this.#kind = kind;
    this.#run = run;
    this.#options = options;
  }

  get outcome(): Shortened {
    return { plan: this.#plan, runs: this.#runs, done: !this.#ended };
  }

  async run(): Promise<void> {
    for (let before = ''; before !== JSON.stringify(this.#plan) && !this.#ended;) {
      before = JSON.stringify(this.#plan);
      await smallestPart(this.#plan.entries, (entries) => this.#take({ ...this.#plan, entries }));
      await this.#simplify();
    }
  }

  /** Goes through the proposals once; what one changed, the next ones start from. */
  async #simplify(): Promise<void> {
    for (let tried = 0, left = true; left && !this.#ended;) {
      left = false;
      let number = 0;
      for (const proposal of simplerPlans(this.#plan)) {
        number += 1;
        if (number <= tried) continue;
        if (this.#ended) return;
        if (!(await this.#take(proposal))) continue;
        [tried, left] = [number - 1, true];
        break;
      }
    }
  }

  /** True where it fails in the same way: it is the plan from now on. */
  async #take(plan: Plan): Promise<boolean> {
    const text = JSON.stringify(plan);
    if (this.#inVain.has(text)) return false;
    const { mostRuns, enough, progress } = this.#options;
    this.#ended ||= this.#runs >= mostRuns || enough?.() === true;
    if (this.#ended) return false;
    this.#runs += 1;
    const findings = await this.#run(plan);
    if (findings.some((finding) => kindOf(finding) === this.#kind)) this.#plan = plan;
    else this.#inVain.add(text);
    progress?.(this.#runs, this.#plan.entries.length);
    return this.#plan === plan;
  }
}
