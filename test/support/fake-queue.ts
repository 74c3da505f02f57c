/**
 * What a fake volume is made of: a small server, the view of a client before it, and the queue between them. Own updates are committed
 * in order, what is refused becomes a conflict, and `remote` changes the volume as another device would. A second client of the same
 * server is one `beside` the first.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeSet, VolumeInfo } from '../../shared/model/change.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import { compareNames } from '../../shared/model/names.ts';
import type { Update, UpdateSeq } from '../../shared/model/update.ts';
import {
  commitNumber,
  type CommitNumber,
  type DataVersion,
  type Digest,
  type VnodeStatus,
} from '../../shared/model/vnode.ts';
import type { ConflictRepair, KeptNote } from '../../shared/ports/feed.ts';
import type { CallNote, Place } from '../../shared/ports/file-system.ts';
import type { Host } from '../../shared/ports/host.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { resolveConflict } from './fake-conflicts.ts';
import { FakeTree } from './fake-tree.ts';

/** The fake volume. */
export const VOLUME = 1 as VolumeId;
export const OURS = 1;
/** The number of the other device. */
export const THEIRS = 2;

export interface Queued {
  update: Update;
  readonly number: number;
  /** Whether a user has cancelled it. */
  aside: boolean;
  /** Whether it waits for the writeback delay. */
  delayed: boolean;
  turn: 'now' | 'later' | null;
}

type Distributed<T> = T extends unknown ? Omit<T, 'id' | 'volume'> : never;

/** The state that all clients of a volume share. */
class FakeServer {
  readonly tree = new FakeTree(rootOf(VOLUME));
  readonly commits: ChangeSet[] = [];
  readonly contents = new Map<string, Buffer>();
  /** Every version that was ever committed, by `versionKey`. */
  readonly versions = new Set<string>();
  readonly clients: FakeQueue[] = [];
  readonly numbers = { vnode: 1, seq: 0 };
}

/** A client with its queue and the small server behind it. */
export class FakeQueue {
  readonly server: FakeTree;
  view: FakeTree;
  readonly commits: ChangeSet[];
  readonly device: number;
  /** Whether sending waits for `goOn`. */
  paused = false;
  /** Whether stores wait until they are expedited. */
  delays = false;
  readonly queue: Queued[] = [];
  /** Every update of ours, as it was logged, with paths: `create a/b`, `rename a -> b` ... */
  readonly told: string[] = [];
  /** Called before an update is logged; may throw. */
  onLog: (update: Update) => void = () => undefined;
  protected readonly dir: string;
  protected readonly contents: Map<string, Buffer>;
  protected readonly versions: ReadonlySet<string>;
  protected readonly asked: ConflictRepair[] = [];
  /** The notes of calls. */
  protected readonly kept = new Map<number, KeptNote>();
  protected woken: () => void = () => undefined;
  readonly #host: Host;
  readonly #shared: FakeServer;
  /** Whether the server is connected: without it nothing is committed or obtained. */
  #connected = true;
  readonly #listeners = new Set<() => void>();
  #numbers = { update: 0, file: 0, adjustment: 0 };
  #pumping = false;
  /** Whether the view differs from what the server will have after the queue. */
  #diverged = false;

  constructor(dir: string, host: Host = new NativeHost(), beside: FakeQueue | null = null) {
    this.dir = dir;
    this.#host = host;
    this.#shared = beside === null ? new FakeServer() : beside.#shared;
    const { tree, commits, contents, versions, clients } = this.#shared;
    this.server = tree;
    this.view = tree.clone();
    this.commits = commits;
    this.contents = contents;
    this.versions = versions;
    this.device = OURS + clients.length;
    clients.push(this);
    mkdirSync(dir, { recursive: true });
  }

  get head(): CommitNumber {
    return commitNumber(this.commits.length);
  }

  get info(): VolumeInfo {
    return { id: VOLUME, name: 'home', root: rootOf(VOLUME), rights: 'write', head: this.head };
  }

  get connected(): boolean {
    return this.#connected;
  }

  set connected(value: boolean) {
    this.#connected = value;
    this.goOn();
  }

  // What tests look at

  /** Every path of the server: contents of files, `-> target`, and for directories `/`. */
  tree(): Record<string, string> {
    const tree: Record<string, string> = {};
    const walk = (dir: Fid, path: string): void => {
      const entries = [...(this.server.nodes.get(dir)?.entries ?? [])];
      for (const [name, fid] of entries.sort(([a], [b]) => compareNames(a, b))) {
        const status = this.server.get(fid);
        const at = `${path}${name}`;
        if (status === null) continue;
        if (status.kind === 'directory') {
          tree[`${at}/`] = '';
          walk(fid, `${at}/`);
        } else if (status.kind === 'symlink') tree[at] = `-> ${status.target}`;
        else tree[at] = status.digest === null ? '(none)' : this.textOf(status.digest);
      }
    };
    walk(this.server.root, '');
    return tree;
  }

  status(path: string): VnodeStatus {
    const fid = this.server.find(path);
    const status = fid === null ? null : this.server.get(fid);
    if (status === null) throw new Error(`the server has no ${path}`);
    return status;
  }

