/**
 * Receives the contents of a fetch: as a delta against a local version, and continued after a break.
 *
 * What comes is a stream, by its digest: the contents themselves, or a delta against the version named. It is put together in files
 * of its own and checked against the digest that the server gives for the contents; what does not fit is fetched again, whole, under the
 * same request. So a damaged part, a version that is not what its number says, or a local file that changed meanwhile costs bytes, and
 * nothing else.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Delta, Piece } from '../../../shared/ports/delta.ts';
import type { FileStore, LocalCopies } from '../../../shared/ports/file-store.ts';
import type { PartialContent, ReceivedContent } from '../../../shared/ports/transport.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { KeptPart, TransferFiles } from '../../../shared/ports/transfer-files.ts';
import type { Semaphore } from '../../../shared/concurrency/semaphore.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ReplyOf, RequestOf } from '../../../shared/wire/rpcs.ts';
import type { WantedContent } from '../../core/effects.ts';
import type { RpcReply } from '../../core/events.ts';
import type { Answer, Conversation, Ending } from './conversation.ts';
import type { ListKeeper } from './list-keeper.ts';
import type { Parts, StreamName } from './parts.ts';
import type { TransferLimits } from './transfer-limits.ts';

export interface DownloadPorts {
  readonly delta: Delta;
  readonly files: TransferFiles;
  readonly fileStore: FileStore;
  readonly localCopies: () => LocalCopies | null;
  readonly lists: ListKeeper;
  readonly parts: Parts;
  readonly work: Semaphore;
  readonly limits: TransferLimits;
  readonly log: Log;
}

export interface Download {
  readonly body: RequestOf<'Fetch'>;
  readonly wanted: WantedContent;
}

/** A version that is here. */
interface Base extends Piece {
  readonly version: DataVersion;
  readonly digest: Digest;
  /** A copy made for this: it goes afterwards. */
  readonly isCopy: boolean;
}

/** What is here before the question. */
interface Begun {
  readonly base: Base | null;
  /** Claimed; who is in here still is given back. */
  readonly parts: Set<KeptPart>;
}

type FetchReply = ReplyOf<'Fetch'>;
type StreamTold = NonNullable<FetchReply['stream']>;

interface Running {
  readonly conversation: Conversation;
  readonly done: Promise<unknown>;
}

const NOTHING: Begun = { base: null, parts: new Set() };

/**
 * Carries out fetches: whole, as a delta against a local version, or continued after a break (rules
 * D2, D3).
 */
export class Downloads {
  readonly #ports: DownloadPorts;
  readonly #running = new Map<Fid, Set<Running>>();

  constructor(ports: DownloadPorts) {
    this.#ports = ports;
  }

  async carryOut(download: Download, conversation: Conversation): Promise<Ending> {
    const { fid } = download.wanted;
    const earlier = [...(this.#running.get(fid) ?? [])];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const running = { conversation, done };
    this.#running.set(fid, new Set([...earlier, running]));
    try {
      // What a break ended is still being kept.
      await Promise.all(
        earlier.filter((each) => each.conversation.isOver).map((each) => each.done),
      );
      return await this.#fetch(download, conversation);
    } finally {
      resolve();
      const left = [...(this.#running.get(fid) ?? [])].filter((each) => each !== running);
      if (left.length === 0) this.#running.delete(fid);
      else this.#running.set(fid, new Set(left));
    }
  }

  /** Whole contents that are not handed over yet: all bytes of a stream have arrived. */
  async unclaimed(fid: Fid, { path, length, digest }: ReceivedContent): Promise<void> {
    await this.#keep({ path, length }, { fid, digest, length }, null);
  }

  async #fetch(download: Download, conversation: Conversation): Promise<Ending> {
    const begun = await this.#gather(download);
    try {
      const ending = await this.#attempt(download, begun, conversation);
      if (ending !== null) return ending;
      return (
        (await this.#attempt(download, NOTHING, conversation)) ?? {
          kind: 'aborted',
          reason: 'protocol',
        }
      );
    } finally {
      await this.#ports.parts.release([...begun.parts]);
      if (begun.base?.isCopy === true) await this.#discard(begun.base.path);
    }
  }

  async #gather({ body, wanted }: Download): Promise<Begun> {
    const { limits, parts } = this.#ports;
    const size = wanted.size ?? 0;
    const claimed = size >= limits.minResume ? await parts.claim(wanted.fid) : [];
    const base = size >= limits.minDelta ? await this.#base(wanted) : null;
    if (base === null || base.version !== body.version) return { base, parts: new Set(claimed) };
    if (base.isCopy) await this.#discard(base.path);
    return { base: null, parts: new Set(claimed) };
  }

  async #base({ fid, held }: WantedContent): Promise<Base | null> {
    if (held !== null) {
      const { version, digest, size: length } = held;
      const at = this.#ports.fileStore.sourceOf(held.name);
      return { ...at, length, version, digest, isCopy: false };
    }
    try {
      const copy = await this.#ports.localCopies()?.anyCopyOf(fid);
      return copy === null || copy === undefined ? null : { ...copy, offset: 0, isCopy: true };
    } catch (error) {
      this.#ports.log.debug('no local copy could be made', { why: (error as Error).message });
      return null;
    }
  }

  /** null: what came makes nothing, and is to be fetched whole. */
  async #attempt(
    { body, wanted }: Download,
    begun: Begun,
    conversation: Conversation,
  ): Promise<Ending | null> {
    const { base, parts } = begun;
    const isLong = (wanted.size ?? 0) >= this.#ports.limits.minResume;
    const request = {
      ...body,
      ...(base === null ? {} : { base: base.version }),
      ...(isLong ? { begun: [...parts].map(asBegun) } : {}),
    };
    const answer = await conversation.ask({ rpc: 'Fetch', body: request }, null);
    if (answer.kind === 'aborted') {
      await this.#brokenOff(wanted.fid, answer, parts);
      return { kind: 'aborted', reason: answer.reason };
    }
    const { reply, content } = answer;
    if (!reply.ok) {
      const isPartly = begun !== NOTHING && WHOLE_AGAIN.has(reply.code);
      return isPartly ? null : { kind: 'reply', reply, content };
    }
    const fetched = reply.body as FetchReply;
    if (fetched.stream === undefined) {
      if (content !== null) await this.#list(content, base);
      return { kind: 'reply', reply, content };
    }
    return this.#putTogether(fetched, fetched.stream, content, begun, reply);
  }

