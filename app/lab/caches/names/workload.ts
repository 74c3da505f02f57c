/**
 * Path lookups of a day in a network of workstations, from a seed. The traces of Shirriff and Ousterhout ("A
 * Trace-Driven Analysis of Name and Attribute Caching", 1992) are not public. The generator is fitted to what they say
 * of them: tables 2 to 4 and figure 1. What caches make of it is predicted, not fitted.
 */
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';

/** A name in a directory, and what it stands for. */
export interface Component {
  readonly dir: number;
  /** Of the directory and the name together. */
  readonly entry: number;
  /** What the name stands for; null: there is no such name. */
  readonly file: number | null;
}

export interface Operation {
  /** Seconds since the beginning. */
  readonly at: number;
  /** Where the process runs, and where it came from. */
  readonly client: number;
  readonly home: number;
  readonly path: readonly Component[];
  /** `names`: the last name is made, removed or another file's; `attributes`: those of the file change. */
  readonly changes: 'nothing' | 'names' | 'attributes';
  readonly isTmp: boolean;
}

export interface NameSettings {
  readonly seed: number;
  readonly lookups: number;
}

/** About 40 workstations (section 2.1). */
export const CLIENTS = 40;
/** Section 2.2: 16 lookups a second. */
export const LOOKUPS_A_SECOND = 16;
/** Of each client's, and those that all use. */
const OWN_DIRECTORIES = 260;
const SYSTEM_DIRECTORIES = 24;
const SHARED_DIRECTORIES = 30;
/** Of lookups: table 2 and 3. */
const MIGRATED = 0.19;
const NOT_FOUND = 0.19;
const NAMES_CHANGED = 0.043;
const ATTRIBUTES_CHANGED = 0.011;
/** Section 3.8, of name accesses; a path of /tmp has two. */
const TMP = 0.012;
const TMP_CHANGED = 0.25;
/** Processes at a time, and lookups of each until another takes its place. */
const AT_ONCE = 8;
const LOOKUPS_OF_ONE = 160;
/** Where a lookup goes: along the search path, into what all share, else where the process is or was. */
const SYSTEM = 0.3;
const SHARED = 0.01;
const STAYS = 0.8;
const SEARCH_PATH = 5;
/** A name that the process has not used yet. */
const FRESH_FILE = 0.4;
/** Of changes of names: a name that was never there. The others are removals, and renames over what is there. */
const NEVER_THERE = 0.6;

/** It stays where it was started, or where it migrated to, and has few directories. */
interface Process {
  readonly client: number;
  readonly home: number;
  readonly here: Directory;
  readonly others: readonly Directory[];
}

interface Directory {
  readonly id: number;
  /** From the root down, without this one. */
  readonly above: readonly Component[];
  readonly size: number;
  /** Names in the order of their last use, of each client that used any. */
  readonly used: Map<number, number[]>;
}

/** Yields the lookups in the order of time; the same settings give the same ones. */
export function* nameWorkload({ seed, lookups }: NameSettings): Generator<Operation> {
  const world = new World(new SeededRandom(seed).fork('names'));
  for (let n = 0; n < lookups; n++) yield world.next(n / LOOKUPS_A_SECOND);
}

class World {
  readonly #random: SeededRandom;
  readonly #system: Directory[];
  readonly #shared: Directory[];
  readonly #own: Directory[][];
  readonly #tmp: Directory;
  readonly #processes: Process[];
  #ids = 1;
  #names = 0;
  readonly #entries = new Map<string, number>();

