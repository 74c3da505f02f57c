/** Strangers: what a connection may do before it is admitted (contract 9), and that a closed one begins nothing (contract 10). */
import { expect, it } from '@jest/globals';
import type { ConnectionId, StrangerLimits } from '../../shared/ports/transport.ts';
import {
  bytes,
  connectPair,
  echo,
  ended,
  harness,
  pattern,
  send,
  type Pair,
  type Peer,
} from './link-pair.ts';

const LIMITS: StrangerLimits = {
  maxHeaderBytes: 100,
  maxCalls: 3,
  most: 100,
  mostOfAddress: 100,
  atOnce: 100,
  perSecond: 0,
};
const AT_THE_LIMIT = 'x'.repeat(LIMITS.maxHeaderBytes);

const strangers = (limits: Partial<StrangerLimits> = {}): Promise<Pair> =>
  connectPair({ server: { strangers: { ...LIMITS, ...limits } } });

function texts(server: Peer): string[] {
  return server.log.all('incoming').map(({ text }) => text);
}

/** Opens one more connection from the same address. */
async function another(client: Peer, { at, server }: Pair): Promise<ConnectionId> {
  const pin = server.identity.fingerprint;
  const before = client.log.all('connected').length + client.log.all('closed').length;
  const connection = client.link.connect({ ...at, pin });
  await harness.until(
    () => client.log.all('connected').length + client.log.all('closed').length > before,
    'the connection, or its refusal',
  );
  return connection;
}

export function strangerTests(): void {
  it("a stranger's header over the limit ends its call before the callee sees it (contract 9)", async () => {
    const { client, server, connection, inbound } = await strangers();
    echo(server);
    const long = send(client, connection, `${AT_THE_LIMIT}x`);
    await ended(client, long);
    expect(client.log.of(long).at(-1)).toMatchObject({ kind: 'aborted', reason: 'too-large' });
    expect(await ended(client, send(client, connection, AT_THE_LIMIT))).toEqual(['sent', 'reply']);
    expect(texts(server)).toEqual([AT_THE_LIMIT]);
    server.link.admit(inbound);
    const again = send(client, connection, `${AT_THE_LIMIT}x`);
    expect(await ended(client, again)).toEqual(['sent', 'reply']);
  });

  it("a stranger's contents end their call, and none of them reach the spool (contract 9)", async () => {
    const { client, server, connection, inbound } = await strangers();
    echo(server);
    for (const length of [1, 300_000]) {
      const call = send(client, connection, `${length}`, { content: pattern(length) });
      await ended(client, call);
      expect(client.log.of(call).at(-1)).toMatchObject({ kind: 'aborted', reason: 'too-large' });
    }
    expect(server.log.has('incoming')).toBe(false);
    expect(server.spooled()).toEqual([]);
    server.link.admit(inbound);
    const call = send(client, connection, 'known', { content: pattern(300_000) });
    expect(await ended(client, call)).toEqual(['sent', 'reply', 'content']);
  });

  it("a stranger's calls over the limit wait until another one ends (contract 9)", async () => {
    const { client, server, connection } = await strangers();
    const calls = ['1', '2', '3', '4', '5'].map((text) => send(client, connection, text));
    await harness.until(() => texts(server).length === 3, 'three calls');
    const [first] = server.log.all('incoming');
    server.link.reply(first?.call ?? NaN, { header: bytes('done'), content: null });
    await harness.until(() => texts(server).length > 3, 'the fourth');
    expect(texts(server)).toHaveLength(4);
    expect(calls.filter((call) => client.log.hasEnded(call))).toHaveLength(1);
  });

  it('an admitted peer may have as many calls as any, waiting ones included (contract 9)', async () => {
    const { client, server, connection, inbound } = await strangers();
    for (let count = 0; count < 20; count++) send(client, connection, `${count}`);
    await harness.until(() => texts(server).length === 3, 'three calls');
    server.link.admit(inbound);
    server.link.admit(inbound);
    await harness.until(() => texts(server).length === 20, 'all of them');
  });

  it('a connection over the limit of an address closes its oldest stranger and no admitted peer (contract 9)', async () => {
    const pair = await strangers({ mostOfAddress: 2 });
    const { client, server, connection, inbound } = pair;
    server.link.admit(inbound);
    const second = await another(client, pair);
    const third = await another(client, pair);
    expect(client.log.has('closed')).toBe(false);
    await another(client, pair);
    await harness.until(() => client.log.has('closed'), 'the oldest to go');
    expect(client.log.all('closed')).toEqual([
      { kind: 'closed', connection: second, reason: 'peer' },
    ]);
    echo(server);
    for (const each of [connection, third]) {
      expect(await ended(client, send(client, each, 'still there'))).toEqual(['sent', 'reply']);
    }
  });

  it('a connection over the limit of all addresses closes the oldest stranger (contract 9)', async () => {
    const pair = await strangers({ most: 1 });
    await another(pair.client, pair);
    await harness.until(() => pair.client.log.has('closed'), 'the oldest to go');
    expect(pair.client.log.all('closed')).toMatchObject([{ connection: pair.connection }]);
  });

  it('an address that connects too often is refused, and admitted connections do not count (contract 9)', async () => {
    const pair = await strangers({ atOnce: 2 });
    const { client, server, inbound } = pair;
    server.link.admit(inbound);
    for (let admitted = 0; admitted < 3; admitted++) {
      await another(client, pair);
      await harness.until(() => server.log.all('connected').length === admitted + 2, 'it');
      server.link.admit(server.log.all('connected').at(-1)?.connection ?? NaN);
    }
    expect(client.log.has('closed')).toBe(false);
    for (let count = 0; count < 3; count++) await another(client, pair);
    await harness.until(() => client.log.has('closed'), 'the refusal');
    expect(client.log.all('closed')).toMatchObject([{ reason: 'refused' }]);
  });

  it('an admission changes nothing when there are no limits (contract 9)', async () => {
    const { client, server, connection, inbound } = await connectPair();
    echo(server);
    server.link.admit(inbound);
    expect(await ended(client, send(client, connection, 'x'.repeat(200)))).toEqual([
      'sent',
      'reply',
    ]);
  });

  it('a connection that was closed here begins no further call (contract 10)', async () => {
    const { client, server, connection, inbound } = await connectPair();
    server.log.onIncoming = () => server.link.close(inbound);
    const calls = Array.from({ length: 50 }, (_, count) => send(client, connection, `${count}`));
    await harness.until(() => server.log.has('closed') && client.log.has('closed'), 'the close');
    expect(texts(server)).toHaveLength(1);
    for (const call of calls) expect(client.log.of(call).at(-1)).toMatchObject({ kind: 'aborted' });
  });
}
