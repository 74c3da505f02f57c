/** The packets on the network: packets of contents are full, so that headers cost little, and an abandoned attempt ends with few packets. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, expect, it } from '@jest/globals';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import { TransportLog } from './transport-harness.ts';
import { LOOPBACK, MsquicHarness } from './link-msquic-harness.ts';

const BYTES = 3 * 1024 * 1024;
/** The least bytes of contents in a full packet. */
const FULL = 1400;
/** The allowance for small packets before the path is known to take large ones, and for all that is not contents. */
const MOST_OVER = 1.2;

const harness = new MsquicHarness();
afterAll(() => harness.cleanUp());

it.each([512, 1024])('contents fill their packets at %i KB/s', async (rate) => {
  const log = new TransportLog();
  const server = harness.endpoint(log);
  const client = harness.endpoint(new TransportLog());
  const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
  const up = { rate: [{ atMs: 0, bytesPerSecond: rate * 1024 }], queue: { ms: 250 } };
  const relay = await UdpRelay.open({ to: { host: LOOPBACK, port }, up });
  const pin = server.identity.fingerprint;
  const connection = client.link.connect({ host: LOOPBACK, port: relay.port, pin });
  const path = client.writeFile('file', new Uint8Array(BYTES));
  const content = { path, offset: 0, length: BYTES };
  client.link.request(connection, {
    priorityClass: 'STORE_DATA',
    header: Buffer.from('bulk'),
    content,
  });
  await harness.until(() => log.has('content'));
  const { offered } = relay.statistics().up;
  relay.close();
  expect(offered.packets).toBeLessThan((MOST_OVER * BYTES) / FULL);
});

it('a connection attempt that nobody answers can be closed at once and sends few packets', async () => {
  // A fault would make the transport report its end thousands of times a second.
  const most = 20;
  const nobody = createSocket('udp4').bind(0, LOOPBACK);
  await once(nobody, 'listening');
  let packets = 0;
  // It asks again, and again.
  const asked = new Promise<void>((resolve) => {
    nobody.on('message', () => {
      packets += 1;
      if (packets === 3) resolve();
    });
  });
  const log = new TransportLog();
  const client = harness.endpoint(log);
  const pin = client.identity.fingerprint;
  const { port } = nobody.address();
  const connection = client.link.connect({ host: LOOPBACK, port, pin });
  await asked;
  client.link.close(connection);
  await harness.until(() => log.has('closed'));
  expect(log.events.at(-1)).toEqual({ kind: 'closed', connection, reason: 'local' });
  expect(packets).toBeLessThan(most);
  nobody.close();
});
