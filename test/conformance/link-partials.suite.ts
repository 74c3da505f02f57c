/** The received part of contents that never complete is delivered or removed. */
import { expect, it } from '@jest/globals';
import type { CallId } from '../../shared/ports/transport.ts';
import type { Pair, Peer } from './link-pair.ts';
import {
  harness,
  connectPair,
  bytes,
  pattern,
  send,
  echo,
  ended,
  incomingNamed,
} from './link-pair.ts';

/** Starts a store and waits until the server has received a part. */
async function begunStore(pair: Pair, content: Uint8Array): Promise<[CallId, CallId]> {
  const { client, server, connection } = pair;
  const call = send(client, connection, 'store', { priorityClass: 'STORE_DATA', content });
  await harness.until(() => server.log.has('incoming'), 'the request');
  const incoming = incomingNamed(server, 'store') ?? NaN;
  await someOf(server, incoming);
  return [call, incoming];
}

/** Starts a fetch and waits until the client has received a part. */
async function begunFetch(pair: Pair, content: Uint8Array): Promise<CallId> {
  const { client, server, connection } = pair;
  const path = server.writeFile('content', content);
  server.log.onIncoming = ({ call }) => {
    const source = { path, offset: 0, length: content.length };
    server.link.reply(call, { header: bytes('here'), content: source });
  };
  const call = send(client, connection, 'fetch');
  await someOf(client, call);
  return call;
}

function someOf(at: Peer, call: CallId): Promise<void> {
  const some = (): boolean =>
    (at.log.progressOf.get(call) ?? []).some(({ receivedBytes }) => receivedBytes > 0);
  return harness.until(some, 'some of the content');
}

/** Checks that the delivered part is the beginning of the content and the only file of the spool. */
function expectPrefix(at: Peer, call: CallId, content: Uint8Array): number {
  const told = at.log.all('partial').filter((partial) => partial.call === call);
  expect(told).toHaveLength(1);
  const { path, length } = told[0]?.content ?? { path: '', length: NaN };
  expect(at.spooled()).toEqual([path]);
  const part = at.readFile(path);
  expect(part.length).toBe(length);
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThan(content.length);
  expect(Buffer.compare(part, content.subarray(0, length))).toBe(0);
  return length;
}

const FROM_ONE = { client: { partialFrom: 1 }, server: { partialFrom: 1 } };

