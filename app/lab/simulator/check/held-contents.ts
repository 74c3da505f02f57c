/**
 * Which contents laptops have: in their caches (where those of logged stores are too), and in place in their folders. What is in
 * neither, and not on the server, is nowhere.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { ReplicaState } from '../replica/memory-replica.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

/** Keeps which contents each laptop has in its cache, and adds those in its folder when asked. */
export class HeldContents {
  /** By the name of the content in its laptop's file store. */
  readonly #cached = new Map<Laptop, Map<string, Digest>>();

  /** Gives what has just left a cache. */
  hear(observation: Observation): Digest[] {
    if (observation.kind === 'copied') {
      this.#cached.set(observation.to, new Map(this.#of(observation.from)));
    }
    if (observation.kind !== 'saved') return [];
    const cached = this.#of(observation.client);
    const left: Digest[] = [];
    for (const change of observation.changes) {
      if (change.table !== 'content') continue;
      const before = cached.get(change.key);
      if (change.value !== undefined) cached.set(change.key, change.value.digest);
      else if (before !== undefined && cached.delete(change.key)) left.push(before);
    }
    return left;
  }

  now(): Set<Digest> {
    const held = new Set<Digest>();
    for (const [laptop, cached] of this.#cached) {
      for (const [name, digest] of cached) if (hasStill(laptop, name)) held.add(digest);
      for (const digest of inFolder(laptop.replica)) held.add(digest);
    }
    return held;
  }

  #of(laptop: Laptop): Map<string, Digest> {
    const known = this.#cached.get(laptop) ?? new Map<string, Digest>();
    this.#cached.set(laptop, known);
    return known;
  }
}

/** Lists the digests of the contents that a replica has in place. */
export function* inFolder({ vnodes }: Pick<ReplicaState, 'vnodes'>): Generator<Digest> {
  for (const { status, bytes } of vnodes.values()) {
    if (bytes !== null && status.digest !== null) yield status.digest;
  }
}

/** What a daemon has given up may have its row a moment longer. */
function hasStill(laptop: Laptop, name: string): boolean {
  return !laptop.running || laptop.daemon.inside.cache.files.get(name) !== undefined;
}
