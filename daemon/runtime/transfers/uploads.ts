/**
 * Sends the contents of a store: as a delta where the chunk list of the version before is here, and from where a break left off.
 *
 * What it sends is a stream: the contents themselves, or a delta. A delta is made again, byte for byte, of the same list and contents
 * (ports/delta.ts), so nothing of it must outlive the daemon for it to go on. The core does not notice this: a server that can not
 * make the contents of what came is sent all of them under the same request, and knows the update by its number (rule W4).
 */
import type { Digest } from '../../../shared/model/vnode.ts';
import type { Delta, MadeContent, Piece } from '../../../shared/ports/delta.ts';
import type { FileStore } from '../../../shared/ports/file-store.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { TransferFiles } from '../../../shared/ports/transfer-files.ts';
import type { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { GodwitError, type ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf, RequestOf } from '../../../shared/wire/rpcs.ts';
import type { SentContent } from '../../core/effects.ts';
import { STREAMS_BEGUN } from '../../limits.ts';
import type { Answer, Conversation, Ending } from './conversation.ts';
import type { ListKeeper } from './list-keeper.ts';
import type { TransferLimits } from './transfer-limits.ts';

export interface UploadPorts {
  readonly delta: Delta;
  readonly files: TransferFiles;
  readonly fileStore: FileStore;
  readonly lists: ListKeeper;
  readonly work: Semaphore;
  readonly limits: TransferLimits;
  readonly log: Log;
  /** Makes room. */
  readonly diskFull: () => void;
}

export interface Upload {
  readonly body: RequestOf<'Store'>;
  readonly content: SentContent;
}

interface Stream extends MadeContent {
  readonly path: string;
  /** Where it begins there. */
  readonly from: number;
  readonly delta: boolean;
}

/** The server's errors for a stream that does not yield the contents: these are then sent whole. */
const SENT_WHOLE: ReadonlySet<ErrorCode> = new Set([
  'unknown-base',
  'damaged-delta',
  'length-mismatch',
]);

/**
 * Carries out stores: whole, as a delta against the last version, or continued after a break (rules
 * D1, D3).
 */
export class Uploads {
  readonly #ports: UploadPorts;
  /** Digests of streams that were begun in this life and are not known to have arrived, in the order of their beginning. */
  readonly #begun = new Set<string>();

  constructor(ports: UploadPorts) {
    this.#ports = ports;
  }

  async carryOut(upload: Upload, conversation: Conversation): Promise<Ending> {
    const whole = this.#whole(upload);
    const { delta, isListed } = await this.#delta(upload);
    try {
      const answer = await this.#sendOneOf(upload, { whole, delta }, conversation);
      if (!isListed && answer.kind === 'reply' && answer.reply.ok) await this.#listLater(upload);
      return asEnding(answer);
    } finally {
      if (delta !== null) await this.#ports.files.discard(delta.path).catch(() => undefined);
    }
  }

  async #sendOneOf(
    upload: Upload,
    { whole, delta }: { whole: Stream; delta: Stream | null },
    conversation: Conversation,
  ): Promise<Answer> {
    const streams = delta === null ? [whole] : [delta, whole];
    const begun = await this.#askBegun(upload, streams, conversation);
    const next = shortest(streams, begun);
    const answer = await this.#send(upload, next.stream, next.offset, conversation);
    if (!isUnusable(answer) || !isPartly(next)) return answer;
    await this.#refused(upload, next.stream, answer);
    return this.#send(upload, whole, 0, conversation);
  }

  #whole({ body, content }: Upload): Stream {
    const { path, offset } = this.#ports.fileStore.sourceOf(content.name);
    const { digest } = body.update;
    return { path, from: offset, digest, length: content.length, delta: false };
  }

  /** `delta` null: there is none, or it would be hardly shorter. `isListed` false: the chunk list of the contents is still to be made. */
  async #delta({ body, content }: Upload): Promise<{ delta: Stream | null; isListed: boolean }> {
    const { lists, limits, files, delta, work, log } = this.#ports;
    if (content.length < limits.minDelta) return { delta: null, isListed: true };
    const { digest } = body.update;
    const about = content.base ?? (content.from === null ? null : digest);
    // Of the same contents the list can be made here.
    if (content.from !== null) await lists.make(digest, this.#contents(content), null);
    const base = about === null ? null : await lists.ready(about);
    if (base === null || about === null) return { delta: null, isListed: false };
    const path = files.newPath();
    try {
      const made = await work.run(() => delta.make(base, this.#contents(content), path));
      await lists.put(digest, made.list);
      const stream = made.delta && { ...made.delta, path, from: 0, delta: true };
      return { delta: stream, isListed: true };
    } catch (error) {
      log.warn('no delta could be made: the contents are sent whole', {
        fid: body.update.fid,
        why: (error as Error).message,
      });
      await files.discard(path).catch(() => undefined);
      const code = codeOf(error);
      if (code === 'disk-full') this.#ports.diskFull();
      if (code === 'damaged-delta') await lists.forget(about);
      return { delta: null, isListed: false };
    }
  }

  #contents({ name, length }: SentContent): Piece {
    return { ...this.#ports.fileStore.sourceOf(name), length };
  }

  /**
   * The server has them, and the core may remove them as soon as it hears of it: their list is made of another name of theirs. Not before,
   * since cutting them takes a core that the sending needs.
   */
  async #listLater({ body, content }: Upload): Promise<void> {
    const { files, lists } = this.#ports;
    const contents = this.#contents(content);
    const other = await files.link(contents.path).catch(() => null);
    const discard = (): Promise<void> =>
      other === null ? Promise.resolve() : files.discard(other).catch(() => undefined);
    lists.later(body.update.digest, { ...contents, path: other ?? contents.path }, discard);
  }

  /** How much of each the server has. It is asked only where a break may have left something there. */
  async #askBegun(
    { content }: Upload,
    streams: readonly Stream[],
    conversation: Conversation,
  ): Promise<ReadonlyMap<Stream, number>> {
    const long = streams.filter((stream) => this.#isLong(stream));
    const isNew = !content.again && !long.some(({ digest }) => this.#begun.has(digest));
    if (long.length === 0 || isNew) return new Map();
    const body = { streams: long.map(({ digest }) => digest as Digest) };
    const answer = await conversation.ask({ rpc: 'Begun', body }, null);
    if (answer.kind !== 'reply' || !answer.reply.ok) return new Map();
    const { lengths } = answer.reply.body as ReplyOf<'Begun'>;
    return new Map(long.map((stream, at) => [stream, known(lengths[at], stream)]));
  }

  async #send(
    { body, content: { from: other } }: Upload,
    stream: Stream,
    offset: number,
    conversation: Conversation,
  ): Promise<Answer> {
    const { digest, length, delta, path, from } = stream;
    const isTold = delta || this.#isLong(stream);
    const source = delta && other !== null ? { from: other } : {};
    const about = { digest: digest as Digest, length, offset, delta, ...source };
    const message = {
      rpc: 'Store',
      body: isTold ? { ...body, stream: about } : body,
    } as const;
    if (this.#isLong(stream)) this.#began(digest);
    if (delta || offset > 0) this.#logPartial(body, stream, offset);
    const left = length - offset;
    const bytes = left === 0 ? null : { path, offset: from + offset, length: left };
    const answer = await conversation.ask(message, bytes);
    if (answer.kind === 'reply') this.#begun.delete(digest);
    return answer;
  }

  #isLong({ length }: Stream): boolean {
    return length >= this.#ports.limits.minResume;
  }

  #began(digest: string): void {
    this.#begun.delete(digest);
    this.#begun.add(digest);
    const [oldest] = this.#begun;
    if (this.#begun.size > STREAMS_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
  }

  #logPartial({ update }: RequestOf<'Store'>, { length, delta }: Stream, offset: number): void {
    const { fid, size } = update;
    this.#ports.log.debug('contents are sent in part', { fid, size, delta, length, offset });
  }

  async #refused({ body, content }: Upload, { delta }: Stream, answer: Answer): Promise<void> {
    const code = answer.kind === 'reply' && !answer.reply.ok ? answer.reply.code : 'source';
    this.#ports.log.info('contents that went in part are sent whole', {
      fid: body.update.fid,
      code,
    });
    if (!delta || content.base === null || code === 'unknown-base') return;
    await this.#ports.lists.forget(content.base);
  }
}

