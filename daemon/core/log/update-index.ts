/**
 * Finds logged updates by what they touch: the vnode, the directory, the entry. All lists are in the order of the log.
 */
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Update, UpdateSeq } from '../../../shared/model/update.ts';
import type { Mtime } from '../../../shared/model/vnode.ts';

/** As much of a logged update as an index needs. */
export interface Indexed {
  readonly seq: UpdateSeq;
  readonly volume: VolumeId;
  readonly update: Update;
  readonly state: string;
  readonly movesDirectory: boolean;
  readonly waiters: Set<UpdateSeq>;
}

/** An entry that an update sets or frees. */
export interface EntryEffect {
  readonly dir: Fid;
  readonly name: string;
  readonly fid: Fid | null;
}

interface DirectoryUpdates {
  readonly seqs: Map<UpdateSeq, Indexed>;
  readonly names: Map<string, Indexed[]>;
  /** The last one that is there, as long as nobody has taken it out. */
  last: Indexed;
}

interface DirectoryMoves {
  readonly all: Set<Indexed>;
  /** The last one that is there, as long as nobody has taken it out. */
  last: Indexed;
}

/** Indexes the logged updates by vnode, by directory and by entry. */
export class UpdateIndex {
  readonly #vnodes = new Map<Fid, Indexed[]>();
  readonly #directories = new Map<Fid, DirectoryUpdates>();
  readonly #directoryMoves = new Map<VolumeId, DirectoryMoves>();
  /** Committed updates of entries, by directory: the few that wait for the cache. */
  readonly #answered = new Map<Fid, Set<Indexed>>();

  add(entry: Indexed): void {
    for (const fid of objectsOf(entry.update)) {
      const list = this.#vnodes.get(fid);
      if (list === undefined) this.#vnodes.set(fid, [entry]);
      else list.push(entry);
    }
    for (const { dir, name } of effectsOf(entry.update)) this.#addToDirectory(entry, dir, name);
    if (entry.movesDirectory) {
      const moves = this.#directoryMoves.get(entry.volume) ?? { all: new Set(), last: entry };
      moves.all.add(entry);
      moves.last = entry;
      this.#directoryMoves.set(entry.volume, moves);
    }
  }

  remove(entry: Indexed): void {
    for (const fid of objectsOf(entry.update)) {
      const left = (this.#vnodes.get(fid) ?? []).filter((other) => other !== entry);
      if (left.length === 0) this.#vnodes.delete(fid);
      else this.#vnodes.set(fid, left);
    }
    for (const { dir, name } of effectsOf(entry.update)) {
      this.#removeFromDirectory(entry, dir, name);
    }
    for (const fid of this.#foldersOf(entry)) this.#answered.get(fid)?.delete(entry);
    if (entry.movesDirectory) {
      const moves = this.#directoryMoves.get(entry.volume);
      moves?.all.delete(entry);
      if (moves?.all.size === 0) this.#directoryMoves.delete(entry.volume);
    }
  }

  /** A logged update was committed. */
  answered(entry: Indexed): void {
    for (const fid of this.#foldersOf(entry)) {
      const list = this.#answered.get(fid);
      if (list === undefined) this.#answered.set(fid, new Set([entry]));
      else list.add(entry);
    }
  }

  /** Committed updates of entries in a directory. */
  answeredIn(dir: Fid): Iterable<Indexed> {
    return this.#answered.get(dir) ?? [];
  }

  /** How many updates of entries in a directory are not committed. */
  unansweredIn(dir: Fid): number {
    return (this.#directories.get(dir)?.seqs.size ?? 0) - (this.#answered.get(dir)?.size ?? 0);
  }

  /** Updates that make, change, move or remove this vnode (not those of entries in it). */
  onVnode(fid: Fid): readonly Indexed[] {
    return this.#vnodes.get(fid) ?? [];
  }

  onEntry(dir: Fid, name: string): readonly Indexed[] {
    return this.#directories.get(dir)?.names.get(name) ?? [];
  }

  /** Whether an update touches an entry of the directory. */
  touches(dir: Fid): boolean {
    return this.#directories.has(dir);
  }

  inDirectory(dir: Fid): Iterable<Indexed> {
    return this.#directories.get(dir)?.seqs.values() ?? [];
  }

  /** The names touched in a directory, each with its last update. */
  *namesTouched(dir: Fid): Iterable<[string, Indexed]> {
    for (const [name, entries] of this.#directories.get(dir)?.names ?? []) {
      const last = entries.at(-1);
      if (last !== undefined) yield [name, last];
    }
  }

  /** How many updates touch entries of a directory, and the modification time the last one gave it. */
  directoryChange(dir: Fid): { count: number; lastAt: Mtime } | null {
    const updates = this.#directories.get(dir);
    if (updates === undefined) return null;
    if (!updates.seqs.has(updates.last.seq)) {
      updates.last = [...updates.seqs.values()].at(-1) ?? updates.last;
    }
    return { count: updates.seqs.size, lastAt: atOf(updates.last.update) };
  }

  lastDirectoryMove(volume: VolumeId): Indexed | undefined {
    const moves = this.#directoryMoves.get(volume);
    if (moves !== undefined && !moves.all.has(moves.last)) {
      moves.last = [...moves.all].at(-1) ?? moves.last;
    }
    return moves?.last;
  }

  #foldersOf(entry: Indexed): Fid[] {
    return effectsOf(entry.update).map((effect) => effect.dir);
  }

  #addToDirectory(entry: Indexed, dir: Fid, name: string): void {
    let updates = this.#directories.get(dir);
    if (updates === undefined) {
      updates = { seqs: new Map(), names: new Map(), last: entry };
      this.#directories.set(dir, updates);
    }
    updates.seqs.set(entry.seq, entry);
    updates.last = entry;
    const list = updates.names.get(name);
    if (list === undefined) updates.names.set(name, [entry]);
    else list.push(entry);
  }

  #removeFromDirectory(entry: Indexed, dir: Fid, name: string): void {
    const updates = this.#directories.get(dir);
    if (updates === undefined) return;
    updates.seqs.delete(entry.seq);
    const left = (updates.names.get(name) ?? []).filter((other) => other !== entry);
    if (left.length === 0) updates.names.delete(name);
    else updates.names.set(name, left);
    if (updates.seqs.size === 0) this.#directories.delete(dir);
  }
}

/** The vnodes an update is about: its own, and the one it replaces. */
export function objectsOf(update: Update): Fid[] {
  if (update.op === 'rename' && update.over !== null && update.over.fid !== update.fid) {
    return [update.fid, update.over.fid];
  }
  return [update.fid];
}

/** The entries an update sets and frees, in that order of a rename: source, target. */
export function effectsOf(update: Update): EntryEffect[] {
  switch (update.op) {
    case 'create':
    case 'mkdir':
    case 'symlink':
    case 'link':
      return [{ dir: update.dir, name: update.name, fid: update.fid }];
    case 'remove':
    case 'rmdir':
      return [{ dir: update.dir, name: update.name, fid: null }];
    case 'rename':
      return [
        { dir: update.fromDir, name: update.fromName, fid: null },
        { dir: update.toDir, name: update.toName, fid: update.fid },
      ];
    case 'setattr':
    case 'store':
      return [];
  }
}

/** What an update makes of one entry; undefined: nothing. */
export function effectOn(update: Update, dir: Fid, name: string): Fid | null | undefined {
  return effectsOf(update).findLast((e) => e.dir === dir && e.name === name)?.fid;
}

function atOf(update: Update): Mtime {
  return 'at' in update ? update.at : ('0' as Mtime);
}
