/**
 * Changes in a recorded directory: it is reached safely (rule F2), found to be the recorded one, and afterwards has its
 * recorded modification time again, so that our own work is no local change. Where another volume is kept, nothing is changed: whatever the records
 * say of the directory, what is in it is that volume's, for all who see it.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { mtimeInRange, type Mtime } from '../../../../shared/model/vnode.ts';
import type { Place } from '../../../../shared/ports/file-system.ts';
import type { Disk, DiskHandles } from './disk.ts';
import { isLocked, stampOf, unlockedMode, type DiskFacts, type DiskStamp } from './disk-facts.ts';
import type { SafeRoot } from './safe-root.ts';
import { PathChanged, silence } from './path-changed.ts';

/** Without this bit of the owner nothing beneath a directory is reached. */
const OWNER_PASSES = 0o100;

/** What the disk's parts ask of the records: where a directory is, and which inode it had when it was seen last. */
export interface RecordedPaths {
  readonly root: Fid;
  get(fid: Fid): { readonly disk: DiskStamp | null; readonly mtime: Mtime } | null;
  update(fid: Fid, change: { disk: DiskStamp }): void;
  /** Components below the root; null: it is not recorded. */
  pathOf(dir: Fid): string[] | null;
  pathOfPlace(place: Place): string[] | null;
  /** The vnode that has a name; null: none is recorded. */
  at(dir: Fid, name: string): Fid | null;
  /** The name on the disk of what is recorded there, or (`fid`) of that vnode if it were: a placeholder's is longer. */
  shownName(place: Place, fid?: Fid): string;
  /** The recorded directory at a path; null: there is none. */
  directoryAt(path: readonly string[]): Fid | null;
}

/**
 * Changes the entries of a recorded directory safely, and restores the directory's modification
 * time.
 */
export class InDirectory {
  readonly #root: SafeRoot;
  readonly #records: RecordedPaths;
  readonly #files: Disk;
  readonly #isOthers: (dir: readonly string[]) => boolean;
  /** Directories changed since the last `syncTouched`: to be synced to the disk before the records are. */
  readonly #touched = new Set<Fid>();
  /** Directories that are open for our work just now, by their inodes, and the modes that they have by rights. */
  readonly #unlocked = new Map<string, number>();

  /** `isOthers`: the directory at the path is, or is in, one in which another volume is kept. */
  constructor(
    root: SafeRoot,
    records: RecordedPaths,
    files: Disk,
    isOthers: (dir: readonly string[]) => boolean = () => false,
  ) {
    this.#root = root;
    this.#records = records;
    this.#files = files;
    this.#isOthers = isOthers;
  }

  facts(path: string): DiskFacts | null {
    return this.#root.factsAt(path);
  }

  /** Of what is recorded there, or (`fid`) as if that vnode were. */
  factsOf(place: Place, fid?: Fid): DiskFacts | null {
    const path = this.#records.pathOf(place.dir);
    if (path === null) return null;
    const name = this.#records.shownName(place, fid);
    if (this.#root.isSilent([...path, name])) throw silence();
    try {
      return this.#reaching(path, (base, facts) =>
        this.#letPass(base, facts, () => this.facts(`${base}/${name}`)),
      );
    } catch (error) {
      if (error instanceof PathChanged) return null;
      throw error;
    }
  }

  /** The path of a name in `base`, the directory that it is in, as it is on the disk. */
  at(base: string, place: Place, fid?: Fid): string {
    return `${base}/${this.#records.shownName(place, fid)}`;
  }

  path(place: Place): string[] {
    return this.#records.pathOfPlace(place) ?? [place.name];
  }

