/** A limit on the contents that leave (contract 12). Time is judged from below alone: who is slow keeps every limit. */
import { expect, it } from '@jest/globals';
import { limitBurst } from '../../shared/ports/transport.ts';
import {
  bytes,
  connectPair,
  contentOrder,
  ended,
  harness,
  MEDIUM,
  pattern,
  send,
} from './link-pair.ts';
import type { Peer } from './link-pair.ts';

const RATE = 400_000;
/** With this one a content of MEDIUM takes minutes. */
const CRAWL = 2_000;

/** What a limit lets leave since then, bytes. */
const mostSince = (began: number, rate = RATE): number =>
  (rate * (harness.now() - began)) / 1000 + limitBurst(rate);

/** The bytes of contents that have come, of all calls, each time some have. */
function watchArrivals(at: Peer, see: (bytes: number) => void): void {
  const came = new Map<number, number>();
  const note = (call: number, received: number): void => {
    came.set(call, received);
    see([...came.values()].reduce((sum, one) => sum + one, 0));
  };
  at.log.onProgress = (call, { receivedBytes }) => note(call, receivedBytes);
  at.log.onContent = ({ call, content }) => note(call, content.length);
}

export function limitTests(): void {
  it('a limit holds for all contents together, at each moment (contract 12)', async () => {
    const { client, server, connection } = await connectPair();
    const over: string[] = [];
    client.link.limit(connection, RATE);
    const began = harness.now();
    watchArrivals(server, (came) => {
      const most = mostSince(began);
      if (came > most) over.push(`${came} of ${most}`);
    });
    for (const [index, priorityClass] of (['STORE_DATA', 'FETCH', 'PREFETCH'] as const).entries()) {
      for (const length of [MEDIUM / 3, 5_000, 300]) {
        send(client, connection, `${index} ${length}`, { priorityClass, content: pattern(length) });
      }
    }
    await harness.until(() => server.log.all('content').length === 9, 'all contents');
    expect(over).toEqual([]);
  });

  it('a limit holds for the contents of replies (contract 12)', async () => {
    const { client, server, connection, inbound } = await connectPair();
    const path = server.writeFile('reply', pattern(MEDIUM));
    server.log.onIncoming = ({ call }) => {
      const content = { path, offset: 0, length: MEDIUM };
      server.link.reply(call, { header: bytes('reply'), content });
    };
    server.link.limit(inbound, RATE);
    const began = harness.now();
    await ended(client, send(client, connection, 'wanted'));
    expect(MEDIUM).toBeLessThanOrEqual(mostSince(began));
  });

  it('a limit does not hold headers back, nor what comes the other way (contract 12)', async () => {
    const { client, server, connection } = await connectPair();
    const path = server.writeFile('reply', pattern(MEDIUM));
    server.log.onIncoming = ({ call, contentLength }) => {
      const content = { path, offset: 0, length: MEDIUM };
      if (contentLength === 0) server.link.reply(call, { header: bytes('reply'), content });
    };
    client.link.limit(connection, CRAWL);
    send(client, connection, 'bulk', { priorityClass: 'STORE_DATA', content: pattern(MEDIUM) });
    await harness.until(() => server.log.has('incoming'), 'the bulk to begin');
    for (const priorityClass of ['VALIDATE', 'STORE_DATA', 'PREFETCH'] as const) {
      await ended(client, send(client, connection, priorityClass, { priorityClass }));
    }
    expect(server.log.has('content')).toBe(false);
  });

  it('a limit lets urgent contents leave before bulk that waits for it (contract 12)', async () => {
    const { client, server, connection } = await connectPair();
    client.link.limit(connection, RATE);
    send(client, connection, 'bulk', { priorityClass: 'STORE_DATA', content: pattern(MEDIUM) });
    await harness.until(() => server.log.has('incoming'), 'the bulk to begin');
    send(client, connection, 'fast', { priorityClass: 'STORE_FAST', content: pattern(20_000) });
    await harness.until(() => server.log.all('content').length === 2, 'both');
    expect(contentOrder(server)).toEqual(['fast', 'bulk']);
  });

  it('a limit can be taken away while contents wait for it (contract 12)', async () => {
    const { client, server, connection } = await connectPair();
    client.link.limit(connection, CRAWL);
    send(client, connection, 'bulk', { content: pattern(MEDIUM) });
    await harness.until(() => server.log.has('incoming'), 'the bulk to begin');
    client.link.limit(connection, null);
    await harness.until(() => server.log.has('content'), 'the bulk to end');
  });

  it('a limit can be set while contents are under way, and keeps no connection open (contract 12)', async () => {
    const { client, server, connection } = await connectPair();
    const call = send(client, connection, 'bulk', { content: pattern(harness.bulk) });
    await harness.until(() => server.log.has('incoming'), 'the bulk to begin');
    client.link.limit(connection, CRAWL);
    client.link.abort(call, 1);
    await harness.until(() => server.log.has('aborted'), 'its end');
    client.link.close(connection);
    await harness.until(() => server.log.has('closed'), 'the end of the connection');
    client.link.limit(connection, RATE);
  });
}
