/**
 * Streams that tell contents, on their way in (rules D2, D3): what came of one that was cut off is kept as a begun part, and the next
 * call of the same device goes on from there. What the core hears of is whole.
 *
 * Invariants
 * 1. A call that goes on with a part has taken it, from its header until its end (parts.ts).
 * 2. A file that came belongs to one: to the part, to the core with the event that names it, or it is removed.
 * 3. A device that asks how much is here is answered once all that it sent before is processed: calls of its older
 *    connections have ended, and what came of them is kept.
 */
import type { Delta } from '../../shared/ports/delta.ts';
import type {
  CallId,
  ConnectionId,
  PartialContent,
  ReceivedContent,
} from '../../shared/ports/transport.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { KeptPart, StreamFiles } from '../../shared/ports/stream-files.ts';
import type { Log } from '../../shared/ports/log.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import type { ServerEvent } from '../core/events.ts';
import type { StoreStream } from '../core/update/jobs.ts';
import type { Parts } from './parts.ts';

/** Who sends it, and what it tells. */
interface Sender {
  readonly connection: ConnectionId;
  readonly fingerprint: string;
  readonly volume: VolumeId;
}

interface Running extends Sender {
  readonly stream: StoreStream;
  /** What it goes on with. */
  part: KeptPart | null;
  /** It has its answer: nothing that comes of it is wanted. */
  answered: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

interface Ports {
  readonly delta: Delta;
  readonly files: StreamFiles;
  readonly log: Log;
}

/** Joins incoming streams with the begun parts of uploads that they continue. */
export class IncomingStreams {
  readonly #ports: Ports;
  readonly #parts: Parts;
  readonly #feed: (event: ServerEvent) => void;
  readonly #makeRoom: () => Promise<boolean>;
  readonly #running = new Map<CallId, Running>();
  /** What is being done with files, by device. */
  readonly #work = new Map<string, Set<Promise<void>>>();

  constructor(
    ports: Ports,
    parts: Parts,
    feed: (event: ServerEvent) => void,
    makeRoom: () => Promise<boolean>,
  ) {
    this.#ports = ports;
    this.#parts = parts;
    this.#feed = feed;
    this.#makeRoom = makeRoom;
  }

  /** Calls with a stream, for those who look for leaks. */
  get running(): number {
    return this.#running.size;
  }

  /** True: what the stream had before is here, and taken by this call. */
  begins(call: CallId, sender: Sender, stream: StoreStream): boolean {
    const { fingerprint } = sender;
    const { digest, length, offset } = stream;
    const wanted = { fingerprint, digest, length, kept: offset };
    const part = offset > 0 ? this.#parts.take(wanted) : null;
    const ended = Promise.withResolvers<void>();
    this.#running.set(call, { ...sender, stream, part, answered: false, ended });
    return part !== null;
  }

