/**
 * Tells what of a look has settled. What has not is left out of the plan as if nobody had looked there, and is looked at again.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Disk } from '../disk/disk.ts';
import { isUntouched } from '../disk/disk-facts.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderLimits } from '../folder-limits.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { Ref } from '../records/order-names.ts';
import { directoryOf, type DirtyPaths } from '../watch/dirty-paths.ts';
import type { OutsideLinks } from '../watch/outside-links.ts';
import type { DiskNode, LocalPlan } from './local-plan.ts';

export interface SettledFilesParts {
  readonly root: SafeRoot;
  readonly records: FolderRecords;
  readonly dirty: DirtyPaths;
  readonly board: ErrorBoard;
  readonly clock: Clock;
  readonly files: Disk;
  readonly limits: FolderLimits;
  readonly outside: Pick<OutsideLinks, 'found'>;
  /** Folders that were left over by a folder that went elsewhere, and are in the way of something. */
  readonly unplaced: { isLeftOver(inode: string): boolean };
}

/** What one pass leaves alone, and why. */
export interface PassNotes {
  /** Paths that have not settled, with slashes: they are looked at again. */
  readonly waiting: Set<string>;
  /** Places (`placeKey`) whose vnode has not settled, or stands elsewhere for now. */
  readonly heldPlaces: Set<string>;
  /** Inodes that were seen at a place that has not settled. */
  readonly elsewhere: Set<string>;
  /** Large files that somebody waits for and that are not taken yet; null: nobody waits. */
  readonly wanted: Set<string> | null;
}

/** Takes out of a look what has not settled yet. */
export class SettledFiles {
  readonly #parts: SettledFilesParts;

  constructor(parts: SettledFilesParts) {
    this.#parts = parts;
  }

  /** The nodes without what has not settled; that is noted to be left alone, and looked at again. */
  settled(
    dir: Fid | null,
    path: readonly string[],
    nodes: readonly DiskNode[],
    notes: PassNotes,
  ): DiskNode[] {
    const { dirty, records, clock } = this.#parts;
    return nodes.flatMap((node) => {
      const { name, facts, children } = node;
      // Two that say they stand for one vnode: of one it is not known which file it is, and it is no file of its own.
      if (node.placeholder !== undefined && records.byInode(facts.inode) !== node.placeholder)
        return [];
      const at = [...path, name];
      const fid = dir === null ? null : records.at(dir, name);
      if (facts.kind === 'directory') {
        if (children === null) return [node];
        const isUnknown = fid === null && records.byInode(facts.inode) === null;
        if (isUnknown && node.isHollow) return [];
        if (isUnknown && isBare(node) && this.#parts.unplaced.isLeftOver(facts.inode)) return [];
        return [{ ...node, children: this.settled(fid, at, children, notes) }];
      }
      this.#parts.outside.found(facts);
      const known = fid ?? records.byInode(facts.inode);
      const stamp = known === null ? null : (records.get(known)?.disk ?? null);
      if (stamp !== null && isUntouched(facts, stamp)) return [node];
      const text = at.join('/');
      const isInPlace = stamp !== null && fid === known && stamp.inode === facts.inode;
      const isNew = fid === null && known === null;
      // A small one may be a step of a safe save, and what comes of that is there in a moment.
      const isLarge = (isNew || isInPlace) && facts.size >= this.#parts.limits.largeBytes;
      const isWanted = notes.wanted !== null && isLarge;
      const rests = (): boolean =>
        (isInPlace || isLarge) && facts.kind === 'file' && this.#isOpen(path, name) === false;
      const isOpen =
        isNew && facts.kind === 'file' ? () => this.#isOpen(path, name) === true : undefined;
      const times = { now: clock.now(), wall: clock.wall() };
      if (
        dirty.isStable(text, facts, {
          ...times,
          rests,
          isWanted,
          isLarge: isLarge && isNew,
          isOpen,
        })
      ) {
        this.#parts.board.clearPath(text);
        return [node];
      }
      notes.waiting.add(text);
      if (isWanted) notes.wanted?.add(text);
      notes.elsewhere.add(facts.inode);
      if (dir !== null) notes.heldPlaces.add(placeKey(dir, name));
      return [];
    });
  }

  /** Whether somebody has it open to write; null: that can't be told. */
  #isOpen(directory: readonly string[], name: string): boolean | null {
    const { root, files } = this.#parts;
    try {
      return root.within(directory, (base) => files.isBeingWritten(`${base}/${name}`));
    } catch {
      // It is gone, or not ours to read: what is found of it when it has settled is told then.
      return null;
    }
  }

