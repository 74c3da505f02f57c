/**
 * What vanished together with a mount is no removal, whatever its size: a disk that is not mounted, another one in its place, one that
 * covers what was there. It is held and said, until the disk is back or a person says that it is gone.
 *
 * A directory is a border if something was mounted there as it was recorded: the system said so then, or its device is not that of the directory
 * it is in.
 *
 * Invariants
 * 1. Beneath a border nothing is removed, and no vnode is taken for another, unless the border's own inode is the recorded one.
 * 2. Where that can't be told (another number of the device, a file system without times of birth), something of it must be there; of what
 *    another disk shows in its place everything.
 * 3. A border that was recorded stays one until its directory goes, or a person has said what is to become of it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { stampOf } from '../disk/disk-facts.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { ForgottenNames } from './forgotten-names.ts';
import type { DiskNode } from './local-plan.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { KeptStates } from '../kept-states.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import { mountsIn, type MountsHere, type MountTable, type RealPaths } from '../disk/mount-table.ts';

export interface MountGuardParts {
  readonly root: Pick<SafeRoot, 'path' | 'factsOrNull'>;
  readonly records: FolderRecords;
  readonly table: MountTable;
  readonly board: ErrorBoard;
  readonly dirty: Pick<DirtyPaths, 'isLive'>;
  readonly forgotten: Pick<ForgottenNames, 'forget'>;
  readonly store: KeptStates;
  readonly files: RealPaths;
}

/** The key under which it is kept. */
const STATE = 'mounts';

/** Holds what vanished with a mounted disk, so that it counts as no removal. */
export class MountGuard {
  readonly #parts: MountGuardParts;
  readonly #recorded: Set<Fid>;
  /** Borders whose disk is not there: how many files and folders are held with each. */
  readonly #away = new Map<Fid, number>();
  #said: ReadonlySet<string> = new Set();
  #here: MountsHere | null = null;
  #told = '';
  #isUnsaved = false;

  constructor(parts: MountGuardParts) {
    this.#parts = parts;
    this.#recorded = new Set(JSON.parse(parts.store.state(STATE) ?? '[]') as Fid[]);
  }

  get here(): MountsHere | null {
    return this.#here;
  }

