/**
 * The side of the runtime that faces the Link: bytes become requests, effects become replies, and contents move between the
 * spool, the content store and the Link.
 *
 * Whatever a peer sends, it gets an answer or an abort; nothing it sends makes this side throw.
 */
import type { Clock, Timers } from '../../shared/ports/clock.ts';
import type { ContentStore } from '../../shared/ports/content-store.ts';
import type {
  AbortReason,
  CallId,
  CloseReason,
  ConnectionId,
  Transport,
  TransportHandler,
  PartialContent,
  ReceivedContent,
} from '../../shared/ports/transport.ts';
import type { Log } from '../../shared/ports/log.ts';
import { urgency, type PriorityClass } from '../../shared/model/priority-class.ts';
import type { Digest } from '../../shared/model/vnode.ts';
import { present } from '../../shared/util/assert.ts';
import {
  decodeRequest,
  encodeFailure,
  encodeReply,
  encodeRequest,
  replyInParts,
} from '../../shared/wire/codec.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { MAX_HEADER_BYTES } from '../../shared/wire/limits.ts';
import { requestInParts } from '../../shared/wire/request-in-parts.ts';
import { RPCS, type AnyRequest, type ReplyOf } from '../../shared/wire/rpcs.ts';
import type { Effect, ServerEvent } from '../core/events.ts';
import { DECODED_AT_ONCE } from '../limits.ts';
import { Decoding } from './decoding.ts';
import { OpenFetches } from './open-fetches.ts';
import { Peers } from './peers.ts';
import { Outgoing, type ReplyStream } from './outgoing.ts';
import { acknowledgementIn, heldIn } from './peer-answers.ts';
import { StoreUnbatcher, type Answered } from './store-unbatcher.ts';
import { Streams, type StreamPorts } from './streams.ts';
import type { Turn } from './work-queue.ts';

interface Ports {
  readonly timers: Timers;
  readonly contentStore: ContentStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly streams?: StreamPorts;
  /** Contents that would fill the disk are refused before they come. Left out: all are let in. */
  readonly hasRoomFor?: (bytes: number) => boolean;
}

/** Codes from here on are the other Link's own (it could not read, or write): nobody took the call back. */
const FIRST_LINK_CODE = 0xffff_fff0;

/** Of a fetch that takes its contents whole: it makes nothing. */
const NO_TURN: Turn = { urgency: 0, whose: '' };

/** What the runtime does for it. */
interface RuntimeSide {
  /** Work of the answer that is being made: a piece at a time, soon; null: answers are made at one go. */
  readonly inPieces: ((pieces: Iterator<unknown>) => void) | null;
  /** Work for the device of a connection, likewise; null: messages are decoded at one go. */
  readonly inPiecesOf: ((connection: ConnectionId, pieces: Iterator<unknown>) => void) | null;
}

function* then(
  parts: Generator<void, Uint8Array>,
  work: (made: Uint8Array) => void,
): Generator<void, void> {
  const made = yield* parts;
  yield;
  work(made);
}

/** Goes on with what came of it: a request, or what throws the error that was met. */
function* decodedThen(
  parts: Generator<void, AnyRequest>,
  came: (request: () => AnyRequest) => void,
): Generator<void, void> {
  let made: () => AnyRequest;
  try {
    const request = yield* parts;
    made = () => request;
  } catch (error) {
    made = () => {
      throw error;
    };
  }
  came(made);
}

type LinkEffect = Exclude<Effect, { kind: 'load' | 'commit' | 'ask-access' | 'note' | 'closed' }>;

/** Translates between the transport and the core: messages into events, effects into replies. */
export class RpcServer implements TransportHandler {
  readonly #ports: Ports;
  readonly #feed: (event: ServerEvent) => void;
  #link: Transport | null = null;
  /** Break messages by the call that carries them. */
  readonly #breaks = new Map<CallId, number>();
  /** Questions for updates, likewise. */
  readonly #pulls = new Map<CallId, number>();
  readonly #peers: Peers;
  /** Fetches that take their contents in part: whose they are, and how urgent. */
  readonly #turns = new Map<CallId, Turn>();
  readonly #fetches = new OpenFetches();
  readonly #decoding = new Decoding();
  readonly #streams: Streams | null;
  readonly #together: StoreUnbatcher | null;
  readonly #outgoing: Outgoing;

  readonly #runtime: RuntimeSide;

