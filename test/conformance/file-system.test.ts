import { Cluster } from '../../app/sim/cluster/cluster.ts';
import type { ClientNode } from '../../app/sim/cluster/client-node.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { stillRecorder } from '../support/still-recorder.ts';
import { fileSystemSuite, type FileSystemHarness } from './file-system.suite.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The daemon's own, in a simulated world; nothing is fetched before it is asked for. */
async function simulated(): Promise<FileSystemHarness> {
  const cluster = await Cluster.start({ frontEnd: 'none' });
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

/** The same with somebody who records what is done. */
async function recorded(): Promise<FileSystemHarness> {
  const harness = await simulated();
  const recorder = stillRecorder();
  recorder.begin();
  return { ...harness, here: recorder.over(harness.here, { pid: 1 }) };
}

fileSystemSuite('a simulated daemon', simulated);
fileSystemSuite('one that is recorded', recorded);
