/** Connections: who the peer is, addresses, statistics, shutting down. */
import { expect, it } from '@jest/globals';
import { TransportError } from '../../shared/ports/transport.ts';
import {
  harness,
  MEDIUM,
  peer,
  listen,
  connectPair,
  pattern,
  send,
  echo,
  ended,
} from './link-pair.ts';

export function connectionTests(): void {
  it('a link identifies the peer by its fingerprint on both sides (contract 7)', async () => {
    const { client, server } = await connectPair();
    expect(client.log.all('connected')[0]).toMatchObject({
      peer: server.identity.fingerprint,
      inbound: false,
    });
    expect(server.log.all('connected')[0]).toMatchObject({
      peer: client.identity.fingerprint,
      inbound: true,
    });
  });

  it('a link closes with pin-mismatch when the peer is another, and sends nothing (contract 7)', async () => {
    const [client, server] = [peer(), peer()];
    const at = await listen(server);
    const pin = harness.newIdentity('another').fingerprint;
    const connection = client.link.connect({ ...at, pin });
    const call = send(client, connection, 'secret');
    await harness.until(() => client.log.has('closed'), 'the close');
    expect(client.log.events).toEqual([
      { kind: 'aborted', call, reason: 'closed', code: 0 },
      { kind: 'closed', connection, reason: 'pin-mismatch' },
    ]);
    await harness.settled(server.link.shutdown());
    expect(server.log.events).toEqual([]);
  });

  it('a link reports unreachable when nobody listens', async () => {
    const [client, other] = [peer(), peer()];
    const port = await harness.freePort(other.host);
    const pin = other.identity.fingerprint;
    const connection = client.link.connect({ host: other.host, port, pin });
    await harness.until(() => client.log.has('closed'), 'the close');
    expect(client.log.events).toEqual([{ kind: 'closed', connection, reason: 'unreachable' }]);
  });

  it('a link listens on a port only once', async () => {
    const server = peer();
    const { port } = await listen(server);
    expect(port).toBeGreaterThan(0);
    const failure = await listen(server, port).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect(failure).toMatchObject({ code: 'port-in-use' });
  });

  it('a link refuses to listen on an address of another machine', async () => {
    const server = peer();
    const elsewhere = { host: '192.0.2.1', port: 0 };
    await expect(harness.settled(server.link.listen(elsewhere))).rejects.toMatchObject({
      code: 'address',
    });
  });

  it('a link proves on each connection that it has the key (contract 7)', async () => {
    const { client, server, at, connection } = await connectPair();
    echo(server);
    // What would come with a connection is here when an answer is.
    await ended(client, send(client, connection, 'hello'));
    client.link.close(connection);
    await harness.until(() => server.log.has('closed'), 'the close');
    const pin = server.identity.fingerprint;
    const again = client.link.connect({ ...at, pin });
    await ended(client, send(client, again, 'hello again'));
    expect(server.log.all('connected').map(({ peer: print }) => print)).toEqual([
      client.identity.fingerprint,
      client.identity.fingerprint,
    ]);
  });

  it('a link keeps the connection when its address changes', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    await ended(client, send(client, connection, 'before'));
    client.link.rebind(connection);
    for (const text of ['after', 'later']) await ended(client, send(client, connection, text));
    expect(server.log.all('connected')).toHaveLength(1);
    expect(client.log.has('closed') || server.log.has('closed')).toBe(false);
  });

  it('a link reports statistics while data move', async () => {
    const { client, server, connection } = await connectPair();
    echo(server);
    send(client, connection, 'file', { content: pattern(MEDIUM) });
    await harness.until(
      () => (client.log.statisticsOf.get(connection)?.sentBytes ?? 0) > 0,
      'statistics',
    );
    const statistics = client.log.statisticsOf.get(connection);
    expect(statistics?.rttMs).toBeGreaterThan(0);
    expect(statistics?.minRttMs).toBeLessThanOrEqual(statistics?.rttMs ?? 0);
    expect(statistics?.congestionWindow).toBeGreaterThan(0);
    // A path that is no bottleneck may have none.
    expect(statistics?.bulkBytesPerSecond ?? Infinity).toBeGreaterThan(0);
  });
}

export function shutdownTests(): void {
  it('a shutdown ends calls and connections, and nothing comes after it', async () => {
    const { client, server, connection, inbound } = await connectPair();
    const ours = send(client, connection, 'held');
    const theirs = send(server, inbound, 'held too');
    await harness.until(
      () => server.log.has('incoming') && client.log.has('incoming'),
      'the calls',
    );
    await harness.settled(client.link.shutdown());
    const told = client.log.events.length;
    expect(client.log.of(ours).at(-1)).toMatchObject({ kind: 'aborted', reason: 'closed' });
    expect(client.log.events.at(-1)).toEqual({ kind: 'closed', connection, reason: 'local' });
    await harness.until(() => server.log.has('closed'), 'the other side to hear of it');
    expect(server.log.of(theirs).at(-1)).toMatchObject({ kind: 'aborted', reason: 'closed' });
    send(client, connection, 'too late');
    client.link.close(connection);
    await harness.settled(client.link.shutdown());
    expect(client.log.events).toHaveLength(told);
  });

  it('a shutdown can be requested twice, also of an unused endpoint', async () => {
    const idle = peer();
    await harness.settled(Promise.all([idle.link.shutdown(), idle.link.shutdown()]));
    await harness.settled(idle.link.shutdown());
    expect(idle.log.events).toEqual([]);
  });

  async function freesItsPort(): Promise<boolean> {
    const [first, second] = [peer(), peer()];
    const { port } = await listen(first);
    await harness.settled(first.link.shutdown());
    const again = second.link.listen({ host: first.host, port });
    const at = await harness.settled(again.catch(() => null));
    return at?.port === port;
  }

  it('a shutdown frees the port', async () => {
    // Another program of this machine may take it in between; not each time.
    const freed = await Promise.all(Array.from({ length: 3 }, freesItsPort));
    expect(freed).toContain(true);
  });
}
