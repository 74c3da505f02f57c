/** Strict priority between classes, first in first out inside one. */
import { expect, it } from '@jest/globals';
import {
  harness,
  MEDIUM,
  connectPair,
  bytes,
  pattern,
  send,
  ended,
  incomingNamed,
  contentOrder,
} from './link-pair.ts';

export function orderTests(): void {
  it('an urgent call overtakes bulk contents that began earlier (contract 3)', async () => {
    const { client, server, connection } = await connectPair();
    server.log.onIncoming = ({ call, contentLength }) => {
      if (contentLength === 0) server.link.reply(call, { header: bytes('quick'), content: null });
    };
    send(client, connection, 'bulk', {
      priorityClass: 'STORE_DATA',
      content: pattern(harness.bulk),
    });
    await harness.until(() => server.log.has('incoming'), 'the bulk to begin');
    const urgent = send(client, connection, 'urgent', { priorityClass: 'VALIDATE' });
    await ended(client, urgent);
    expect(server.log.has('content')).toBe(false);
    await harness.until(() => server.log.has('content'), 'the bulk to end');
  });

  it('contents of one class are sent first in, first out (contract 3)', async () => {
    const { client, connection } = await connectPair();
    const content = pattern(Math.ceil(harness.bulk / 8));
    const calls = ['a', 'b', 'c', 'd'].map((text) =>
      send(client, connection, text, { priorityClass: 'STORE_DATA', content }),
    );
    await harness.until(() => client.log.all('sent').length === calls.length, 'all of them');
    // `sent` comes with the acknowledgement, so a lost packet lets a neighbour's come first.
    const order = client.log.all('sent').map(({ call }) => calls.indexOf(call));
    for (const [place, call] of order.entries()) {
      expect(Math.abs(call - place)).toBeLessThanOrEqual(1);
    }
  });

  it('contents of a more urgent class overtake those that began earlier (contract 3)', async () => {
    const { client, server, connection } = await connectPair();
    send(client, connection, 'bulk', {
      priorityClass: 'STORE_DATA',
      content: pattern(harness.bulk),
    });
    await harness.until(() => server.log.has('incoming'), 'the bulk to begin');
    send(client, connection, 'fast', { priorityClass: 'STORE_FAST', content: pattern(MEDIUM) });
    await harness.until(() => server.log.all('content').length === 2, 'both');
    expect(contentOrder(server)).toEqual(['fast', 'bulk']);
  });

  it('contents raised to another class overtake earlier ones of their old class (contract 3)', async () => {
    const { client, server, connection } = await connectPair();
    send(client, connection, 'first', {
      priorityClass: 'PREFETCH',
      content: pattern(harness.bulk),
    });
    const raised = send(client, connection, 'raised', {
      priorityClass: 'PREFETCH',
      content: pattern(MEDIUM),
    });
    await harness.until(() => server.log.has('incoming'), 'the first to begin');
    client.link.setClass(raised, 'FETCH');
    await harness.until(() => server.log.all('content').length === 2, 'both');
    expect(contentOrder(server)).toEqual(['raised', 'first']);
  });

  it('a reply has the class of its request and can be raised too (contract 3)', async () => {
    const { client, server, connection } = await connectPair();
    const bulk = server.writeFile('bulk', pattern(harness.bulk));
    const small = server.writeFile('small', pattern(MEDIUM));
    server.log.onIncoming = ({ call, text }) => {
      const source =
        text === 'first'
          ? { path: bulk, offset: 0, length: harness.bulk }
          : { path: small, offset: 0, length: MEDIUM };
      server.link.reply(call, { header: bytes(text), content: source });
    };
    const first = send(client, connection, 'first', { priorityClass: 'PREFETCH' });
    await harness.until(() => client.log.has('reply'), 'the first reply to begin');
    const second = send(client, connection, 'second', { priorityClass: 'PREFETCH' });
    const third = send(client, connection, 'third', { priorityClass: 'FETCH' });
    await harness.until(() => incomingNamed(server, 'second') !== undefined, 'the second request');
    server.link.setClass(incomingNamed(server, 'second') ?? NaN, 'VALIDATE');
    await harness.until(() => client.log.all('content').length === 3, 'all replies');
    const done = client.log.all('content').map(({ call }) => call);
    expect(done.at(-1)).toBe(first);
    expect([...done].sort((a, b) => a - b)).toEqual([first, second, third]);
  });
}
