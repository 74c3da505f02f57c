/**
 * Sums what passes a Link over all its connections: it stands before the handler, and hands every event on as it came.
 *
 * What a connection tells of itself begins at zero with each; sums of the process never go down. A connection tells four times a second
 * at most, so what it moved after its last report is missing.
 */
import type { PriorityClass } from '../model/priority-class.ts';
import type { ConnectionId, TransportHandler, ConnectionStatistics } from '../ports/transport.ts';
import { counter, each, type Figure } from './figure.ts';

type Totals = Pick<ConnectionStatistics, 'sentBytes' | 'receivedBytes' | 'lostPackets'>;

const NOTHING: Totals = { sentBytes: 0, receivedBytes: 0, lostPackets: 0 };

/** Counts connections, requests and bytes of a transport by wrapping its handler. */
export class TransportMeter {
  #sum = NOTHING;
  #connections = 0;
  readonly #requests = new Map<PriorityClass, number>();
  /** The last report of each open connection. */
  readonly #last = new Map<ConnectionId, Totals>();

  over(handler: TransportHandler): TransportHandler {
    return {
      connected: (connection, about) => {
        this.#connections += 1;
        handler.connected(connection, about);
      },
      closed: (connection, reason, detail) => {
        this.#last.delete(connection);
        handler.closed(connection, reason, detail);
      },
      incoming: (connection, call, request) => {
        const { priorityClass } = request;
        this.#requests.set(priorityClass, (this.#requests.get(priorityClass) ?? 0) + 1);
        handler.incoming(connection, call, request);
      },
      statistics: (connection, statistics) => {
        this.#add(connection, statistics);
        handler.statistics(connection, statistics);
      },
      reply: (call, reply) => handler.reply(call, reply),
      content: (call, content) => handler.content(call, content),
      partial: (call, content) => handler.partial(call, content),
      sent: (call, digest) => handler.sent(call, digest),
      aborted: (call, reason, code) => handler.aborted(call, reason, code),
      progress: (call, progress) => handler.progress(call, progress),
      unread: (connection) => handler.unread(connection),
    };
  }

  /** Of all connections so far. */
  get bytes(): { readonly sentBytes: number; readonly receivedBytes: number } {
    const { sentBytes, receivedBytes } = this.#sum;
    return { sentBytes, receivedBytes };
  }

  /** Of one that is open, as it last reported. */
  bytesOf(connection: ConnectionId): {
    readonly sentBytes: number;
    readonly receivedBytes: number;
  } {
    const { sentBytes, receivedBytes } = this.#last.get(connection) ?? NOTHING;
    return { sentBytes, receivedBytes };
  }

  /** `prefix`: whose link it is. */
  figures(prefix: string): Figure[] {
    const { sentBytes, receivedBytes, lostPackets } = this.#sum;
    const name = (rest: string): string => `${prefix}_link_${rest}`;
    return [
      counter(name('connections_total'), 'Connections that were made.', this.#connections),
      counter(name('sent_bytes_total'), 'Bytes sent, as payload of UDP.', sentBytes),
      counter(name('received_bytes_total'), 'Bytes received, as payload of UDP.', receivedBytes),
      counter(name('lost_packets_total'), 'Packets sent that were lost on the way.', lostPackets),
      counter(
        name('requests_total'),
        'RPCs that the other side began, by priority class.',
        each(
          'class',
          this.#requests,
          ([priorityClass]) => priorityClass,
          ([, count]) => count,
        ),
      ),
    ];
  }

  #add(connection: ConnectionId, now: ConnectionStatistics): void {
    const last = this.#last.get(connection) ?? NOTHING;
    this.#last.set(connection, now);
    this.#sum = {
      sentBytes: this.#sum.sentBytes + grown(last.sentBytes, now.sentBytes),
      receivedBytes: this.#sum.receivedBytes + grown(last.receivedBytes, now.receivedBytes),
      lostPackets: this.#sum.lostPackets + grown(last.lostPackets, now.lostPackets),
    };
  }
}

/** A handshake that goes on at another address of the host begins at zero again. */
function grown(last: number, now: number): number {
  return now < last ? now : now - last;
}
