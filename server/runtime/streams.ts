/**
 * All that is needed to tell contents in part (rules D2, D3): begun parts of uploads, deltas for fetches, and what deltas make. A server
 * without it moves contents whole.
 *
 * All of it gives way: when the disk is full it is the first to go.
 */
import type { Clock } from '../../shared/ports/clock.ts';
import type { ContentStore } from '../../shared/ports/content-store.ts';
import type { Delta, MadeContent } from '../../shared/ports/delta.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { StreamFiles } from '../../shared/ports/stream-files.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import { urgency } from '../../shared/model/priority-class.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { RPCS } from '../../shared/wire/rpcs.ts';
import type { Effect, ServerEvent } from '../core/events.ts';
import { MAX_DELTA_WORK, TOLD_FROM } from '../limits.ts';
import { DeltaMaker } from './delta-maker.ts';
import { IncomingStreams } from './incoming-streams.ts';
import { Parts, type BegunBytes, type PartBounds } from './parts.ts';
import { WorkQueue } from './work-queue.ts';

export interface StreamPorts {
  readonly delta: Delta;
  readonly files: StreamFiles;
  /** Shorter contents come whole; left out: TOLD_FROM. */
  readonly toldFrom?: number;
  readonly bounds?: PartBounds;
}

interface Ports {
  readonly contentStore: ContentStore;
  readonly clock: Clock;
  readonly log: Log;
}

type Rebuild = Extract<Effect, { kind: 'rebuild' }>;

/**
 * Holds what moves contents in part: begun parts of uploads, deltas, and contents rebuilt from
 * deltas.
 */
export class Streams {
  readonly incoming: IncomingStreams;
  readonly maker: DeltaMaker;
  readonly toldFrom: number;
  readonly #ports: Ports & StreamPorts;
  readonly #feed: (event: ServerEvent) => void;
  readonly #parts: Parts;
  readonly #queue = new WorkQueue(MAX_DELTA_WORK);
  readonly #rebuilding = new Set<Promise<void>>();

  constructor(ports: Ports & StreamPorts, feed: (event: ServerEvent) => void) {
    const makeRoom = () => this.makeRoom();
    this.#ports = ports;
    this.#feed = feed;
    this.toldFrom = ports.toldFrom ?? TOLD_FROM;
    const counted = (begun: readonly BegunBytes[]) => feed({ kind: 'begun-parts', begun });
    this.#parts = new Parts({ ...ports, counted }, ports.bounds);
    this.incoming = new IncomingStreams(ports, this.#parts, feed, makeRoom);
    this.maker = new DeltaMaker(ports, this.#queue, makeRoom);
  }

  open(): Promise<void> {
    return this.#parts.open();
  }

  /** Files that are known and wanted, and how much is under way: for those who look for leaks. */
  get left(): { readonly paths: readonly string[]; readonly busy: number } {
    const paths = [...this.#parts.paths, ...this.maker.paths];
    const busy = this.#parts.taken + this.maker.inUse + this.incoming.running;
    return { paths, busy: busy + this.#rebuilding.size };
  }

  /** Removes begun parts and deltas to make room. True: some were removed, so another attempt may succeed. */
  async makeRoom(): Promise<boolean> {
    const [parts, deltas] = [await this.#parts.clear(), await this.maker.clear()];
    if (parts > 0)
      this.#ports.log.warn('begun parts of uploads gave way: the disk is full', { parts });
    return parts > 0 || deltas;
  }

  /** Removes begun parts of a volume, so many bytes, for uploads that need its room. */
  async giveWay(volume: VolumeId, bytes: number): Promise<void> {
    const parts = await this.#parts.giveWay(volume, bytes);
    if (parts > 0) {
      this.#ports.log.info('begun parts of uploads gave way: the quota', { volume, parts });
    }
  }

  /** Makes contents of a delta and its base. */
  rebuild(effect: Rebuild): void {
    const turn = { urgency: urgency(RPCS.Store.priorityClass), whose: '' };
    const done = this.#queue
      .run(turn, () => this.#rebuilt(effect))
      .then((event) => {
        this.#rebuilding.delete(done);
        this.#feed(event);
      });
    this.#rebuilding.add(done);
  }

  /** When nothing is being done any more; nobody begins anything. Parts stay. */
  async close(): Promise<void> {
    await this.incoming.rest();
    await Promise.all(this.#rebuilding);
    await this.maker.close();
  }

  async #rebuilt({ call, path, delta, base, wanted }: Rebuild): Promise<ServerEvent> {
    const { log, files } = this.#ports;
    let isKept = false;
    try {
      const out = files.newPath();
      const made = await this.#apply(base, path, out, wanted.length);
      if (made !== null) {
        isKept = made.digest === wanted.digest;
        if (isKept) await this.maker.keep(base, wanted, { ...delta, path });
        return { kind: 'rebuilt', call, path: out, ...made };
      }
      return { kind: 'not-rebuilt', call, code: 'unknown-base' };
    } catch (error) {
      const code = codeOf(error);
      log.warn('a delta could not be applied', { code, error: String(error) });
      return { kind: 'not-rebuilt', call, code };
    } finally {
      if (!isKept) await this.#remove(path);
    }
  }

  async #remove(path: string): Promise<void> {
    await this.#ports.files.discard(path).catch((error: unknown) => {
      this.#ports.log.warn('a file of a stream could not be removed', { error: String(error) });
    });
  }

  /** null: the base is not here. */
  async #apply(
    { digest, length }: Rebuild['base'],
    path: string,
    out: string,
    size: number,
  ): Promise<MadeContent | null> {
    const { contentStore, delta } = this.#ports;
    const base = await contentStore.locate(digest);
    if (base?.length !== length) return null;
    try {
      return await delta.apply(base, path, out, size);
    } catch (error) {
      if (!isFull(error) || !(await this.makeRoom())) throw error;
      return delta.apply(base, path, out, size);
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof GodwitError && error.code === 'disk-full';
}

function codeOf(error: unknown): ErrorCode {
  if (!(error instanceof GodwitError)) return 'internal';
  if (error.code === 'disk-full') return 'server-full';
  return error.code === 'not-found' ? 'unknown-base' : error.code;
}
