import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Cluster, HOME } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { OtherDevice } from '../support/fake-other-device.ts';
import { FakeVolume } from '../support/fake-volume.ts';
import { VOLUME } from '../support/fake-queue.ts';
import { FollowedLaptop } from '../support/followed-laptop.ts';
import type { FeedHarness, FeedsOther } from './feed-harness.ts';
import { feedSuite } from './feed.suite.ts';
import { feedOwnSuite } from './feed-own.suite.ts';

/** The feed of the daemon, in a simulated world. */
async function simulated(): Promise<FeedHarness> {
  const cluster = await Cluster.start({ frontEnd: 'none', clients: 1 });
  const other = cluster.clients[0] as ClientNode;
  const here = new FollowedLaptop(cluster);
  await here.start();
  const connect = async (online: boolean): Promise<void> => {
    if (online) here.heal();
    else here.cut();
    await cluster.pass(online ? seconds(40) : minutes(2));
  };
  return {
    volume: HOME,
    get feed() {
      return here.daemon.feed;
    },
    get fileSystem() {
      return here.daemon.fileSystem;
    },
    other: othersFiles(cluster, other),
    run: (work) => cluster.run(work),
    rest: () => cluster.pass(minutes(2)),
    files: {
      read: (path) => new TextDecoder().decode(here.disk.read(path)),
      write: (path, text) => here.disk.write(path, new TextEncoder().encode(text)),
      remove: (path) => here.disk.remove(path),
    },
    connect,
    restart: () => here.restart(),
    damage: async (path) => {
      const { digest } = await cluster.at(other, (files) => files.look(`/${path}`));
      cluster.server.disk.write(`/data/contents/${digest}`, new TextEncoder().encode('damaged'));
    },
    bound: async (maximum) => void (await cluster.run(here.daemon.cacheSettings({ maximum }))),
    order: async (act, path) => {
      const [info] = await cluster.run(here.daemon.fileSystem.volumes());
      const target = { volume: info?.name ?? '', path: path.split('/') };
      await cluster.run(here.daemon.orderQueue({ act, target, withDependents: true }));
    },
    pin: async (path) => {
      const [info] = await cluster.run(here.daemon.fileSystem.volumes());
      await cluster.run(here.daemon.cache.act('pin', info?.name ?? '', path.split('/')));
    },
    end: () => Promise.resolve(),
  };
}

function othersFiles(cluster: Cluster, other: ClientNode): FeedsOther {
  const done = async <T>(work: (files: UserFiles) => Promise<T>): Promise<T> => {
    const result = await cluster.at(other, work);
    await cluster.run(other.daemon.flush(null));
    return result;
  };
  return {
    write: async (path, text) => (await done((files) => files.write(`/${path}`, text))).fid,
    make: async (path) => {
      const { fid } = await done(async (files) => {
        const { dir, name } = await files.place(`/${path}`);
        return other.daemon.fileSystem.create(dir, name, { mode: 0o644 });
      });
      return fid;
    },
    mkdir: async (path) => (await done((files) => files.mkdir(`/${path}`))).fid,
    link: async (path, name) => void (await done((files) => files.link(`/${path}`, `/${name}`))),
    remove: (path) => done((files) => files.remove(`/${path}`)),
  };
}

/** The fake feed that tests of front ends use. */
function faked(): Promise<FeedHarness> {
  const dir = mkdtempSync(join(tmpdir(), 'godwit-feed-'));
  const volume = new FakeVolume(dir);
  const other = new OtherDevice(volume);
  volume.begin();
  return Promise.resolve({
    volume: VOLUME,
    feed: volume,
    fileSystem: volume,
    other: {
      write: (path, text) => other.write(path, text),
      make: (path) => Promise.resolve(other.make(path)),
      mkdir: (path) => {
        other.mkdir(path);
        return Promise.resolve(volume.status(path).fid);
      },
      link: (path, name) => Promise.resolve(other.link(path, name)),
      remove: (path) => Promise.resolve(other.remove(path)),
    },
    run: (work) => work,
    rest: settled,
    files: {
      read: (path) => readFileSync(path, 'utf8'),
      write: (path, text) => writeFileSync(path, text),
      remove: (path) => rmSync(path),
    },
    connect: async (online) => {
      volume.connected = online;
      await settled();
    },
    restart: () => Promise.resolve(volume.begin()),
    damage: (path) => Promise.resolve(volume.damage(path)),
    bound: (bytes) => Promise.resolve(volume.bounded(bytes)),
    order: (act, path) => {
      const { fid } = volume.status(path);
      const meant = volume.queue.filter(({ update }) => update.fid === fid);
      for (const queued of meant) queued.aside = act === 'cancel';
      return Promise.resolve(volume.goOn());
    },
    pin: (path) => {
      volume.pinned.add(volume.status(path).fid);
      volume.bounded(volume.bound);
      return Promise.resolve();
    },
    end: () => Promise.resolve(rmSync(dir, { recursive: true, force: true })),
  });
}

/** Waits until all pending work has finished, which never takes longer. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

for (const [name, start] of [
  ['a simulated daemon', simulated],
  ['the fake', faked],
] as const) {
  feedSuite(name, start);
  feedOwnSuite(name, start);
}
