/** One line of the demo's table, and what a step needs to get there. */
import type { Difference } from './compare-trees.ts';
import type { DemoServer } from './demo-server.ts';
import type { Laptop } from './laptop.ts';

export interface StepOutcome {
  /** In words: what was held against what. */
  readonly compared: string;
  /** How many things were compared. */
  readonly items: number;
  /** What was seen, in words; left out: it is what was compared. */
  readonly seen?: string;
  /** What does not hold, in words; empty: everything does. */
  readonly faults: readonly string[];
}

/** `D`: what its steps work with; each has at least the signal that ends them. */
export interface DemoStep<D = Demo> {
  readonly title: string;
  readonly run: (demo: D) => Promise<StepOutcome>;
}

export interface StepResult extends StepOutcome {
  readonly title: string;
  readonly ms: number;
}

export interface Demo {
  readonly source: string;
  readonly server: DemoServer;
  readonly a: Laptop;
  readonly b: Laptop;
  /** How long one flush may take. */
  readonly flushSeconds: number;
  /** How long the server stays away. */
  readonly awaySeconds: number;
  readonly signal: AbortSignal;
}

/** The folder that the demo makes its own files in, beside what it was given. */
export const DEMO_FOLDER = 'godwit demo';

/** A's changes are committed and at B, B's are committed and at A. */
export async function settle({ a, b, flushSeconds }: Demo): Promise<void> {
  await a.flush(flushSeconds);
  await b.flush(flushSeconds);
  await a.flush(flushSeconds);
}

/** Writes the differences of two trees as faults, one line each. */
export function faultsOf(where: string, differences: readonly Difference[]): string[] {
  return differences.map(
    ({ path, aspect, wanted, found }) =>
      `${where}: ${path}: ${aspect}: ${wanted} wanted, ${found} found`,
  );
}