export function partialTests(): void {
  it('an abort by the caller gives the callee the received part before it reports the end (contract 8)', async () => {
    const pair = await connectPair(FROM_ONE);
    const content = pattern(harness.bulk);
    const [call, incoming] = await begunStore(pair, content);
    pair.client.link.abort(call, 3);
    expect(await ended(pair.server, incoming)).toEqual(['incoming', 'partial', 'aborted']);
    expectPrefix(pair.server, incoming, content);
    expect(await ended(pair.client, call)).toEqual(['aborted']);
    expect(pair.client.log.inside + pair.server.log.inside).toBe(0);
  });

  it('an abort by the callee gives it the received part (contract 8)', async () => {
    const pair = await connectPair(FROM_ONE);
    const content = pattern(harness.bulk);
    const [call, incoming] = await begunStore(pair, content);
    pair.server.link.abort(incoming, 3);
    expect(await ended(pair.server, incoming)).toEqual(['incoming', 'partial', 'aborted']);
    expectPrefix(pair.server, incoming, content);
    expect(await ended(pair.client, call)).toEqual(['aborted']);
    expect(pair.server.log.inside).toBe(0);
  });

  it.each(['caller', 'callee'] as const)(
    'an end of the connection by the %s gives the callee the received part first (contract 8)',
    async (by) => {
      const pair = await connectPair(FROM_ONE);
      const { client, server } = pair;
      const content = pattern(harness.bulk);
      const [call, incoming] = await begunStore(pair, content);
      if (by === 'caller') client.link.close(pair.connection);
      else server.link.close(pair.inbound);
      await harness.until(() => client.log.has('closed') && server.log.has('closed'), 'the close');
      expect(server.log.kinds(incoming)).toEqual(['incoming', 'partial', 'aborted']);
      expect(server.log.all('aborted')[0]).toMatchObject({ reason: 'closed', code: 0 });
      expect(server.log.events.at(-1)?.kind).toBe('closed');
      expect(client.log.kinds(call)).toEqual(['aborted']);
      expectPrefix(server, incoming, content);
    },
  );

  it.each(['abort', 'close'] as const)(
    'a received part of a reply is kept after an %s (contract 8)',
    async (how) => {
      const pair = await connectPair(FROM_ONE);
      const { client, connection } = pair;
      const content = pattern(harness.bulk);
      const call = await begunFetch(pair, content);
      if (how === 'abort') client.link.abort(call, 3);
      else client.link.close(connection);
      const kinds = await ended(client, call);
      expect(kinds.slice(-3)).toEqual(['reply', 'partial', 'aborted']);
      expectPrefix(client, call, content);
    },
  );

  it('a shutdown ends and delivers received parts first (contract 8)', async () => {
    const pair = await connectPair(FROM_ONE);
    const { server } = pair;
    const content = pattern(harness.bulk);
    const [, incoming] = await begunStore(pair, content);
    await harness.settled(server.link.shutdown());
    expect(server.log.kinds(incoming)).toEqual(['incoming', 'partial', 'aborted']);
    expectPrefix(server, incoming, content);
    expect(server.log.events.at(-1)?.kind).toBe('closed');
  });

  it('a complete transfer leaves no part, nor does one that the callee has replied to (contract 8)', async () => {
    const pair = await connectPair(FROM_ONE);
    const { client, server, connection } = pair;
    const [call, incoming] = await begunStore(pair, pattern(harness.bulk));
    server.link.reply(incoming, { header: bytes('no room'), content: null });
    await ended(client, call);
    await ended(server, incoming);
    echo(server);
    const second = send(client, connection, 'whole', { content: pattern(100_000) });
    expect(await ended(client, second)).toEqual(['sent', 'reply', 'content']);
    client.link.close(connection);
    await harness.until(() => client.log.has('closed') && server.log.has('closed'), 'the close');
    await harness.settled(server.link.shutdown());
    expect(client.log.has('partial') || server.log.has('partial')).toBe(false);
    // On a busy machine the first content is complete before its reply is sent.
    const whole = server.log.all('content').map(({ content }) => content.path);
    expect(server.log.kinds(incomingNamed(server, 'whole') ?? NaN)).toContain('content');
    expect(server.spooled().toSorted()).toEqual(whole.toSorted());
  });

  it('a complete transfer that waits for its reply leaves no part (contract 8)', async () => {
    const pair = await connectPair(FROM_ONE);
    const { client, server, connection } = pair;
    send(client, connection, 'whole', { content: pattern(100_000) });
    await harness.until(() => server.log.has('content'), 'the content');
    client.link.close(connection);
    await harness.until(() => server.log.has('closed'), 'the close');
    const incoming = incomingNamed(server, 'whole') ?? NaN;
    expect(server.log.kinds(incoming)).toEqual(['incoming', 'content', 'aborted']);
    expect(server.spooled()).toEqual([server.log.all('content')[0]?.content.path]);
  });

  it('a part below the limit is removed (contract 8)', async () => {
    const pair = await connectPair({ server: { partialFrom: 2 * harness.bulk } });
    const [call, incoming] = await begunStore(pair, pattern(harness.bulk));
    pair.client.link.abort(call, 0);
    expect(await ended(pair.server, incoming)).toEqual(['incoming', 'aborted']);
    await harness.settled(pair.server.link.shutdown());
    expect(pair.server.spooled()).toEqual([]);
  });
}
