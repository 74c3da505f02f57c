/** How calls end: aborts, closes, limits, files that fail. */
import { expect, it } from '@jest/globals';
import { PEER_SOURCE_FAILED } from '../../shared/ports/transport.ts';
import {
  harness,
  HEADER_LIMIT,
  MEDIUM,
  connectPair,
  bytes,
  pattern,
  send,
  echo,
  ended,
  incomingNamed,
} from './link-pair.ts';

export function endingTests(): void {
  it('an abort by the caller reaches both sides once, with its code', async () => {
    const { client, server, connection } = await connectPair();
    const call = send(client, connection, 'x');
    await harness.until(() => server.log.has('incoming'), 'the request');
    client.link.abort(call, 4_000_000_000);
    const incoming = incomingNamed(server, 'x') ?? NaN;
    expect(await ended(server, incoming)).toEqual(['incoming', 'aborted']);
    expect(server.log.all('aborted')).toEqual([
      { kind: 'aborted', call: incoming, reason: 'peer', code: 4_000_000_000 },
    ]);
    await ended(client, call);
    expect(client.log.all('aborted')).toEqual([
      { kind: 'aborted', call, reason: 'local', code: 4_000_000_000 },
    ]);
  });

  it('an abort by the callee reaches both sides', async () => {
    const { client, server, connection } = await connectPair();
    server.log.onIncoming = ({ call }) => {
      server.link.abort(call, 7);
    };
    const call = send(client, connection, 'x');
    await ended(client, call);
    expect(client.log.all('aborted')).toEqual([{ kind: 'aborted', call, reason: 'peer', code: 7 }]);
    await ended(server, incomingNamed(server, 'x') ?? NaN);
    expect(server.log.all('aborted')[0]).toMatchObject({ reason: 'local', code: 7 });
    expect(client.log.inside + server.log.inside).toBe(0);
  });

  it('an abort midway removes received contents that are below the limit for partials (contract 8)', async () => {
    const tooMuch = { server: { partialFrom: 2 * harness.bulk } };
    const { client, server, connection } = await connectPair(tooMuch);
    const call = send(client, connection, 'big', { content: pattern(harness.bulk) });
    await harness.until(() => server.log.has('incoming'), 'the request');
    const incoming = incomingNamed(server, 'big') ?? NaN;
    await harness.until(() => server.log.progressOf.has(incoming), 'some of the content');
    client.link.abort(call, 0);
    expect(await ended(server, incoming)).toEqual(['incoming', 'aborted']);
    echo(server);
    await ended(client, send(client, connection, 'next'));
    await harness.settled(server.link.shutdown());
    expect(server.spooled()).toEqual([]);
  });

  it.each([
    ['short', 3000],
    ['long', MEDIUM],
  ])(
    'a close on a request leaves nothing of its %s contents (contract 8)',
    async (_how, length) => {
      const { client, server, connection, inbound } = await connectPair();
      server.log.onIncoming = () => server.link.close(inbound);
      const call = send(client, connection, 'closes', { content: pattern(length) });
      expect(await ended(client, call)).toContain('aborted');
      await harness.until(() => server.log.has('closed'), 'the close');
      await harness.settled(server.link.shutdown());
      // What was handed over is the handler's to remove.
      const told = [...server.log.all('partial'), ...server.log.all('content')];
      const handed = told.map(({ content }) => content.path);
      expect(server.spooled().filter((path) => !handed.includes(path))).toEqual([]);
    },
  );

  it('a close aborts the open calls of both sides before it is reported (contract 5)', async () => {
    const { client, server, connection, inbound } = await connectPair();
    const ours = [
      send(client, connection, 'a'),
      send(client, connection, 'b', { content: pattern(MEDIUM) }),
    ];
    const theirs = send(server, inbound, 'c');
    await harness.until(
      () => server.log.all('incoming').length === 2 && client.log.has('incoming'),
      'the requests',
    );
    client.link.close(connection);
    await harness.until(() => client.log.has('closed') && server.log.has('closed'), 'the close');
    for (const call of ours)
      expect(client.log.of(call).at(-1)).toMatchObject({ kind: 'aborted', reason: 'closed' });
    expect(server.log.of(theirs).at(-1)).toMatchObject({ kind: 'aborted', reason: 'closed' });
    for (const at of [client, server]) {
      expect(at.log.events.at(-1)?.kind).toBe('closed');
      expect(at.log.all('aborted')).toHaveLength(3);
    }
    expect(client.log.all('closed')[0]?.reason).toBe('local');
    expect(server.log.all('closed')[0]?.reason).toBe('peer');
  });

  it('a request on a connection that has ended is aborted (contract 5)', async () => {
    const { client, connection } = await connectPair();
    client.link.close(connection);
    const before = send(client, connection, 'just before');
    await harness.until(() => client.log.has('closed'), 'the close');
    const after = send(client, connection, 'after');
    for (const call of [before, after]) {
      await ended(client, call);
      expect(client.log.of(call)).toEqual([{ kind: 'aborted', call, reason: 'closed', code: 0 }]);
    }
    const kinds = client.log.events.filter(
      (event) => event.kind === 'closed' || event.kind === 'aborted',
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['aborted', 'closed', 'aborted']);
    expect(client.log.inside).toBe(0);
  });

  it("a header over the sender's limit is refused", async () => {
    const { client, server, connection } = await connectPair();
    const call = send(client, connection, 'x'.repeat(HEADER_LIMIT + 1));
    await ended(client, call);
    expect(client.log.of(call)).toEqual([{ kind: 'aborted', call, reason: 'too-large', code: 0 }]);
    server.log.onIncoming = (incoming) => {
      server.link.reply(incoming.call, {
        header: bytes('y'.repeat(HEADER_LIMIT + 1)),
        content: null,
      });
    };
    const other = send(client, connection, 'small');
    await ended(client, other);
    expect(client.log.of(other).at(-1)).toMatchObject({ kind: 'aborted', reason: 'too-large' });
    await ended(server, incomingNamed(server, 'small') ?? NaN);
    expect(server.log.all('aborted')[0]?.reason).toBe('too-large');
  });

  it("a header over the receiver's limit is refused before anybody there sees it", async () => {
    const { client, server, connection } = await connectPair({ server: { maxHeaderBytes: 100 } });
    echo(server);
    const call = send(client, connection, 'x'.repeat(101));
    await ended(client, call);
    expect(client.log.of(call).at(-1)).toMatchObject({ kind: 'aborted', reason: 'too-large' });
    await ended(client, send(client, connection, 'fits'));
    expect(server.log.all('incoming').map(({ text }) => text)).toEqual(['fits']);
  });

  it.each([10, MEDIUM])(
    'a file that is shorter than declared aborts the call: %d bytes',
    async (length) => {
      const { client, server, connection } = await connectPair();
      const path = client.writeFile('short', pattern(length));
      const source = { path, offset: 1, length };
      const call = client.link.request(connection, {
        priorityClass: 'FETCH',
        header: bytes('short'),
        content: source,
      });
      await ended(client, call);
      expect(client.log.of(call)).toEqual([{ kind: 'aborted', call, reason: 'source', code: 0 }]);
      echo(server);
      await ended(client, send(client, connection, 'next'));
      const incoming = incomingNamed(server, 'short');
      if (incoming !== undefined) {
        await ended(server, incoming);
        expect(server.log.of(incoming).at(-1)).toMatchObject({
          reason: 'peer',
          code: PEER_SOURCE_FAILED,
        });
      }
      expect(server.log.all('content')).toEqual([]);
    },
  );

  it('a missing file aborts the call, of a caller and of a callee', async () => {
    const { client, server, connection } = await connectPair();
    const missing = { path: `${client.writeFile('there', bytes('x'))}-not`, offset: 0, length: 1 };
    const call = client.link.request(connection, {
      priorityClass: 'FETCH',
      header: bytes('a'),
      content: missing,
    });
    await ended(client, call);
    expect(client.log.of(call).at(-1)).toMatchObject({ kind: 'aborted', reason: 'source' });
    server.log.onIncoming = (incoming) => {
      server.link.reply(incoming.call, { header: bytes('b'), content: missing });
    };
    const fetch = send(client, connection, 'fetch');
    await ended(client, fetch);
    expect(client.log.of(fetch).at(-1)).toMatchObject({ reason: 'peer', code: PEER_SOURCE_FAILED });
    await ended(server, incomingNamed(server, 'fetch') ?? NaN);
    expect(server.log.all('aborted')[0]?.reason).toBe('source');
  });
}
