/**
 * Accesses of many clients to the blocks of a server, from a seed. The traces of the paper are not public. So this
 * draws what made the difference there: clients of very unequal activity, files that are used again soon or late, some
 * used by many, and new ones. With `middle` the base case is near figure 5: local misses 22 %, disk 15.7 %.
 */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { Access } from './policy.ts';

export const LOCALITIES = ['low', 'middle', 'high'] as const;
export type Locality = (typeof LOCALITIES)[number];

export interface WorkloadSettings {
  readonly seed: number;
  readonly clients: number;
  /** Reads and writes of blocks, all in all. */
  readonly accesses: number;
  readonly locality: Locality;
}

/** How files are chosen: shares of file uses, and how steeply the recently used are preferred. */
interface Shape {
  readonly fresh: number;
  readonly shared: number;
  readonly steepness: number;
}

const SHAPES: Readonly<Record<Locality, Shape>> = {
  low: { fresh: 0.09, shared: 0.22, steepness: 0.8 },
  middle: { fresh: 0.07, shared: 0.2, steepness: 1.1 },
  high: { fresh: 0.05, shared: 0.16, steepness: 1.6 },
};

/** Section 3: block accesses of the traces. With fewer, all that has a size has less of it. */
export const PAPER_ACCESSES = 700_000;
const SHARED_FILES = 12_000;
const LARGEST_FILE = 256;
/** Of uses: whole files that are written. */
const WRITES = { fresh: 0.45, own: 0.12, shared: 0.02 };
/** A client is at work in a third of the times, as people are. */
const ACTIVE = 1 / 3;
const SPELL = 4000;

/** Yields the accesses in order; the same settings give the same ones. */
export function* workload(settings: WorkloadSettings): Generator<Access> {
  const world = new Drawn(settings);
  for (let left = settings.accesses; left > 0;) {
    const use = world.next(settings.accesses - left);
    const length = Math.min(use.blocks, left);
    for (let at = 0; at < length; at++) {
      yield { client: use.client, block: use.first + at, isWrite: use.isWrite };
    }
    left -= length;
  }
}

interface File {
  readonly first: number;
  readonly blocks: number;
}

interface Use extends File {
  readonly client: number;
  readonly isWrite: boolean;
}

class Drawn {
  readonly #random: SeededRandom;
  readonly #shape: Shape;
  readonly #weights: readonly number[];
  readonly #scale: number;
  readonly #own: File[][];
  readonly #shared: File[];
  #blocks = 0;
  #spell = -1;
  #active: readonly number[] = [];

  constructor({ seed, clients, locality, accesses }: WorkloadSettings) {
    this.#scale = accesses / PAPER_ACCESSES;
    this.#random = new SeededRandom(seed).fork(`coop ${locality}`);
    this.#shape = SHAPES[locality];
    this.#weights = Array.from({ length: clients }, (_, n) => 1 / (n + 1) ** 0.7);
    this.#own = Array.from({ length: clients }, () => []);
    const shared = Math.ceil(SHARED_FILES * this.#scale);
    this.#shared = Array.from({ length: shared }, () => this.#newFile());
  }

  next(at: number): Use {
    const client = this.#client(at);
    const { fresh, shared } = this.#shape;
    const drawn = this.#random.fraction();
    const own = this.#own[client] as File[];
    if (drawn < shared) {
      const file = this.#shared[this.#rank(this.#shared.length)] as File;
      return { ...file, client, isWrite: this.#random.chance(WRITES.shared) };
    }
    if (drawn < shared + fresh || own.length === 0) {
      const file = this.#newFile();
      own.unshift(file);
      return { ...file, client, isWrite: this.#random.chance(WRITES.fresh) };
    }
    const rank = this.#rank(own.length);
    const [file] = own.splice(rank, 1) as [File];
    own.unshift(file);
    return { ...file, client, isWrite: this.#random.chance(WRITES.own) };
  }

  /** Low ranks are likelier by far: the logarithm of the rank is even, or steeper. */
  #rank(count: number): number {
    const drawn = this.#random.fraction() ** this.#shape.steepness;
    return Math.min(count - 1, Math.floor((count + 1) ** drawn) - 1);
  }

  /** Half of the files are one block; a few are a hundred and more. */
  #newFile(): File {
    const most = Math.max(1, LARGEST_FILE * Math.min(1, this.#scale));
    const blocks = Math.min(
      Math.ceil(most),
      Math.max(1, Math.floor(0.75 / (1 - this.#random.fraction()) ** 0.9)),
    );
    const file = { first: this.#blocks, blocks };
    this.#blocks += blocks;
    return file;
  }

  #client(at: number): number {
    const spell = Math.floor(at / (SPELL * this.#scale));
    if (spell !== this.#spell) this.#beginSpell(spell);
    let drawn = this.#random.fraction() * this.#active.reduce((sum, n) => sum + this.#weight(n), 0);
    for (const client of this.#active) {
      drawn -= this.#weight(client);
      if (drawn < 0) return client;
    }
    return this.#active.at(-1) ?? 0;
  }

  #weight(client: number): number {
    return this.#weights[client] ?? 0;
  }

  #beginSpell(spell: number): void {
    this.#spell = spell;
    const all = this.#weights.map((_, client) => client);
    const active = all.filter(() => this.#random.chance(ACTIVE));
    this.#active = active.length > 0 ? active : [this.#random.pick(all)];
  }
}
