/** Random histories with random delays of everything: what must hold in each of them. */
import { describe, expect, it } from '@jest/globals';
import { bodyOf, CoreServer, digestOf, type TestDevice } from '../../test/support/core-server.ts';
import {
  chmod,
  create,
  link,
  mkdir,
  remove,
  rename,
  rmdir,
  ROOT,
  VOLUME,
} from '../../test/support/core-updates.ts';
import { PromiseWatcher } from '../../test/support/promise-watcher.ts';
import { MemoryMetaStore } from '../../app/lab/simulator/store/memory-meta-store.ts';
import type { Fid } from '../../shared/model/fid.ts';
import type { MetadataUpdate } from '../../shared/model/update.ts';
import type { CommitNumber, VnodeStatus } from '../../shared/model/vnode.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const STEPS = 800;
const HELD = ['loads', 'commits', 'breaks'] as const;

class History {
  readonly random: SeededRandom;
  readonly server: CoreServer;
  readonly devices: TestDevice[];
  readonly watcher: PromiseWatcher;
  readonly calls: Array<{ device: TestDevice; call: number; again: () => number }> = [];
  readonly #used = new Map<TestDevice, number>();

  constructor(seed: number, server: CoreServer, devices: TestDevice[]) {
    this.random = new SeededRandom(seed);
    this.server = server;
    this.devices = devices;
    this.watcher = new PromiseWatcher(server, devices);
    Object.assign(server.hold, { loads: true, commits: true, breaks: true });
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random.fraction() * items.length)] as T;
  }

  async step(): Promise<void> {
    const held = HELD.filter((kind) => this.server.heldCount(kind) > 0);
    const choice = this.random.fraction();
    if (choice < 0.7 && held.length > 0) {
      const what = this.pick(held);
      const index = Math.floor(this.random.fraction() * this.server.heldCount(what));
      await this.server.releaseAt(what, index);
    } else if (choice < 0.85) {
      this.#read(this.pick(this.devices));
    } else {
      this.#write(this.pick(this.devices));
    }
    await this.server.settle();
  }

  #read(device: TestDevice): void {
    const asked = this.pick([0, 1, 2]);
    const since = 0 as CommitNumber;
    const call =
      asked === 0
        ? device.send('FetchStatus', { fids: [this.fid(), ROOT] })
        : asked === 1
          ? device.send('FetchDir', { fid: ROOT, at: null, after: null, limit: 100 })
          : device.send('Changes', {
              volume: VOLUME,
              since,
              limit: 500,
              wait: false,
              promise: true,
            });
    this.watcher.asked(device, call);
  }

  #write(device: TestDevice): void {
    if (this.random.fraction() < 0.2) this.#store(device);
    else {
      const seq = device.seq();
      const after = seq > 1 && this.random.fraction() < 0.3 ? [seq - 1] : [];
      const update = this.update(device);
      this.#send(device, () => device.sendUpdates([{ seq, after, update }]));
    }
  }

  #store(device: TestDevice): void {
    const seq = device.seq();
    const [fid, base] = [this.fid(), this.pick([0, 1, 2])];
    const digest = digestOf(this.pick(['1', '2', '3']));
    this.#send(device, () => {
      const call = device.sendStore(fid, base, { seq, digest });
      device.sendContent(call, { digest });
      return call;
    });
  }

  #send(device: TestDevice, send: () => number): void {
    const again = (): number => {
      const call = send();
      this.watcher.asked(device, call);
      return call;
    };
    this.calls.push({ device, call: again(), again });
    if (this.random.fraction() < 0.1) this.calls.push({ device, call: again(), again });
  }

  /** A fid that somebody may have made. */
  fid(): Fid {
    const device = this.pick(this.devices);
    return device.fid(this.#some(device));
  }

  #some(device: TestDevice): number {
    return Math.floor(this.random.fraction() * (this.#used.get(device) ?? 1));
  }

  update(device: TestDevice): MetadataUpdate {
    const [name, other] = [this.pick(NAMES), this.pick(NAMES)];
    const [fid, over] = [this.fid(), this.fid()];
    const dir = this.random.fraction() < 0.6 ? ROOT : this.fid();
    const toDir = this.random.fraction() < 0.6 ? ROOT : this.fid();
    const fresh = (): Fid => {
      const n = this.#used.get(device) ?? 0;
      this.#used.set(device, n + 1);
      return device.fid(n);
    };
    switch (Math.floor(this.random.fraction() * 9)) {
      case 0:
      case 1:
        return create(fresh(), name, dir);
      case 2:
      case 3:
        return mkdir(fresh(), name, dir);
      case 4:
        return link(fid, name, dir);
      case 5:
        return remove(fid, name, 0, dir);
      case 6:
        return rmdir(fid, name, dir);
      case 7:
        return chmod(fid, Math.floor(this.random.fraction() * 512));
      default:
        return rename(fid, name, other, {
          fromDir: dir,
          toDir,
          ...(this.random.fraction() < 0.5 ? {} : { over }),
        });
    }
  }

  /** Everything comes in, until nothing is under way. */
  async finish(): Promise<void> {
    for (const what of HELD) await this.server.release(what);
    await this.server.settle();
  }
}

async function run(seed: number): Promise<History> {
  const server = await CoreServer.start(new MemoryMetaStore());
  const devices = [await server.join(), await server.join(), await server.join()];
  const history = new History(seed, server, devices);
  for (let n = 0; n < STEPS; n++) await history.step();
  await history.finish();
  return history;
}

type Tree = Map<Fid, { status: VnodeStatus; names: string[] }>;

async function snapshotOf(device: TestDevice): Promise<Tree> {
  const tree: Tree = new Map();
  const body = { volume: VOLUME, at: null, after: null, limit: 500 };
  for (const { status, names } of (await device.ask('Snapshot', body)).vnodes) {
    tree.set(status.fid, { status, names: names.map(({ dir, name }) => `${dir}/${name}`).sort() });
  }
  return tree;
}

/** What a client makes of the feed. */
async function replayed(device: TestDevice): Promise<Tree> {
  const statuses = new Map<Fid, VnodeStatus>();
  const entries = new Map<string, Fid>();
  const body = {
    volume: VOLUME,
    since: 0 as CommitNumber,
    limit: 500,
    wait: false,
    promise: false,
  };
  for (const { vnodes, entries: changed } of (await device.ask('Changes', body)).commits) {
    for (const status of vnodes) {
      if (status.links === 0) statuses.delete(status.fid);
      else statuses.set(status.fid, status);
    }
    for (const { dir, name, fid } of changed) {
      if (fid === null) entries.delete(`${dir}/${name}`);
      else entries.set(`${dir}/${name}`, fid);
    }
  }
  const byFid = new Map<Fid, string[]>();
  for (const [place, fid] of entries) byFid.set(fid, [...(byFid.get(fid) ?? []), place]);
  return new Map(
    [...statuses].map(([fid, status]) => [fid, { status, names: (byFid.get(fid) ?? []).sort() }]),
  );
}

describe('a random history of a server', () => {
  it.each(Array.from({ length: 25 }, (_, n) => n + 1))(
    'breaks no invariant: seed %i',
    async (seed) => {
      const { server, devices, calls, watcher } = await run(seed);
      const [device] = devices as [TestDevice];
      // Every call has its answer, and the same one when it is sent again.
      const answers = calls.map(({ call }) => server.outcome(call));
      expect(answers.every((answer) => answer !== undefined)).toBe(true);
      for (const [index, { again }] of calls.entries()) {
        const call = again();
        await server.settle();
        expect(server.outcome(call)).toEqual(answers[index]);
      }
      // The feed adds up to the snapshot; names, links and counts agree.
      const tree = await snapshotOf(device);
      expect(sorted(await replayed(device))).toEqual(sorted(tree));
      for (const { status, names } of tree.values()) {
        if (status.fid !== ROOT) expect(names).toHaveLength(status.links);
      }
      for (const fid of tree.keys()) {
        if (tree.get(fid)?.status.kind !== 'directory') continue;
        const call = device.send('FetchDir', { fid, at: null, after: null, limit: 1000 });
        await server.settle();
        const listed = bodyOf<'FetchDir'>(server.outcome(call)).entries;
        const named = [...tree.values()].flatMap(({ names }) => names);
        expect(listed).toHaveLength(named.filter((place) => place.startsWith(`${fid}/`)).length);
      }
      expect(server.stagedRows).toBe(0);
      expect(server.state.breaks.size).toBe(0);
      expect(watcher.answers).toBeGreaterThan(STEPS / 10);
      // Not one large group at the end, but many on the way.
      expect(server.meta.commits).toBeGreaterThan(STEPS / 20);
    },
  );
});

function sorted(tree: Tree): Array<[Fid, unknown]> {
  return [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
}
