/**
 * The side of the runtime that faces the Link: bytes become requests, effects become replies, and contents move between the
 * spool, the content store and the Link.
 *
 * Whatever a peer sends, it gets an answer or an abort; nothing it sends makes this side throw.
 */
import type { ContentStore, Located } from '../../shared/ports/content-store.ts';
import type {
  AbortReason,
  CallId,
  ConnectionId,
  Link,
  LinkHandler,
  PartialContent,
  ReceivedContent,
} from '../../shared/ports/link.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { present } from '../../shared/util/assert.ts';
import {
  decodeReply,
  decodeRequest,
  encodeFailure,
  encodeReply,
  encodeRequest,
} from '../../shared/wire/codec.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { MAX_HEADER_BYTES } from '../../shared/wire/limits.ts';
import { RPCS, type AnyRequest } from '../../shared/wire/rpcs.ts';
import type { Effect, ReplyContent, ServerEvent } from '../core/events.ts';

interface Ports {
  readonly contentStore: ContentStore;
  readonly log: Log;
}

/** Codes from here on are the other Link's own (it could not read, or write): nobody took the call back. */
const FIRST_LINK_CODE = 0xffff_fff0;

type LinkEffect = Exclude<Effect, { kind: 'load' | 'commit' | 'note' | 'closed' }>;

export class LinkSide implements LinkHandler {
  readonly #ports: Ports;
  readonly #feed: (event: ServerEvent) => void;
  #link: Link | null = null;
  /** Break messages by the call that carries them. */
  readonly #breaks = new Map<CallId, number>();
  /** Contents on their way out, by call: what they must turn out to be. */
  readonly #sending = new Map<CallId, ReplyContent>();

  constructor(ports: Ports, feed: (event: ServerEvent) => void) {
    this.#ports = ports;
    this.#feed = feed;
  }

  attach(link: Link): void {
    this.#link = link;
  }

  carryOut(effect: LinkEffect): void {
    const link = present(this.#link, 'a link is attached');
    switch (effect.kind) {
      case 'reply':
        return this.#reply(effect);
      case 'fail':
        return this.#fail(effect.call, effect.code, effect.detail, effect.afterBreak);
      case 'break': {
        const { items, number } = effect;
        const numbered = number === undefined ? {} : { number };
        const header = encodeRequest('BreakCallback', { items: [...items], ...numbered });
        const priorityClass = RPCS.BreakCallback.priorityClass;
        const message = { priorityClass, header, content: null };
        this.#breaks.set(link.request(effect.connection, message), effect.message);
        return;
      }
      case 'keep':
        return this.#keep(effect.call, effect.path, effect.digest);
      case 'rebuild':
        this.#discard(effect.path);
        return this.#feed({ kind: 'not-rebuilt', call: effect.call, code: 'unknown-base' });
      case 'begun': {
        const lengths = effect.streams.map(() => 0);
        return this.#feed({ kind: 'begun', call: effect.call, lengths });
      }
      case 'discard':
        return this.#discard(effect.path);
      case 'close':
        return link.close(effect.connection);
    }
  }

  // The Link's handler.

  connected(connection: ConnectionId, about: { peer: string; inbound: boolean }): void {
    this.#feed({ kind: 'connected', connection, fingerprint: about.peer });
  }

  closed(connection: ConnectionId): void {
    this.#feed({ kind: 'disconnected', connection });
  }

  incoming(
    connection: ConnectionId,
    call: CallId,
    message: { priorityClass: PriorityClass; header: Uint8Array; contentLength: number },
  ): void {
    let request: AnyRequest;
    try {
      request = decodeRequest(message.header, 'client');
    } catch (error) {
      const detail = error instanceof GodwitError ? error.message : '';
      this.#ports.log.warn('a message was refused', { connection, detail });
      this.#fail(call, 'bad-message', detail);
      return;
    }
    const { contentLength } = message;
    if (contentLength > 0 && RPCS[request.rpc].content !== 'request') {
      this.#fail(call, 'bad-message', 'contents with a request that has none');
      return;
    }
    this.#feed({ kind: 'request', connection, call, request, contentLength });
  }

  reply(call: CallId, { header }: { header: Uint8Array }): void {
    const message = this.#breaks.get(call);
    if (message === undefined) return;
    this.#breaks.delete(call);
    this.#feed({ kind: isAcknowledgement(header) ? 'acknowledged' : 'unacknowledged', message });
  }

  content(call: CallId, { path, length, digest }: ReceivedContent): void {
    this.#feed({ kind: 'content', call, path, length, digest });
  }

  /** Nobody goes on with it: the contents come again, whole. */
  partial(_call: CallId, { path }: PartialContent): void {
    this.#discard(path);
  }

  sent(call: CallId, digest: string | null): void {
    const expected = this.#sending.get(call);
    this.#sending.delete(call);
    if (expected !== undefined && digest !== null && digest !== expected.digest) {
      this.#quarantine(expected.digest, 'its digest is another one');
    }
  }

  aborted(call: CallId, reason: AbortReason, code: number): void {
    const message = this.#breaks.get(call);
    if (message !== undefined) {
      this.#breaks.delete(call);
      if (reason !== 'closed') this.#feed({ kind: 'unacknowledged', message });
      return;
    }
    const sending = this.#sending.get(call);
    this.#sending.delete(call);
    if (sending !== undefined && reason === 'source') this.#lookAt(sending);
    this.#feed({ kind: 'aborted', call, withdrawn: reason === 'peer' && code < FIRST_LINK_CODE });
  }

  progress(): void {}

  statistics(): void {}

  ticket(): void {}

  #reply({ call, reply, content, afterBreak }: Extract<Effect, { kind: 'reply' }>): void {
    const header = encodeReply(reply.rpc, reply.body, afterBreak);
    if (header.length > MAX_HEADER_BYTES) {
      this.#ports.log.error('a reply is too long', { rpc: reply.rpc, bytes: header.length });
      this.#fail(call, 'internal', 'the answer is too long', afterBreak);
    } else if (content === null) {
      present(this.#link, 'a link is attached').reply(call, { header, content: null });
    } else {
      this.#replyWith(call, header, content);
    }
  }

  /** A content whose file is gone, or has another length, is not sent at all. */
  #replyWith(call: CallId, header: Uint8Array, content: ReplyContent): void {
    this.#located(content).then(
      (source) => {
        if (source === null) {
          this.#fail(call, 'damaged-contents');
          return;
        }
        this.#sending.set(call, content);
        present(this.#link, 'a link is attached').reply(call, { header, content: source });
      },
      (error: unknown) => {
        this.#unreadable(content, error);
        this.#fail(call, 'internal');
      },
    );
  }

