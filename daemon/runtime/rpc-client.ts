/**
 * Between the core and the transport: requests out, replies in, every message validated (wire/codec.ts).
 */
import type {
  AbortReason,
  CallId,
  CallProgress,
  CloseReason,
  ConnectionId,
  ContentSource,
  Transport,
  TransportHandler,
  ReceivedContent,
} from '../../shared/ports/transport.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { formatHostPort, type HostPort } from '../../shared/model/host-port.ts';
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Random } from '../../shared/ports/random.ts';
import { decodeReply, decodeRequest, encodeReply, encodeRequest } from '../../shared/wire/codec.ts';
import type { ReplyOf, RpcName } from '../../shared/wire/rpcs.ts';
import { present } from '../../shared/util/assert.ts';
import { includedBy } from '../core/cache/brought.ts';
import type { AnyRpc, HiddenMarksReport } from '../core/effects.ts';
import type { Event, RpcReply, RequestId } from '../core/events.ts';
import type { Conversation, Ending, RequestEffect } from './transfers/conversation.ts';
import { OVER, STOPPED, type InPart, type OpenCall } from './open-call.ts';
import { StoreBatcher } from './store-batcher.ts';
import { Traffic, type Direction } from './traffic.ts';
import type { Transfers } from './transfers/transfers.ts';

/** A token of an incarnation: 32 hex digits. */
const TOKEN_BYTES = 16;

/** The code sent to the server when a request is to continue later. */
const ABORT_STOPPED = 0;

/** The code sent to a peer whose message is invalid. */
const ABORT_BAD_MESSAGE = 1;

export interface ServerAddress extends HostPort {
  readonly fingerprint: string;
}

export interface RpcClientPorts {
  readonly makeTransport: (handler: TransportHandler) => Transport;
  readonly server: ServerAddress;
  readonly fileStore: FileStore;
  readonly random: Random;
  readonly log: Log;
  readonly clock: Clock;
  readonly post: (event: Event) => void;
  /** Left out: contents are sent and fetched whole. */
  readonly transfers?: Transfers;
}

/**
 * Sends the core's requests to the server over one connection and posts the replies, breaks and
 * endings as events.
 */
export class RpcClient {
  /** What moves, for the status. */
  readonly traffic = new Traffic();
  readonly #ports: RpcClientPorts;
  readonly #link: Transport;
  readonly #calls = new Map<CallId, OpenCall>();
  /** The open call of each request that has one. */
  readonly #callOf = new Map<RequestId, CallId>();
  /** Bytes of contents that moved for requests, both ways. */
  readonly #movedFor = new Map<RequestId, number>();
  /** Requests of this connection that are carried out in part. */
  readonly #inPart = new Map<RequestId, InPart>();
  readonly #together: StoreBatcher;
  #server: ServerAddress;
  /** The address that the present connection was opened to. */
  #dialled: ServerAddress;
  #connection: ConnectionId | null = null;

