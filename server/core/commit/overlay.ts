/**
 * An overlay: rows that were decided and that a load may not show yet. What a step reads is the overlay over the
 * loaded rows. Each volume has one of its own; another has what is of no volume: devices, invitations, and what was applied.
 *
 * Invariants
 * 1. A row decided by a step is here from that step on, until its group has committed *and* no load is under way that
 *    began before: such a load may have been answered from the state before the commit.
 * 2. Of several rows of one key the newest is seen; a loaded row is never newer than the one here.
 * 3. When a group fails everything here is void, and so is every load under way (update/group-outcome.ts begins them again).
 */
import type {
  NamedDevice,
  StoredDevice,
  StoredEntry,
  StoredInvitation,
  StoredResult,
  StoredVnode,
  VnodeBlock,
} from '../../../shared/model/stored.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { rowKeyText } from './row-key.ts';

/** The kinds of rows that steps write. `parent`: the directory that a directory is in. */
export interface StagedKinds {
  vnode: StoredVnode;
  entry: StoredEntry | null;
  applied: StoredResult;
  block: VnodeBlock;
  device: StoredDevice;
  'device-names': readonly NamedDevice[];
  invitation: StoredInvitation;
  parent: Fid;
}

/** A row, and the group that makes it durable. */
export interface Staged {
  readonly value: StagedKinds[keyof StagedKinds];
  readonly group: number;
}

/** Keeps the newest staged row of each key, by group, until every load sees it in the store. */
export class Overlay {
  readonly #rows = new Map<string, Staged>();
  readonly #groups = new Map<number, string[]>();

  /** How many rows are here. */
  get size(): number {
    return this.#rows.size;
  }

  /** `key` is the text of a row key, or `parentKey`. */
  stage(group: number, key: string, value: Staged['value']): void {
    this.#rows.set(key, { value, group });
    const keys = this.#groups.get(group);
    if (keys === undefined) this.#groups.set(group, [key]);
    else keys.push(key);
  }

  /** The newest row of this key; undefined: a load shows it. */
  get(key: string): Staged | undefined {
    return this.#rows.get(key);
  }

  /** Rows of this group that no later one replaced are in the store, for every load to see. */
  retire(group: number): void {
    for (const key of this.#groups.get(group) ?? []) {
      if (this.#rows.get(key)?.group === group) this.#rows.delete(key);
    }
    this.#groups.delete(group);
  }

  /** All groups failed. */
  clear(): void {
    this.#rows.clear();
    this.#groups.clear();
  }
}

/** The key of the directory that a directory is in. */
export const parentKey = (directory: Fid): string => `parent ${directory}`;
/** The key of the present row of a vnode. */
export const vnodeKey = (fid: Fid): string => rowKeyText({ kind: 'vnode', fid });
/** The key of what has a name in a directory. */
export const entryKey = (dir: Fid, name: string): string =>
  rowKeyText({ kind: 'entry', dir, name });