  /** Runs `act` with a path that stands for the directory. Throws PathChanged where that is not as recorded, or is another volume's. */
  change(dir: Fid, act: (base: string) => void): void {
    const path = this.#records.pathOf(dir);
    if (path === null) throw new PathChanged([]);
    if (this.#isOthers(path)) throw new PathChanged(path);
    this.#reaching(path, (base, found) => {
      const record = this.#records.get(dir);
      if (record?.disk && record.disk.inode !== found.inode) {
        throw new PathChanged(path);
      }
      // Unlocked already by who called this.
      const before = { ...found, mode: this.#unlocked.get(found.inode) ?? found.mode };
      this.#letIn(base, found, () => {
        try {
          act(base);
        } finally {
          this.#settle(dir, base, before);
        }
      });
    });
  }

  /**
   * Runs `act`, which gives a directory another place: that takes the right to write it, as its `..` changes. `to` is where it is then, on
   * systems on which nothing stands for it meanwhile.
   */
  moving(from: string, to: string, facts: DiskFacts, act: () => void): void {
    if (facts.kind !== 'directory' || !isLocked(facts)) return act();
    standingFor(this.#files, from, to, (path, later) => {
      this.#files.setMode(path, unlockedMode(facts));
      try {
        act();
      } finally {
        this.#files.setMode(this.#files.exists(later) ? later : path, facts.mode);
      }
    });
  }

  changeRoot(act: (path: string) => void): void {
    this.#root.within([], (base) => {
      act(`${base}/.`);
      const facts = this.facts(`${base}/.`);
      if (facts !== null) this.#records.update(this.#records.root, { disk: stampOf(facts) });
    });
  }

  /** What was done in directories since the last call is durable. */
  syncTouched(): void {
    for (const dir of this.#touched) {
      const path = this.#records.pathOf(dir);
      try {
        if (path !== null) this.#root.within(path, (base) => this.#files.syncDirectory(base));
      } catch {
        // Gone again, or not ours to read: then there is nothing to be durable.
      }
    }
    this.#touched.clear();
  }

  /** Runs `act` in a directory; those above that their owner may not pass are open meanwhile. */
  #reaching<T>(path: readonly string[], act: (base: string, facts: DiskFacts) => T): T {
    let isThere = false;
    const go = (): T =>
      this.#root.within(path, (base, facts) => {
        isThere = true;
        return act(base, facts);
      });
    try {
      return go();
    } catch (error) {
      if (isThere || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      return this.#passing(path, 1, go);
    }
  }

  #passing<T>(path: readonly string[], depth: number, act: () => T): T {
    if (depth >= path.length) return act();
    return this.#root.within(path.slice(0, depth), (base, facts) =>
      this.#letPass(base, facts, () => this.#passing(path, depth + 1, act)),
    );
  }

  #letPass<T>(base: string, facts: DiskFacts, act: () => T): T {
    return (facts.mode & OWNER_PASSES) === 0 ? this.#letIn(base, facts, act) : act();
  }

  /** A directory that its owner may not write is the user's wish for programs, and no reason to stay behind. */
  #letIn<T>(base: string, facts: DiskFacts, act: () => T): T {
    if (!isLocked(facts)) return act();
    this.#files.setMode(base, unlockedMode(facts));
    this.#unlocked.set(facts.inode, facts.mode);
    try {
      return act();
    } finally {
      this.#unlocked.delete(facts.inode);
      this.#files.setMode(base, facts.mode);
    }
  }

  #settle(dir: Fid, base: string, before: DiskFacts): void {
    const record = this.#records.get(dir);
    if (!record) return;
    this.#touched.add(dir);
    // Changed by somebody else and not logged yet: then it is found by its time.
    if (record.disk !== null && before.mtime !== record.disk.mtime) return;
    const now = this.facts(`${base}/.`);
    if (now === null || now.mtime === before.mtime) return;
    this.#files.setMtime(`${base}/.`, BigInt(mtimeInRange(record.mtime)));
    const after = this.facts(`${base}/.`);
    if (after === null) return;
    // Other attributes that are not logged yet are found by what is remembered of those before.
    const { mode, ctime } = record.disk ?? before;
    const seen = ctime === before.ctime ? after.ctime : ctime;
    this.#records.update(dir, { disk: { ...stampOf(after), mode, ctime: seen } });
  }
}

/** Runs `act` with a path of the directory whatever becomes of its name; where there is none, `later` is where it is afterwards. */
function standingFor(
  files: DiskHandles,
  path: string,
  later: string,
  act: (path: string, later: string) => void,
): void {
  if (!files.hasHandlePaths) return act(path, later);
  const handle = files.openEntry(path);
  const stands = files.pathOf(handle);
  try {
    act(stands, stands);
  } finally {
    files.close(handle);
  }
}
