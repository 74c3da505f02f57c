/**
 * Contents on their way out, with the replies that they belong to: whole, or told in the part that the asker lacks (rules D2, D3).
 *
 * What is sent whole is verified on the way: the Link says which digest it read, and contents that do not match theirs are put
 * aside. The rest of a stream can not be: who joins it looks at the digest of the whole, and asks for all of it where that does
 * not match, which is then verified. A delta is held against its own digest, and made anew.
 */
import type { ContentStore, Located } from '../../shared/ports/content-store.ts';
import type {
  AbortReason,
  CallId,
  ContentSource,
  Transport,
} from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { DataVersion, Digest } from '../../shared/model/vnode.ts';
import type { ErrorCode } from '../../shared/wire/error-codes.ts';
import type { KnownContent, ReplyContent, HeldContent } from '../core/events.ts';
import { MAX_DELTA_GROWTH } from '../limits.ts';
import type { DeltaInUse, DeltaMaker } from './delta-maker.ts';
import type { Turn } from './work-queue.ts';

/** What the reply says about how its contents come. */
export interface ReplyStream {
  readonly digest: Digest;
  readonly length: number;
  readonly offset: number;
  readonly base: DataVersion | null;
}

/** Of a reply that the core gave. */
export interface ReplyInHand {
  readonly call: CallId;
  readonly content: ReplyContent;
  readonly turn: Turn;
  /** null: nothing is said about how the contents come. */
  readonly header: (stream: ReplyStream | null) => Uint8Array;
  /** What is answered where the contents can't be sent; null: the call fails. */
  readonly without: (() => Uint8Array) | null;
}

interface Ports {
  readonly contentStore: ContentStore;
  readonly log: Log;
}

interface Sending {
  readonly content: KnownContent;
  /** What the Link must have read; null: it reads a rest. */
  readonly digest: string | null;
  /** Where a delta is sent. */
  readonly made: DeltaInUse | null;
}

interface Chosen {
  readonly stream: ReplyStream;
  /** null: all of it is there already. */
  readonly source: ContentSource | null;
  readonly made: DeltaInUse | null;
}

/** Sends replies with contents: whole, from an offset, or as a delta. */
export class Outgoing {
  readonly #ports: Ports;
  readonly #deltas: { readonly maker: DeltaMaker; readonly from: number } | null;
  readonly #link: () => Transport;
  readonly #fail: (call: CallId, code: ErrorCode) => void;
  /** Replies that are being made ready. */
  readonly #preparing = new Set<CallId>();
  readonly #sending = new Map<CallId, Sending>();

  constructor(
    ports: Ports,
    deltas: { readonly maker: DeltaMaker; readonly from: number } | null,
    link: () => Transport,
    fail: (call: CallId, code: ErrorCode) => void,
  ) {
    this.#ports = ports;
    this.#deltas = deltas;
    this.#link = link;
    this.#fail = fail;
  }

