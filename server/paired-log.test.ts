/** Who runs a server is told of each device that joins, once. */
import { expect, it } from '@jest/globals';
import { MemoryMetaStore } from '../app/lab/simulator/store/memory-meta-store.ts';
import type { WallTime } from '../shared/model/time.ts';
import { listLog } from '../test/support/list-log.ts';
import { RuntimeServer, WireClient } from '../test/support/runtime-server.ts';
import { tellingOfPaired, type PairedDevice } from './paired-log.ts';

it('a device that uses an invitation is reported, and none that comes again', async () => {
  const server = new RuntimeServer();
  const meta = new MemoryMetaStore();
  await server.start(meta);
  const client = new WireClient(server, 'laptop');
  const invitation = { id: '1'.repeat(32), secret: '2'.repeat(32) };
  meta.invite({ ...invitation, user: 'owner', rights: 'write', expires: 9e15 as WallTime });
  await client.connect();
  await client.hello(null, 1, invitation);
  const logged = server.log.lines.filter(({ message }) => message === 'device paired');
  expect(logged).toMatchObject([{ fields: { device: 1, user: 'owner', volume: 'home' } }]);
  const [lines, told] = [[] as string[], [] as PairedDevice[]];
  const log = tellingOfPaired(listLog(lines), (device) => void told.push(device)).with({});
  for (const { message, fields } of logged) log.info(message, fields);
  log.info('device connected', { device: 1 });
  log.warn('device paired', { device: 2 });
  expect(told).toEqual([{ device: 1, name: expect.any(String), user: 'owner', volume: 'home' }]);
  expect(lines).toEqual(['info device paired', 'info device connected', 'warn device paired']);
});
