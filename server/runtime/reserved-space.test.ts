import { expect, it } from '@jest/globals';
import { CoreServer } from '../../test/support/core-server.ts';
import { create, VOLUME } from '../../test/support/core-updates.ts';
import { instant } from '../../shared/model/time.ts';
import { LEASE, LEAST_GRANT } from '../limits.ts';
import { reservedSpace } from './reserved-space.ts';

it('the reserved quota consists of uploads, their parts, and grants within a lease', async () => {
  const server = await CoreServer.start();
  const device = await server.join();
  server.meta.limit(VOLUME, 8 * LEAST_GRANT);
  server.feed({ kind: 'volumes', ...(await server.meta.volumes()) });
  const kept = () => reservedSpace(server.state, instant(server.now));
  expect(kept()).toEqual([{ volume: VOLUME, uploads: 0, granted: 0 }]);
  await device.apply(create(device.fid(1), 'doc'));
  device.sendStore(device.fid(1), 0, { length: 60 });
  await server.settle();
  server.feed({ kind: 'begun-parts', begun: [{ volume: VOLUME, bytes: 7 }] });
  expect(kept()).toEqual([{ volume: VOLUME, uploads: 67, granted: LEAST_GRANT }]);
  device.disconnect();
  await server.pass(2 * LEASE);
  expect(kept()).toEqual([{ volume: VOLUME, uploads: 7, granted: 0 }]);
  expect(reservedSpace(null, instant(0))).toEqual([]);
});