/** The way that leaves least to be sent. */
function shortest(
  streams: readonly Stream[],
  begun: ReadonlyMap<Stream, number>,
): { readonly stream: Stream; readonly offset: number } {
  const ways = streams.map((stream) => ({ stream, offset: begun.get(stream) ?? 0 }));
  const left = ({ stream, offset }: (typeof ways)[number]): number => stream.length - offset;
  return ways.reduce((best, way) => (left(way) < left(best) ? way : best));
}

/** Clamped to the length of the stream: the server's number is not trusted. */
function known(length: number | undefined, stream: Stream): number {
  return length === undefined || length > stream.length ? 0 : length;
}

/** Not the whole contents in one piece: those can be sent still. */
function isPartly({ stream, offset }: { stream: Stream; offset: number }): boolean {
  return stream.delta || offset > 0;
}

/** The server made nothing of it, or the file of the delta could not be read. */
function isUnusable(answer: Answer): boolean {
  if (answer.kind === 'aborted') return answer.reason === 'source';
  return !answer.reply.ok && SENT_WHOLE.has(answer.reply.code);
}

function codeOf(error: unknown): ErrorCode | null {
  return error instanceof GodwitError ? error.code : null;
}

function asEnding(answer: Answer): Ending {
  return answer.kind === 'reply' ? answer : { kind: 'aborted', reason: answer.reason };
}
