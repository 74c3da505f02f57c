/** A server with as many connections as it takes. */
import { describe, expect, it } from '@jest/globals';
import { CoreServer } from '../../../test/support/core-server.ts';
import { MAX_CONNECTIONS } from '../../limits.ts';

function strangers(server: CoreServer, count: number): number[] {
  return Array.from({ length: count }, () => {
    const connection = server.id();
    server.feed({ kind: 'connected', connection, fingerprint: 'a'.repeat(64) });
    return connection;
  });
}

describe('a server with all its connections in use', () => {
  it('closes the oldest stranger for a newcomer, and no device', async () => {
    const server = await CoreServer.start();
    await server.join();
    const [first, second] = strangers(server, MAX_CONNECTIONS - 1);
    await server.join();
    expect(server.closedConnections).toEqual([first]);
    expect(server.sessions()).toEqual([1, 2]);
    strangers(server, 1);
    await server.settle();
    expect(server.closedConnections).toEqual([first, second]);
    expect(server.state.connections.size).toBe(MAX_CONNECTIONS);
  });

  it('refuses newcomers when all connections belong to devices', async () => {
    const server = await CoreServer.start();
    await server.join();
    const device = [...server.state.devices.values()][0] ?? null;
    for (const connection of strangers(server, MAX_CONNECTIONS - 1)) {
      const state = server.state.connections.get(connection);
      if (state !== undefined) state.device = device;
    }
    const [refused] = strangers(server, 1);
    expect(server.closedConnections).toEqual([refused]);
  });
});
