/**
 * Rows of the feed that are not in place yet, each with the newest that was said of it: own updates are queued for them,
 * their contents have not reached the server, they are ignored here, or something local stands in the way.
 *
 * They are durable, in the same transaction as the position; so the position goes on past them. Rows hold whole
 * states, so a later one of the same vnode or name replaces an earlier one.
 */
import type { ChangeSet, EntryChange } from '../../../../shared/model/change.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import {
  lacksContents,
  type CommitNumber,
  type VnodeStatus,
} from '../../../../shared/model/vnode.ts';
import { placeKey } from './folder-records.ts';

export interface HeldChanges {
  readonly vnodes: ReadonlyArray<{ readonly fid: Fid; readonly status: VnodeStatus | null }>;
  readonly entries: ReadonlyArray<{
    readonly dir: Fid;
    readonly name: string;
    readonly row: EntryChange | null;
  }>;
}

/** Keeps the rows of the feed that are not in place yet, the newest of each vnode and name. */
export class HeldRows {
  /** The commit up to which every row is in place or among these: written with them. null: the whole volume is to be taken first. */
  merged: CommitNumber | null = null;
  readonly #vnodes = new Map<Fid, VnodeStatus>();
  readonly #entries = new Map<string, EntryChange>();
  /** Of these, the files whose contents have not reached the server (W2). */
  readonly #unstored = new Set<Fid>();
  /** Entries that give a vnode a name. */
  readonly #byFid = new Map<Fid, Set<string>>();
  readonly #byDir = new Map<Fid, Set<string>>();
  readonly #changedVnodes = new Set<Fid>();
  readonly #changedEntries = new Map<string, EntryChange>();
  /** What is durable by now: a row that came and went since the last save is nobody's concern. */
  readonly #savedVnodes = new Set<Fid>();
  readonly #savedEntries = new Set<string>();

  get size(): number {
    return this.#vnodes.size + this.#entries.size;
  }

  vnode(fid: Fid): VnodeStatus | null {
    return this.#vnodes.get(fid) ?? null;
  }

  entry(dir: Fid, name: string): EntryChange | null {
    return this.#entries.get(placeKey(dir, name)) ?? null;
  }

  entriesNaming(fid: Fid): EntryChange[] {
    const keys = this.#byFid.get(fid);
    if (keys === undefined) return [];
    return [...keys].map((key) => this.#entries.get(key)).filter((row) => row !== undefined);
  }

  entriesIn(dir: Fid): EntryChange[] {
    const keys = this.#byDir.get(dir);
    if (keys === undefined) return [];
    return [...keys].map((key) => this.#entries.get(key)).filter((row) => row !== undefined);
  }

  vnodes(): Iterable<VnodeStatus> {
    return this.#vnodes.values();
  }

  entries(): Iterable<EntryChange> {
    return this.#entries.values();
  }

  /** Files whose contents have not reached the server. */
  get unstored(): ReadonlySet<Fid> {
    return this.#unstored;
  }

  /** Whether one is held that does not wait for contents which have yet to reach the server. */
  get hasStored(): boolean {
    const waits = (fid: Fid | null): boolean => fid !== null && this.#unstored.has(fid);
    if (this.#vnodes.size > this.#unstored.size) return true;
    return [...this.#entries.values()].some(({ fid }) => !waits(fid));
  }

  merge(set: Pick<ChangeSet, 'vnodes' | 'entries'>): void {
    for (const status of set.vnodes) this.setVnode(status);
    for (const row of set.entries) this.setEntry(row);
  }

  setVnode(status: VnodeStatus): void {
    this.#vnodes.set(status.fid, status);
    if (lacksContents(status) && status.links > 0) this.#unstored.add(status.fid);
    else this.#unstored.delete(status.fid);
    this.#changedVnodes.add(status.fid);
  }

  setEntry(row: EntryChange): void {
    const key = placeKey(row.dir, row.name);
    this.#unindex(key);
    this.#entries.set(key, row);
    if (row.fid !== null) addTo(this.#byFid, row.fid, key);
    addTo(this.#byDir, row.dir, key);
    this.#changedEntries.set(key, row);
  }

  doneVnode(fid: Fid): void {
    if (!this.#vnodes.delete(fid)) return;
    this.#unstored.delete(fid);
    if (this.#savedVnodes.has(fid)) this.#changedVnodes.add(fid);
    else this.#changedVnodes.delete(fid);
  }

  doneEntry(dir: Fid, name: string): void {
    const key = placeKey(dir, name);
    const row = this.#entries.get(key);
    if (row === undefined) return;
    this.#unindex(key);
    this.#entries.delete(key);
    if (this.#savedEntries.has(key)) this.#changedEntries.set(key, row);
    else this.#changedEntries.delete(key);
  }

  clear(): void {
    for (const { fid } of [...this.#vnodes.values()]) this.doneVnode(fid);
    for (const { dir, name } of [...this.#entries.values()]) this.doneEntry(dir, name);
  }

  changes(): HeldChanges {
    return {
      vnodes: [...this.#changedVnodes].map((fid) => ({ fid, status: this.vnode(fid) })),
      entries: [...this.#changedEntries.values()].map(({ dir, name }) => ({
        dir,
        name,
        row: this.entry(dir, name),
      })),
    };
  }

  /** They are durable, all of them. */
  changesSaved(): void {
    for (const fid of this.#changedVnodes) noteSaved(this.#savedVnodes, fid, this.#vnodes.has(fid));
    for (const key of this.#changedEntries.keys())
      noteSaved(this.#savedEntries, key, this.#entries.has(key));
    this.#changedVnodes.clear();
    this.#changedEntries.clear();
  }

  #unindex(key: string): void {
    const row = this.#entries.get(key);
    if (row === undefined) return;
    if (row.fid !== null) removeFrom(this.#byFid, row.fid, key);
    removeFrom(this.#byDir, row.dir, key);
  }
}

function noteSaved<K>(saved: Set<K>, key: K, isThere: boolean): void {
  if (isThere) saved.add(key);
  else saved.delete(key);
}

function addTo(index: Map<Fid, Set<string>>, fid: Fid, key: string): void {
  const keys = index.get(fid);
  if (keys === undefined) index.set(fid, new Set([key]));
  else keys.add(key);
}

function removeFrom(index: Map<Fid, Set<string>>, fid: Fid, key: string): void {
  const keys = index.get(fid);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(fid);
}
