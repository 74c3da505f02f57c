import { expect, it } from '@jest/globals';
import { FILE, OTHER, ROOT, statusOf, VOLUME } from '../../../../test/support/observations.ts';
import { REVISION_INTERVAL } from '../../../../daemon/limits.ts';
import { CoreServer } from '../../../../test/support/core-server.ts';
import { VOLUME as HOME } from '../../../../test/support/core-updates.ts';
import { create } from '../../../../test/support/core-updates.ts';
import type { ClientNode } from '../cluster/client-node.ts';
import { Cluster } from '../cluster/cluster.ts';
import { accounting, checkUploads, checkVolume } from './accounting.ts';
import type { WholeVolume } from './accounting.ts';

const root = { status: statusOf({ fid: ROOT, kind: 'directory', digest: null }), names: [] };
const file = { status: statusOf(), names: [{ dir: ROOT, name: 'doc' }] };
const whole: WholeVolume = {
  volume: VOLUME,
  head: 2,
  commits: 2,
  used: { kept: file.status.size, known: file.status.size },
  vnodes: [root, file],
  entries: new Map([[ROOT, 1]]),
};

function found(changed: Partial<WholeVolume>): string[] {
  const texts: string[] = [];
  checkVolume({ ...whole, ...changed }, (text) => texts.push(text));
  return texts;
}

it('the checker finds counts that differ from the rows', () => {
  expect(found({})).toEqual([]);
  expect(found({ commits: 3 })).toEqual(['volume 1 is at 2, and has 3 commits']);
  expect(found({ entries: new Map([[ROOT, 2]]) })).toEqual(['1.1.1 counts 2 entries and has 1']);
  const used = { kept: file.status.size + 1, known: file.status.size };
  expect(found({ used })).toEqual([
    `volume 1 has ${used.known} bytes, counts ${used.kept}, and knows of ${used.known}`,
  ]);
  const linked = { ...file, status: statusOf({ links: 2 }) };
  expect(found({ vnodes: [root, linked] })).toEqual(['1.2.2 has 1 names and counts 2 links']);
});

it('the checker finds directories that are not below the root', () => {
  const inside = (fid: typeof FILE, dir: typeof FILE) => ({
    status: statusOf({ fid, kind: 'directory', digest: null }),
    names: [{ dir, name: 'box' }],
  });
  const entries = new Map([
    [ROOT, 0],
    [FILE, 1],
    [OTHER, 1],
  ]);
  const vnodes = [root, inside(FILE, OTHER), inside(OTHER, FILE)];
  const used = { kept: 0, known: 0 };
  expect(found({ vnodes, entries, used })).toEqual([
    '1.2.2 is not below the root',
    '1.3.2 is not below the root',
  ]);
});

it('the checker finds missing contents and accepts a sound cluster', async () => {
  const cluster = await Cluster.start({ clients: 1 });
  const [ada] = cluster.clients;
  if (ada === undefined) throw new Error('one laptop');
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  const texts: string[] = [];
  const checker = accounting.make((text) => texts.push(text));
  await checker.atRest?.(cluster);
  expect(texts).toEqual([]);
  const [path] = cluster.server.disk.list('/data/contents');
  cluster.server.disk.remove(String(path));
  await checker.atRest?.(cluster);
  expect(texts).toEqual([expect.stringContaining('are not in the store')]);
});

it('the checker waits for a status that includes recent events', async () => {
  const cluster = await Cluster.start({ clients: 2, frontEnd: 'none' });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, (files) => files.write('/doc', 'text'));
  await cluster.settled();
  await cluster.pass(REVISION_INTERVAL);
  expect(bob.status.cache.files).toBe(0);
  await cluster.at(bob, (files) => files.read('/doc'));
  const found: string[] = [];
  await accounting.make((text) => found.push(text)).atRest?.(cluster);
  expect(found).toEqual([]);
});

it('the checker finds space reserved for an upload that is over', async () => {
  const server = await CoreServer.start();
  server.meta.limit(HOME, 100);
  server.feed({ kind: 'volumes', ...(await server.meta.volumes()) });
  const device = await server.join();
  await device.apply(create(device.fid(1), 'doc'));
  device.sendStore(device.fid(1), 0, { length: 60 });
  await server.settle();
  const volume = server.state.volumes.of(HOME);
  const [upload] = [...volume.quota.uploads.holders];
  const texts: string[] = [];
  checkUploads(volume, (text) => texts.push(text));
  expect(texts).toEqual([]);
  device.disconnect();
  if (upload !== undefined) volume.quota.uploads.put(upload, 60);
  checkUploads(volume, (text) => texts.push(text));
  expect(texts).toEqual(['home keeps 60 bytes for update 2 of device 1, which is over']);
});
