/** One simulated file system: its inodes and their numbers, its room, its journal, and how it keeps times. It knows no paths and no processes. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { Contents, type Remains } from './contents.ts';
import { DirectoryEntries, type NameRules } from './directory-entries.ts';
import type { FileSystemSwitches } from './file-system-switches.ts';
import { FreeNumbers } from './free-numbers.ts';
import { Inode, type InodeHome, type NewInode } from './inode.ts';
import { Journal } from './journal.ts';
import { fail } from './kernel-error.ts';
import { nameRules } from './name-rules.ts';
import type { InodeKind } from './program-calls.ts';

const SECOND = 1_000_000_000n;

/** Keeps inodes and what they take. */
export class FileSystem implements InodeHome {
  readonly switches: FileSystemSwitches;
  readonly device: bigint;
  readonly journal = new Journal();
  readonly root: Inode;
  /** Blocks that are taken, by users: quotas go by them. */
  readonly takenBy = new Map<number, number>();
  /** Blocks that a user may take. */
  readonly quotas = new Map<number, number>();
  /** As `switches.blocks`, for as long as it is set by a fault. */
  blocks: number | null;
  inodes: number | null;
  readonly #rules: NameRules | null;
  readonly #seed: number;
  readonly #alive = new Set<Inode>();
  readonly #numbers: FreeNumbers;
  #taken = 0;

  constructor(switches: FileSystemSwitches, device: bigint, now: bigint, random: SeededRandom) {
    this.switches = switches;
    this.device = device;
    this.blocks = switches.blocks;
    this.inodes = switches.inodes;
    this.#numbers = new FreeNumbers(switches.numbers);
    this.#rules = nameRules(switches.names);
    this.#seed = random.next32();
    const root = this.make({ kind: 'directory', mode: 0o755, uid: 0, gid: 0, now });
    root.parent = root;
    root.links = 2;
    this.root = root;
    this.journal.commit();
  }

  get taken(): number {
    return this.#taken;
  }

  get count(): number {
    return this.#alive.size;
  }

  get all(): Iterable<Inode> {
    return this.#alive;
  }

