/** The connection of a client of the bench to its server: what is sent arrives later, unless the connection has ended by then. */
import type { Event, RpcReply } from '../../daemon/core/events.ts';
import type { Effect } from '../../daemon/core/effects.ts';
import type { CloseReason } from '../../shared/ports/transport.ts';
import { present } from '../../shared/util/assert.ts';
import type { ReplyContent } from '../../server/core/events.ts';
import { digestOfText } from './bench-disk.ts';
import type { BenchServer } from './bench-server.ts';

interface LineBench {
  readonly server: BenchServer;
  id(): number;
  later(what: string, run: () => void): void;
}

interface LineClient {
  readonly number: number;
  readonly disk: Map<string, string>;
  readonly online: boolean;
  feed(event: Event): void;
  /** Runs the callback later, unless the client has crashed by then. */
  local(what: string, run: () => void): void;
}

/** A connection whose messages arrive when the bench lets them. */
export class BenchLine {
  readonly #bench: LineBench;
  readonly #client: LineClient;
  #connection: number | null = null;
  #requests = new Map<number, { server: number; rpc: string }>();

  constructor(bench: LineBench, client: LineClient) {
    this.#bench = bench;
    this.#client = client;
  }

  acknowledge({ call, told }: Extract<Effect, { kind: 'acknowledge' }>): void {
    const about = told === undefined ? {} : { told };
    this.#soon('acknowledged', () => {
      this.#bench.server.feed({ kind: 'acknowledged', message: call, ...about });
    });
  }

  /** Runs the callback later, unless the connection has ended by then. */
  #soon(what: string, run: () => void): void {
    const connection = this.#connection;
    this.#bench.later(what, () => {
      if (connection !== null && connection === this.#connection) run();
    });
  }

  connect(): void {
    const connection = this.#bench.id();
    this.#connection = connection;
    this.#soon('connect', () => {
      if (!this.#client.online) return this.drop('unreachable', true);
      const fingerprint = String(this.#client.number).padStart(64, 'f');
      this.#bench.server.connect(connection, fingerprint, {
        replied: (call, reply, content) => this.#replied(call, reply, content),
        broken: (call, items, number) => {
          const numbered = number === undefined ? {} : { number };
          this.#soon('break', () =>
            this.#client.feed({ kind: 'breaks', call, items, ...numbered }),
          );
        },
        closedByServer: () => this.#soon('closed', () => this.drop('peer', true)),
      });
      this.#client.feed({ kind: 'connected', token: this.#token() });
    });
  }

  #token(): string {
    return this.#bench.id().toString(16).padStart(32, '0');
  }

  request(effect: Extract<Effect, { kind: 'request' }>): void {
    const { request, message, content } = effect;
    const connection = this.#connection;
    if (connection === null) {
      this.#client.local('unsent', () => {
        this.#client.feed({ kind: 'aborted', request, reason: 'closed', jitter: 0.5 });
      });
      return;
    }
    const call = this.#bench.id();
    this.#requests.set(request, { server: call, rpc: message.rpc });
    const text = content === null ? null : this.#client.disk.get(content.name);
    this.#soon(message.rpc, () => {
      const contentLength = content?.length ?? 0;
      const body: unknown = JSON.parse(JSON.stringify(message.body));
      const asked = { rpc: message.rpc, body } as typeof message;
      if (this.#bench.server.isUnreadable(asked)) {
        return this.#replied(call, { ok: false, code: 'bad-message', detail: '' }, null);
      }
      this.#bench.server.request({
        kind: 'request',
        connection,
        call,
        request: asked,
        contentLength,
      });
      if (text === null) return;
      this.#soon('content', () => this.#sendContent(call, present(text, 'staged contents')));
    });
  }

  #sendContent(call: number, text: string): void {
    const digest = digestOfText(text);
    this.#bench.server.contents.set(digest, text);
    const { length } = text;
    this.#bench.server.feed({ kind: 'content', call, path: 'spool', length, digest });
  }

  #replied(call: number, reply: RpcReply, content: ReplyContent | null): void {
    const found = [...this.#requests].find(([, sent]) => sent.server === call);
    if (found === undefined) return;
    const [request] = found;
    this.#soon(`answer to ${found[1].rpc}`, () => {
      this.#requests.delete(request);
      this.#client.feed({
        kind: 'reply',
        request,
        reply: JSON.parse(JSON.stringify(reply)) as RpcReply,
        content: content === null ? null : this.#received(content),
        jitter: 0.5,
      });
    });
  }

  #received({ digest, length }: ReplyContent) {
    const path = `spool-${this.#bench.id()}`;
    this.#client.disk.set(
      path,
      present(this.#bench.server.contents.get(digest), 'stored contents'),
    );
    return { path, length, digest };
  }

  drop(reason: CloseReason, tell: boolean): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#connection = null;
    const calls = [...this.#requests.values()].map(({ server }) => server);
    const requests = [...this.#requests.keys()];
    this.#requests = new Map();
    this.#bench.later('gone', () => this.#bench.server.disconnect(connection, calls));
    if (!tell) return;
    for (const request of requests) {
      this.#client.feed({ kind: 'aborted', request, reason: 'closed', jitter: 0.5 });
    }
    this.#client.feed({ kind: 'closed', reason, detail: '', jitter: 0.5 });
  }
}