  constructor(ports: Ports, feed: (event: ServerEvent) => void, runtime: RuntimeSide) {
    this.#ports = ports;
    this.#feed = feed;
    this.#runtime = runtime;
    this.#peers = new Peers(ports.log, ports.clock);
    const { streams } = ports;
    this.#streams = streams === undefined ? null : new Streams({ ...ports, ...streams }, feed);
    const reply = (answered: Answered): void => this.#replyTogether(answered);
    this.#together =
      streams === undefined ? null : new StoreUnbatcher({ ...ports, ...streams, feed, reply });
    const deltas =
      this.#streams === null ? null : { maker: this.#streams.maker, from: this.#streams.toldFrom };
    this.#outgoing = new Outgoing(
      ports,
      deltas,
      () => this.#linked(),
      (call, code) => this.#fail(call, code),
    );
  }

  /** Files of streams, for those who look for leaks; null: there is nothing to tell contents in part with. */
  get streamsLeft(): Streams['left'] | null {
    return this.#streams?.left ?? null;
  }

  /** Before a link is attached. */
  async open(): Promise<void> {
    await this.#streams?.open();
  }

  /** After the link is down. */
  async close(): Promise<void> {
    await this.#streams?.close();
  }

  /** The disk is full: what can be had again goes. */
  async makeRoom(): Promise<boolean> {
    return (await this.#streams?.makeRoom()) ?? false;
  }

  attach(link: Transport): void {
    this.#link = link;
  }

  carryOut(effect: LinkEffect): void {
    const link = this.#linked();
    switch (effect.kind) {
      case 'reply':
        if (this.#together?.answered(effect) === true) return;
        this.#streams?.incoming.answered(effect.call);
        return this.#reply(effect);
      case 'fail':
        if (this.#together?.answered(effect) === true) return;
        this.#streams?.incoming.answered(effect.call);
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
      case 'pull': {
        const header = encodeRequest('ServerPull', { fids: [...effect.fids] });
        const message = { priorityClass: RPCS.ServerPull.priorityClass, header, content: null };
        this.#pulls.set(link.request(effect.connection, message), effect.pull);
        return;
      }
      case 'keep':
        return this.#keep(effect.call, effect.path, effect.digest);
      case 'rebuild':
        return this.#rebuild(effect);
      case 'begun':
        return this.#tellBegun(effect);
      case 'raise':
        return this.#raise(effect);
      case 'discard':
        return this.#discard(effect.path);
      case 'give-way':
        void this.#streams?.giveWay(effect.volume, effect.bytes);
        return;
      case 'admit':
        this.#peers.admitted(effect.connection);
        return link.admit(effect.connection);
      case 'limit':
        return link.limit(effect.connection, effect.bytesPerSecond);
      case 'close':
        return this.#close(effect.connection);
    }
  }

  // The Link's handler.

  connected(connection: ConnectionId, about: { peer: string; inbound: boolean }): void {
    this.#peers.came(connection, about.peer);
    this.#feed({ kind: 'connected', connection, fingerprint: about.peer });
  }

  closed(connection: ConnectionId, reason: CloseReason): void {
    this.#decoding.closed(connection);
    this.#peers.left(connection);
    this.#feed({ kind: 'disconnected', connection, byPeer: reason === 'peer' });
  }

  incoming(
    connection: ConnectionId,
    call: CallId,
    message: { priorityClass: PriorityClass; header: Uint8Array; contentLength: number },
  ): void {
    const verdict = this.#peers.judge(connection, message.header);
    if (verdict === 'ignore') return this.#linked().abort(call, 0);
    if (verdict === 'close') return this.#close(connection);
    if (verdict === 'hello-first') return this.#fail(call, 'hello-first');
    const { inPiecesOf } = this.#runtime;
    const isLong = message.header.length > DECODED_AT_ONCE && message.contentLength === 0;
    const parts = isLong && inPiecesOf !== null ? requestInParts(message.header) : null;
    if (parts === null || !this.#decoding.begins(connection, call, message.header.length)) {
      return this.#came(connection, call, message, () => decodeRequest(message.header, 'client'));
    }
    const came = (request: () => AnyRequest): void => {
      if (this.#decoding.ended(call)) this.#came(connection, call, message, request);
    };
    inPiecesOf?.(connection, decodedThen(parts, came));
  }

  #came(
    connection: ConnectionId,
    call: CallId,
    message: { priorityClass: PriorityClass; header: Uint8Array; contentLength: number },
    decoded: () => AnyRequest,
  ): void {
    let request: AnyRequest;
    try {
      request = decoded();
    } catch (error) {
      const detail = error instanceof GodwitError ? error.message : '';
      if (this.#peers.unreadable(connection, message.header, detail)) this.#close(connection);
      else this.#fail(call, 'bad-message', detail);
      return;
    }
    if (request.rpc === 'Hello') this.#peers.said(connection, request.body.deviceName);
    const { contentLength } = message;
    if (contentLength > 0 && RPCS[request.rpc].content !== 'request') {
      this.#fail(call, 'bad-message', 'contents with a request that has none');
      return;
    }
    if (contentLength > 0 && this.#ports.hasRoomFor?.(contentLength) === false) {
      this.#fail(call, 'server-full');
      void this.makeRoom();
      return;
    }
    if (request.rpc === 'StoreMany') {
      const fits = this.#together?.begins(connection, call, request.body, contentLength) ?? false;
      if (!fits) this.#fail(call, 'bad-message', 'stores do not come together so');
      return;
    }
    const isBegun = this.#noteStream(connection, call, message.priorityClass, request);
    const begun = isBegun ? { isBegun } : {};
    if (request.rpc === 'Fetch') this.#fetches.begins(connection, call, request.body);
    this.#feed({ kind: 'request', connection, call, request, contentLength, ...begun });
    if (isBegun && contentLength === 0) this.#streams?.incoming.nothingFollows(call);
  }

  reply(call: CallId, { header }: { header: Uint8Array }): void {
    const pull = this.#pulls.get(call);
    if (pull !== undefined) {
      this.#pulls.delete(call);
      return this.#feed({ kind: 'pulled', pull, held: heldIn(header) });
    }
    const message = this.#breaks.get(call);
    if (message === undefined) return;
    this.#breaks.delete(call);
    const acknowledgement = acknowledgementIn(header);
    if (acknowledgement === null) this.#feed({ kind: 'unacknowledged', message });
    else this.#feed({ kind: 'acknowledged', message, ...acknowledgement });
  }

  content(call: CallId, content: ReceivedContent): void {
    if (this.#together?.arrived(call, content) === true) return;
    if (this.#streams !== null) this.#streams.incoming.arrived(call, content);
    else this.#feed({ kind: 'content', call, ...content });
  }

  partial(call: CallId, content: PartialContent): void {
    if (this.#streams !== null) this.#streams.incoming.cutOff(call, content);
    else this.#discard(content.path);
  }

  sent(call: CallId, digest: string | null): void {
    this.#ended(call);
    this.#outgoing.sent(call, digest);
  }

  aborted(call: CallId, reason: AbortReason, code: number): void {
    if (this.#decoding.ended(call)) return;
    const pull = this.#pulls.get(call);
    if (pull !== undefined) {
      this.#pulls.delete(call);
      return this.#feed({ kind: 'pulled', pull, held: [] });
    }
    const message = this.#breaks.get(call);
    if (message !== undefined) {
      this.#breaks.delete(call);
      if (reason !== 'closed') this.#feed({ kind: 'unacknowledged', message });
      return;
    }
    this.#ended(call);
    this.#outgoing.aborted(call, reason);
    if (reason === 'spool') void this.makeRoom();
    const withdrawn = reason === 'peer' && code < FIRST_LINK_CODE;
    if (this.#together?.aborted(call, withdrawn) === true) return;
    this.#feed({ kind: 'aborted', call, withdrawn });
  }

  progress(): void {}

  statistics(): void {}

  unread(connection: ConnectionId): void {
    this.#peers.unread(connection);
  }

  #reply(effect: Extract<Effect, { kind: 'reply' }>): void {
    const { reply, content, afterBreak } = effect;
    const { inPieces } = this.#runtime;
    const isWhole = content !== null || inPieces === null;
    const parts = isWhole ? null : replyInParts(reply.rpc, reply.body, afterBreak);
    if (parts === null || inPieces === null)
      this.#encoded(effect, encodeReply(reply.rpc, reply.body, afterBreak));
    else inPieces(then(parts, (header) => this.#encoded(effect, header)));
  }

  #encoded(
    { call, reply, content, afterBreak }: Extract<Effect, { kind: 'reply' }>,
    header: Uint8Array,
  ): void {
    if (header.length > MAX_HEADER_BYTES) {
      this.#ports.log.error('a reply is too long', { rpc: reply.rpc, bytes: header.length });
      this.#fail(call, 'internal', 'the answer is too long', afterBreak);
    } else if (content === null) {
      this.#linked().reply(call, { header, content: null });
    } else {
      const turn = this.#turns.get(call) ?? NO_TURN;
      this.#outgoing.reply({
        ...{ call, content, turn, header: (stream) => told(header, stream) },
        without: reply.rpc === 'Changes' ? () => without(reply.body) : null,
      });
    }
    /** The feed goes on without what only goes along. */
    function without({ brought: _, ...body }: ReplyOf<'Changes'>): Uint8Array {
      return encodeReply('Changes', body, afterBreak);
    }
    function told(untold: Uint8Array, stream: ReplyStream | null): Uint8Array {
      if (stream === null || reply.rpc !== 'Fetch') return untold;
      return encodeReply('Fetch', { ...reply.body, stream }, afterBreak);
    }
  }

  #replyTogether({ call, body, afterBreak }: Answered): void {
    this.#linked().reply(call, {
      header: encodeReply('StoreMany', body, afterBreak),
      content: null,
    });
  }

  /** True: its stream goes on from a part that is here. */
  #noteStream(
    connection: ConnectionId,
    call: CallId,
    priorityClass: PriorityClass,
    request: AnyRequest,
  ): boolean {
    const fingerprint = this.#peers.fingerprint(connection);
    if (this.#streams === null || fingerprint === undefined) return false;
    if (request.rpc === 'Store' && request.body.stream !== undefined) {
      const { stream, volume } = request.body;
      return this.#streams.incoming.begins(call, { connection, fingerprint, volume }, stream);
    }
    if (request.rpc === 'Fetch' && request.body.base !== undefined) {
      this.#turns.set(call, { urgency: urgency(priorityClass), whose: fingerprint });
    }
    return false;
  }

  #ended(call: CallId): void {
    this.#turns.delete(call);
    this.#fetches.ended(call);
    this.#streams?.incoming.ended(call);
  }

  #rebuild(effect: Extract<Effect, { kind: 'rebuild' }>): void {
    if (this.#streams !== null) {
      this.#streams.rebuild(effect);
      return;
    }
    this.#discard(effect.path);
    this.#feed({ kind: 'not-rebuilt', call: effect.call, code: 'unknown-base' });
  }

  #tellBegun({ call, connection, fingerprint, streams }: Extract<Effect, { kind: 'begun' }>): void {
    const lengths =
      this.#streams?.incoming.lengths(connection, fingerprint, streams) ??
      Promise.resolve(streams.map(() => 0));
    void lengths.then((known) => this.#feed({ kind: 'begun', call, lengths: known }));
  }

  #raise({ call, connection, fid, version }: Extract<Effect, { kind: 'raise' }>): void {
    const found = this.#fetches.find(connection, { fid, version });
    if (found !== null) {
      const { priorityClass } = RPCS.Fetch;
      this.#linked().setClass(found, priorityClass);
      const turn = this.#turns.get(found);
      if (turn !== undefined) this.#turns.set(found, { ...turn, urgency: urgency(priorityClass) });
    }
    void Promise.resolve().then(() => this.#feed({ kind: 'raised', call, raised: found !== null }));
  }

  #fail(call: CallId, code: ErrorCode, detail = '', afterBreak = 0): void {
    const header = encodeFailure(code, detail, afterBreak);
    this.#linked().reply(call, { header, content: null });
  }

  #close(connection: ConnectionId): void {
    this.#peers.left(connection);
    this.#linked().close(connection);
  }

  #linked(): Transport {
    return present(this.#link, 'a link is attached');
  }

  #keep(call: CallId, path: string, digest: Digest): void {
    this.#put(path, digest).then(
      () => this.#feed({ kind: 'kept', call }),
      (error: unknown) => {
        const code = error instanceof GodwitError ? error.code : 'internal';
        this.#ports.log.error('contents could not be kept', { code, error: String(error) });
        this.#discard(path);
        this.#feed({ kind: 'not-kept', call, code });
      },
    );
  }

  async #put(path: string, digest: Digest): Promise<void> {
    const bytes = this.#together?.bytesAt(path) ?? null;
    if (bytes === null) return this.#putIn((store) => store.put(path, digest));
    await this.#putIn((store) => store.putBytes(bytes, digest));
    this.#together?.release(path);
  }

  /** A disk that is full is tried once more, without what can be had again. */
  async #putIn(put: (store: ContentStore) => Promise<void>): Promise<void> {
    const { contentStore } = this.#ports;
    try {
      await put(contentStore);
    } catch (full) {
      if (!(full instanceof GodwitError) || full.code !== 'server-full') throw full;
      if (!(await this.makeRoom())) throw full;
      // The first time may have got as far as moving the file away: then it is full still.
      await put(contentStore).catch(() => {
        throw full;
      });
    }
  }

  #discard(path: string): void {
    if (this.#together?.release(path) === true) return;
    this.#ports.contentStore.discard(path).catch((error: unknown) => {
      this.#ports.log.warn('a spool file could not be removed', { error: String(error) });
    });
  }
}
