/**
 * Between the core and the Link: requests out, their answers in, messages checked on the way (wire/codec.ts).
 */
import type {
  CallId,
  CallProgress,
  CloseReason,
  ConnectionId,
  Link,
  LinkHandler,
  ReceivedContent,
} from '../../shared/ports/link.ts';
import type { FileStore } from '../../shared/ports/file-store.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Random } from '../../shared/ports/random.ts';
import { decodeReply, decodeRequest, encodeReply, encodeRequest } from '../../shared/wire/codec.ts';
import type { RpcName } from '../../shared/wire/rpcs.ts';
import type { Effect } from '../core/effects.ts';
import type { Event, RpcReply, Serial } from '../core/events.ts';

/** A token of an incarnation: 32 hex digits. */
const TOKEN_BYTES = 16;

/** Told to the peer when it sent what is no message of ours. */
const ABORT_BAD_MESSAGE = 1;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly fingerprint: string;
}

export interface DriverPorts {
  readonly makeLink: (handler: LinkHandler) => Link;
  readonly server: ServerAddress;
  readonly fileStore: FileStore;
  readonly random: Random;
  readonly log: Log;
  readonly post: (event: Event) => void;
}

interface OpenCall {
  readonly request: Serial;
  readonly rpc: RpcName;
  reply: RpcReply | null;
}

export class LinkDriver {
  readonly #ports: DriverPorts;
  readonly #link: Link;
  readonly #calls = new Map<CallId, OpenCall>();
  #connection: ConnectionId | null = null;

  constructor(ports: DriverPorts) {
    this.#ports = ports;
    this.#link = ports.makeLink(this.#handler());
  }

  connect(ticket: string | null): void {
    const { host, port, fingerprint } = this.#ports.server;
    this.#connection = this.#link.connect({
      host,
      port,
      pin: fingerprint,
      ticket: ticket === null ? null : fromHex(ticket),
    });
  }

  disconnect(): void {
    if (this.#connection !== null) this.#link.close(this.#connection);
  }

  /** The machine's address may have changed. */
  rebind(): void {
    if (this.#connection !== null) this.#link.rebind(this.#connection);
  }

  send(effect: Extract<Effect, { kind: 'request' }>): void {
    const { request, message, priorityClass, content } = effect;
    if (this.#connection === null) return this.#unsent(request);
    const header = encodeRequest(message.rpc, message.body);
    const path = content === null ? '' : this.#ports.fileStore.pathOf(content.name);
    const call = this.#link.request(this.#connection, {
      priorityClass,
      header,
      content: content === null ? null : { path, offset: 0, length: content.length },
    });
    this.#calls.set(call, { request, rpc: message.rpc, reply: null });
  }

  acknowledge(call: CallId): void {
    this.#link.reply(call, { header: encodeReply('BreakCallback', {}), content: null });
  }

  async shutdown(): Promise<void> {
    await this.#link.shutdown();
  }

  /** The connection ended between the step and its effects; its end was posted before this. */
  #unsent(request: Serial): void {
    const fraction = this.#ports.random.fraction();
    this.#ports.post({ kind: 'aborted', request, reason: 'closed', fraction });
  }

  #handler(): LinkHandler {
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
      // Nobody goes on with it: the contents are fetched again, whole.
      partial: (_, { path }) => this.#discard(path),
      sent: () => undefined,
      aborted: (call, reason) => {
        const open = this.#end(call);
        if (open === null) return;
        post({ kind: 'aborted', request: open.request, reason, fraction: random.fraction() });
      },
      progress: (call, progress) => this.#progress(call, progress),
      statistics: (connection, { rttMs, sentBytes, receivedBytes }) => {
        if (connection !== this.#connection) return;
        post({ kind: 'statistics', link: { rttMs, sentBytes, receivedBytes } });
      },
      ticket: (connection, ticket) => {
        if (connection === this.#connection) post({ kind: 'ticket', ticket: toHex(ticket) });
      },
    };
  }

  #closed(connection: ConnectionId, reason: CloseReason, detail: string): void {
    if (connection !== this.#connection) return;
    this.#connection = null;
    this.#ports.post({ kind: 'closed', reason, detail, fraction: this.#ports.random.fraction() });
  }

  #incoming(call: CallId, header: Uint8Array): void {
    const { post, log } = this.#ports;
    try {
      const message = decodeRequest(header, 'server');
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
    const reply = this.#decoded(open.rpc, header);
    if (contentLength > 0) open.reply = reply;
    else this.#answered(call, reply, null);
  }

  #content(call: CallId, content: ReceivedContent): void {
    const reply = this.#calls.get(call)?.reply ?? null;
    // Nobody asked for it, or no longer: it is ours to remove.
    if (reply === null) this.#discard(content.path);
    else this.#answered(call, reply, content);
  }

  #discard(spool: string): void {
    void this.#ports.fileStore.discard(spool).catch(() => undefined);
  }

  #answered(call: CallId, reply: RpcReply, content: ReceivedContent | null): void {
    const open = this.#end(call);
    if (open === null) return;
    const fraction = this.#ports.random.fraction();
    this.#ports.post({ kind: 'reply', request: open.request, reply, content, fraction });
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

  #progress(call: CallId, { sentBytes, receivedBytes }: CallProgress): void {
    const request = this.#calls.get(call)?.request;
    if (request === undefined) return;
    this.#ports.post({ kind: 'progress', request, sentBytes, receivedBytes });
  }

  #end(call: CallId): OpenCall | null {
    const open = this.#calls.get(call);
    if (open === undefined) return null;
    this.#calls.delete(call);
    return open;
  }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
