/**
 * Looks at single paths: each in its directory, and with it at every other name that decides what it is.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { PathChanged } from '../disk/path-changed.ts';
import { describeUnclear } from '../disk/path-errors.ts';
import type { SafeRoot } from '../disk/safe-root.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderLimits } from '../folder-limits.ts';
import { placeKey, type FolderRecords } from '../records/folder-records.ts';
import type { DirtyPaths } from '../watch/dirty-paths.ts';
import { Yielder, type LetOthersRun } from '../yielder.ts';
import type { DiskLook } from './disk-look.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { DiskNode, Look } from './local-plan.ts';
import type { MountGuard } from './mount-guard.ts';

export interface LookAtPathsParts {
  readonly root: SafeRoot;
  readonly records: FolderRecords;
  readonly dirty: DirtyPaths;
  readonly look: DiskLook;
  readonly ignored: IgnoreRules;
  readonly board: ErrorBoard;
  readonly mounts: MountGuard;
  readonly clock: Clock;
  readonly letOthersRun: LetOthersRun;
  readonly limits: FolderLimits;
}

/**
 * Looks at single paths that may have changed, together with the names that decide what they are.
 */
export class LookAtPaths {
  readonly #parts: LookAtPathsParts;

  constructor(parts: LookAtPathsParts) {
    this.#parts = parts;
  }

  /** Turns paths into looks: each at its directory, or at the topmost directory above that is not recorded. */
  async looks(paths: readonly string[], unclear: ReadonlySet<string>): Promise<Look[]> {
    const asked = new Map<Fid, Set<string>>();
    const looked = new Set<string>();
    const looks: Look[] = [];
    for (const path of paths) this.#ask(path, asked, looked);
    while (asked.size > 0) {
      const batch = [...asked];
      asked.clear();
      for (const [dir, names] of batch) {
        const isDeep = (path: string): boolean =>
          this.#parts.dirty.isDeep(path) || unclear.has(path);
        const look = await this.#lookAt(dir, [...names], { asked, looked, isDeep });
        if (look === null) continue;
        looks.push(look);
        this.#askForKnown(dir, look.nodes, asked, looked);
      }
    }
    return looks;
  }

  async #lookAt(
    dir: Fid,
    wanted: readonly string[],
    notes: {
      readonly asked: Map<Fid, Set<string>>;
      readonly looked: Set<string>;
      readonly isDeep: (path: string) => boolean;
    },
  ): Promise<Look | null> {
    const { records, board, mounts, look, clock, limits, letOthersRun } = this.#parts;
    const { asked, looked, isDeep } = notes;
    try {
      const found = await look.names(
        dir,
        wanted,
        isDeep,
        new Yielder(clock, limits.slice, letOthersRun),
      );
      if (found.facts?.inode === records.get(dir)?.disk?.inode) return found;
      // Another directory stands there: which one, and where this one is, its own name tells.
      const names = records.names(mounts.lostBorder(dir) ?? dir);
      if (names.length === 0) return found;
      for (const place of names) this.#askName(place.dir, place.name, asked, looked);
    } catch (error) {
      if (!(error instanceof PathChanged)) describeUnclear(board, records.pathOf(dir) ?? [], error);
      else if (error.at.length > 0) this.#ask(error.at.join('/'), asked, looked);
    }
    return null;
  }

  #ask(path: string, asked: Map<Fid, Set<string>>, looked: Set<string>): void {
    const { records, ignored, root } = this.#parts;
    const components = path === '' ? [] : path.split('/');
    let dir: Fid = records.root;
    for (const [depth, name] of components.entries()) {
      const isLast = depth === components.length - 1;
      const next = records.at(dir, name);
      const record = next === null ? null : records.get(next);
      if (!isLast && next !== null && record?.kind === 'directory') {
        dir = next;
        continue;
      }
      const at = components.slice(0, depth + 1);
      const facts = root.factsOrNull(at);
      if (ignored.isIgnored(at, (facts?.kind ?? record?.kind) === 'directory')) return;
      this.#askName(dir, name, asked, looked);
      return;
    }
    // The root itself: its own attributes.
    if (!asked.has(dir)) asked.set(dir, new Set());
  }

  #askName(dir: Fid, name: string, asked: Map<Fid, Set<string>>, looked: Set<string>): void {
    const key = placeKey(dir, name);
    if (looked.has(key)) return;
    looked.add(key);
    const names = asked.get(dir);
    if (names === undefined) asked.set(dir, new Set([name]));
    else names.add(name);
  }

  /**
   * Other names that decide what a name is: those of the inode that is there (moved, or linked?), and those of the vnode that
   * was there (replaced, or has it gone from this name only?).
   */
  #askForKnown(
    dir: Fid | null,
    nodes: readonly DiskNode[],
    asked: Map<Fid, Set<string>>,
    looked: Set<string>,
  ): void {
    const { records } = this.#parts;
    for (const { name, facts, children } of nodes) {
      const known = records.byInode(facts.inode);
      const here = dir === null ? null : records.at(dir, name);
      for (const fid of new Set([known, here])) {
        if (fid === null || (known === here && records.names(fid).length === 1)) continue;
        for (const place of records.names(fid)) this.#askName(place.dir, place.name, asked, looked);
      }
      if (children !== null) this.#askForKnown(known ?? here, children, asked, looked);
    }
  }
}
