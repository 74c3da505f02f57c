/**
 * Random work on both sides of a folder at once: what programs do to its tree, and what another device commits. From a
 * seed; what comes of it still depends on the moment at which the folder looks, which is the point.
 */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { FolderBench } from './folder-bench.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Draws edits of both sides from a seed. */
export class RandomEdits {
  /** The edits in words, for messages of failures. */
  readonly done: string[] = [];
  readonly #bench: FolderBench;
  readonly #random: () => number;
  #count = 0;

  constructor(bench: FolderBench, seed: number) {
    this.#bench = bench;
    this.#random = fromSeed(seed);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  upTo(count: number): number {
    return 1 + Math.floor(this.#random() * count);
  }

  /** Makes one random edit in the folder, or none when the drawn one is impossible. */
  local(): void {
    const tree = this.#bench.tree();
    const path = (name: string): string => this.#bench.path(name);
    const [file, other] = [this.#file(tree), this.#file(tree)];
    const [dir, place] = [this.#directory(tree), this.#place(tree)];
    const isPlain = file !== null && !tree[file]?.startsWith('->');
    const edits: Record<string, () => void> = {
      write: () => writeFileSync(path(place), this.#text('L')),
      mkdir: () => mkdirSync(path(place)),
      symlink: () => symlinkSync(this.#text('t'), path(place)),
      rename: () => file !== null && renameSync(path(file), path(place)),
      move: () => dir !== null && renameSync(path(dir), path(place)),
      remove: () => file !== null && unlinkSync(path(file)),
      removeAll: () => dir !== null && this.chance(0.4) && rmSync(path(dir), { recursive: true }),
      chmod: () => isPlain && chmodSync(path(file), this.chance(0.5) ? 0o600 : 0o755),
      link: () => isPlain && linkSync(path(file), path(place)),
      save: () => {
        if (!isPlain) return;
        writeFileSync(path(`${file}.tmp`), this.#text('S'));
        renameSync(path(`${file}.tmp`), path(file));
      },
      swap: () => {
        if (file === null || other === null || file === other) return;
        renameSync(path(file), path(`${file}.x`));
        renameSync(path(other), path(file));
        renameSync(path(`${file}.x`), path(other));
      },
    };
    const name = this.#pick(['write', 'write', ...Object.keys(edits)]) ?? '';
    this.done.push(`here ${name} ${file} ${other} ${dir} ${place}`);
    try {
      edits[name]?.();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }

  /** Makes one random update of another device, or none when the server refuses it. */
  async remote(): Promise<void> {
    const { volume, other } = this.#bench;
    const tree = volume.tree();
    const [file, dir, place] = [this.#file(tree), this.#directory(tree), this.#place(tree)];
    const isPlain = file !== null && !/^(->|\(none\))/.test(tree[file] ?? '');
    const isFree = tree[place] === undefined && tree[`${place}/`] === undefined;
    const isFile = isFree || (tree[place] !== undefined && !tree[place].startsWith('->'));
    const isOver = !isFree && tree[`${place}/`] === undefined && file !== null && file !== place;
    const edits: Record<string, () => Promise<unknown> | void> = {
      write: () => (isFile ? other.write(place, this.#text('R')) : undefined),
      mkdir: () => other.mkdir(place),
      symlink: () => other.symlink(place, this.#text('t')),
      link: () => (isPlain ? other.link(file, place) : undefined),
      remove: () => (file === null ? undefined : other.remove(file)),
      rename: () => {
        const isSame = isOver && volume.status(place).fid === volume.status(file).fid;
        if (file !== null && (isFree || (isOver && !isSame))) other.rename(file, place);
      },
      move: () => {
        if (dir !== null && isFree && !`${place}/`.startsWith(dir)) other.rename(plain(dir), place);
      },
      removeAll: () => {
        if (dir === null || !this.chance(0.4)) return;
        const inside = Object.keys(tree).filter((each) => each.startsWith(dir));
        for (const each of inside.sort().reverse()) other.remove(plain(each));
      },
    };
    const name = this.#pick(['write', ...Object.keys(edits)]) ?? '';
    this.done.push(`there ${name} ${file} ${dir} ${place}`);
    try {
      await edits[name]?.();
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('the server ')) throw error;
    }
  }

  #file(tree: Record<string, string>): string | null {
    return this.#pick(Object.keys(tree).filter((path) => !path.endsWith('/')));
  }

  #directory(tree: Record<string, string>): string | null {
    return this.#pick(Object.keys(tree).filter((path) => path.endsWith('/')));
  }

  #place(tree: Record<string, string>): string {
    const dirs = ['', ...Object.keys(tree).filter((path) => path.endsWith('/'))];
    return `${this.#pick(dirs) ?? ''}${this.#pick(NAMES) ?? ''}`;
  }

  #text(side: string): string {
    this.#count += 1;
    return `${side}${this.#count}`;
  }

  #pick<T>(from: readonly T[]): T | null {
    return from[Math.floor(this.#random() * from.length)] ?? null;
  }
}

const plain = (dir: string): string => dir.replace(/\/$/, '');

/** The generator mulberry32. */
function fromSeed(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
