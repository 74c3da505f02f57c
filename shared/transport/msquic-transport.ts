/**
 * The Link port over MsQuic. What decides is in the addon (`native/`); this class gives it the port's shape.
 *
 * Invariants
 * 1. No handler call comes from inside a method: all of them come from a batch of events, or from a later turn of
 *    the event loop.
 * 2. A request on a connection that has ended, though `closed` has not been called yet, is aborted before that call
 *    (contract 5); one made after that is aborted on its own.
 * 3. A pending `listen` or `shutdown` keeps the process alive; an idle endpoint doesn't.
 */
import { accessSync, constants, rmSync } from 'node:fs';

import { urgency } from '../model/priority-class.ts';
import type { PriorityClass } from '../model/priority-class.ts';
import type { Scheduling } from '../model/scheduling.ts';
import type {
  CallId,
  CloseReason,
  ConnectionId,
  ConnectOptions,
  ContentSource,
  EndpointOptions,
  Transport,
  ListenOptions,
} from '../ports/transport.ts';
import { KEEP_PARTIAL, TransportError } from '../ports/transport.ts';
import { native } from './binding.ts';
import { dispatch } from './transport-events.ts';
import type { EventSink } from './transport-events.ts';

/** Longest delay of a timer; what it calls does nothing, it only keeps the process alive. */
const FOREVER_MS = 2 ** 31 - 1;

/** Events are delivered for so many milliseconds at a time, so that a new one waits little. */
const TAKING_MS = 0.25;

export interface MsquicTransportOptions extends EndpointOptions {
  /** Left out: by priorities. */
  readonly scheduling?: Scheduling;
  /** Test only: connect without presenting a certificate. */
  readonly anonymous?: boolean;
}

interface Outgoing {
  readonly header: Uint8Array;
  readonly content: ContentSource | null;
}

/**
 * The transport port over MsQuic, through the native addon. Throws a TransportError if the identity or
 * spool is unusable.
 */
export class MsquicTransport implements Transport {
  readonly #endpoint: number;
  readonly #options: MsquicTransportOptions;
  readonly #sink: EventSink;
  /** Closed here; `closed` has not been called yet. */
  readonly #closing = new Set<ConnectionId>();
  /** Calls on them that came behind the close; no event is delivered for them. */
  readonly #unheard = new Map<CallId, ConnectionId>();
  /** Connections whose `closed` has not been called, and the requests on them that failed at once. */
  readonly #connections = new Map<ConnectionId, CallId[]>();
  #shutdown: Promise<void> | null = null;
  #ended: () => void = () => undefined;
  #nextFailed = -1;
  /** By what was taken last, milliseconds. */
  #spent = 0;

  /** Throws a TransportError `spool` where the spool folder can't be written. */
  constructor(options: MsquicTransportOptions) {
    try {
      accessSync(options.spool, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new TransportError('spool', `The spool folder can't be used: ${String(error)}`);
    }
    this.#options = options;
    this.#sink = this.#makeSink();
    this.#endpoint = native.endpointOpen(
      {
        certificatePem: options.identity.certificatePem,
        privateKeyPem: options.identity.privateKeyPem,
        spool: options.spool,
        maxHeaderBytes: options.maxHeaderBytes,
        partialFrom: options.partialFrom ?? KEEP_PARTIAL,
        uniform: options.scheduling === 'uniform',
        ...(options.strangers === undefined ? {} : { strangers: options.strangers }),
        anonymous: options.anonymous ?? false,
      },
      () => this.#take(),
    );
  }