  /** The Link could not read it in full. A disk may fail for a moment: what has its length may be good, and stays. */
  #lookAt(content: ReplyContent): void {
    this.#located(content).then(
      (source) => {
        if (source !== null) this.#unreadable(content, 'the file could not be read');
      },
      (error: unknown) => this.#unreadable(content, error),
    );
  }

  /** Null: it is gone, or has another length and is put aside. */
  async #located({ digest, length }: ReplyContent): Promise<Located | null> {
    const found = await this.#ports.contentStore.locate(digest);
    if (found?.length === length) return found;
    if (found !== null) this.#quarantine(digest, 'its length is another one');
    return null;
  }

  #unreadable({ digest }: ReplyContent, error: unknown): void {
    this.#ports.log.error('contents could not be read', { digest, error: String(error) });
  }

  #fail(call: CallId, code: ErrorCode, detail = '', afterBreak = 0): void {
    const header = encodeFailure(code, detail, afterBreak);
    present(this.#link, 'a link is attached').reply(call, { header, content: null });
  }

  #keep(call: CallId, path: string, digest: Digest): void {
    this.#ports.contentStore.put(path, digest).then(
      () => this.#feed({ kind: 'kept', call }),
      (error: unknown) => {
        const code = error instanceof GodwitError ? error.code : 'internal';
        this.#ports.log.error('contents could not be kept', { code, error: String(error) });
        this.#discard(path);
        this.#feed({ kind: 'not-kept', call, code });
      },
    );
  }

  #discard(path: string): void {
    this.#ports.contentStore.discard(path).catch((error: unknown) => {
      this.#ports.log.warn('a spool file could not be removed', { error: String(error) });
    });
  }

  /** Verified on read: what does not match its digest is served no more, and said. */
  #quarantine(digest: Digest, why: string): void {
    this.#ports.log.error('contents are damaged', { digest, why });
    this.#ports.contentStore.quarantine(digest).catch((error: unknown) => {
      this.#ports.log.error('damaged contents could not be put aside', { error: String(error) });
    });
  }
}

function isAcknowledgement(header: Uint8Array): boolean {
  try {
    return decodeReply('BreakCallback', header).ok;
  } catch {
    return false;
  }
}
