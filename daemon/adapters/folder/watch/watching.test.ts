/** Where no watch tells of a change, it is looked for, and that is said. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, minutes } from '../../../../shared/model/time.ts';
import { FakeDisks } from '../../../../test/support/fake-disks.ts';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { WatchedHost } from '../../../../test/support/watched-host.ts';

let host: WatchedHost;
let bench: FolderBench;

beforeEach(() => {
  host = new WatchedHost();
  bench = new FolderBench(host);
  bench.limits = { ...bench.limits, lostPause: milliseconds(20), poll: minutes(60) };
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(bench.path(name, 'in'), { recursive: true });
    writeFileSync(bench.path(name, 'in', 'file'), name);
  }
});
afterEach(() => bench.destroy());

const codes = (): string[] => bench.folder.status().errors.map(({ code }) => code);
const file = (name: string): string | undefined => bench.volume.tree()[`${name}/in/file`];

it('a folder whose events were lost is scanned whole and unsettled until then', async () => {
  await bench.start();
  host.isSilent = true;
  writeFileSync(bench.path('a', 'in', 'file'), 'changed');
  unlinkSync(bench.path('b', 'in', 'file'));
  mkdirSync(bench.path('new'));
  host.lose();
  expect(codes()).toEqual(['changes-missed']);
  expect(bench.folder.unsettled().paths).toBeGreaterThan(0);
  host.isSilent = false;
  await bench.until(() => bench.folder.unsettled().paths === 0);
  await bench.volume.idle();
  expect([file('a'), file('b'), bench.volume.tree()['new/']]).toEqual(['changed', undefined, '']);
  expect(codes()).toEqual([]);
  // What was made meanwhile is watched.
  writeFileSync(bench.path('new', 'file'), 'seen');
  await bench.volume.until(() => bench.volume.tree()['new/file'] === 'seen');
});

it('a folder whose events were lost during a scan is scanned once more', async () => {
  await bench.start();
  let looks = 0;
  host.adding = (path) => {
    if (path !== bench.root) return;
    looks += 1;
    if (looks === 1) host.lose();
    // Seen by nobody but the second look.
    else writeFileSync(bench.path('a', 'in', 'file'), 'changed');
  };
  host.isSilent = true;
  host.lose();
  await bench.until(() => bench.folder.unsettled().paths === 0);
  await bench.volume.idle();
  expect([looks, file('a'), codes()]).toEqual([2, 'changed', []]);
});

it('a folder without watches is polled, reports that, and is watched when possible', async () => {
  host.most = 3;
  bench.limits = { ...bench.limits, poll: milliseconds(50) };
  await bench.start();
  expect(codes()).toEqual(['not-watched']);
  expect(bench.folder.status().errors[0]?.message).toMatch(/no more watches: \d folders .* every/);
  for (const name of ['a', 'b', 'c']) writeFileSync(bench.path(name, 'in', 'file'), `${name} 2`);
  await bench.volume.until(() => ['a', 'b', 'c'].every((name) => file(name) === `${name} 2`));
  host.most = 100;
  await bench.until(() => codes().length === 0);
});

it('a directory that finds no watch while the folder runs is reported before any poll', async () => {
  host.most = 7;
  await bench.start();
  expect(codes()).toEqual([]);
  mkdirSync(bench.path('new', 'in'), { recursive: true });
  await bench.until(() => codes().includes('not-watched'));
  await bench.volume.until(() => bench.volume.tree()['new/in/'] === '');
});

it('a directory that finds no watch is looked at by the very next poll', async () => {
  host.most = 7;
  bench.limits = { ...bench.limits, poll: milliseconds(50) };
  await bench.start();
  const isSeen = (): boolean =>
    bench.folder.unsettled().paths > 0 || bench.volume.tree()['new/file'] === 'made';
  const seen = new Promise<boolean>((resolve) => {
    let tried = 0;
    host.adding = (path) => {
      if (path !== bench.path('new')) return;
      tried += 1;
      // It comes; a poll tries it again, and looks; the poll after that.
      if (tried === 2) writeFileSync(bench.path('new', 'file'), 'made');
      if (tried === 3) resolve(isSeen());
    };
  });
  mkdirSync(bench.path('new'));
  expect(await seen).toBe(true);
});

it('a folder is watched again as soon as there are watches, without waiting for a poll', async () => {
  host.most = 3;
  bench.limits = { ...bench.limits, poll: milliseconds(50) };
  await bench.start();
  host.most = 100;
  await bench.until(() => codes().length === 0);
  await bench.close();
  bench.limits = { ...bench.limits, poll: minutes(60) };
  await bench.start();
  for (const name of ['a', 'b', 'c']) writeFileSync(bench.path(name, 'in', 'file'), `${name} 2`);
  await bench.volume.until(() => ['a', 'b', 'c'].every((name) => file(name) === `${name} 2`));
});

it.each(['nfs4', 'cifs', 'fuse.sshfs', '9p'])(
  'a folder on %s is polled for changes by others',
  async (type) => {
    bench.limits = { ...bench.limits, poll: milliseconds(50) };
    const disks = new FakeDisks(bench.root, join(bench.dir, 'shelf'));
    bench.mounts = disks;
    disks.mount('far', 'disk', type);
    writeFileSync(bench.path('far', 'file'), '1');
    await bench.start();
    expect(bench.folder.status().errors).toEqual([
      expect.objectContaining({ code: 'looked-at', path: 'far' }),
    ]);
    host.isSilent = true;
    writeFileSync(bench.path('far', 'file'), '2');
    await bench.volume.until(() => bench.volume.tree()['far/file'] === '2');
  },
);
