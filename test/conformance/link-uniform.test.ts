/** A Link that is uniform: no class goes before another, and contents take turns. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import type { MsquicTransportOptions } from '../../shared/transport/msquic-transport.ts';
import { TransportLog } from './transport-harness.ts';
import { LOOPBACK, MsquicHarness } from './link-msquic-harness.ts';

const BULK = 3 * 1024 * 1024;
const SMALL = 64 * 1024;
const BYTES_PER_SECOND = 4 * 1024 * 1024;

let harness: MsquicHarness;
beforeEach(() => {
  harness = new MsquicHarness();
});
afterEach(() => harness.cleanUp());

/** The names of contents in the order of their arrival, when a small one of a class follows a bulk one. */
async function orderOf(
  scheduling: MsquicTransportOptions['scheduling'],
  bulkClass: 'FETCH' | 'STORE_DATA',
  smallClass: 'FETCH' | 'STORE_DATA',
): Promise<string[]> {
  const [log, serverLog] = [new TransportLog(), new TransportLog()];
  const server = harness.endpoint(serverLog, { scheduling });
  const client = harness.endpoint(log, { scheduling });
  const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
  const up = { rate: [{ atMs: 0, bytesPerSecond: BYTES_PER_SECOND }], queue: { ms: 100 } };
  const relay = await UdpRelay.open({ to: { host: LOOPBACK, port }, up });
  const pin = server.identity.fingerprint;
  const connection = client.link.connect({ host: LOOPBACK, port: relay.port, pin });
  const send = (name: string, priorityClass: 'FETCH' | 'STORE_DATA', length: number): void => {
    const path = client.writeFile(name, new Uint8Array(length));
    const content = { path, offset: 0, length };
    client.link.request(connection, { priorityClass, header: Buffer.from(name), content });
  };
  send('bulk', bulkClass, BULK);
  await harness.until(() => serverLog.has('incoming'));
  send('small', smallClass, SMALL);
  await harness.until(() => serverLog.all('content').length === 2);
  relay.close();
  const names = new Map(serverLog.all('incoming').map(({ call, text }) => [call, text]));
  return serverLog.all('content').map(({ call }) => names.get(call) ?? '?');
}

describe('a link with uniform scheduling', () => {
  it('sends small contents beside bulk ones of the same class', async () => {
    expect(await orderOf('uniform', 'STORE_DATA', 'STORE_DATA')).toEqual(['small', 'bulk']);
  });

  it('sends small contents also beside bulk ones of a more urgent class', async () => {
    expect(await orderOf('uniform', 'FETCH', 'STORE_DATA')).toEqual(['small', 'bulk']);
  });

  it('differs from the default scheduling', async () => {
    expect(await orderOf('priorities', 'FETCH', 'STORE_DATA')).toEqual(['bulk', 'small']);
    expect(await orderOf(undefined, 'STORE_DATA', 'STORE_DATA')).toEqual(['bulk', 'small']);
  });

  it('is not needed for short demanded contents to overtake long ones', async () => {
    expect(await orderOf('priorities', 'FETCH', 'FETCH')).toEqual(['small', 'bulk']);
  });

  it('removes aborted contents and carries the class that is set', async () => {
    const [log, serverLog] = [new TransportLog(), new TransportLog()];
    const server = harness.endpoint(serverLog, { scheduling: 'uniform' });
    const client = harness.endpoint(log, { scheduling: 'uniform' });
    const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
    const pin = server.identity.fingerprint;
    const connection = client.link.connect({ host: LOOPBACK, port, pin });
    const path = client.writeFile('file', new Uint8Array(SMALL));
    const content = { path, offset: 0, length: SMALL };
    const request = { priorityClass: 'STORE_DATA', header: Buffer.from('one'), content } as const;
    const [kept, dropped] = [1, 2].map(() => client.link.request(connection, request)) as [
      number,
      number,
    ];
    client.link.setClass(kept, 'STORE_FAST');
    client.link.abort(dropped, 7);
    await harness.until(() => serverLog.has('content') && log.hasEnded(dropped));
    const [incoming] = serverLog.all('incoming');
    expect(incoming?.priorityClass).toBe('STORE_FAST');
    expect(serverLog.all('content')).toHaveLength(1);
  });
});