  async #putTogether(
    { status }: FetchReply,
    stream: StreamTold,
    content: ReceivedContent | null,
    begun: Begun,
    reply: RpcReply,
  ): Promise<Ending | null> {
    try {
      const whole = await this.#whole(stream, content, begun);
      const made =
        stream.base === null ? whole : await this.#applied(stream, whole.path, begun, status.size);
      if (made.digest === status.digest) {
        await this.#list(made, begun.base);
        return { kind: 'reply', reply, content: made };
      }
      await this.#discard(made.path);
      throw new GodwitError('damaged-delta', 'it makes other contents');
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      if (content !== null) await this.#discard(content.path);
      const { code, message } = error;
      this.#ports.log.info('contents that came in part are fetched whole', { code, why: message });
      return code === 'disk-full' ? { kind: 'aborted', reason: 'spool' } : null;
    }
  }

  /** All of the stream, in one file. */
  async #whole(
    { digest, length, offset }: StreamTold,
    content: ReceivedContent | null,
    { parts }: Begun,
  ): Promise<ReceivedContent> {
    if (offset === 0) {
      if (content === null || content.digest !== digest) throw notWhole();
      return content;
    }
    const part = [...parts].find((each) => each.digest === digest && each.size === offset);
    if (part === undefined) throw notWhole();
    // From here on it is used up: what it becomes is right, or it is worth nothing.
    parts.delete(part);
    try {
      const rest = content?.path ?? (await this.#ports.files.makeEmpty());
      const joined = await this.#ports.work.run(() => this.#ports.delta.join(part.path, rest));
      if (joined.digest !== digest || joined.length !== length) throw notWhole();
      return { ...joined, path: part.path };
    } catch (error) {
      await this.#ports.parts.drop(part, 'with the rest it does not make the stream');
      throw error;
    }
  }

  async #applied(
    { base: version }: StreamTold,
    path: string,
    { base }: Begun,
    most: number,
  ): Promise<ReceivedContent> {
    const { files, delta, work } = this.#ports;
    try {
      if (base === null || base.version !== version) throw notWhole();
      const out = files.newPath();
      const made = await work.run(() => delta.apply(base, path, out, most));
      return { ...made, path: out };
    } finally {
      await this.#discard(path);
    }
  }

  /** The call was interrupted: the received part of the stream is kept. */
  async #brokenOff(
    fid: Fid,
    { begun, partial }: Extract<Answer, { kind: 'aborted' }>,
    parts: Set<KeptPart>,
  ): Promise<void> {
    if (partial === null) return;
    const of = begun === null ? null : streamOf(fid, begun.reply, begun.contentLength);
    if (of === null) return this.#discard(partial.path);
    if (of.offset === 0) return this.#keep(partial, of, null);
    const before = [...parts].find((each) => each.digest === of.digest && each.size === of.offset);
    if (before === undefined) return this.#discard(partial.path);
    parts.delete(before);
    return this.#keep(partial, of, before);
  }

  async #keep(left: PartialContent, of: StreamName, before: KeptPart | null): Promise<void> {
    const { limits, parts } = this.#ports;
    if (of.length < limits.minResume) await this.#discard(left.path);
    else await parts.keep(left, of, before);
  }

  /** Before the contents go where a user may change them. */
  async #list(contents: ReceivedContent, base: Base | null): Promise<void> {
    const { lists, limits, work } = this.#ports;
    if (contents.length < limits.minDelta) return;
    const like = base === null ? null : await lists.get(base.digest);
    const { path, length } = contents;
    await work.run(() => lists.make(contents.digest as Digest, { path, offset: 0, length }, like));
  }

  async #discard(path: string): Promise<void> {
    await this.#ports.files.discard(path).catch(() => undefined);
  }
}

const WHOLE_AGAIN: ReadonlySet<string> = new Set(['unknown-base', 'damaged-delta']);

function asBegun({ digest, size }: KeptPart): { digest: Digest; length: number } {
  return { digest: digest as Digest, length: size };
}

function notWhole(): GodwitError {
  return new GodwitError('damaged-delta', 'it is not the stream that was told');
}

/** The stream that was on its way, as the reply described it before the interruption. */
function streamOf(
  fid: Fid,
  reply: RpcReply,
  contentLength: number,
): (StreamName & { readonly offset: number }) | null {
  if (!reply.ok) return null;
  const { status, stream } = reply.body as FetchReply;
  if (stream !== undefined) return { fid, ...stream };
  if (status.digest === null || status.size !== contentLength) return null;
  return { fid, digest: status.digest, length: contentLength, offset: 0 };
}
