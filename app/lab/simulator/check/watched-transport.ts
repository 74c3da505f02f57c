/**
 * The server's end of the network, seen from between its runtime and its link: to whom it sends, and when it has answered the
 * updates of whom. Nothing of it is decoded but the results of updates.
 */
import type {
  CallId,
  ConnectionId,
  Fingerprint,
  Transport,
  TransportHandler,
} from '../../../../shared/ports/transport.ts';
import type { UpdateResult } from '../../../../shared/model/update.ts';
import { decodeReply } from '../../../../shared/wire/codec.ts';
import { RPCS } from '../../../../shared/wire/rpcs.ts';
import type { Observe } from './observation.ts';

/** A reply is the MessagePack array [0, body] or [1, code, detail] (shared/wire/codec.ts). */
const FAILURE = 1;

type UpdateRpc = 'Apply' | 'Store' | 'StoreMany';

const UPDATE_RPCS = new Map<unknown, UpdateRpc>([
  [RPCS.Apply.ordinal, 'Apply'],
  [RPCS.Store.ordinal, 'Store'],
  [RPCS.StoreMany.ordinal, 'StoreMany'],
]);

interface OpenCall {
  readonly peer: Fingerprint;
  readonly connection: ConnectionId;
  /** Null: no update. */
  readonly rpc: UpdateRpc | null;
}

/**
 * Wraps the server's transport and its handler so that a checker hears what is sent and answered.
 */
export class WatchedTransport {
  readonly #hear: Observe;
  readonly #peers = new Map<ConnectionId, Fingerprint>();
  readonly #calls = new Map<CallId, OpenCall>();

  constructor(hear: Observe) {
    this.#hear = hear;
  }

  handler(inner: TransportHandler): TransportHandler {
    return {
      connected: (connection, about) => {
        this.#peers.set(connection, about.peer);
        inner.connected(connection, about);
      },
      closed: (connection, reason, detail) => {
        this.#peers.delete(connection);
        for (const [call, open] of this.#calls) {
          if (open.connection === connection) this.#calls.delete(call);
        }
        inner.closed(connection, reason, detail);
      },
      incoming: (connection, call, request) => {
        const peer = this.#peers.get(connection);
        if (peer !== undefined) {
          this.#calls.set(call, { peer, connection, rpc: updateRpc(request.header) });
        }
        inner.incoming(connection, call, request);
      },
      aborted: (call, reason, code) => {
        this.#calls.delete(call);
        inner.aborted(call, reason, code);
      },
      reply: (call, reply) => inner.reply(call, reply),
      content: (call, content) => inner.content(call, content),
      partial: (call, content) => inner.partial(call, content),
      sent: (call, digest) => inner.sent(call, digest),
      progress: (call, progress) => inner.progress(call, progress),
      statistics: (connection, statistics) => inner.statistics(connection, statistics),
      unread: (connection) => inner.unread(connection),
    };
  }

  link(inner: Transport): Transport {
    return {
      listen: (options) => inner.listen(options),
      connect: (options) => inner.connect(options),
      request: (connection, request) => {
        const peer = this.#peers.get(connection);
        if (peer !== undefined) this.#hear({ kind: 'sent', peer });
        return inner.request(connection, request);
      },
      reply: (call, reply) => {
        this.#replied(call, reply.header);
        inner.reply(call, reply);
      },
      setClass: (call, priorityClass) => inner.setClass(call, priorityClass),
      abort: (call, code) => inner.abort(call, code),
      rebind: (connection) => inner.rebind(connection),
      admit: (connection) => inner.admit(connection),
      limit: (connection, rate) => inner.limit(connection, rate),
      close: (connection) => inner.close(connection),
      shutdown: () => inner.shutdown(),
    };
  }

  #replied(call: CallId, header: Uint8Array): void {
    const open = this.#calls.get(call);
    if (open === undefined) return;
    this.#calls.delete(call);
    const { peer, rpc } = open;
    if (header[1] === FAILURE) return;
    this.#hear({ kind: 'sent', peer });
    if (rpc === null) return;
    const results = resultsIn(rpc, header);
    if (results.length > 0) this.#hear({ kind: 'told', peer, results });
  }
}

/** The results of updates in a reply. A failure has none, nor has an update among several that failed or is not decided yet. */
function resultsIn(rpc: UpdateRpc, header: Uint8Array): readonly UpdateResult[] {
  if (rpc === 'StoreMany') {
    const reply = decodeReply(rpc, header);
    const told = reply.ok ? reply.body.results : [];
    return told.flatMap((one) => (one !== null && 'result' in one ? [one.result] : []));
  }
  const reply = decodeReply(rpc, header);
  if (!reply.ok) return [];
  return 'result' in reply.body ? [reply.body.result] : reply.body.results;
}

/** A request is the MessagePack array [ordinal, body] (shared/wire/codec.ts). */
function updateRpc(header: Uint8Array): UpdateRpc | null {
  return header[0] === 0x92 ? (UPDATE_RPCS.get(header[1]) ?? null) : null;
}
