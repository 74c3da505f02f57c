/**
 * Checker: the cache keeps what it must, and fetches nothing twice. Contents of the present version of a pinned file do not leave the cache
 * of a laptop that fetches on demand; and when a laptop hands a request to its link, no two fetches of the present contents of one file are
 * under way for its cache. Nor do the same contents come into it time and again while no program asks for anything: what fetches them and
 * what lets them go do not agree.
 *
 * What is queued or open is another checker's: contents that are dropped and nowhere else are lost.
 *
 * Allowed: contents that were found damaged (they are fetched again), those of a version that the server has never confirmed, and a file of
 * which it is asked whether there is something newer, beside the fetch of what there is. What went for want of room may come again when there
 * is room, MOST_COMINGS times in all.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../../shared/model/vnode.ts';
import type { RowChange } from '../../../../shared/ports/client-store.ts';
import type { Checker, CheckerKind, Report } from './checker.ts';
import type { Laptop } from './laptop.ts';
import type { Observation } from './observation.ts';

/** Of the same contents, without a call of a program: disks fill and empty, sessions end and begin, but not for one file. */
const MOST_COMINGS = 5;

/** Two devices may make a version of the same number; one of them loses. */
interface Version {
  readonly version: DataVersion;
  readonly digest: Digest | null;
}

interface Durable {
  readonly pins: Set<string>;
  readonly present: Map<string, Version>;
  readonly contents: Map<string, Version & { readonly fid: Fid }>;
  /** How often contents have come since a program asked for something, by what they are. */
  readonly comings: Map<string, number>;
}

export const cacheKept: CheckerKind = {
  name: 'the cache keeps what it must',
  make: (report) => new CacheKept(report),
};

class CacheKept implements Checker {
  readonly #report: Report;
  readonly #durable = new Map<Laptop, Durable>();

  constructor(report: Report) {
    this.#report = report;
  }

  hear(observation: Observation): void {
    if (observation.kind === 'sending') this.#sending(observation.client);
    if (observation.kind === 'asked') this.#durable.get(observation.call.client)?.comings.clear();
    // What a copy has is not known: it is watched no more.
    if (observation.kind === 'copied') this.#durable.delete(observation.to);
    if (observation.kind === 'saved' && observation.client.frontEnd === 'none') {
      this.#saved(observation.client, observation.changes);
    }
  }

  /** Rows that are saved together have no order: what they come to is judged. */
  #saved(client: Laptop, changes: readonly RowChange[]): void {
    const { pins, present, contents } = this.#of(client);
    const pinned = new Set(pins);
    const dropped = new Map<string, Version & { readonly fid: Fid }>();
    for (const { table, key, value } of changes) {
      if (table === 'pin') {
        if (value === undefined) pins.delete(key);
        else pins.add(key);
      }
      if (table === 'status') {
        if (value === undefined || value.links === 0) present.delete(key);
        else present.set(key, value);
      }
      if (table !== 'content') continue;
      const content = contents.get(key);
      if (value !== undefined && content === undefined) this.#came(client, value);
      if (value !== undefined) contents.set(key, value);
      else contents.delete(key);
      if (value === undefined && content !== undefined) dropped.set(key, content);
    }
    for (const [key, { fid, version, digest }] of dropped) {
      const now = present.get(fid);
      if (!pinned.has(fid) || !pins.has(fid)) continue;
      if (now?.version !== version || now.digest !== digest) continue;
      if (isDamaged(client, key)) continue;
      const what = `${key}, version ${version} of ${fid}`;
      this.#report(`${client.name} drops ${what}, though it is pinned and the present one`);
    }
  }

  #came(client: Laptop, { fid, version, digest }: Version & { readonly fid: Fid }): void {
    const { comings } = this.#of(client);
    const key = `${fid}@${version}/${digest}`;
    const times = (comings.get(key) ?? 0) + 1;
    comings.set(key, times);
    if (times !== MOST_COMINGS + 1) return;
    this.#report(`${client.name} gets version ${version} of ${fid} again and again, for nobody`);
  }

  #sending(client: Laptop): void {
    const {
      cache: { fetches },
      names: { attributes },
    } = client.daemon.inside;
    const present = new Set<Fid>();
    for (const { fid, version, digest, into, unless, state } of fetches.values()) {
      if (into !== 'cache' || state !== 'running' || unless !== null) continue;
      const known = attributes.get(fid);
      if (version !== null && version !== known?.version) continue;
      if (digest !== null && digest !== known?.digest) continue;
      if (present.has(fid)) this.#report(`${client.name} fetches ${fid} twice at once`);
      present.add(fid);
    }
  }

  #of(client: Laptop): Durable {
    const known = this.#durable.get(client);
    if (known !== undefined) return known;
    const made: Durable = {
      pins: new Set(),
      present: new Map(),
      contents: new Map(),
      comings: new Map(),
    };
    this.#durable.set(client, made);
    return made;
  }
}

/** Whether the daemon has reported these contents as damaged. */
function isDamaged(client: Laptop, name: string): boolean {
  return client.running && client.daemon.inside.cache.checks.wasDamaged(name);
}
