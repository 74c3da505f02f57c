/** Too many promises: the oldest of the device with the most of them are taken back, by breaks. */
import { expect, it } from '@jest/globals';
import { CoreServer, type TestDevice } from '../../../test/support/core-server.ts';
import { chmod, create, VOLUME } from '../../../test/support/core-updates.ts';
import { MemoryMetaStore } from '../../../app/lab/simulator/store/memory-meta-store.ts';
import type { Fid } from '../../../shared/model/fid.ts';

const FILES = 8;

interface Bench {
  readonly server: CoreServer;
  readonly writer: TestDevice;
  readonly fids: readonly Fid[];
}

async function start(mostPromises: { device: number; all: number }): Promise<Bench> {
  const server = await CoreServer.start(new MemoryMetaStore(), { mostPromises });
  const writer = await server.join();
  const fids = Array.from({ length: FILES }, (_, nth) => writer.fid(nth));
  for (const [nth, fid] of fids.entries()) await writer.apply(create(fid, `f${nth}`));
  return { server, writer, fids };
}

const look = async (device: TestDevice, fids: readonly Fid[]): Promise<Array<number | null>> =>
  (await device.ask('FetchStatus', { fids: [...fids] })).items.map(({ grant }) => grant);

const broken = (server: CoreServer) =>
  server.breaks.map(({ connection, items }) => [
    connection,
    items.map(({ subject }) => subject.fid),
  ]);

it('a device that has as many as it may is promised what it asks for, and loses what it was promised before', async () => {
  const { server, fids } = await start({ device: 3, all: 100 });
  const reader = await server.join();
  for (const fid of fids.slice(0, 3))
    expect(await look(reader, [fid])).toEqual([expect.any(Number)]);
  expect(broken(server)).toEqual([]);
  server.hold.breaks = true;
  // Asked for again, it is not the oldest any more.
  await look(reader, fids.slice(0, 1));
  expect(await look(reader, fids.slice(3, 4))).toEqual([expect.any(Number)]);
  expect(broken(server)).toEqual([[reader.connection, [fids[1], fids[2], fids[0]]]]);
  const { promises } = server.state.volumes.of(VOLUME);
  expect(promises.ofHolder(reader.id)).toEqual([fids[3]]);
});

it('the device with the most promises pays for what another one is granted', async () => {
  const { server, fids } = await start({ device: 100, all: FILES });
  const [greedy, modest] = [await server.join(), await server.join()];
  await look(greedy, fids);
  server.hold.breaks = true;
  expect(await look(modest, fids.slice(0, 1))).toEqual([expect.any(Number)]);
  expect(broken(server)).toEqual([[greedy.connection, fids]]);
  expect(server.state.volumes.limits.promises.sum).toBe(1);
});

it('a change of what was taken back waits until its holder knows', async () => {
  const { server, writer, fids } = await start({ device: 1, all: 100 });
  const reader = await server.join();
  await look(reader, fids.slice(0, 1));
  server.hold.breaks = true;
  await look(reader, fids.slice(1, 2));
  const call = writer.sendUpdates([{ update: chmod(fids[0] as Fid, 0o600) }]);
  await server.settle();
  expect(server.outcome(call)).toBeUndefined();
  await server.release('breaks');
  expect(server.outcome(call)).toBeDefined();
});

it('the promise for a volume is not taken back', async () => {
  const { server, fids } = await start({ device: 1, all: 100 });
  const reader = await server.join();
  const { head } = server.state.volumes.of(VOLUME);
  const since = head.committed;
  await reader.ask('Changes', { volume: VOLUME, since, limit: 9, wait: false, promise: true });
  await look(reader, fids.slice(0, 1));
  await look(reader, fids.slice(1, 2));
  expect(server.state.volumes.of(VOLUME).promises.has(VOLUME, reader.id)).toBe(true);
});