  constructor(random: SeededRandom) {
    this.#random = random;
    const several = (count: number, depth: () => number): Directory[] =>
      Array.from({ length: count }, () => this.#directory(depth()));
    this.#system = several(SYSTEM_DIRECTORIES, () => random.between(1, 2));
    this.#shared = several(SHARED_DIRECTORIES, () => random.between(2, 4));
    this.#own = Array.from({ length: CLIENTS }, () => {
      const home = this.#directory(1);
      const deeper = (): Directory => this.#below(home, random.between(0, 2));
      return [home, ...Array.from({ length: OWN_DIRECTORIES - 1 }, deeper)];
    });
    this.#tmp = this.#directory(1);
    this.#processes = Array.from({ length: AT_ONCE }, () => this.#process());
  }

  next(at: number): Operation {
    const which = this.#random.below(AT_ONCE);
    if (this.#random.chance(1 / LOOKUPS_OF_ONE)) this.#processes[which] = this.#process();
    const running = this.#processes[which] as Process;
    const { client, home } = running;
    if (this.#random.chance(TMP)) return this.#inTmp(at, client, home);
    const isMissing = this.#random.chance(NOT_FOUND);
    const dir = this.#directoryOf(running, isMissing);
    const changes = this.#change(isMissing || this.#system.includes(dir));
    const last = isMissing ? this.#missing(dir) : this.#name(dir, home, changes === 'names');
    return { at, client, home, path: [...dir.above, last], changes, isTmp: false };
  }

  #process(): Process {
    const home = this.#random.below(CLIENTS);
    const client = this.#random.chance(MIGRATED) ? this.#random.below(CLIENTS) : home;
    const own = this.#own[home] as Directory[];
    const next = (): Directory => {
      const [dir] = own.splice(this.#rank(own.length), 1) as [Directory];
      own.unshift(dir);
      return dir;
    };
    return { client, home, here: next(), others: [next(), next()] };
  }

  #inTmp(at: number, client: number, home: number): Operation {
    const changes = this.#random.chance(TMP_CHANGED) ? 'names' : 'nothing';
    const last = this.#name(this.#tmp, client, changes === 'names');
    return { at, client, home, path: [...this.#tmp.above, last], changes, isTmp: true };
  }

  #change(isKept: boolean): Operation['changes'] {
    const drawn = this.#random.fraction();
    if (isKept) return 'nothing';
    if (drawn < NAMES_CHANGED / (1 - SYSTEM)) return 'names';
    return drawn < (NAMES_CHANGED + ATTRIBUTES_CHANGED) / (1 - SYSTEM) ? 'attributes' : 'nothing';
  }

  /** Names that are not there are mostly looked for along search paths. */
  #directoryOf({ here, others }: Process, isMissing: boolean): Directory {
    if (this.#random.chance(isMissing ? 0.6 : SYSTEM)) {
      const isOnPath = this.#random.chance(0.97);
      return this.#system[this.#rank(isOnPath ? SEARCH_PATH : SYSTEM_DIRECTORIES)] as Directory;
    }
    if (this.#random.chance(SHARED))
      return this.#shared[this.#rank(SHARED_DIRECTORIES)] as Directory;
    return this.#random.chance(STAYS) ? here : this.#random.pick(others);
  }

  #missing(dir: Directory): Component {
    return { dir: dir.id, entry: this.#entry(dir.id, -1 - this.#rank(40)), file: null };
  }

  #name(dir: Directory, user: number, isNew: boolean): Component {
    const used = dir.used.get(user) ?? [];
    dir.used.set(user, used);
    const isFresh = isNew || used.length === 0 || this.#random.chance(FRESH_FILE);
    const name =
      isNew && this.#random.chance(NEVER_THERE)
        ? 1000 + this.#names
        : isFresh
          ? this.#random.below(dir.size)
          : (used[this.#rank(used.length)] as number);
    const at = used.indexOf(name);
    if (at >= 0) used.splice(at, 1);
    used.unshift(name);
    const entry = this.#entry(dir.id, name);
    return { dir: dir.id, entry, file: entry };
  }

  /** Low ranks are likelier: the logarithm of the rank is even. */
  #rank(count: number): number {
    return Math.min(count - 1, Math.floor((count + 1) ** this.#random.fraction()) - 1);
  }

  #directory(depth: number): Directory {
    let above: Component[] = [];
    let dir = 0;
    for (let level = 0; level < depth; level++) {
      const shared = level === depth - 1 ? -1 : level;
      const next = shared >= 0 ? 1_000_000 + shared * 8 + this.#random.below(3) : this.#ids++;
      const entry = this.#entry(dir, next + 10_000);
      above = [...above, { dir, entry, file: entry }];
      dir = next;
    }
    return { id: dir, above, size: directorySize(this.#random), used: new Map() };
  }

  #below({ id, above }: Directory, depth: number): Directory {
    const next = this.#ids++;
    const entry = this.#entry(id, next + 10_000);
    const made: Directory = {
      id: next,
      above: [...above, { dir: id, entry, file: entry }],
      size: directorySize(this.#random),
      used: new Map(),
    };
    return depth === 0 ? made : this.#below(made, depth - 1);
  }

  #entry(dir: number, name: number): number {
    const key = `${dir}/${name}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    this.#entries.set(key, this.#names);
    return this.#names++;
  }
}

/** Draws how many entries a directory has. Figure 1: 8.9 on average, and 93 % have fewer than 25. */
export function directorySize(random: SeededRandom): number {
  return 1 + Math.floor(Math.exp(1.2 + 1.35 * normal(random)));
}

/** Box and Muller. */
function normal(random: SeededRandom): number {
  return (
    Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
  );
}
