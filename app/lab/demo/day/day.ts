/** What the steps of the day work with: three people with two laptops each, two servers, and ways to wait and to compare. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { Actor, Stage } from '../../bench/real/stage.ts';
import { compareTrees, type Aspect } from '../compare-trees.ts';
import { faultsOf, type StepOutcome } from '../demo-step.ts';
import { readTree, type Tree } from '../read-tree.ts';

export interface Person {
  readonly name: string;
  readonly first: Actor;
  readonly second: Actor;
}

export interface Day {
  readonly ann: Person;
  readonly bob: Person;
  readonly cat: Person;
  readonly stage: Stage;
  /** The server that a volume is brought to. */
  readonly other: Stage;
  /** How long one flush may take. */
  readonly flushMs: number;
  readonly signal: AbortSignal;
  /** What earlier steps have learnt. */
  readonly known: Known;
}

export interface Known {
  /** The name of the volume of the shared folder, as the server has it. */
  trip: string;
  /** The shared folder as it was when the snapshot was made. */
  yesterday: Tree;
}

/** Where each person shows the folder that is shared. */
export const TRIP = { ann: 'trip', bob: 'with ann', cat: 'trip' } as const;

const WAIT_LIMIT_MS = 60_000;
const LOOK_MS = 20;

/** All six laptops, in the order of people. */
export const laptopsOf = ({ ann, bob, cat }: Day): Actor[] =>
  [ann, bob, cat].flatMap(({ first, second }) => [first, second]);

/** Everything that any of these laptops has is on the server, and at the others. */
export async function settle(day: Day, actors: readonly Actor[] = laptopsOf(day)): Promise<void> {
  const { flushMs: timeoutMs, signal } = day;
  const flush = ({ control }: Actor) => control.command('flush', { timeoutMs }, signal);
  await Promise.all(actors.map(flush));
  await Promise.all(actors.map(flush));
}

/** What is below a folder of a laptop, without what the daemon keeps there for itself. */
export function below({ laptop }: Actor, folder = ''): Tree {
  const isOwn = (path: string): boolean => (path.split('/').at(-1) ?? '').startsWith('.godwit');
  return readTree(join(laptop.folder, folder), isOwn);
}

/** The shared folder as each of the six laptops has it. */
export function shownAtAll({ ann, bob, cat }: Day): Array<readonly [Actor, string]> {
  return [
    ...[ann.first, ann.second].map((actor) => [actor, TRIP.ann] as const),
    ...[bob.first, bob.second].map((actor) => [actor, TRIP.bob] as const),
    ...[cat.first, cat.second].map((actor) => [actor, TRIP.cat] as const),
  ];
}

/** What differs between a tree and folders of laptops, in words; `but`: what need not be the same. */
export function differences(
  wanted: Tree,
  places: ReadonlyArray<readonly [Actor, string]>,
  ...but: readonly Aspect[]
): string[] {
  return places.flatMap(([actor, folder]) => {
    const found = compareTrees(wanted, below(actor, folder));
    return faultsOf(
      `laptop ${actor.laptop.name}`,
      found.filter(({ aspect }) => !but.includes(aspect)),
    );
  });
}

/** Waits until it is so, and gives the seconds that it took. Throws GodwitError `timed-out` after a minute. */
export async function until(
  { signal }: Pick<Day, 'signal'>,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > WAIT_LIMIT_MS) {
      throw new GodwitError('timed-out', `${what}: not in ${WAIT_LIMIT_MS / 1000} s`);
    }
    await wait(LOOK_MS, undefined, { signal });
  }
  return (performance.now() - began) / 1000;
}

export const shows = ({ laptop }: Actor, path: string): boolean =>
  existsSync(join(laptop.folder, path));

/** What is in a file of a laptop's folder; null: there is none. */
export async function textAt({ laptop }: Actor, path: string): Promise<string | null> {
  return readFile(join(laptop.folder, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** A fault where a file of a laptop's folder does not say that; null: it is to be nowhere. */
export async function wrongText(
  actor: Actor,
  path: string,
  wanted: string | null,
): Promise<string[]> {
  const found = await textAt(actor, path);
  if (found === wanted) return [];
  const said = (text: string | null): string => (text === null ? 'nothing' : JSON.stringify(text));
  return [`laptop ${actor.laptop.name}: ${path}: ${said(wanted)} wanted, ${said(found)} found`];
}

/** The code with which an order is refused; null: it is not. */
export async function refusalOf(asked: Promise<unknown>): Promise<string | null> {
  try {
    await asked;
    return null;
  } catch (error) {
    if (error instanceof GodwitError) return error.code;
    throw error;
  }
}

/** A line of the table: what must hold, what was seen, and what does not hold. */
export function outcome(
  must: string,
  seen: string,
  items: number,
  faults: readonly string[],
): StepOutcome {
  return { compared: must, seen, items, faults };
}

export const inSeconds = (seconds: number): string => `${seconds.toFixed(2)} s`;