  /** No bytes follow: all of the stream had come before. */
  nothingFollows(call: CallId): void {
    const running = this.#running.get(call);
    if (running === undefined || running.answered) return;
    this.#do(running.fingerprint, async () => {
      try {
        const path = await this.#ports.files.makeEmpty();
        await this.#goOn(call, running, path);
      } catch (error) {
        this.#giveBack(running);
        this.#notTaken(call, error);
      }
    });
  }

  arrived(call: CallId, content: ReceivedContent): void {
    const running = this.#running.get(call);
    if (running === undefined || running.part === null) {
      if (running?.stream.offset === 0) {
        const { fingerprint, stream } = running;
        this.#do(fingerprint, () => this.#parts.drop(fingerprint, stream.digest));
      }
      this.#feed({ kind: 'content', call, ...content });
      return;
    }
    this.#do(running.fingerprint, () => this.#goOn(call, running, content.path));
  }

  /** This much came of it, and no more will. */
  cutOff(call: CallId, { path, length: came }: PartialContent): void {
    const running = this.#running.get(call);
    if (running === undefined || running.answered) {
      this.#do('', () => this.#remove(path));
      return;
    }
    const { fingerprint, volume, stream, part } = running;
    const { digest, length, offset } = stream;
    running.part = null;
    this.#do(fingerprint, async () => {
      if (part !== null) await this.#lengthen(part, path);
      else if (offset > 0) await this.#remove(path);
      else await this.#parts.offer(path, { fingerprint, volume, digest, length, kept: came });
    });
  }

  /** The call has its answer. */
  answered(call: CallId): void {
    const running = this.#running.get(call);
    if (running === undefined) return;
    running.answered = true;
    this.#giveBack(running);
  }

  ended(call: CallId): void {
    const running = this.#running.get(call);
    if (running === undefined) return;
    this.#running.delete(call);
    this.#giveBack(running);
    running.ended.resolve();
  }

  /** How much is here of these, for the device of that connection. */
  async lengths(
    connection: ConnectionId,
    fingerprint: string,
    digests: readonly string[],
  ): Promise<number[]> {
    const wanted = new Set(digests);
    const older = [...this.#running.values()].filter((each) => {
      const isOlder = each.fingerprint === fingerprint && each.connection !== connection;
      return isOlder && !each.answered && wanted.has(each.stream.digest);
    });
    await Promise.all(older.map(({ ended }) => ended.promise));
    await Promise.all([...(this.#work.get(fingerprint) ?? [])]);
    await this.#parts.trim();
    return digests.map((digest) => this.#parts.lengthOf(fingerprint, digest));
  }

  /** When nothing is being done any more. */
  async rest(): Promise<void> {
    while (this.#work.size > 0) {
      await Promise.all([...this.#work.values()].flatMap((works) => [...works]));
    }
  }

  /** The rest has come, in the file at `path`. */
  async #goOn(call: CallId, running: Running, path: string): Promise<void> {
    const { part } = running;
    running.part = null;
    if (part === null) {
      await this.#remove(path);
      return;
    }
    try {
      const { digest, length } = await this.#join(part.path, path);
      this.#parts.giveAway(part);
      this.#feed({ kind: 'content', call, path: part.path, length, digest });
    } catch (error) {
      await this.#remove(path);
      if (isFull(error)) this.#parts.release(part);
      else await this.#spoilt(part);
      this.#notTaken(call, error);
    }
  }

  async #lengthen(part: KeptPart, path: string): Promise<void> {
    try {
      const { length } = await this.#join(part.path, path);
      await this.#parts.grown(part, length);
    } catch (error) {
      this.#ports.log.warn('what came of an upload could not be kept', { error: String(error) });
      await this.#remove(path);
      if (isFull(error)) this.#parts.release(part);
      else await this.#spoilt(part);
    }
  }

  /** A disk that is full is tried once more, without the begun parts of others. */
  async #join(begun: string, rest: string) {
    const { delta } = this.#ports;
    try {
      return await delta.join(begun, rest);
    } catch (error) {
      if (!isFull(error) || !(await this.#makeRoom())) throw error;
      return delta.join(begun, rest);
    }
  }

  async #spoilt(part: KeptPart): Promise<void> {
    this.#parts.giveAway(part);
    await this.#remove(part.path);
  }

  #notTaken(call: CallId, error: unknown): void {
    const code = codeOf(error);
    this.#ports.log.error('a stream could not be joined', { code, error: String(error) });
    this.#feed({ kind: 'not-kept', call, code });
  }

  #giveBack(running: Running): void {
    if (running.part !== null) this.#parts.release(running.part);
    running.part = null;
  }

  async #remove(path: string): Promise<void> {
    try {
      await this.#ports.files.discard(path);
    } catch (error) {
      this.#ports.log.warn('a file of a stream could not be removed', { error: String(error) });
    }
  }

  #do(fingerprint: string, work: () => Promise<void>): void {
    const works = this.#work.get(fingerprint) ?? new Set();
    this.#work.set(fingerprint, works);
    const done = work().then(() => {
      works.delete(done);
      if (works.size === 0) this.#work.delete(fingerprint);
    });
    works.add(done);
  }
}

function isFull(error: unknown): boolean {
  return error instanceof GodwitError && error.code === 'disk-full';
}

/** What the device is told: where its part is lost or spoilt, it sends all of it. */
function codeOf(error: unknown): ErrorCode {
  if (!(error instanceof GodwitError)) return 'internal';
  if (error.code === 'disk-full') return 'server-full';
  return error.code === 'not-found' ? 'damaged-delta' : error.code;
}
