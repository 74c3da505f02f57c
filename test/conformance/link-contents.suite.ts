/** Contents: whole, apart, hashed and spooled. */
import { expect, it } from '@jest/globals';
import {
  harness,
  MEDIUM,
  connectPair,
  bytes,
  pattern,
  send,
  echo,
  ended,
  incomingNamed,
} from './link-pair.ts';

export function contentTests(): void {
  it.each([1, 4096, 65_536, 65_537, MEDIUM])(
    'a link carries %d bytes in both directions (contract 2, 6)',
    async (length) => {
      const { client, server, connection } = await connectPair();
      echo(server);
      const content = pattern(length);
      const call = send(client, connection, 'file', { content });
      expect(await ended(client, call)).toEqual(['sent', 'reply', 'content']);
      const [there] = server.log.all('content');
      const [back] = client.log.all('content');
      expect(server.log.kinds(there?.call ?? NaN).slice(0, 2)).toEqual(['incoming', 'content']);
      for (const [at, received] of [
        [server, there?.content],
        [client, back?.content],
      ] as const) {
        expect(received?.length).toBe(length);
        expect(received?.digest).toMatch(/^[0-9a-f]{64}$/);
        expect(at.spooled()).toEqual([received?.path]);
        expect(Buffer.compare(at.readFile(received?.path ?? ''), content)).toBe(0);
      }
      expect(client.log.of(call)[0]).toEqual({ kind: 'sent', call, digest: there?.content.digest });
      expect(back?.content.digest).toBe(there?.content.digest);
    },
  );

  it('a link carries large contents whole and reports progress', async () => {
    const { client, server, connection } = await connectPair();
    server.log.onContent = ({ call }) => {
      server.link.reply(call, { header: bytes('thanks'), content: null });
    };
    const content = pattern(harness.bulk);
    const call = send(client, connection, 'large', { content });
    await ended(client, call);
    const received = server.log.all('content')[0]?.content;
    expect(Buffer.compare(server.readFile(received?.path ?? ''), content)).toBe(0);
    expect(client.log.of(call)[0]).toMatchObject({ kind: 'sent', digest: received?.digest });
    const told = [
      ...(client.log.progressOf.get(call) ?? []).map(({ sentBytes }) => sentBytes),
      ...(server.log.progressOf.get(incomingNamed(server, 'large') ?? NaN) ?? []).map(
        (progress) => progress.receivedBytes,
      ),
    ];
    expect(told.length).toBeGreaterThan(0);
    expect(Math.max(...told)).toBeLessThanOrEqual(content.length);
  });

  it('a link sends the requested part of a file', async () => {
    const { client, server, connection } = await connectPair();
    const content = pattern(MEDIUM);
    const path = client.writeFile('whole', content);
    const source = { path, offset: 1000, length: 150_000 };
    client.link.request(connection, {
      priorityClass: 'FETCH',
      header: bytes('part'),
      content: source,
    });
    await harness.until(() => server.log.has('content'), 'the content');
    const received = server.log.all('content')[0]?.content;
    expect(
      Buffer.compare(server.readFile(received?.path ?? ''), content.subarray(1000, 151_000)),
    ).toBe(0);
  });

  it('a link treats empty contents as none', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    const call = send(client, connection, 'empty', { content: new Uint8Array(0) });
    expect(await ended(client, call)).toEqual(['sent', 'reply']);
    expect(client.log.of(call)[0]).toEqual({ kind: 'sent', call, digest: null });
    expect(server.log.all('incoming')[0]?.contentLength).toBe(0);
    expect(server.spooled()).toEqual([]);
  });

  it('a link keeps many contents apart', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    const sizes = Array.from({ length: 60 }, (_, i) => 1 + ((i * 7919) % 90_000));
    const sent = sizes.map((size, i) =>
      send(client, connection, `f${String(i)}`, { content: pattern(size, i) }),
    );
    for (const [i, call] of sent.entries()) {
      await ended(client, call);
      const told = client.log.of(call).find((event) => event.kind === 'content');
      const path = told?.kind === 'content' ? told.content.path : '';
      expect(Buffer.compare(client.readFile(path), pattern(sizes[i] ?? 0, i))).toBe(0);
    }
  });

  it('a reply before the contents have arrived ends their transfer (contract 2)', async () => {
    const { client, server, connection } = await connectPair();
    server.log.onIncoming = ({ call }) => {
      server.link.reply(call, { header: bytes('no room'), content: null });
    };
    const call = send(client, connection, 'store', { content: pattern(harness.bulk) });
    expect(await ended(client, call)).toEqual(['reply']);
    const incoming = incomingNamed(server, 'store') ?? NaN;
    expect(await ended(server, incoming)).toEqual(['incoming', 'sent']);
    await harness.settled(server.link.shutdown());
    expect(server.spooled()).toEqual([]);
    expect(client.log.kinds(call)).toEqual(['reply']);
  });
}