  textOf(digest: Digest): string {
    return this.contents.get(digest)?.toString() ?? '(lost)';
  }

  bytesAt(path: string): Buffer {
    return this.contents.get(this.status(path).digest ?? '') ?? Buffer.alloc(0);
  }

  /** Resolves when the condition holds; it is asked again after each change here. Rejects with the reason of `signal` before that. */
  until(condition: () => boolean, signal: AbortSignal | null = null): Promise<void> {
    return new Promise((resolve, reject) => {
      const ended = (): void => {
        this.#listeners.delete(look);
        signal?.removeEventListener('abort', stop);
      };
      const stop = (): void => {
        ended();
        reject(signal?.reason as Error);
      };
      const look = (): void => {
        if (!condition()) return;
        ended();
        resolve();
      };
      if (signal?.aborted === true) return stop();
      signal?.addEventListener('abort', stop);
      this.#listeners.add(look);
      look();
    });
  }

  idle(): Promise<void> {
    return this.until(() => this.queue.length === 0);
  }

  // The other device: see fake-other-device.ts

  remote(update: Update): void {
    const applied = this.commit(update, THEIRS);
    if (!applied.ok) throw new Error(`the server refuses: ${applied.refusal}`);
    this.#follow(update);
  }

  /** Applies a commit of another client. */
  #follow(update: Update): void {
    if (this.queue.length > 0) this.#diverged = true;
    else this.view.apply(update, this.head);
    this.changed();
  }

  // The queue

  commit(update: Update, device: number) {
    const commit = commitNumber(this.commits.length + 1);
    const applied = this.server.apply(update, commit);
    if (applied.ok) {
      const { numbers, versions, clients } = this.#shared;
      const seq = (numbers.seq += 1) as UpdateSeq;
      this.commits.push({ commit, device, seq, vnodes: applied.vnodes, entries: applied.entries });
      for (const { fid, version, digest } of applied.vnodes) {
        if (digest !== null) versions.add(versionKey(fid, version, digest));
      }
      for (const client of clients) if (client !== this) client.#follow(update);
    }
    return applied;
  }

  offer(adjustment: Distributed<ConflictRepair>): void {
    const id = (this.#numbers.adjustment += 1);
    this.asked.push({ ...adjustment, id, volume: VOLUME });
  }

  takeFid(device = this.device): Fid {
    const { numbers } = this.#shared;
    numbers.vnode += 1;
    return makeFid(VOLUME, numbers.vnode, device);
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    await new Promise((resolve) => setImmediate(resolve));
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { update } = next;
      const applied = this.commit(update, this.device);
      this.queue.splice(this.queue.indexOf(next), 1);
      if (!applied.ok) {
        this.#diverged = true;
        resolveConflict(this, update, applied);
      }
      if (this.#next() !== undefined) continue;
      if (this.#diverged && this.queue.length === 0) {
        this.view = this.server.clone();
        this.#diverged = false;
      }
      this.changed();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#pumping = false;
  }

  #next(): Queued | undefined {
    if (!this.#connected || this.paused) return undefined;
    return this.queue.find(({ aside, delayed }) => !aside && !delayed);
  }

  /** Sends all updates that may be sent. */
  goOn(): void {
    this.changed();
    void this.#pump();
  }

  protected log(update: Update, told: string, note?: CallNote): void {
    this.onLog(update);
    const version = 'base' in update && update.op === 'store' ? update.base + 1 : 0;
    if (note !== undefined) {
      this.kept.set(note.id, { ...note, fid: update.fid, version: version as DataVersion });
    }
    this.told.push(told);
    const number = (this.#numbers.update += 1);
    const delayed = this.delays && update.op === 'store';
    this.queue.push({ update, number, aside: false, delayed, turn: null });
    if (!this.view.apply(update, this.head).ok) this.#diverged = true;
    this.changed();
    void this.#pump();
  }

  protected nextFile(): number {
    return (this.#numbers.file += 1);
  }

  protected changed(): void {
    this.woken();
    for (const listener of [...this.#listeners]) listener();
  }

  place(path: string): Place {
    const cut = path.lastIndexOf('/');
    const dir = this.server.find(path.slice(0, Math.max(cut, 0)));
    if (dir === null) throw new Error(`the server has no directory for ${path}`);
    return { dir, name: path.slice(cut + 1) };
  }

  /** Keeps contents for the server. */
  async keep(bytes: Buffer): Promise<Digest> {
    const path = join(this.dir, `content-${this.nextFile()}`);
    writeFileSync(path, bytes);
    const digest = await this.digestAt(path);
    rmSync(path);
    this.contents.set(digest, bytes);
    return digest;
  }

  /** Damages the contents of this file on the server. */
  damage(path: string): void {
    this.contents.set(this.status(path).digest ?? '', Buffer.from('damaged'));
  }

  protected async digestAt(path: string): Promise<Digest> {
    return (await this.#host.digestFile(path)).digest as Digest;
  }
}

/** The key of a version in `versions`. */
export function versionKey(fid: Fid, version: DataVersion, digest: Digest): string {
  return `${fid}@${version}:${digest}`;
}