  async listen(options: ListenOptions): Promise<{ host: string; port: number }> {
    const answer = await native.endpointListen(this.#endpoint, options.host, options.port);
    if (answer.code !== undefined) {
      throw new TransportError(answer.code as TransportError['code'], answer.message);
    }
    return { host: answer.host, port: answer.port };
  }

  connect(options: ConnectOptions): ConnectionId {
    const { host, port, pin } = options;
    const connection = native.endpointConnect(this.#endpoint, host, port, pin);
    if (connection === 0) return this.#failedConnection();
    this.#connections.set(connection, []);
    return connection;
  }

  request(connection: ConnectionId, request: { priorityClass: PriorityClass } & Outgoing): CallId {
    const { header, content } = request;
    const call = native.endpointRequest(
      this.#endpoint,
      connection,
      urgency(request.priorityClass),
      header,
      content?.path ?? null,
      content?.offset ?? 0,
      content?.length ?? 0,
    );
    if (call < 0) this.#stillborn(connection, -call);
    return Math.abs(call);
  }

  reply(call: CallId, reply: Outgoing): void {
    const { header, content } = reply;
    native.endpointReply(
      this.#endpoint,
      call,
      header,
      content?.path ?? null,
      content?.offset ?? 0,
      content?.length ?? 0,
    );
  }

  setClass(call: CallId, priorityClass: PriorityClass): void {
    native.endpointSetClass(this.#endpoint, call, urgency(priorityClass));
  }

  abort(call: CallId, code: number): void {
    native.endpointAbort(this.#endpoint, call, code);
  }

  rebind(connection: ConnectionId): void {
    native.endpointRebind(this.#endpoint, connection);
  }

  admit(connection: ConnectionId): void {
    native.endpointAdmit(this.#endpoint, connection);
  }

  limit(connection: ConnectionId, bytesPerSecond: number | null): void {
    native.endpointLimit(this.#endpoint, connection, bytesPerSecond ?? 0);
  }

  close(connection: ConnectionId): void {
    this.#closing.add(connection);
    native.endpointCloseConnection(this.#endpoint, connection);
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= new Promise((resolve) => {
      const alive = setInterval(() => undefined, FOREVER_MS);
      this.#ended = () => {
        clearInterval(alive);
        resolve();
      };
      native.endpointShutDown(this.#endpoint);
    });
    return this.#shutdown;
  }

  /** A connection that failed before it began: no address, no endpoint. Its `closed` comes in a later turn. */
  #failedConnection(): ConnectionId {
    const connection = this.#nextFailed--;
    if (this.#shutdown === null) {
      this.#connections.set(connection, []);
      setImmediate(() => {
        this.#closed(connection, 'failed', 'the pin is not a fingerprint');
      });
    }
    return connection;
  }

  #stillborn(connection: ConnectionId, call: CallId): void {
    const waiting = this.#connections.get(connection);
    if (waiting !== undefined) {
      waiting.push(call);
    } else if (this.#shutdown === null) {
      setImmediate(() => {
        this.#options.handler.aborted(call, 'closed', 0);
      });
    }
  }

  #closed(connection: ConnectionId, reason: CloseReason, detail: string): void {
    const handler = this.#options.handler;
    for (const call of this.#connections.get(connection) ?? []) handler.aborted(call, 'closed', 0);
    this.#connections.delete(connection);
    this.#closing.delete(connection);
    for (const [call, its] of this.#unheard) if (its === connection) this.#unheard.delete(call);
    handler.closed(connection, reason, detail);
  }

  /**
   * Turns of connections, and what each has cost: their lanes are charged for it. After a moment the event loop goes on, for timers, and for what else
   * it has: of what has just been asked, too.
   */
  #take(): void {
    const until = performance.now() + TAKING_MS;
    let [isMore, now] = [true, performance.now()];
    while (isMore && now < until) {
      const batch = native.endpointTake(this.#endpoint, this.#spent);
      dispatch(batch, this.#sink);
      const after = performance.now();
      this.#spent = after - now;
      now = after;
      isMore = batch.more;
    }
    if (isMore) setImmediate(() => this.#take());
  }

  #makeSink(): EventSink {
    const handler = this.#options.handler;
    return {
      connected: (connection, about) => {
        if (about.inbound) this.#connections.set(connection, []);
        handler.connected(connection, about);
      },
      closed: (connection, reason, detail) => {
        this.#closed(connection, reason, detail);
      },
      incoming: (connection, call, request) => {
        // It was closed in this batch: later events of it are dropped (contract 10).
        if (this.#closing.has(connection)) this.#unheard.set(call, connection);
        else handler.incoming(connection, call, request);
      },
      reply: (call, reply) => {
        handler.reply(call, reply);
      },
      content: (call, content) => {
        if (this.#unheard.has(call)) rmSync(content.path, { force: true });
        else handler.content(call, content);
      },
      partial: (call, content) => {
        if (this.#unheard.has(call)) rmSync(content.path, { force: true });
        else handler.partial(call, content);
      },
      sent: (call, digest) => {
        handler.sent(call, digest);
      },
      aborted: (call, reason, code) => {
        if (!this.#unheard.delete(call)) handler.aborted(call, reason, code);
      },
      progress: (call, progress) => {
        handler.progress(call, progress);
      },
      statistics: (connection, statistics) => {
        handler.statistics(connection, statistics);
      },
      unread: (connection) => {
        handler.unread(connection);
      },
      ended: () => {
        native.endpointForget(this.#endpoint);
        this.#ended();
      },
    };
  }
}
