/** Requests and replies. */
import { expect, it } from '@jest/globals';
import {
  HEADER_LIMIT,
  harness,
  peer,
  listen,
  connectPair,
  bytes,
  send,
  echo,
  ended,
  incomingNamed,
} from './link-pair.ts';

export function callTests(): void {
  it('a link answers a request by a reply and makes no callback from inside a method (contract 1, 2)', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    const call = send(client, connection, 'hello', { priorityClass: 'STORE_ATTR' });
    expect(await ended(client, call)).toEqual(['sent', 'reply']);
    expect(client.log.all('reply')).toEqual([
      { kind: 'reply', call, text: 'hello', contentLength: 0 },
    ]);
    const [incoming] = server.log.all('incoming');
    expect(incoming).toMatchObject({
      priorityClass: 'STORE_ATTR',
      text: 'hello',
      contentLength: 0,
    });
    await ended(server, incoming?.call ?? NaN, 'the reply to be acknowledged');
    expect(server.log.kinds(incoming?.call ?? NaN)).toEqual(['incoming', 'sent']);
    expect(client.log.inside + server.log.inside).toBe(0);
  });

  it('a link reports that a request without contents has arrived, even if nobody answers it (contract 2)', async () => {
    const { client, connection } = await connectPair();
    const call = send(client, connection, 'are you there?', { priorityClass: 'VALIDATE' });
    await harness.until(() => client.log.has('sent'), 'the request to have come');
    expect(client.log.kinds(call)).toEqual(['sent']);
  });

  it('a link carries an empty header and one at the limit', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    const [empty, full] = ['', 'x'.repeat(HEADER_LIMIT)].map((text) =>
      send(client, connection, text),
    );
    await ended(client, empty ?? NaN);
    await ended(client, full ?? NaN);
    expect(client.log.all('reply').map(({ text }) => text.length)).toEqual([0, HEADER_LIMIT]);
  });

  it('a link holds requests before the handshake is complete and keeps their order', async () => {
    const [client, server] = [peer(), peer()];
    echo(server);
    const at = await listen(server);
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ ...at, pin });
    const early = ['a', 'b', 'c'].map((text) => send(client, connection, text));
    for (const call of early) await ended(client, call);
    expect(server.log.all('incoming').map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    expect(client.log.events[0]?.kind).toBe('connected');
  });

  it('a link carries 200 concurrent calls from both sides', async () => {
    const { client, server, connection, inbound } = await connectPair();
    echo(server);
    echo(client);
    const texts = Array.from({ length: 100 }, (_, i) => `call ${String(i)}`);
    const ours = texts.map((text) => send(client, connection, text));
    const theirs = texts.map((text) => send(server, inbound, text));
    for (const call of ours) await ended(client, call);
    for (const call of theirs) await ended(server, call);
    expect(
      client.log
        .all('reply')
        .map(({ text }) => text)
        .sort(),
    ).toEqual([...texts].sort());
    expect(
      server.log
        .all('reply')
        .map(({ text }) => text)
        .sort(),
    ).toEqual([...texts].sort());
  });

  it('a link never reuses an id and ignores calls on ids that have ended (contract 4)', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    const first = send(client, connection, 'one');
    await ended(client, first);
    client.link.abort(first, 1);
    client.link.setClass(first, 'VALIDATE');
    client.link.reply(first, { header: bytes('no'), content: null });
    const incoming = incomingNamed(server, 'one') ?? NaN;
    await ended(server, incoming);
    server.link.reply(incoming, { header: bytes('again'), content: null });
    server.link.abort(incoming, 1);
    const second = send(client, connection, 'two');
    await ended(client, second);
    expect(second).not.toBe(first);
    expect(client.log.kinds(first)).toEqual(['sent', 'reply']);
    expect(server.log.kinds(incoming)).toEqual(['incoming', 'sent']);
  });

  it('a link ignores a second reply and a reply to its own request', async () => {
    const { client, server, connection } = await connectPair();
    server.log.onIncoming = ({ call }) => {
      for (const text of ['first', 'second'])
        server.link.reply(call, { header: bytes(text), content: null });
    };
    const call = send(client, connection, 'x');
    client.link.reply(call, { header: bytes('mine'), content: null });
    await ended(client, call);
    expect(client.log.all('reply').map(({ text }) => text)).toEqual(['first']);
  });
}
