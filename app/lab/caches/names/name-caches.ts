/**
 * The three caches of each client (Shirriff and Ousterhout, section 3): whole directories, single entries, attributes,
 * of all sizes at once. Callbacks keep them consistent: who changes something ends all other copies of it.
 */
import { LruStack } from '../stack.ts';
import type { Operation } from './workload.ts';

export const KINDS = ['directories', 'entries', 'attributes'] as const;
export type Kind = (typeof KINDS)[number];

/** The largest cache of interest, entries. */
export const MOST = 200;
/** Idle times of hits, seconds: upper ends; the last is for all above (figure 9). */
export const IDLE_ENDS = [0.1, 1, 3, 10, 15, 30, 60, 120, 300, 600, 3600, Infinity];

/** What became of references: each array by the depth at which it happened, the last place for all beyond `MOST`. */
export interface Counts {
  references: number;
  readonly hits: number[];
  compulsory: number;
  /** By how deep the copy was when somebody else's change ended it. */
  readonly ended: number[];
  /** Names that are not there, which a cache of entries can't know. */
  invalid: number;
  /** Hits of a cache of 20 by the time since the last use. */
  readonly idle: number[];
  /** Copies of other clients that changes ended, by their depth. */
  readonly remote: number[];
  changes: number;
  /** Changes by how many other clients had a copy, in caches of the sizes of table 5: none, one, more. */
  readonly holders: [number, number, number];
}

/** The sizes for which tables 5 and 6 and figure 9 count. */
const TABLE_SIZE: Readonly<Record<Kind, number>> = { directories: 20, entries: 40, attributes: 40 };
const SMALL = 20;

export interface NameCounts {
  readonly all: Readonly<Record<Kind, Counts>>;
  readonly migrated: Readonly<Record<Kind, Counts>>;
  readonly tmp: Readonly<Record<Kind, Counts>>;
  readonly paths: PathCounts;
}

/** Whole paths: how many components they had, and what was done to them. */
export interface PathCounts {
  count: number;
  components: number;
  /** By the depth of the component that was deepest. */
  readonly hits: number[];
  /** Looked up by a process that had migrated. */
  migrated: number;
  /** The last name is not there. */
  missing: number;
  /** The last name was made, removed or another file's. */
  named: number;
  /** Attributes were set. */
  set: number;
}

export interface NameCacheSettings {
  readonly clients: number;
  /** Processes count for the machine they came from. */
  readonly atHome: boolean;
  /** Section 3.1: what was idle for this long below place 20 is forgotten, seconds; null: nothing is. */
  readonly pruneIdle: number | null;
}

export class NameCaches {
  readonly counts: NameCounts = {
    all: eachKind(noCounts),
    migrated: eachKind(noCounts),
    tmp: eachKind(noCounts),
    paths: {
      ...{ count: 0, components: 0, hits: depths() },
      ...{ migrated: 0, missing: 0, named: 0, set: 0 },
    },
  };
  readonly #settings: NameCacheSettings;
  readonly #stacks: Readonly<Record<Kind, readonly LruStack[]>>;
  /** Of each client: what others ended, and how deep it was. */
  readonly #ended: Readonly<Record<Kind, ReadonlyArray<Map<number, number>>>>;
  readonly #holders: Readonly<Record<Kind, Map<number, Set<number>>>>;
  #prunedAt = 0;

  constructor(settings: NameCacheSettings) {
    this.#settings = settings;
    const each = <T>(make: () => T): T[] => Array.from({ length: settings.clients }, make);
    this.#stacks = eachKind(() => each(() => new LruStack()));
    this.#ended = eachKind(() => each(() => new Map<number, number>()));
    this.#holders = eachKind(() => new Map<number, Set<number>>());
  }

  /** One lookup, and what it changes. */
  take(operation: Operation): void {
    const { at, path, changes } = operation;
    const client = this.#settings.atHome ? operation.home : operation.client;
    let deepest: number | null = 0;
    for (const { dir, entry, file } of path) {
      const depth = this.#refer('directories', client, dir, operation);
      deepest = deepest === null || depth === null ? null : Math.max(deepest, depth);
      if (file === null) this.#invalid('entries', operation);
      else {
        this.#refer('entries', client, entry, operation);
        this.#refer('attributes', client, file, operation);
      }
    }
    this.#countPath(operation);
    const { paths } = this.counts;
    if (deepest !== null) add(paths.hits, deepest);
    const last = path.at(-1);
    if (last !== undefined && changes !== 'nothing') this.#changed(client, last, operation);
    this.#prune(at);
  }

