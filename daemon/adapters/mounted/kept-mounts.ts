/**
 * Which volumes are kept in the folder besides its own, and at which mount points: DATA/mounted.json. It is durable before anything of a volume is put
 * in place there, so that after a restart nobody takes those files for files of the volume around them.
 */
import { join } from 'node:path';
import {
  readMountedFile,
  type KeptMount,
  type MountedFile,
  type PutAside,
} from '../../../shared/control/mounted-file.ts';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { Disk } from '../folder/disk/disk.ts';

type KeptFiles = Pick<
  Disk,
  'exists' | 'readText' | 'remove' | 'rename' | 'syncDirectory' | 'writeNew'
>;

/** Remembers the mount points at which volumes are kept, and what was put aside. */
export class KeptMounts {
  readonly #dataDir: string;
  readonly #root: string;
  readonly #files: KeptFiles;
  #kept: MountedFile = { mounts: {}, aside: [] };

  /** One that can't be read counts as none: then the volumes are put in place anew. */
  constructor(dataDir: string, root: string, files: KeptFiles) {
    this.#dataDir = dataDir;
    this.#root = root;
    this.#files = files;
    try {
      if (files.exists(this.#file)) {
        this.#kept = readMountedFile(files.readText(this.#file));
      }
    } catch {
      // As above: the disk does not give it, or it is damaged.
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
