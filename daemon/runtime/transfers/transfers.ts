/**
 * Contents on their way in part (rules D1, D3): the requests of the core whose contents are worth it are carried out here.
 *
 * The core goes on thinking in whole contents: it sends a Store and gets its result, it sends a Fetch and gets all the bytes. What is
 * asked before, made, put together or tried again in between belongs to the same request.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { ChunkLists } from '../../../shared/ports/chunk-lists.ts';
import type { Delta } from '../../../shared/ports/delta.ts';
import type { FileStore, LocalCopies } from '../../../shared/ports/file-store.ts';
import type { ReceivedContent } from '../../../shared/ports/transport.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { TransferFiles } from '../../../shared/ports/transfer-files.ts';
import { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { TRANSFER_WORK } from '../../limits.ts';
import type { Conversation, Ending, RequestEffect } from './conversation.ts';
import { Downloads } from './downloads.ts';
import { ListKeeper } from './list-keeper.ts';
import { Parts } from './parts.ts';
import type { TransferLimits } from './transfer-limits.ts';
import { Uploads, type Upload } from './uploads.ts';

/** What of the world it needs beyond what the runtime has anyway. */
export interface PartialPorts {
  readonly delta: Delta;
  readonly chunkLists: ChunkLists;
  readonly files: TransferFiles;
  readonly limits: TransferLimits;
}

export interface TransferPorts extends PartialPorts {
  readonly fileStore: FileStore;
  readonly localCopies: () => LocalCopies | null;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Carries out the stores and fetches whose contents can go in part, as a delta or continued (rules
 * D1, D3).
 */
export class Transfers {
  readonly #ports: TransferPorts;
  readonly #lists: ListKeeper;
  readonly #parts: Parts;
  readonly #uploads: Uploads;
  readonly #downloads: Downloads;
  readonly #running = new Set<Promise<unknown>>();

  constructor(ports: TransferPorts) {
    this.#ports = ports;
    const lists = new ListKeeper(ports);
    const parts = new Parts(ports);
    const work = new Semaphore(TRANSFER_WORK);
    this.#lists = lists;
    this.#parts = parts;
    const diskFull = (): void => this.diskFull();
    this.#uploads = new Uploads({ ...ports, lists, work, diskFull });
    this.#downloads = new Downloads({ ...ports, lists, parts, work });
  }

  /** How a request is carried out in part; null: it is sent as it is. */
  begin(effect: RequestEffect): ((conversation: Conversation) => Promise<Ending>) | null {
    const { message } = effect;
    const upload = this.#uploadOf(effect);
    if (upload !== null) return (about) => this.#run(this.#uploads.carryOut(upload, about));
    if (message.rpc !== 'Fetch' || effect.wanted === undefined) return null;
    const download = { body: message.body, wanted: effect.wanted };
    if (!this.#isWorthIt(download.wanted.size ?? 0)) return null;
    return (about) => this.#run(this.#downloads.carryOut(download, about));
  }

  /** The connection ended just before these contents were whole: they need not come again. */
  unclaimed(effect: RequestEffect, content: ReceivedContent): void {
    const { wanted } = effect;
    if (wanted === undefined) return;
    void this.#run(this.#downloads.unclaimed(wanted.fid, content));
  }

  /** Of interrupted downloads that nobody goes on with just now. */
  get partBytes(): number {
    return this.#parts.bytes;
  }

  /** The disk is full: kept parts are removed, for they can be fetched again. */
  diskFull(): void {
    void this.#run(this.#parts.clear());
  }

  /** Resolves when nothing is being done; the ports may be closed then. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#lists.settled();
    await this.#ports.chunkLists.close();
  }

  #uploadOf({ message, content }: RequestEffect): Upload | null {
    if (message.rpc !== 'Store' || content === null || !this.#isWorthIt(content.length))
      return null;
    return { body: message.body, content };
  }

  #isWorthIt(size: number): boolean {
    const { minDelta, minResume } = this.#ports.limits;
    return size >= Math.min(minDelta, minResume);
  }

  #run<T>(work: Promise<T>): Promise<T> {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }
}