  /** Without what stands where a placeholder's file has its name: that is told when the file has another. */
  notHeld(
    dir: Fid | null,
    path: readonly string[],
    nodes: readonly DiskNode[],
    heldPlaces: ReadonlySet<string>,
    waiting: Set<string>,
  ): readonly DiskNode[] {
    if (heldPlaces.size === 0) return nodes;
    return nodes.flatMap((node) => {
      const { name, facts, children } = node;
      if (dir !== null && heldPlaces.has(placeKey(dir, name))) {
        this.#lookAgain([...path, name].join('/'), waiting);
        return [];
      }
      if (children === null) return [node];
      const known = this.#parts.records.byInode(facts.inode);
      const left = this.notHeld(known, [...path, name], children, heldPlaces, waiting);
      return [{ ...node, children: left }];
    });
  }

  /** Nobody may have asked for the name itself, but for a directory above it. */
  #lookAgain(path: string, waiting: Set<string>): void {
    const { dirty, clock } = this.#parts;
    waiting.add(path);
    dirty.hint(path, clock.now(), { live: dirty.isLive(path) });
  }

  /** Directories that change still: their time would be told again and again. They are looked at again. */
  restless(plan: LocalPlan, asked: ReadonlySet<string>, waiting: Set<string>): Set<Ref> {
    const { dirty, records, clock } = this.#parts;
    const restless = new Set<Ref>();
    const seen = new Map<string, number>();
    for (const path of asked) {
      if (path === '' || waiting.has(path) || !dirty.has(path)) continue;
      const directory = directoryOf(path);
      seen.set(directory, (seen.get(directory) ?? 0) + 1);
    }
    const isBusy = (directory: string): boolean =>
      dirty.countIn(directory) > (seen.get(directory) ?? 0);
    for (const { ref, path, facts } of plan.directories) {
      const disk = records.get(ref as Fid)?.disk ?? null;
      if (disk === null || isUntouched(facts, disk)) continue;
      const text = path.join('/');
      // An entry that is told later brings the time along.
      const times = { now: clock.now(), wall: clock.wall() };
      const isStable = dirty.isStable(text, facts, { ...times, rests: () => false });
      if (isStable && !isBusy(text)) continue;
      const now = clock.now();
      // What could not be told waits for long, and the directory with it.
      if (isStable) dirty.hint(text, now, { live: false, delay: dirty.delayIn(text, now) });
      restless.add(ref);
      waiting.add(text);
    }
    return restless;
  }

  /** It may stand where nobody has looked yet: at a path with an event, or in a folder that is new. */
  mayHave(inode: string): boolean {
    const { dirty, records, root } = this.#parts;
    if (this.isElsewhere(inode, new Set())) return true;
    return dirty.paths().some((path) => {
      const facts = root.factsOrNull(path.split('/'));
      return facts?.kind === 'directory' && records.byInode(facts.inode) === null;
    });
  }

  /** Something is missing: does it stand at a place that has an event but has not settled? Then it was moved there. */
  isElsewhere(inode: string, asked: ReadonlySet<string>): boolean {
    const { dirty, root } = this.#parts;
    return dirty.standsElsewhere(inode, asked, (path) => {
      const components = path.split('/');
      return root.factsOrNull(components);
    });
  }
}

/** There are folders in it at most, and nothing that is synced. */
function isBare({ facts, children, isHollow }: DiskNode): boolean {
  if (facts.kind !== 'directory') return false;
  return isHollow || (children?.every(isBare) ?? false);
}
