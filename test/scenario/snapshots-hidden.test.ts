/**
 * Who may not see a volume learns nothing of it by its snapshots: a hostile device asks for the names, the folders and the contents of snapshots, with
 * numbers that it knows or guesses, and is answered as if the volume had never been (rules A5, H4).
 */
import { describe, expect, it } from '@jest/globals';
import { rootOf, type VolumeId } from '../../shared/model/fid.ts';
import { wallTime } from '../../shared/model/time.ts';
import { commitNumber, type DataVersion } from '../../shared/model/vnode.ts';
import { CoreServer, digestOf, type TestDevice } from '../support/core-server.ts';
import { create, remove, VOLUME } from '../support/core-updates.ts';

const NOBODYS = 77 as VolumeId;

/** Ada's file is in a snapshot and gone since. Mallory could read it once. */
async function withdrawn(): Promise<{ server: CoreServer; ada: TestDevice; mallory: TestDevice }> {
  const server = await CoreServer.start();
  const ada = await server.join();
  const mallory = await server.join('read', 'guest');
  const secret = ada.fid(0);
  await ada.apply(create(secret, 'secret'));
  await ada.store(secret, 0, { digest: digestOf('d') });
  server.meta.makeSnapshot(VOLUME, 'yesterday', wallTime(5));
  await ada.apply(remove(secret, 'secret', 1));
  return { server, ada, mallory };
}

/** All that there is to ask of snapshots of a volume, with what mallory remembers. */
async function everything(device: TestDevice, volume: VolumeId, file: TestDevice) {
  const dir = rootOf(volume);
  const fid = volume === VOLUME ? file.fid(0) : (`${volume}.70000.2` as typeof dir);
  const [at, later] = [commitNumber(3), commitNumber(1_000)];
  const page = { after: null, limit: 10 } as const;
  return [
    await device.try('NamedSnapshots', { volume }),
    await device.try('PastDir', { fid: dir, at, ...page }),
    await device.try('PastDir', { fid: dir, at: later, ...page }),
    await device.try('PastDir', { fid, at, ...page }),
    await device.try('PastNames', { dir, name: 'secret', ...page }),
    await device.try('PastVersions', { fid, before: null, limit: 10 }),
    await device.try('OwnCommits', { volume, before: null, limit: 10 }),
    await device.try('Fetch', { fid, version: 1 as DataVersion }),
    await device.try('FetchDir', { fid: dir, at, ...page }),
    await device.try('Snapshot', { volume, at, ...page }),
  ];
}

describe('a device that may not see a volume', () => {
  it('gets the same answers about its snapshots as about a volume that never was', async () => {
    const { server, ada, mallory } = await withdrawn();
    // As long as it may read, there is something to see.
    expect(await mallory.ask('NamedSnapshots', { volume: VOLUME })).toMatchObject({
      snapshots: [{ name: 'yesterday' }],
    });
    server.meta.allow('guest', VOLUME, null);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([mallory.id]) });
    await mallory.hello();
    const told = await everything(mallory, VOLUME, ada);
    expect(told).toEqual(await everything(mallory, NOBODYS, ada));
    expect(JSON.stringify(told)).not.toMatch(/secret|yesterday/);
  });

  it('is refused what it had asked for before its right was withdrawn', async () => {
    const { server, mallory } = await withdrawn();
    server.hold.loads = true;
    const call = mallory.send('NamedSnapshots', { volume: VOLUME });
    await server.settle();
    server.meta.allow('guest', VOLUME, null);
    server.feed({ kind: 'access', devices: await server.meta.accessOf([mallory.id]) });
    await server.release('loads');
    await server.settle();
    const outcome = server.outcome(call);
    expect(outcome === undefined || !('body' in outcome)).toBe(true);
  });
});
