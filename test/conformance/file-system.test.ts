import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { milliseconds, minutes, seconds } from '../../shared/model/time.ts';
import { FakeControl } from '../support/fake-control.ts';
import { FakeVolume } from '../support/fake-volume.ts';
import { stillRecorder } from '../support/still-recorder.ts';
import { fileSystemSuite, type FileSystemHarness } from './file-system.suite.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The file system of the daemon, in a simulated world, where nothing is fetched before it is asked for. */
const simulated = async (): Promise<FileSystemHarness> =>
  harnessOf(await Cluster.start({ frontEnd: 'none' }));

function harnessOf(cluster: Cluster): FileSystemHarness {
  const [here, there] = cluster.clients as [ClientNode, ClientNode];
  const sides = { here, there };
  return {
    here: here.daemon.fileSystem,
    there: there.daemon.fileSystem,
    run: (work) => cluster.run(work),
    read: (side, path) => decoder.decode(sides[side].disk.read(path)),
    write: (side, path, text) => sides[side].disk.write(path, encoder.encode(text)),
    connect: async (online) => {
      if (online) cluster.heal(here);
      else cluster.cut(here);
      await cluster.pass(online ? seconds(40) : minutes(2));
    },
    end: () => Promise.resolve(),
  };
}

/** The same with a recorder of file accesses. */
async function recorded(): Promise<FileSystemHarness> {
  const harness = await simulated();
  const recorder = stillRecorder();
  recorder.begin();
  return { ...harness, here: recorder.over(harness.here, { pid: 1 }) };
}

/** The same as programs reach it: over a real socket, while simulated time passes. */
async function overSocket(): Promise<FileSystemHarness> {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [here] = cluster.clients as [ClientNode, ClientNode];
  const control = new FakeControl(here.daemon);
  await control.start();
  const client = control.client();
  return {
    ...harnessOf(cluster),
    here: client.fileSystem,
    run: async (work) => {
      let isSettled = false;
      const settled = (): void => void (isSettled = true);
      work.then(settled, settled);
      while (!isSettled) {
        await setImmediate();
        await cluster.pass(milliseconds(1));
      }
      return work;
    },
    end: async () => {
      client.close();
      await control.close();
    },
  };
}

/** The fake that tests of front ends and programs use, with another client of the same server. */
function faked(): Promise<FileSystemHarness> {
  const dir = mkdtempSync(join(tmpdir(), 'godwit-files-'));
  const here = new FakeVolume(join(dir, 'here'));
  const there = new FakeVolume(join(dir, 'there'), undefined, here);
  return Promise.resolve({
    here,
    there,
    run: (work) => work,
    read: (_side, path) => readFileSync(path, 'utf8'),
    write: (_side, path, text) => writeFileSync(path, text),
    connect: (online) => {
      here.connected = online;
      return Promise.resolve();
    },
    end: () => Promise.resolve(rmSync(dir, { recursive: true })),
  });
}

fileSystemSuite('a simulated daemon', simulated);
fileSystemSuite('the fake', faked);
fileSystemSuite('the control socket over it', overSocket, { isInside: false });
fileSystemSuite('one that is recorded', recorded);
