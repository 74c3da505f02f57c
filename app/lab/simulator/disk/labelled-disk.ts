/**
 * A disk as the stores of one process use it: each call that changes something has a label, and the machine may die at any
 * of them (process/crash-points.ts). After that nothing of the process reaches the disk.
 */
import type { Digest } from '../../../../shared/model/vnode.ts';
import type { CrashPoints } from '../process/crash-points.ts';
import { MachineStopped } from '../process/crash-points.ts';
import type { ProcessLife } from '../process/life.ts';
import type { MemoryDisk, StoreDisk } from './memory-disk.ts';
import { over } from './torn.ts';

const NOTHING = new Uint8Array(0);

/** Passes calls on to a disk, and lets the machine die at any of those that change something. */
export class LabelledDisk implements StoreDisk {
  readonly #disk: MemoryDisk;
  readonly #points: CrashPoints;
  readonly #life: ProcessLife;

  constructor(disk: MemoryDisk, points: CrashPoints, life: ProcessLife) {
    this.#disk = disk;
    this.#points = points;
    this.#life = life;
  }

  has(path: string): boolean {
    return this.#disk.has(path);
  }

  read(path: string): Uint8Array {
    return this.#disk.read(path);
  }

  size(path: string): number {
    return this.#disk.size(path);
  }

  digest(path: string): Digest {
    return this.#disk.digest(path);
  }

  list(folder: string): string[] {
    return this.#disk.list(folder);
  }

  write(path: string, bytes: Uint8Array): void {
    this.#step(
      'write',
      () => this.#disk.write(path, bytes),
      () => {
        const old = this.#disk.has(path) ? this.#disk.read(path) : NOTHING;
        this.#disk.write(path, over(old, bytes, bytes.length >> 1));
      },
    );
  }

  copy(from: string, to: string): void {
    this.write(to, this.#disk.read(from));
  }

  sync(path: string): void {
    this.#step('sync', () => this.#disk.sync(path));
  }

  syncFolder(folder: string): void {
    this.#step('sync', () => this.#disk.syncFolder(folder));
  }

  rename(from: string, to: string): void {
    this.#step('rename', () => this.#disk.rename(from, to));
  }

  remove(path: string, options: { missing?: 'fine' } = {}): void {
    this.#step('remove', () => this.#disk.remove(path, options));
  }

  /** What has no middle dies after it. */
  #step(call: string, run: () => void, half: () => void = run): void {
    this.#stopIfOver();
    const moment = this.#points.called(`disk.${call}`);
    this.#stopIfOver();
    if (moment === 'middle') half();
    else run();
    if (moment === null) return;
    this.#points.die();
    this.#stopIfOver();
  }

  #stopIfOver(): void {
    if (this.#life.over) throw new MachineStopped();
  }
}
