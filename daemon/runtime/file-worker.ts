/** Does the core's work on files, a few side by side, and posts how each went. */
import type { FileStore, LocalCopies, SealedContent } from '../../shared/ports/file-store.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { EMPTY_DIGEST, type Digest } from '../../shared/model/vnode.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { FileTask } from '../core/effects.ts';
import type { Event, FileOutcome, RequestId } from '../core/events.ts';
import { FILE_TASKS } from '../limits.ts';

export interface WorkerPorts {
  readonly fileStore: FileStore;
  readonly log: Log;
  readonly post: (event: Event) => void;
  readonly localCopies: () => LocalCopies | null;
  /** Data that can be evicted should be removed to free space. */
  readonly diskFull: () => void;
  /** The caller is answered before the result is durable. */
  readonly isEarly: (call: number) => boolean;
}

interface Job {
  /** 0: no caller waits for it. */
  readonly task: RequestId;
  readonly work: FileTask;
}

/** Carries out the core's file tasks, FILE_TASKS at a time, and posts the outcome of each. */
export class FileWorker {
  readonly #ports: WorkerPorts;
  readonly #waiting: Job[] = [];
  #running = 0;
  /** What the store syncs as a group: it holds up nothing else, and is held up by nothing. */
  #sealing = 0;
  #idle: Array<() => void> = [];
  #stand = 0;
  /** Contents that were finished and not synced; a handle whose close was refused may finish its own again. */
  readonly #unsynced = new Map<string, number>();
  #finished = 0;

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
  }

  run(task: RequestId, work: FileTask): void {
    if (work.what === 'seal' && work.digest !== null) return this.#seal({ task, work });
    this.#waiting.push({ task, work });
    this.#pump();
  }

  #seal(job: Job): void {
    this.#sealing += 1;
    void this.#do(job).then(() => {
      this.#sealing -= 1;
      this.#pump();
    });
  }

  get unsynced(): number {
    return this.#unsynced.size;
  }

  /** Resolves when all contents that were finished before are durable. Rejects as the store does; then it may be tried again. */
  async sync(): Promise<void> {
    const found = [...this.#unsynced];
    if (found.length === 0) return;
    await this.#ports.fileStore.sync(found.map(([name]) => name));
    for (const [name, finished] of found) {
      if (this.#unsynced.get(name) === finished) this.#unsynced.delete(name);
    }
  }

  /** Resolves when nothing is being done. */
  async settled(): Promise<void> {
    if (this.#running + this.#sealing + this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    while (this.#running < FILE_TASKS) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#running += 1;
      void this.#do(job).then(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
    if (this.#running + this.#sealing > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  async #do({ task, work }: Job): Promise<void> {
    let outcome: FileOutcome;
    try {
      outcome = await this.#work(work);
    } catch (error) {
      const code = error instanceof GodwitError ? error.code : 'internal';
      const message = error instanceof Error ? error.message : String(error);
      this.#ports.log.warn('work on a file failed', { what: work.what, code, why: message });
      outcome = { ok: false, code, message };
      if (code === 'disk-full') this.#ports.diskFull();
      await this.#clear(work);
    }
    if (task !== 0) this.#ports.post({ kind: 'file', task, outcome });
  }

  /** A received file that could not be stored is removed; its contents are fetched again. */
  async #clear(work: FileTask): Promise<void> {
    const store = this.#ports.fileStore;
    const done = (): undefined => undefined;
    if (work.what === 'adopt') {
      if (work.received !== null) await store.discard(work.received.path).catch(done);
      await store.remove(work.name).catch(done);
    }
    if (work.what === 'hand-over' && work.spool !== null) {
      await store.discard(work.spool).catch(done);
    }
  }

  async #work(work: FileTask): Promise<FileOutcome> {
    const store = this.#ports.fileStore;
    switch (work.what) {
      case 'adopt':
        return this.#adopt(work.received, work.name);
      case 'stage':
        await store.stage(work.name, work.from);
        return fine(null);
      case 'seal': {
        const { digest, length } = await this.#sealed(work);
        return fine(null, digest as Digest, length);
      }
      case 'check': {
        const { digest, length } = await store.check(work.name);
        return fine(null, digest as Digest, length);
      }
      case 'take':
        this.#unsynced.delete(work.name);
        return fine(await store.take(work.name));
      case 'copy-out':
        return fine(await store.copyOut(work.name));
      case 'hand-over':
        return fine(await this.#handOver(work.spool));
      case 'local-copy':
        return this.#localCopy(work);
      case 'any-copy':
        return this.#anyCopy(work.fid, work.name);
      case 'read':
        return fine(null, null, 0, await store.read(work.name, work.most));
      case 'discard':
        await store.discard(work.spool);
        return fine(null);
      case 'remove':
        this.#unsynced.delete(work.name);
        await store.remove(work.name);
        return fine(null);
      case 'lose':
        return this.#lose(work.name, work.readable);
    }
  }

  /** Of a copy: the contents stay. */
  async #lose(name: string, readable: string): Promise<FileOutcome> {
    const store = this.#ports.fileStore;
    const copy = `${name}-lost`;
    try {
      await store.stage(copy, name);
      return fine(await store.lose(copy, readable));
    } catch (error) {
      await store.remove(copy).catch(() => undefined);
      throw error;
    }
  }

  async #sealed({
    name,
    digest,
    call,
  }: Extract<FileTask, { what: 'seal' }>): Promise<SealedContent> {
    const { fileStore, isEarly } = this.#ports;
    if (!isEarly(call)) return fileStore.seal(name, digest);
    const finished = await fileStore.finish(name, digest);
    this.#finished += 1;
    this.#unsynced.set(name, this.#finished);
    return finished;
  }

  async #adopt(
    received: Extract<FileTask, { what: 'adopt' }>['received'],
    name: string,
  ): Promise<FileOutcome> {
    const store = this.#ports.fileStore;
    if (received === null) {
      await store.stage(name, null);
      const sealed = await store.seal(name, EMPTY_DIGEST);
      return fine(null, EMPTY_DIGEST, sealed.length);
    }
    await store.adopt(received.path, name);
    return fine(null, null, received.length);
  }

  /** An empty content came without a file. */
  async #handOver(spool: string | null): Promise<string> {
    const store = this.#ports.fileStore;
    if (spool !== null) return store.handOver(spool);
    this.#stand += 1;
    const name = `empty-${this.#stand}`;
    await store.stage(name, null);
    return store.take(name);
  }

  async #anyCopy(fid: Fid, name: string): Promise<FileOutcome> {
    const found = await this.#ports.localCopies()?.anyCopyOf(fid);
    if (found === null || found === undefined) return fine(null);
    const { path, version, digest, length } = found;
    await this.#ports.fileStore.adopt(path, name);
    return { ok: true, path, digest, length, version };
  }

  async #localCopy(work: Extract<FileTask, { what: 'local-copy' }>): Promise<FileOutcome> {
    const { fid, version, digest, size, name } = work;
    const found = await this.#ports.localCopies()?.copyOf(fid, version, digest);
    if (found === null || found === undefined) return fine(null);
    await this.#ports.fileStore.adopt(found, name);
    return fine(found, digest, size);
  }
}

function fine(
  path: string | null,
  digest: Digest | null = null,
  length = 0,
  text: string | null = null,
): FileOutcome {
  return { ok: true, path, digest, length, ...(text === null ? {} : { text }) };
}
