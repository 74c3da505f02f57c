import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TransportHandler, ConnectionStatistics } from '../ports/transport.ts';
import { TransportMeter } from './transport-meter.ts';

const ABOUT = { peer: 'ab', address: '127.0.0.1:1', inbound: true };
const NEXT = { priorityClass: 'FETCH', header: new Uint8Array(), contentLength: 0 } as const;

const told = (sentBytes: number, receivedBytes: number, lostPackets = 0): ConnectionStatistics => ({
  rttMs: 1,
  minRttMs: 1,
  bytesInFlight: 0,
  congestionWindow: 1,
  sentBytes,
  receivedBytes,
  lostPackets,
  bulkBytesPerSecond: null,
});

let heard: unknown[][];
let meter: TransportMeter;
let handler: TransportHandler;

/** Writes down every event, as a class with private state does: it must be called on itself. */
class Listener {
  readonly #heard = heard;
  note(name: string, args: unknown[]): void {
    this.#heard.push([name, ...args]);
  }
}

beforeEach(() => {
  heard = [];
  meter = new TransportMeter();
  const listener = new Listener();
  const inner = new Proxy(listener, {
    get:
      (to, name: string) =>
      (...args: unknown[]) =>
        to.note(name, args),
  });
  handler = meter.over(inner as unknown as TransportHandler);
});

const value = (name: string): number | undefined =>
  meter.figures('godwit').find((figure) => figure.name === `godwit_link_${name}`)?.samples[0]
    ?.value;

describe('the meter of a link', () => {
  it('passes every event on unchanged', () => {
    const events: Array<[keyof TransportHandler, unknown[]]> = [
      ['connected', [1, ABOUT]],
      ['incoming', [1, 2, NEXT]],
      ['reply', [2, { header: new Uint8Array(), contentLength: 0 }]],
      ['content', [2, { path: '/p', length: 1, digest: 'd' }]],
      ['partial', [2, { path: '/p', length: 1 }]],
      ['sent', [2, null]],
      ['aborted', [2, 'peer', 3]],
      ['progress', [2, { sentBytes: 1, receivedBytes: 2 }]],
      ['statistics', [1, told(1, 2)]],
      ['unread', [1]],
      ['closed', [1, 'idle', 'why']],
    ];
    expect(Object.keys(handler).sort()).toEqual(events.map(([name]) => name).sort());
    for (const [name, args] of events) (handler[name] as (...args: unknown[]) => void)(...args);
    expect(heard).toEqual(events.map(([name, args]) => [name, ...args]));
  });

  it('continues its sums when another connection starts at zero', () => {
    handler.connected(1, ABOUT);
    handler.statistics(1, told(100, 10, 1));
    handler.statistics(1, told(150, 30, 1));
    handler.closed(1, 'idle', '');
    expect(value('sent_bytes_total')).toBe(150);
    handler.connected(2, ABOUT);
    handler.statistics(2, told(5, 1, 2));
    expect(value('sent_bytes_total')).toBe(155);
    expect(value('received_bytes_total')).toBe(31);
    expect(value('lost_packets_total')).toBe(3);
    expect(value('connections_total')).toBe(2);
  });

  it('separates simultaneous connections', () => {
    handler.statistics(1, told(100, 0));
    handler.statistics(2, told(10, 0));
    handler.statistics(1, told(101, 0));
    handler.statistics(2, told(12, 0));
    expect(value('sent_bytes_total')).toBe(113);
  });

  it('never decreases, also when a handshake starts again', () => {
    handler.statistics(1, told(100, 0));
    handler.statistics(1, told(40, 0));
    expect(value('sent_bytes_total')).toBe(140);
  });

  it('counts requests of the other side by class', () => {
    handler.incoming(1, 1, NEXT);
    handler.incoming(1, 2, NEXT);
    handler.incoming(1, 3, { ...NEXT, priorityClass: 'VALIDATE' });
    const figure = meter.figures('g').find(({ name }) => name === 'g_link_requests_total');
    expect(figure?.samples).toEqual([
      { labels: { class: 'FETCH' }, value: 2 },
      { labels: { class: 'VALIDATE' }, value: 1 },
    ]);
  });
});
