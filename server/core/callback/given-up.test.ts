/** A device gives promises up by their numbers (rule N3). */
import { beforeEach, expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, VOLUME } from '../../../test/support/core-updates.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { GrantNumber } from '../../../shared/model/callback-promise.ts';

let server: CoreServer;
let writer: TestDevice;
let reader: TestDevice;
let x: Fid;

beforeEach(async () => {
  server = await CoreServer.start();
  [writer, reader] = [await server.join(), await server.join()];
  x = writer.fid(0);
  await writer.apply(create(x, 'x'));
});

const look = async (): Promise<GrantNumber> => {
  const [item] = (await reader.ask('FetchStatus', { fids: [x] })).items;
  expect(item?.grant).not.toBeNull();
  return item?.grant as GrantNumber;
};
const isPromised = (): boolean => server.state.volumes.of(VOLUME).promises.has(x, reader.id);

it('a promise that was given up is broken for nobody, and the writer waits for nothing', async () => {
  const grant = await look();
  await reader.ask('GiveUpCallbacks', { fids: [x], grants: [grant] });
  server.hold.breaks = true;
  await writer.apply(chmod(x, 0o600));
  expect(server.breaks).toEqual([]);
  expect(isPromised()).toBe(false);
});

it('a promise that was granted since then stays', async () => {
  const first = await look();
  const second = await look();
  expect(second).toBeGreaterThan(first);
  await reader.ask('GiveUpCallbacks', { fids: [x], grants: [first] });
  expect(isPromised()).toBe(true);
  server.hold.breaks = true;
  writer.sendUpdates([{ update: chmod(x, 0o600) }]);
  await server.settle();
  expect(server.breaks).toHaveLength(1);
});

it('a break that is under way is waited for, whatever is given up meanwhile', async () => {
  const grant = await look();
  server.hold.breaks = true;
  const call = writer.sendUpdates([{ update: chmod(x, 0o600) }]);
  await server.settle();
  await reader.ask('GiveUpCallbacks', { fids: [x], grants: [grant] });
  expect(server.outcome(call)).toBeUndefined();
  await server.release('breaks');
  expect(server.outcome(call)).toBeDefined();
});

it('an older daemon gives all up without numbers, and a number too few gives nothing up', async () => {
  await look();
  await reader.ask('GiveUpCallbacks', { fids: [x], grants: [] });
  expect(isPromised()).toBe(true);
  await reader.ask('GiveUpCallbacks', { fids: [x] });
  expect(isPromised()).toBe(false);
});
