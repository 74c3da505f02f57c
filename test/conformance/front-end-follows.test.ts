import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from '../../app/lab/simulator/disk/content-digest.ts';
import { MemoryDisk } from '../../app/lab/simulator/disk/memory-disk.ts';
import { MemoryReplica, ReplicaState } from '../../app/lab/simulator/replica/memory-replica.ts';
import type { Host } from '../../shared/ports/host.ts';
import { OtherDevice } from '../support/fake-other-device.ts';
import { VOLUME } from '../support/fake-queue.ts';
import { FakeVolume } from '../support/fake-volume.ts';
import { FolderBench } from '../support/folder-bench.ts';
import { frontEndFollowsSuite, type FollowsHarness } from './front-end-follows.suite.ts';

/** The folder, on the disk of this machine. */
async function folder(): Promise<FollowsHarness> {
  const bench = await new FolderBench().start();
  const { volume, other } = bench;
  return {
    get frontEnd() {
      return bench.folder;
    },
    ...{ volume, other },
    tree: () => bench.tree(),
    settled: () => bench.settled(),
    close: () => bench.close(),
    open: async () => void (await bench.open()),
    end: () => bench.destroy(),
  };
}

/** Knows contents as the simulator does. */
const simulatedHost = {
  digestFile: (path: string) => {
    const bytes = readFileSync(path);
    return Promise.resolve({ digest: digestOf(bytes), length: bytes.length });
  },
} as Pick<Host, 'digestFile'> as Host;

/** In memory. */
async function replica(): Promise<FollowsHarness> {
  const dir = mkdtempSync(join(tmpdir(), 'godwit-replica-'));
  const volume = new FakeVolume(dir, simulatedHost);
  const disk = new MemoryDisk();
  const obtain = volume.obtain.bind(volume);
  volume.obtain = async (...asked) => {
    const obtained = await obtain(...asked);
    disk.write(obtained.path, readFileSync(obtained.path));
    return obtained;
  };
  const state = new ReplicaState(VOLUME);
  const failures: unknown[] = [];
  const begun = (): MemoryReplica => {
    volume.begin();
    const started = new MemoryReplica(volume, disk, state);
    started.start((error) => failures.push(error));
    return started;
  };
  let frontEnd = begun();
  const harness: FollowsHarness = {
    get frontEnd() {
      return frontEnd;
    },
    ...{ volume, other: new OtherDevice(volume) },
    tree: () => treeOf(state),
    settled: async () => {
      await frontEnd.reached(volume.head);
      await volume.until(() => volume.adjustments().length === 0);
    },
    close: () => frontEnd.close(),
    open: () => {
      frontEnd = begun();
      return Promise.resolve();
    },
    end: async () => {
      await frontEnd.close();
      rmSync(dir, { recursive: true });
      if (failures.length > 0) throw failures[0];
    },
  };
  await harness.settled();
  return harness;
}

function treeOf(state: ReplicaState): Record<string, string> {
  const shown = [...state.tree()].map(([path, { status, bytes }]) => {
    const name = path.slice(1);
    if (status.kind === 'directory') return [`${name}/`, ''];
    return [
      name,
      status.kind === 'symlink' ? `-> ${status.target}` : String(Buffer.from(bytes ?? [])),
    ];
  });
  return Object.fromEntries(shown) as Record<string, string>;
}

frontEndFollowsSuite('folder', folder);
frontEndFollowsSuite('the replica of the simulator', replica);