  #countPath({ client, home, path, changes }: Operation): void {
    const { paths } = this.counts;
    paths.count++;
    paths.components += path.length;
    if (home !== client) paths.migrated++;
    if (path.at(-1)?.file === null) paths.missing++;
    if (changes === 'names') paths.named++;
    if (changes === 'attributes') paths.set++;
  }

  #changed(
    client: number,
    { dir, entry, file }: Operation['path'][number],
    operation: Operation,
  ): void {
    if (operation.changes === 'names') {
      this.#end('directories', client, dir, operation);
      this.#end('entries', client, entry, operation);
    }
    if (file !== null) this.#end('attributes', client, file, operation);
  }

  #refer(kind: Kind, client: number, key: number, operation: Operation): number | null {
    const stack = this.#stacks[kind][client] as LruStack;
    const ended = this.#ended[kind][client] as Map<number, number>;
    const usedAt = stack.usedAt(key);
    const depth = stack.use(key, operation.at);
    const was = ended.get(key);
    ended.delete(key);
    this.#hold(kind, key, client);
    for (const counts of this.#countsOf(kind, operation)) {
      counts.references++;
      if (depth !== null) {
        add(counts.hits, depth);
        if (depth < SMALL) addIdle(counts, operation.at - (usedAt ?? 0));
      } else if (was !== undefined) add(counts.ended, was);
      else counts.compulsory++;
    }
    return depth;
  }

  #invalid(kind: Kind, operation: Operation): void {
    for (const counts of this.#countsOf(kind, operation)) {
      counts.references++;
      counts.invalid++;
    }
  }

  #end(kind: Kind, client: number, key: number, operation: Operation): void {
    const found: number[] = [];
    for (const other of this.#holders[kind].get(key) ?? []) {
      if (other === client) continue;
      const depth = this.#stacks[kind][other]?.invalidate(key) ?? null;
      if (depth === null) continue;
      found.push(depth);
      this.#ended[kind][other]?.set(key, depth);
    }
    this.#holders[kind].set(key, new Set([client]));
    const inTable = found.filter((depth) => depth < TABLE_SIZE[kind]).length;
    for (const counts of this.#countsOf(kind, operation)) {
      counts.changes++;
      counts.holders[Math.min(inTable, 2) as 0 | 1 | 2]++;
      for (const depth of found) add(counts.remote, depth);
    }
  }

  #hold(kind: Kind, key: number, client: number): void {
    const those = this.#holders[kind].get(key);
    if (those === undefined) this.#holders[kind].set(key, new Set([client]));
    else those.add(client);
  }

  #countsOf(kind: Kind, { client, home, isTmp }: Operation): Counts[] {
    const { all, migrated, tmp } = this.counts;
    return [all[kind], ...(client === home ? [] : [migrated[kind]]), ...(isTmp ? [tmp[kind]] : [])];
  }

  #prune(at: number): void {
    const { pruneIdle } = this.#settings;
    if (pruneIdle === null || at - this.#prunedAt < pruneIdle) return;
    this.#prunedAt = at;
    for (const kind of KINDS) {
      for (const stack of this.#stacks[kind]) stack.prune(SMALL, at - pruneIdle);
    }
  }
}

function eachKind<T>(make: () => T): Record<Kind, T> {
  return { directories: make(), entries: make(), attributes: make() };
}

function depths(): number[] {
  return new Array<number>(MOST + 1).fill(0);
}

function noCounts(): Counts {
  return {
    references: 0,
    hits: depths(),
    compulsory: 0,
    ended: depths(),
    invalid: 0,
    idle: IDLE_ENDS.map(() => 0),
    remote: depths(),
    changes: 0,
    holders: [0, 0, 0],
  };
}

function add(counts: number[], depth: number): void {
  const at = Math.min(depth, MOST);
  counts[at] = (counts[at] as number) + 1;
}

function addIdle(counts: Counts, idle: number): void {
  const at = IDLE_ENDS.findIndex((end) => idle <= end);
  counts.idle[at] = (counts.idle[at] as number) + 1;
}

/** Of references, in a cache of so many entries: shares that add up to one. */
export interface Rates {
  readonly hits: number;
  readonly capacity: number;
  readonly consistency: number;
  readonly compulsory: number;
  readonly invalid: number;
  /** Copies of other clients that a change ended, by reference. */
  readonly remote: number;
}

export function ratesAt(counts: Counts, size: number): Rates {
  const { references, compulsory, invalid } = counts;
  const upTo = (of: readonly number[]): number =>
    of.slice(0, Math.min(size, MOST)).reduce((sum, count) => sum + count, 0) / references;
  const [hits, consistency] = [upTo(counts.hits), upTo(counts.ended)];
  const rest = { compulsory: compulsory / references, invalid: invalid / references };
  const capacity = Math.max(0, 1 - hits - consistency - rest.compulsory - rest.invalid);
  return { hits, capacity, consistency, ...rest, remote: upTo(counts.remote) };
}
