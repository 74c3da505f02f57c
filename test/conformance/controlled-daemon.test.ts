import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import { SERVER_HOST } from '../../app/lab/simulator/cluster/server-node.ts';
import type { FrontEnd } from '../../daemon/runtime/runtime-options.ts';
import type { SuggestedGroup } from '../../shared/control/groups.ts';
import type { FetchEntry } from '../../shared/control/queue.ts';
import { dataVersion } from '../../shared/model/vnode.ts';
import { minutes, seconds } from '../../shared/model/time.ts';
import { FakeDaemon } from '../support/fake-daemon.ts';
import { FakeVolume } from '../support/fake-volume.ts';
import { controlledContentsSuite } from './controlled-contents.suite.ts';
import { controlledDaemonSuite } from './controlled-daemon.suite.ts';
import type { ControlledHarness } from './controlled-harness.ts';
import { controlledPastSuite } from './controlled-past.suite.ts';

/** The daemon itself, in a simulated world. */
async function simulated(): Promise<ControlledHarness> {
  const cluster = await Cluster.start({ frontEnd: 'none' });
  const [here, other] = cluster.clients as [ClientNode, ClientNode];
  const sides = { here, there: other };
  const encoder = new TextEncoder();
  const rest = (): Promise<void> => cluster.pass(minutes(2));
  const harness: ControlledHarness = {
    get daemon() {
      return here.daemon;
    },
    there: other.daemon.fileSystem,
    run: (work) => cluster.run(work),
    rest,
    write: (side, path, text) => sides[side].disk.write(path, encoder.encode(text)),
    connect: async (online) => {
      if (online) cluster.heal(here);
      else cluster.cut(here);
      await cluster.pass(online ? seconds(40) : minutes(2));
    },
    holdRemovals: (count) => here.daemon.attach(holding(here, count)),
    useTogether: async (files) => {
      for (const fid of files) {
        const { handle } = await cluster.run(here.daemon.fileSystem.open(fid, { mode: 'read' }));
        await cluster.run(here.daemon.fileSystem.close(handle, null));
      }
      await cluster.pass(minutes(1));
    },
    fetch: async (files) => {
      cluster.network.shape(here.name, SERVER_HOST, { delayMs: 5000 });
      const opened = files.map((fid) => here.daemon.fileSystem.open(fid, { mode: 'read' }));
      await cluster.until(() => here.daemon.fetches(10).total === files.length, 'all to be asked');
      return {
        arrive: async () => {
          for (const each of opened) {
            const { handle } = await cluster.run(each);
            await cluster.run(here.daemon.fileSystem.close(handle, null));
          }
        },
      };
    },
    conflict: async (name) => {
      await cluster.at(other, (files) => files.write(`/${name}`, 'theirs'));
      await cluster.run(other.daemon.flush(null));
      const { fid } = await cluster.at(here, (files) => files.look(`/${name}`));
      const how = { mode: 'write', truncate: true, base: dataVersion(0) } as const;
      const { path, handle } = await cluster.run(here.daemon.fileSystem.open(fid, how));
      here.disk.write(path, encoder.encode('ours'));
      await cluster.run(here.daemon.fileSystem.close(handle, {}));
      await cluster.run(here.daemon.flush(null));
    },
    restart: async () => {
      await cluster.restart(here);
      await cluster.until(() => here.status.connected, 'it to be back');
    },
    end: () => Promise.resolve(),
  };
  return harness;
}

/** A front end that only holds back this many removals. */
function holding({ volume }: ClientNode, count: number): FrontEnd {
  let held = count;
  const told = (): Promise<number> => {
    const was = held;
    held = 0;
    return Promise.resolve(was);
  };
  const done = (): Promise<void> => Promise.resolve();
  return {
    volume,
    scan: done,
    reached: done,
    close: done,
    unsettled: () => ({ paths: 0, commits: 0 }),
    waiting: () => [],
    heldRemovals: () => held,
    confirmRemovals: told,
    rejectRemovals: told,
  };
}

/** The fake that tests of controllers use. The harness sets what it does not compute, as those tests do. */
function faked(): Promise<ControlledHarness> {
  const dir = mkdtempSync(join(tmpdir(), 'godwit-controlled-'));
  const daemon = new FakeDaemon(join(dir, 'here'));
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  };
  return Promise.resolve({
    daemon,
    there: new FakeVolume(join(dir, 'there'), undefined, daemon.fileSystem),
    run: (work) => work,
    rest,
    write: (_side, path, text) => writeFileSync(path, text),
    connect: (online) => {
      daemon.connect(online);
      return rest();
    },
    holdRemovals: (count) => (daemon.held = count),
    useTogether: (files) => {
      const named = files.map((fid) => ({ fid, path: `/${daemon.fileSystem.pathOf(fid)}` }));
      const isMeant = ({ files: of }: SuggestedGroup): boolean => of[0]?.fid === files[0];
      const times = daemon.suggested.find(isMeant)?.times ?? 0;
      const others = daemon.suggested.filter((group) => !isMeant(group));
      daemon.suggested = [...others, { volume: 'home', files: named, times: times + 1 }];
      return Promise.resolve();
    },
    fetch: (files) => {
      const entries = files.map((fid): FetchEntry => ({
        ...{ volume: 'home', path: daemon.fileSystem.pathOf(fid), demanded: true },
        ...{ state: 'on its way', bytes: 4, receivedBytes: 0 },
      }));
      daemon.fetching = { total: entries.length, entries };
      return Promise.resolve({
        arrive: () => {
          daemon.fetching = { total: 0, entries: [] };
          return Promise.resolve();
        },
      });
    },
    conflict: (name) => {
      const row = { id: 7, when: '2026-01-02T03:04:05Z', path: name, copy: `${name} (conflict)` };
      daemon.become({ conflicts: [{ ...row, kind: 'contents' }] });
      return Promise.resolve();
    },
    restart: null,
    end: () => Promise.resolve(rmSync(dir, { recursive: true })),
  });
}

for (const [name, start] of [
  ['a simulated daemon', simulated],
  ['the fake', faked],
] as const) {
  controlledDaemonSuite(name, start);
  controlledContentsSuite(name, start);
  controlledPastSuite(name, start);
}