  /** A content whose file is gone, or has another length, is not sent at all. */
  reply(reply: ReplyInHand): void {
    const { call, content } = reply;
    this.#preparing.add(call);
    this.#begin(reply).catch((error: unknown) => {
      this.#unreadable(content, error);
      if (this.#preparing.delete(call)) this.#fail(call, 'internal');
    });
  }

  sent(call: CallId, digest: string | null): void {
    const sending = this.#sending.get(call);
    this.#sending.delete(call);
    if (sending === undefined) return;
    const isOther = sending.digest !== null && digest !== null && digest !== sending.digest;
    if (sending.made !== null) sending.made.giveBack(isOther);
    else if (isOther) this.#quarantine(sending.content.digest, 'its digest is another one');
  }

  aborted(call: CallId, reason: AbortReason): void {
    this.#preparing.delete(call);
    const sending = this.#sending.get(call);
    this.#sending.delete(call);
    if (sending === undefined) return;
    if (sending.made !== null) sending.made.giveBack(reason === 'source');
    else if (reason === 'source') this.#lookAt(sending.content);
  }

  #lacks({ call, without }: ReplyInHand): void {
    if (without === null) this.#fail(call, 'damaged-contents');
    else this.#link().reply(call, { header: without(), content: null });
  }

  async #begin(reply: ReplyInHand): Promise<void> {
    const { call, content } = reply;
    const source = await this.#located(content);
    if (source === null) {
      if (this.#preparing.delete(call)) this.#lacks(reply);
      return;
    }
    const { held } = content;
    if (held === undefined || this.#deltas === null || content.length < this.#deltas.from) {
      if (!this.#preparing.delete(call)) return;
      this.#sending.set(call, { content, digest: content.digest, made: null });
      this.#link().reply(call, { header: reply.header(null), content: source });
      return;
    }
    const chosen = await this.#choose(reply, source, held, this.#deltas.maker);
    if (!this.#preparing.delete(call)) {
      chosen.made?.giveBack();
      return;
    }
    this.#send(reply, chosen);
  }

  #send({ call, content, header }: ReplyInHand, { stream, source, made }: Chosen): void {
    const digest = stream.offset === 0 ? stream.digest : null;
    if (source === null) made?.giveBack();
    else this.#sending.set(call, { content, digest, made });
    this.#link().reply(call, { header: header(stream), content: source });
  }

  /** The stream of which less is missing over there. */
  async #choose(
    { call, content, turn }: ReplyInHand,
    source: Located,
    { base, begun }: HeldContent,
    maker: DeltaMaker,
  ): Promise<Chosen> {
    const hasBegun = (digest: string, length: number): number =>
      Math.max(
        0,
        ...begun.filter((it) => it.digest === digest && it.length <= length).map((it) => it.length),
      );
    const offset = hasBegun(content.digest, content.length);
    const left = content.length - offset;
    const isThere = (): boolean => this.#preparing.has(call);
    const made =
      base === null || left === 0 || !mayShare(base, content)
        ? null
        : await maker.make(base, content, { ...turn, isThere });
    if (base !== null && made !== null) {
      const known = hasBegun(made.digest, made.length);
      if (made.length - known < left) {
        const { digest, length, path } = made;
        const stream = { digest: digest as Digest, length, offset: known, base: base.version };
        return { stream, source: restOf({ path, offset: 0, length }, known), made };
      }
      made.giveBack();
    }
    const { digest, length } = content;
    return {
      stream: { digest, length, offset, base: null },
      source: restOf(source, offset),
      made: null,
    };
  }

  /** The Link could not read it in full. A disk may fail for a moment: what has its length may be good, and stays. */
  #lookAt(content: KnownContent): void {
    this.#located(content).then(
      (source) => {
        if (source !== null) this.#unreadable(content, 'the file could not be read');
      },
      (error: unknown) => this.#unreadable(content, error),
    );
  }

  /** Null: it is gone, or has another length and is put aside. */
  async #located({ digest, length }: KnownContent): Promise<Located | null> {
    const found = await this.#ports.contentStore.locate(digest);
    if (found?.length === length) return found;
    if (found !== null) this.#quarantine(digest, 'its length is another one');
    return null;
  }

  #unreadable({ digest }: KnownContent, error: unknown): void {
    this.#ports.log.error('contents could not be read', { digest, error: String(error) });
  }

  /** Verified on read: what does not match its digest is served no more, and said. */
  #quarantine(digest: Digest, why: string): void {
    this.#ports.log.error('contents are damaged', { digest, why });
    this.#ports.contentStore.quarantine(digest).catch((error: unknown) => {
      this.#ports.log.error('damaged contents could not be put aside', { error: String(error) });
    });
  }
}

/** A base that is far shorter has too little of it to be worth a look. */
function mayShare(base: KnownContent, content: KnownContent): boolean {
  return base.length * MAX_DELTA_GROWTH >= content.length;
}

function restOf({ path, offset, length }: Located, known: number): ContentSource | null {
  return known === length ? null : { path, offset: offset + known, length: length - known };
}