  /** Reads what is mounted. True: that is something else than before. */
  read(): boolean {
    const { root, table, files } = this.#parts;
    this.#here = mountsIn(root.path, table, files);
    const told = JSON.stringify([this.#here?.type, ...(this.#here?.below ?? [])]);
    const isOther = told !== this.#told;
    this.#told = told;
    return isOther;
  }

  /** Something is mounted there, now. */
  isMountPoint(path: readonly string[]): boolean {
    return this.#here !== null && this.#here.below.has(path.join('/'));
  }

  /** Notes the borders among what is mounted and recorded. */
  note(): void {
    const { records, store } = this.#parts;
    const before = this.#recorded.size;
    for (const fid of this.#recorded) if (!records.has(fid)) this.#recorded.delete(fid);
    let isOther = this.#recorded.size !== before;
    for (const path of this.#here?.below.keys() ?? []) {
      const fid = records.directoryAt(path.split('/'));
      if (fid === null || this.#recorded.has(fid) || this.#away.has(fid)) continue;
      this.#recorded.add(fid);
      isOther = true;
    }
    if (!isOther && !this.#isUnsaved) return;
    try {
      store.setState(STATE, JSON.stringify([...this.#recorded]));
      this.#isUnsaved = false;
    } catch {
      // A full disk is said by who saves the records; it is written the next time.
      this.#isUnsaved = true;
    }
  }

  isBorder(fid: Fid): boolean {
    return this.#recorded.has(fid) || this.#isOtherDevice(fid);
  }

  /** What is gone there has vanished with its disk. Of what the system never called a mount a removal that was seen is one. */
  isHeld(fid: Fid): boolean {
    if (this.#recorded.has(fid)) return true;
    const { records, dirty } = this.#parts;
    return this.#isOtherDevice(fid) && !dirty.isLive((records.pathOf(fid) ?? []).join('/'));
  }

  /** The topmost directory of the disk that a directory lies on, as it is mounted now; null: that is the folder's own. */
  topOf(dir: Fid): Fid | null {
    const { records } = this.#parts;
    const isNone = (this.#here?.below.size ?? 0) === 0;
    for (let at: Fid | undefined = dir; at !== undefined && at !== records.root;) {
      if (this.#isOtherDevice(at)) return at;
      if (!isNone && this.isMountPoint(records.pathOf(at) ?? [])) return at;
      at = records.names(at)[0]?.dir;
    }
    return null;
  }

  #isOtherDevice(fid: Fid): boolean {
    const { records } = this.#parts;
    const record = records.get(fid);
    const above = records.names(fid)[0]?.dir;
    if (record?.kind !== 'directory' || above === undefined) return false;
    const outer = records.get(above)?.disk ?? null;
    if (record.disk === null || outer === null) return false;
    return deviceOf(record.disk.inode) !== deviceOf(outer.inode);
  }

  /** The border that a directory lies in, where something else is at its place; null: there is none. */
  lostBorder(dir: Fid): Fid | null {
    const { records, root } = this.#parts;
    const border = this.#borderOf(dir);
    const path = border === null ? null : records.pathOf(border);
    if (border === null || path === null) return null;
    const isThere = root.factsOrNull(path)?.inode === records.get(border)?.disk?.inode;
    return isThere ? null : border;
  }

  #borderOf(dir: Fid): Fid | null {
    const { records } = this.#parts;
    for (let at: Fid | undefined = dir; at !== undefined && at !== records.root;) {
      if (this.isBorder(at)) return at;
      at = records.names(at)[0]?.dir;
    }
    return null;
  }

  /** What stands at the place of a recorded directory is not what was recorded there, but another disk, or what lies beneath. */
  isAwayAt(fid: Fid, node: DiskNode): boolean {
    const { records } = this.#parts;
    const record = records.get(fid);
    if (record?.kind !== 'directory' || record.disk === null) return false;
    if (records.entryCount(fid) === 0) return false;
    if (!this.isBorder(fid) && node.isMount !== true) return false;
    const how = likeness(node.facts.inode, record.disk.inode);
    // Nothing is mounted where a disk was: what lies beneath is not the disk, though it may have the same names.
    if (this.#recorded.has(fid) && node.isMount !== true && how !== 'same') return true;
    switch (how) {
      case 'same':
        return false;
      case 'alike':
        return this.#isAllGone(fid, node, node.facts.inode === record.disk.inode);
      case 'other':
        return !this.#isWhole(fid, node);
    }
  }

  /** And nobody was seen to remove it, where it was mounted all the time. */
  #isAllGone(fid: Fid, { children }: DiskNode, isStill: boolean): boolean {
    const { records, dirty } = this.#parts;
    if (children === null) return false;
    const names = new Set(children.map(({ name }) => name));
    const path = records.pathOf(fid) ?? [];
    const isSeen = (name: string): boolean => isStill && dirty.isLive([...path, name].join('/'));
    return !records.entries(fid).some(([name]) => names.has(name) || isSeen(name));
  }

  /** All that is recorded in it is there, by its name. */
  #isWhole(fid: Fid, { children }: DiskNode): boolean {
    const { records } = this.#parts;
    if (children === null) return false;
    const nodes = new Map(children.map((node) => [node.name, node]));
    return records.entries(fid).every(([name, child]) => {
      const node = nodes.get(name);
      if (node === undefined) return false;
      return records.get(child)?.kind !== 'directory' || this.#isWhole(child, node);
    });
  }

  // What is away

  /** Files and folders that are held. */
  get held(): number {
    let sum = 0;
    for (const count of this.#away.values()) sum += count;
    return sum;
  }

  /** The same with disks that are at a path or beneath it. */
  heldAt(spoken: readonly string[]): number {
    let sum = 0;
    for (const [fid, count] of this.#away) if (this.#isIn(fid, spoken)) sum += count;
    return sum;
  }

  #isIn(fid: Fid, above: readonly string[]): boolean {
    const path = this.#parts.records.pathOf(fid);
    return path !== null && above.every((name, depth) => path[depth] === name);
  }

  /** Paths of directories whose disk is not there. */
  away(): string[][] {
    return [...this.#away.keys()].flatMap((fid) => {
      const path = this.#parts.records.pathOf(fid);
      return path === null ? [] : [path];
    });
  }

  /** The path is one of them, or lies in one. */
  isAway(path: readonly string[]): boolean {
    if (this.#away.size === 0) return false;
    return this.away().some((at) => at.every((name, depth) => path[depth] === name));
  }

  /** What a pass has found. `isThere`: a directory as recorded. */
  found(away: readonly Fid[], isThere: (fid: Fid) => boolean): void {
    const { records } = this.#parts;
    for (const fid of [...this.#away.keys()]) {
      if (!records.has(fid) || isThere(fid)) this.#away.delete(fid);
    }
    for (const fid of away) this.#away.set(fid, Math.max(1, this.#countIn(fid)));
    this.#say();
  }

  /** It is not meant to be gone: what is at its place is what it is from now on, without what was in it. Gives what was held. */
  reject(spoken: readonly string[] | null = null): number {
    const { records, root, forgotten } = this.#parts;
    const held = spoken === null ? this.held : this.heldAt(spoken);
    for (const dir of this.forget(spoken)) {
      const path = records.pathOf(dir);
      const facts = path === null ? null : root.factsOrNull(path);
      forgotten.forget(records.entries(dir).map(([name]) => ({ dir, name })));
      if (facts?.kind === 'directory') records.update(dir, { disk: stampOf(facts) });
      else forgotten.forget(records.names(dir));
    }
    return held;
  }

  /** A person has said what is to become of it: it is a directory as any other. */
  forget(spoken: readonly string[] | null = null): Fid[] {
    const fids = [...this.#away.keys()].filter((fid) => spoken === null || this.#isIn(fid, spoken));
    for (const fid of fids) {
      this.#recorded.delete(fid);
      this.#away.delete(fid);
    }
    this.#isUnsaved = true;
    this.#say();
    return fids;
  }

  #say(): void {
    const { records, board } = this.#parts;
    const said = new Set<string>();
    for (const [fid, count] of this.#away) {
      const path = records.pathOf(fid);
      if (path === null) continue;
      const what = this.isMountPoint(path)
        ? 'another disk is mounted over it, and is not synced'
        : 'it is not mounted';
      const them =
        count === 1 ? 'one file or folder in it is' : `${count} files and folders in it are`;
      const text = `${what}: ${them} held, and removed nowhere`;
      board.set('disk-away', path.join('/'), text);
      said.add(path.join('/'));
    }
    for (const path of this.#said) if (!said.has(path)) board.clear('disk-away', path);
    this.#said = said;
  }

  #countIn(dir: Fid): number {
    const { records } = this.#parts;
    let count = 0;
    for (const [, fid] of records.entries(dir)) {
      count += 1 + (records.get(fid)?.kind === 'directory' ? this.#countIn(fid) : 0);
    }
    return count;
  }
}

/** '' is the folder's own device. */
export function deviceOf(inode: string): string {
  const parts = inode.split(':');
  return parts.length > 2 ? (parts[0] ?? '') : '';
}

/**
 * `alike`: the same number, but on a device with another number, or without a time of birth to tell it by: disks get new numbers each time, and the
 * root of one FAT is as that of another.
 */
function likeness(now: string, before: string): 'same' | 'alike' | 'other' {
  const [birth, number] = now.split(':').reverse();
  const [birthBefore, numberBefore] = before.split(':').reverse();
  if (number !== numberBefore || birth !== birthBefore) return 'other';
  return birth === '0' ? 'alike' : 'same';
}
