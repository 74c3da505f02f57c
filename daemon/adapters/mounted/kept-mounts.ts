/**
 * Which volumes are kept in the folder besides its own, and at which mount points: DATA/mounted.json. It is durable before anything of a volume is put
 * in place there, so that after a restart nobody takes those files for files of the volume around them.
 */
import { join } from 'node:path';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Disk } from '../folder/disk/disk.ts';

export interface KeptMount {
  /** The mount point. */
  readonly at: Fid;
  /** What the directory there is known by; null: it was never open. */
  readonly token: string | null;
  /** It is being taken off the disk, from this directory below the root of the folder; null: it is not. */
  readonly leaving: string | null;
}

/** What was not sent when a volume left the disk, for its person. */
export interface PutAside {
  readonly volume: string;
  /** Below the root of the folder, which may be moved. */
  readonly directory: string;
}

interface Kept {
  mounts: Record<string, KeptMount>;
  aside: PutAside[];
}

type KeptFiles = Pick<
  Disk,
  'exists' | 'readText' | 'remove' | 'rename' | 'syncDirectory' | 'writeNew'
>;

/** Remembers the mount points at which volumes are kept, and what was put aside. */
export class KeptMounts {
  readonly #dataDir: string;
  readonly #root: string;
  readonly #files: KeptFiles;
  #kept: Kept = { mounts: {}, aside: [] };

  /** One that can't be read counts as none: then the volumes are put in place anew. */
  constructor(dataDir: string, root: string, files: KeptFiles) {
    this.#dataDir = dataDir;
    this.#root = root;
    this.#files = files;
    try {
      if (files.exists(this.#file)) {
        this.#kept = { ...this.#kept, ...(JSON.parse(files.readText(this.#file)) as Kept) };
      }
    } catch {
      // As above.
    }
  }

  get #file(): string {
    return join(this.#dataDir, 'mounted.json');
  }

  volumes(): VolumeId[] {
    return Object.keys(this.#kept.mounts).map((id) => Number(id) as VolumeId);
  }

  get(volume: VolumeId): KeptMount | null {
    return this.#kept.mounts[volume] ?? null;
  }

  /** In memory alone: nothing is in place yet. */
  begin(volume: VolumeId, at: Fid): void {
    this.#kept.mounts[volume] = { at, token: null, leaving: null };
  }

  /** Durable when it returns; null: it is kept no more. Throws what the disk says. */
  set(volume: VolumeId, mount: KeptMount | null): void {
    if (mount === null) delete this.#kept.mounts[volume];
    else this.#kept.mounts[volume] = mount;
    this.#save();
  }

  /** What is there still of all that was put aside. */
  aside(): readonly PutAside[] {
    return this.#kept.aside.filter(({ directory }) =>
      this.#files.exists(join(this.#root, directory)),
    );
  }

  /** Durable with the next `set`: something may be put there. */
  putAside(aside: PutAside): void {
    this.#kept.aside = [...this.aside(), aside];
  }

  #save(): void {
    const made = `${this.#file}.new`;
    this.#files.remove(made);
    this.#files.writeNew(made, JSON.stringify(this.#kept));
    this.#files.rename(made, this.#file);
    this.#files.syncDirectory(this.#dataDir);
  }
}