  /** An inode without a name. Throws ENOSPC. */
  make({ kind, mode, uid, gid, now }: NewInode): Inode {
    if (this.inodes !== null && this.#alive.size >= this.inodes) fail('ENOSPC');
    if (kind === 'directory') {
      const { blocks, code } = this.room(uid, 1);
      if (blocks < 1) fail(code);
    }
    const { fixed } = this.switches;
    const owned = fixed === null ? { mode, uid, gid } : { ...fixed, mode: this.fixedMode(kind) };
    const inode = new Inode(this, { number: this.#numbers.take(), kind, now, ...owned });
    if (kind === 'file') inode.contents = new Contents();
    if (kind === 'directory') {
      inode.entries = new DirectoryEntries(this.#rules, this.switches.order, this.#seed);
    }
    this.#alive.add(inode);
    this.give(inode.uid, inode.taken);
    this.journal.add(() => this.#remove(inode));
    return inode;
  }

  fixedMode(kind: InodeKind): number {
    const { fixed } = this.switches;
    return kind === 'directory' ? (fixed?.directory ?? 0o755) : (fixed?.file ?? 0o755);
  }

  /** Nothing names it and nobody has it open: its room and its number are free. */
  free(inode: Inode): void {
    if (inode.links > 0 || inode.opens > 0 || !this.#remove(inode)) return;
    this.give(inode.uid, -inode.taken);
    this.journal.add(() => {
      this.#alive.add(inode);
      this.#numbers.use(inode.number);
    });
  }

  /** How many of the wanted blocks a user may have. `code` says what keeps them from the rest. */
  room(
    uid: number,
    wanted: number,
  ): { readonly blocks: number; readonly code: 'ENOSPC' | 'EDQUOT' } {
    const free = this.blocks === null ? wanted : Math.max(0, this.blocks - this.#taken);
    const quota = uid === 0 ? undefined : this.quotas.get(uid);
    const own = quota === undefined ? wanted : Math.max(0, quota - (this.takenBy.get(uid) ?? 0));
    return { blocks: Math.min(wanted, free, own), code: own < free ? 'EDQUOT' : 'ENOSPC' };
  }

  /** A user has taken so many blocks more, or (below 0) fewer. */
  give(uid: number, blocks: number): void {
    this.#taken += blocks;
    if (blocks !== 0) this.takenBy.set(uid, (this.takenBy.get(uid) ?? 0) + blocks);
  }

  /** As exactly as it keeps times. */
  cut(time: bigint): bigint {
    const { step, earliest, latest } = this.switches.times;
    const least = BigInt(earliest) * SECOND;
    const most = BigInt(latest) * SECOND;
    if (time < least) return least;
    if (time > most) return most;
    if (step === 1) return time;
    const by = BigInt(step);
    const rest = time % by;
    return time - (rest < 0n ? rest + by : rest);
  }

  /** As `cut`, of a time that somebody sets. Throws EINVAL where those beyond are refused. */
  settable(time: bigint): bigint {
    const { earliest, latest, beyond } = this.switches.times;
    const isBeyond = time < BigInt(earliest) * SECOND || time > BigInt(latest) * SECOND;
    return isBeyond && beyond === 'refused' ? fail('EINVAL') : this.cut(time);
  }

  /** The entry of a name is another one, or none, from now on. */
  setEntry(directory: Inode, name: string, inode: Inode | null): void {
    const { entries } = directory;
    if (entries === null) return fail('ENOTDIR');
    const before = entries.get(name);
    if (before !== undefined && inode !== null) {
      const old = before.inode;
      before.inode = inode;
      this.journal.add(() => {
        before.inode = old;
      });
    } else if (before !== undefined) {
      entries.remove(name);
      this.journal.add(() => entries.restore(before));
    } else if (inode !== null) {
      entries.add(name, inode);
      this.journal.add(() => entries.remove(name));
    }
    if (inode?.kind === 'directory') inode.name = entries.get(name)?.name ?? name;
  }

  /** Counts names of an inode. */
  link(inode: Inode, by: number): void {
    inode.links += by;
    this.journal.add(() => {
      inode.links -= by;
    });
  }

  moveTo(directory: Inode, parent: Inode): void {
    const before = directory.parent;
    directory.parent = parent;
    this.journal.add(() => {
      directory.parent = before;
    });
  }

  /** Before attributes of an inode are set: a loss of power may bring back what they are now. */
  remember(inode: Inode): void {
    const before = inode.attributes();
    this.journal.add(() => Object.assign(inode, before));
  }

  /** What was written to a file, and every name and attribute so far, is durable (as ext4's fsync has it). */
  sync(inode: Inode): void {
    inode.contents?.sync();
    this.journal.commit();
  }

  /** All is durable. */
  syncAll(): void {
    for (const inode of this.#alive) inode.contents?.sync();
    this.journal.commit();
  }

  /**
   * The power went. `kept`: how many changes of names and attributes stay of those that were not durable; null: a drawn number. `remains`: what is
   * left of contents that were not; null: drawn for each file.
   */
  losePower(kept: number | null, remains: Remains | null, random: SeededRandom): void {
    this.journal.lose(kept, random);
    this.#taken = 0;
    this.takenBy.clear();
    for (const inode of [...this.#alive].sort((a, b) => (a.number < b.number ? -1 : 1))) {
      inode.opens = 0;
      inode.writers = 0;
      inode.lockedBy = null;
      if (inode.links === 0) this.#remove(inode);
      else {
        inode.contents?.lose(remains ?? random.pick(REMAINS), random);
        this.give(inode.uid, inode.taken);
      }
    }
    this.journal.commit();
  }

  /** False: it is gone already. */
  #remove(inode: Inode): boolean {
    if (!this.#alive.delete(inode)) return false;
    this.#numbers.free(inode.number);
    return true;
  }
}

const REMAINS: readonly Remains[] = ['all', 'synced', 'short', 'zeros', 'mixed'];
