/** What a device hears of others: of those of its person alone. */
import { expect, it } from '@jest/globals';
import { PROTOCOL } from '../../../shared/wire/rpcs.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import { VOLUME } from '../../../test/support/core-updates.ts';
import { CoreServer } from '../../../test/support/core-server.ts';

it('a device sees the new one of its person, and none of another person', async () => {
  const server = await CoreServer.start();
  const laptop = await server.join();
  const guest = await server.join('read', 'guest');
  for (const each of [laptop, guest]) await each.hello({ protocol: PROTOCOL });
  expect(await laptop.ask('GetTime', {})).not.toHaveProperty('newestDevice');
  expect((await laptop.ask('Devices', {})).devices).toMatchObject([{ device: laptop.id }]);
  const second = await server.join();
  expect(await guest.ask('GetTime', {})).not.toHaveProperty('newestDevice');
  expect((await guest.ask('Devices', {})).devices).toMatchObject([{ device: guest.id }]);
  const since = { since: commitNumber(1), limit: 9, wait: false, promise: false };
  const polled = await laptop.ask('Changes', { volume: VOLUME, ...since });
  expect(polled).toMatchObject({ newestDevice: second.id });
  const { devices } = await laptop.ask('Devices', {});
  expect(devices.map(({ device }) => device)).toEqual([second.id, laptop.id]);
});
