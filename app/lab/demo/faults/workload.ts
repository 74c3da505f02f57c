/**
 * Somebody at work in a synced folder: makes, edits, saves safely, renames, removes, links and changes modes, at the paths that he
 * finds there. What he does is drawn from a seed. He reads what he changes, and the ledger records it.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { compareNames } from '../../../../shared/model/names.ts';
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { DEMO_FOLDER } from '../demo-step.ts';
import type { Ledger } from './ledger.ts';
import {
  editInPlace,
  putOver,
  removeFile,
  safeSave,
  writeNew,
  type WatchedWriter,
} from './watched-writes.ts';

/** Both laptops work on the same few files here, so that they meet. */
export const HOT_FOLDER = join(DEMO_FOLDER, 'both');
const HOT_NAMES = 12;
const MAX_DEPTH = 6;
/** A folder to remove stays far below what looks like a disaster. */
const MAX_REMOVED_ENTRIES = 8;
const NEVER_TOUCHED: ReadonlySet<string> = new Set(['.git', '.godwit']);
const SMALL_BYTES = 6000;
const LARGE_BYTES = 1_500_000;
const FILE_MODES = [0o644, 0o600, 0o755, 0o640];
const FOLDER_MODES = [0o755, 0o700, 0o775];

type Action =
  | 'create'
  | 'edit'
  | 'save'
  | 'renameFile'
  | 'renameOver'
  | 'renameFolder'
  | 'makeFolder'
  | 'remove'
  | 'removeFolder'
  | 'link'
  | 'linkAnew'
  | 'changeMode';

/** Makes random changes in a synced folder, one at a time, and records them in the ledger. */
export class Workload {
  readonly #hand: WatchedWriter;
  readonly #folder: string;
  readonly #random: SeededRandom;
  #count = 0;
  #done = 0;

  constructor(
    laptop: { readonly name: string; readonly folder: string },
    random: SeededRandom,
    ledger: Ledger,
  ) {
    this.#folder = laptop.folder;
    this.#random = random;
    this.#hand = { who: laptop.name, ledger };
  }

  /** How many changes came about. */
  get done(): number {
    return this.#done;
  }

  /** One change. A path that goes away under one's hands, or a full disk, is everyday life: then nothing is done. */
  act(): void {
    this.#count += 1;
    const action = this.#draw();
    try {
      if (this[action]()) this.#done += 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }

  #draw(): Action {
    let at = this.#random.below(TOTAL_WEIGHT);
    for (const [weight, action] of ACTIONS) {
      if (at < weight) return action;
      at -= weight;
    }
    return 'create';
  }

  create(): boolean {
    const name = this.#random.chance(0.2) ? this.#sharedName() : this.#freshName('.txt');
    return writeNew(this.#hand, join(this.#pickFolder(), name), this.#contents());
  }

  edit(): boolean {
    const path = this.#pick('file');
    return path !== null && editInPlace(this.#hand, path, this.#contents());
  }

  save(): boolean {
    const path = this.#pick('file');
    return path !== null && safeSave(this.#hand, path, this.#contents());
  }

  renameFile(): boolean {
    const path = this.#pick('file');
    if (path === null) return false;
    renameSync(path, join(this.#pickFolder(), this.#freshName('.moved')));
    return true;
  }

  renameOver(): boolean {
    const [path, target] = [this.#pick('file'), this.#pick('file')];
    return path !== null && target !== null && path !== target && putOver(this.#hand, path, target);
  }

  renameFolder(): boolean {
    const path = this.#pick('directory');
    if (path === null || path.endsWith(DEMO_FOLDER) || path.endsWith(HOT_FOLDER)) return false;
    const into = this.#pickFolder();
    const target = join(into.startsWith(path) ? this.#folder : into, this.#freshName(' folder'));
    renameSync(path, target);
    return true;
  }

  makeFolder(): boolean {
    mkdirSync(join(this.#pickFolder(), this.#freshName(' folder')));
    return true;
  }

  remove(): boolean {
    const path = this.#pick('file');
    return path !== null && removeFile(this.#hand, path);
  }

  removeFolder(): boolean {
    const path = this.#pick('directory');
    if (path === null || path.endsWith(DEMO_FOLDER) || path.endsWith(HOT_FOLDER)) return false;
    return entriesBelow(path) <= MAX_REMOVED_ENTRIES && this.#removeTree(path);
  }

  link(): boolean {
    symlinkSync(this.#sharedName(), join(this.#pickFolder(), this.#freshName('.link')));
    return true;
  }

  linkAnew(): boolean {
    const path = this.#pick('symlink');
    if (path === null) return false;
    rmSync(path);
    if (this.#random.chance(0.7)) symlinkSync(this.#freshName(' target'), path);
    return true;
  }

  changeMode(): boolean {
    const kind = this.#random.chance(0.8) ? 'file' : 'directory';
    const path = this.#pick(kind);
    if (path === null) return false;
    chmodSync(path, this.#random.pick(kind === 'file' ? FILE_MODES : FOLDER_MODES));
    return true;
  }

  #removeTree(folder: string): boolean {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) this.#removeTree(path);
      else if (stat.isFile()) removeFile(this.#hand, path);
      else rmSync(path);
    }
    rmdirSync(folder);
    return true;
  }

  #contents(): Buffer {
    const random = this.#random;
    const most = random.chance(0.04) ? LARGE_BYTES : SMALL_BYTES;
    const head = `${this.#hand.who} ${this.#count} ${random.next32()}\n`;
    const filler = Array.from({ length: 16 }, () => random.next32().toString(16)).join(' ');
    return Buffer.concat([Buffer.from(head), Buffer.alloc(random.below(most), `${filler}\n`)]);
  }

  #freshName(ending: string): string {
    return `${this.#hand.who} ${this.#count}${ending}`;
  }

  #sharedName(): string {
    return `shared ${this.#random.below(HOT_NAMES)}.txt`;
  }

  #pickFolder(): string {
    const hot = join(this.#folder, HOT_FOLDER);
    if (this.#random.chance(0.4)) return hot;
    return this.#descend(this.#random.below(MAX_DEPTH));
  }

  #descend(depth: number): string {
    let folder = this.#folder;
    for (let level = 0; level < depth; level++) {
      const below = namesOf(folder, 'directory');
      if (below.length === 0) break;
      folder = join(folder, this.#random.pick(below));
    }
    return folder;
  }

  #pick(kind: Kind): string | null {
    const folder = this.#pickFolder();
    const names = namesOf(folder, kind);
    return names.length === 0 ? null : join(folder, this.#random.pick(names));
  }
}

type Kind = 'file' | 'directory' | 'symlink';

function namesOf(folder: string, kind: Kind): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => {
      if (kind === 'file') return entry.isFile() && !entry.name.endsWith('~');
      return kind === 'symlink' ? entry.isSymbolicLink() : entry.isDirectory();
    })
    .map(({ name }) => name)
    .filter((name) => !NEVER_TOUCHED.has(name))
    .sort(compareNames);
}

function entriesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true }).length;
}

const ACTIONS: ReadonlyArray<readonly [weight: number, action: Action]> = [
  [22, 'create'],
  [18, 'edit'],
  [16, 'save'],
  [9, 'renameFile'],
  [3, 'renameOver'],
  [3, 'renameFolder'],
  [4, 'makeFolder'],
  [8, 'remove'],
  [2, 'removeFolder'],
  [4, 'link'],
  [3, 'linkAnew'],
  [6, 'changeMode'],
];
const TOTAL_WEIGHT = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);
