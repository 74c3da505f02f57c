/** How contents are cut into packets: on a line that is the bottleneck each packet is full, or its headers are paid for nothing. */
import { afterAll, expect, it, jest } from '@jest/globals';
import { UdpRelay } from '../../shared/link/udp-relay.ts';
import { LinkLog } from './link-harness.ts';
import { LOOPBACK, MsquicHarness } from './link-msquic-harness.ts';

jest.setTimeout(60_000);

const BYTES = 3 * 1024 * 1024;
/** Of contents in a full packet, at least. */
const FULL = 1400;
/** Small ones before the path is known to take large ones, and all that is no contents. */
const MOST_OVER = 1.2;

const harness = new MsquicHarness();
afterAll(() => harness.cleanUp());

it.each([512, 1024])('contents fill their packets at %i KB/s', async (rate) => {
  const log = new LinkLog();
  const server = harness.endpoint(log);
  const client = harness.endpoint(new LinkLog());
  const { port } = await server.link.listen({ host: LOOPBACK, port: 0 });
  const up = { rate: [{ atMs: 0, bytesPerSecond: rate * 1024 }], queue: { ms: 250 } };
  const relay = await UdpRelay.open({ to: { host: LOOPBACK, port }, up });
  const pin = server.identity.fingerprint;
  const connection = client.link.connect({ host: LOOPBACK, port: relay.port, pin, ticket: null });
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
