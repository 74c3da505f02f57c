/**
 * Disks that are mounted in a synced folder and taken away, without a right to mount: the directory is another one meanwhile, as it is
 * beneath a bind mount, whose device is the same.
 */
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MountPoint, MountTable } from '../../daemon/adapters/folder/disk/mount-table.ts';

/** Mounts and unmounts fake disks in a folder. */
export class FakeDisks implements MountTable {
  readonly #root: string;
  readonly #shelf: string;
  readonly #mounted = new Map<string, string>();
  /** The file system of the folder itself. */
  type = 'ext4';

  /** `shelf` is the folder for unmounted disks and covered directories. */
  constructor(root: string, shelf: string) {
    this.#root = root;
    this.#shelf = shelf;
    mkdirSync(shelf, { recursive: true });
  }

  read(): MountPoint[] {
    const below = [...this.#mounted].map(([path, type]) => ({
      path: join(this.#root, path),
      type,
    }));
    return [{ path: '/', type: this.type }, ...below];
  }

  /** Mounts a new disk, or the one of that name on the shelf. */
  mount(path: string, disk: string, type = 'ext4'): void {
    mkdirSync(join(this.#shelf, disk), { recursive: true });
    mkdirSync(join(this.#root, path), { recursive: true });
    renameSync(join(this.#root, path), join(this.#shelf, `under ${disk}`));
    renameSync(join(this.#shelf, disk), join(this.#root, path));
    this.#mounted.set(path, type);
  }

  unmount(path: string, disk: string): void {
    renameSync(join(this.#root, path), join(this.#shelf, disk));
    renameSync(join(this.#shelf, `under ${disk}`), join(this.#root, path));
    this.#mounted.delete(path);
  }

  /** Unmounts a disk and removes its mount point, as desktops do. */
  eject(path: string, disk: string): void {
    this.unmount(path, disk);
    rmdirSync(join(this.#root, path));
  }
}
