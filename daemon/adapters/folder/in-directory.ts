/**
 * Changes in a recorded directory: it is reached safely (rule F2), found to be the recorded one, and afterwards has its
 * recorded modification time again, so that our own work is no local change.
 */
import { chmodSync } from 'node:fs';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Place } from '../../../shared/ports/file-system.ts';
import type { Host } from '../../../shared/ports/host.ts';
import { factsAt, OWNER_CHANGES, stampOf, UNLOCKED, type DiskFacts } from './disk-facts.ts';
import type { FolderRecords } from './folder-records.ts';
import { PathChanged, type SafeRoot } from './safe-root.ts';

export class InDirectory {
  readonly #root: SafeRoot;
  readonly #records: FolderRecords;
  readonly #host: Host;
  /** Directories changed since the last `syncTouched`: to be synced to the disk before the records are. */
  readonly #touched = new Set<Fid>();

  constructor(root: SafeRoot, records: FolderRecords, host: Host) {
    this.#root = root;
    this.#records = records;
    this.#host = host;
  }

  facts(path: string): DiskFacts | null {
    return factsAt(path, this.#root.device);
  }

  /** Of what is recorded there, or (`fid`) as if that vnode were. */
  factsOf(place: Place, fid?: Fid): DiskFacts | null {
    const path = this.#records.pathOf(place.dir);
    return path === null ? null : this.#root.facts(path, this.#records.shownName(place, fid));
  }

  /** The path of a name in `base`, the directory that it is in, as it is on the disk. */
  at(base: string, place: Place, fid?: Fid): string {
    return `${base}/${this.#records.shownName(place, fid)}`;
  }

  path(place: Place): string[] {
    return this.#records.pathOfPlace(place) ?? [place.name];
  }

  /** Runs `act` with a path that stands for the directory. */
  change(dir: Fid, act: (base: string) => void): void {
    const path = this.#records.pathOf(dir);
    if (path === null) throw new PathChanged([]);
    this.#root.within(path, (base, before) => {
      const record = this.#records.get(dir);
      if (record?.disk && record.disk.inode !== before.inode) {
        throw new PathChanged(path);
      }
      const unlocked = this.#unlock(base, before);
      try {
        act(base);
      } finally {
        if (unlocked) chmodSync(`${base}/.`, before.mode);
        this.#settle(dir, base, before);
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
        if (path !== null) this.#root.within(path, (base) => this.#host.syncDirectory(base));
      } catch {
        // Gone again, or not ours to read: then there is nothing to be durable.
      }
    }
    this.#touched.clear();
  }

  /** A directory that its owner may not write is the user's wish for programs, and no reason to stay behind. */
  #unlock(base: string, before: DiskFacts): boolean {
    if ((before.mode & OWNER_CHANGES) === OWNER_CHANGES) return false;
    chmodSync(`${base}/.`, before.mode | UNLOCKED);
    return true;
  }

  #settle(dir: Fid, base: string, before: DiskFacts): void {
    const record = this.#records.get(dir);
    if (!record) return;
    this.#touched.add(dir);
    // Changed by somebody else and not logged yet: then it is found by its time.
    if (record.disk !== null && before.mtime !== record.disk.mtime) return;
    const now = this.facts(`${base}/.`);
    if (now === null || now.mtime === before.mtime) return;
    this.#host.setMtime(`${base}/.`, BigInt(record.mtime));
    const after = this.facts(`${base}/.`);
    if (after !== null)
      this.#records.update(dir, { disk: { ...stampOf(after), mode: before.mode } });
  }
}