  constructor(ports: RpcClientPorts) {
    this.#ports = ports;
    this.#server = ports.server;
    this.#dialled = ports.server;
    this.#together = new StoreBatcher({
      ...ports,
      alone: (effect, priorityClass) => this.#alone({ ...effect, priorityClass }),
      call: (requests, message, { priorityClass, content }, ended) => {
        const call = this.#call({ request: null, priorityClass }, message, content, ended);
        for (const request of requests) this.#callOf.set(request, call);
      },
      answered: (request, reply, moved) => {
        this.#callOf.delete(request);
        this.#movedFor.set(request, moved);
        this.#answered(request, reply, null);
      },
      aborted: (request, reason) => this.#aborted(request, reason),
    });
    this.#link = ports.makeTransport(this.#handler());
  }

  get server(): ServerAddress {
    return this.#server;
  }

  /** From the next connection on. Who answers there has to have the same key. */
  readdress({ host, port }: HostPort): void {
    this.#server = { ...this.#server, host, port };
  }

  /** Always with the key, never with a stored ticket: its reader could pass for this device. */
  connect(): void {
    this.#dialled = this.#server;
    const { host, port, fingerprint } = this.#dialled;
    this.traffic.connected();
    this.#connection = this.#link.connect({
      host,
      port,
      pin: fingerprint,
    });
  }

  disconnect(): void {
    if (this.#connection !== null) this.#link.close(this.#connection);
  }

  /** Contents leave no faster than this on the connection that there is. */
  limit(bytesPerSecond: number | null): void {
    if (this.#connection !== null) this.#link.limit(this.#connection, bytesPerSecond);
  }

  /** The machine's address may have changed. */
  rebind(): void {
    if (this.#connection !== null) this.#link.rebind(this.#connection);
  }

  send(effect: RequestEffect): void {
    if (this.#connection === null) return this.#aborted(effect.request, 'closed');
    const carryOut = this.#ports.transfers?.begin(effect) ?? null;
    if (carryOut !== null) return this.#carryOut(effect, carryOut);
    if (!this.#together.takes(effect)) this.#alone(effect);
  }

  #alone(effect: RequestEffect): void {
    const { request, message, content } = effect;
    if (this.#connection === null) return this.#aborted(request, 'closed');
    const source = content === null ? null : this.#sourceOf(content);
    this.#call(effect, message, source, (answer) => {
      if (answer.kind === 'reply') return this.#answered(request, answer.reply, answer.content);
      if (answer.partial !== null) this.#discard(answer.partial.path);
      this.#aborted(request, answer.reason);
    });
  }

  #sourceOf({ name, length }: { name: string; length: number }): ContentSource {
    return { ...this.#ports.fileStore.sourceOf(name), length };
  }

  /** Stops a request. Its end comes as an event, as always. A short file that is sent in a batch ends with the batch. */
  stop(request: RequestId): void {
    this.#together.stop(request);
    const conversation = this.#inPart.get(request);
    if (conversation !== undefined) conversation.isStopped = true;
    for (const [call, open] of this.#calls) {
      if (open.request === request) this.#link.abort(call, ABORT_STOPPED);
    }
  }

  acknowledge(call: CallId, told: HiddenMarksReport | undefined): void {
    const body = told === undefined ? {} : { told };
    this.#link.reply(call, { header: encodeReply('BreakCallback', body), content: null });
  }

  answerPull(call: CallId, held: readonly Fid[]): void {
    this.#link.reply(call, {
      header: encodeReply('ServerPull', { held: [...held] }),
      content: null,
    });
  }

  /** Also what is between two calls. */
  raise(request: RequestId, priorityClass: PriorityClass): void {
    const conversation = this.#inPart.get(request);
    if (conversation !== undefined) conversation.priorityClass = priorityClass;
    this.#together.raise(request, priorityClass);
    const call = this.#callOf.get(request);
    if (call === undefined) return;
    const open = this.#calls.get(call);
    if (open !== undefined) open.priorityClass = priorityClass;
    this.#link.setClass(call, priorityClass);
  }

  async shutdown(): Promise<void> {
    await this.#link.shutdown();
    await this.#ports.transfers?.settled();
  }

  /** On the connection that there is. */
  #call(
    { request, priorityClass }: Pick<OpenCall, 'request' | 'priorityClass'>,
    message: AnyRpc,
    content: ContentSource | null,
    ended: OpenCall['ended'],
  ): CallId {
    const connection = present(this.#connection, 'a call has a connection');
    const header = encodeRequest(message.rpc, message.body);
    const call = this.#link.request(connection, { priorityClass, header, content });
    const progress = ({ sentBytes, receivedBytes }: CallProgress): void => {
      if (request === null) return;
      this.#ports.post({ kind: 'progress', request, sentBytes, receivedBytes });
    };
    if (request !== null) this.#callOf.set(request, call);
    this.#moved('up', priorityClass, header.length);
    this.#calls.set(call, {
      request,
      rpc: message.rpc,
      priorityClass,
      moved: { up: 0, down: 0 },
      length: content?.length ?? 0,
      ...{ ended, progress, reply: null, partial: null },
    });
    return call;
  }

  #carryOut(effect: RequestEffect, work: (conversation: Conversation) => Promise<Ending>): void {
    const { request, priorityClass } = effect;
    const connection = this.#connection;
    const conversation: InPart = {
      isOver: false,
      isStopped: false,
      priorityClass,
      ask: (message, content) =>
        new Promise((resolve) => {
          if (conversation.isOver || connection !== this.#connection) return resolve(OVER);
          if (conversation.isStopped) return resolve(STOPPED);
          const about = { request, priorityClass: conversation.priorityClass };
          this.#call(about, message, content, resolve);
        }),
    };
    this.#inPart.set(request, conversation);
    void work(conversation)
      .catch((error: unknown): Ending => {
        this.#ports.log.error('a transfer failed', { why: (error as Error).message });
        return { kind: 'aborted', reason: 'local' };
      })
      .then((ending) => this.#carriedOut(effect, conversation, ending));
  }

  #carriedOut(effect: RequestEffect, { isOver }: InPart, ending: Ending): void {
    const { request } = effect;
    if (isOver) {
      const content = ending.kind === 'reply' ? ending.content : null;
      if (content !== null) this.#ports.transfers?.unclaimed(effect, content);
      return;
    }
    this.#inPart.delete(request);
    if (ending.kind === 'reply') this.#answered(request, ending.reply, ending.content);
    else this.#aborted(request, ending.reason);
  }

  #answered(request: RequestId, reply: RpcReply, content: ReceivedContent | null): void {
    const fraction = this.#ports.random.fraction();
    const moved = this.#movedFor.get(request) ?? 0;
    this.#movedFor.delete(request);
    const about = moved === 0 ? { request, reply } : { request, reply, moved };
    this.#ports.post({ kind: 'reply', ...about, content, jitter: fraction });
  }

  /** Also where the connection ended between the step and its effects; its end was posted before this. */
  #aborted(request: RequestId, reason: AbortReason): void {
    this.#movedFor.delete(request);
    this.#callOf.delete(request);
    if (reason === 'spool') this.#ports.transfers?.diskFull();
    const fraction = this.#ports.random.fraction();
    this.#ports.post({ kind: 'aborted', request, reason, jitter: fraction });
  }

  #handler(): TransportHandler {
    const { post, random } = this.#ports;
    return {
      connected: (connection) => {
        if (connection !== this.#connection) return;
        post({ kind: 'connected', token: random.hex(TOKEN_BYTES) });
      },
      closed: (connection, reason, detail) => this.#closed(connection, reason, detail),
      incoming: (connection, call, request) => {
        if (connection === this.#connection) this.#incoming(call, request.header);
        else this.#link.abort(call, 0);
      },
      reply: (call, reply) => this.#reply(call, reply.header, reply.contentLength),
      content: (call, content) => this.#content(call, content),
      partial: (call, partial) => {
        const open = this.#calls.get(call);
        if (open === undefined) this.#discard(partial.path);
        else open.partial = partial;
      },
      sent: (call) => {
        const open = this.#calls.get(call);
        if (open === undefined) return;
        this.#contents(open, 'up', open.length);
        if (open.rpc === 'GetTime') post({ kind: 'received' });
      },
      aborted: (call, reason) => {
        const open = this.#end(call);
        if (open === null) return;
        const { reply: begun, partial } = open;
        open.ended({ kind: 'aborted', reason, begun, partial });
      },
      progress: (call, progress) => {
        const open = this.#calls.get(call);
        if (open === undefined) return;
        this.#contents(open, 'up', progress.sentBytes);
        this.#contents(open, 'down', progress.receivedBytes);
        open.progress(progress);
      },
      statistics: (connection, statistics) => {
        if (connection !== this.#connection) return;
        this.traffic.statistics(statistics, this.#ports.clock.now());
        const { rttMs, minRttMs: baseRttMs, sentBytes, receivedBytes } = statistics;
        const { bulkBytesPerSecond } = statistics;
        const link = { rttMs, baseRttMs, sentBytes, receivedBytes, bulkBytesPerSecond };
        post({ kind: 'statistics', link });
      },
      // A server that takes no answers is met in its time limits.
      unread: () => undefined,
    };
  }

  #closed(connection: ConnectionId, reason: CloseReason, detail: string): void {
    if (connection !== this.#connection) return;
    this.#connection = null;
    // As the Link does with its open calls: what is between two of them ends before the connection does.
    for (const [request, conversation] of [...this.#inPart]) {
      conversation.isOver = true;
      this.#aborted(request, 'closed');
    }
    this.#inPart.clear();
    this.#together.closed();
    const { post, random } = this.#ports;
    const why = reason === 'pin-mismatch' ? this.#otherServer() : detail;
    post({ kind: 'closed', reason, detail: why, jitter: random.fraction() });
  }

  /** A person has to see which address that was. */
  #otherServer(): string {
    const { host, port } = this.#dialled;
    return `${formatHostPort({ host, port })}: the server there is not the one that was paired with`;
  }

  #incoming(call: CallId, header: Uint8Array): void {
    const { post, log } = this.#ports;
    try {
      const message = decodeRequest(header, 'server');
      if (message.rpc === 'ServerPull') return post({ kind: 'pull', call, ...message.body });
      if (message.rpc !== 'BreakCallback') return;
      const { items, number } = message.body;
      post({ kind: 'breaks', call, items, ...(number === undefined ? {} : { number }) });
    } catch (error) {
      log.warn('request from the server refused', { why: (error as Error).message });
      this.#link.abort(call, ABORT_BAD_MESSAGE);
    }
  }

  #reply(call: CallId, header: Uint8Array, contentLength: number): void {
    const open = this.#calls.get(call);
    if (open === undefined) return;
    this.#moved('down', open.priorityClass, header.length);
    const reply = this.#decoded(open.rpc, header);
    open.reply = { reply, contentLength };
    if (contentLength === 0) this.#complete(call, null);
    else this.#toldAhead(open, contentLength);
  }

  /** The changes are posted before the contents that come with them; the contents end the request, as those of a fetch do. */
  #toldAhead(open: OpenCall, contentLength: number): void {
    const received = open.reply?.reply;
    if (open.rpc !== 'Changes' || open.request === null || received?.ok !== true) return;
    this.#answered(open.request, received, null);
    const status = includedBy(received.body as ReplyOf<'Changes'>);
    if (status === undefined) return;
    const body: ReplyOf<'Fetch'> = { status, behind: false, grant: null };
    open.reply = { reply: { ...received, body }, contentLength };
  }

  #content(call: CallId, content: ReceivedContent): void {
    const open = this.#calls.get(call);
    if (open !== undefined) this.#contents(open, 'down', content.length);
    // It was not asked for, or no longer: it is removed here.
    if (!this.#complete(call, content)) this.#discard(content.path);
  }

  #moved(direction: Direction, priorityClass: PriorityClass, bytes: number): void {
    this.traffic.moved(direction, priorityClass, bytes, this.#ports.clock.now());
  }

  /** So many bytes of the call's contents have moved by now. */
  #contents(open: OpenCall, direction: Direction, bytes: number): void {
    const { request, moved, priorityClass } = open;
    const more = bytes - moved[direction];
    if (more <= 0) return;
    this.#moved(direction, priorityClass, more);
    moved[direction] = bytes;
    if (request === null) return;
    this.#movedFor.set(request, (this.#movedFor.get(request) ?? 0) + more);
  }

  #discard(spool: string): void {
    void this.#ports.fileStore.discard(spool).catch(() => undefined);
  }

  /** False: no answer is waited for. */
  #complete(call: CallId, content: ReceivedContent | null): boolean {
    const received = this.#calls.get(call)?.reply ?? null;
    const open = received === null ? null : this.#end(call);
    if (received === null || open === null) return false;
    open.ended({ kind: 'reply', reply: received.reply, content });
    return true;
  }

  #decoded(rpc: RpcName, header: Uint8Array): RpcReply {
    try {
      return decodeReply(rpc, header);
    } catch (error) {
      const detail = (error as Error).message;
      this.#ports.log.warn('answer of the server is no message', { rpc, why: detail });
      return { ok: false, code: 'bad-message', detail };
    }
  }

  #end(call: CallId): OpenCall | null {
    const open = this.#calls.get(call);
    if (open === undefined) return null;
    this.#calls.delete(call);
    const { request } = open;
    if (request !== null && this.#callOf.get(request) === call) this.#callOf.delete(request);
    return open;
  }
}
