import { describe, expect, it } from '@jest/globals';
import type { DirectoryEvent } from '../../../../shared/ports/host.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { VirtualTime } from '../clock/virtual-time.ts';
import { noWatchTroubles, WatchSystem, type WatchTroubles } from './directory-watches.ts';
import { EXT4, NFS, type FileSystemSwitches } from './file-system-switches.ts';
import { Kernel } from './kernel.ts';
import { writeFile } from './program-calls.ts';
import { SimulatedProgramCalls } from './simulated-program-calls.ts';

const ROOT = { uid: 0, gid: 0, groups: [] };
const NOTHING = new Uint8Array(1);

class Bench {
  readonly time = new VirtualTime();
  readonly told: DirectoryEvent[] = [];
  losses = 0;
  readonly calls: SimulatedProgramCalls;
  readonly kernel: Kernel;
  readonly system: WatchSystem;

  constructor(troubles: Partial<WatchTroubles> = {}, root: FileSystemSwitches = EXT4) {
    const random = new SeededRandom(5);
    this.kernel = new Kernel({ wall: () => 0, random, root });
    this.calls = new SimulatedProgramCalls(this.kernel, ROOT, '/');
    const world = { schedule: this.time, random, troubles: { ...noWatchTroubles(), ...troubles } };
    this.system = new WatchSystem(world);
    for (const name of ['a', 'b']) this.calls.mkdir(name);
  }

  watch(...paths: string[]): void {
    const watches = this.system.open(this.calls, {
      happened: (event) => this.told.push(event),
      lost: () => (this.losses += 1),
    });
    for (const path of paths) watches.add(path, false);
  }

  run(): string[] {
    while (this.time.step() !== null);
    return this.told.map(({ watch, name }) => `${watch} ${name}`);
  }
}

describe('watches of simulated directories', () => {
  it.each(['rename', 'exchange'] as const)(
    'report a write by the name that an open file has got by %s',
    (how) => {
      const bench = new Bench();
      for (const name of ['a/old', 'b/new']) writeFile(bench.calls, name, NOTHING);
      bench.watch('/a', '/b');
      const fd = bench.calls.open('a/old', 'r+');
      bench.calls[how]('a/old', 'b/new');
      bench.run();
      bench.told.splice(0);
      bench.calls.write(fd, NOTHING);
      expect(bench.run()).toEqual(['2 new']);
    },
  );

  it('report by simulated time, and nothing that is done by a name elsewhere', () => {
    const bench = new Bench();
    bench.watch('/a');
    writeFile(bench.calls, 'a/file', NOTHING);
    expect(bench.told).toEqual([]);
    expect(bench.run()).toEqual(['1 file']);
    bench.calls.link('a/file', 'b/name');
    bench.told.length = 0;
    writeFile(bench.calls, 'b/name', NOTHING);
    expect(bench.run()).toEqual([]);
  });

  it('report no write through a mapping', () => {
    const bench = new Bench();
    writeFile(bench.calls, 'a/file', NOTHING);
    bench.watch('/a');
    const mapping = bench.calls.map(bench.calls.open('a/file', 'r+'));
    mapping.write(0, NOTHING);
    mapping.unmap();
    expect(bench.run()).toEqual([]);
  });

  it('report a loss when too much happens, or keep it to themselves', () => {
    for (const isLossTold of [true, false]) {
      const bench = new Bench({ mostQueued: 2, isLossTold });
      bench.watch('/a');
      for (const name of ['1', '2', '3', '4']) writeFile(bench.calls, `a/${name}`, NOTHING);
      expect(bench.run()).toEqual(['1 1', '1 2']);
      expect(bench.losses).toBe(isLossTold ? 1 : 0);
    }
  });

  it('keep the order of a directory, and not that of several', () => {
    const orders = new Set<string>();
    const bench = new Bench({ isReordered: true });
    bench.watch('/a', '/b');
    for (let count = 0; count < 20; count++) {
      bench.told.length = 0;
      for (const path of ['a/1', 'b/1', 'a/2', 'b/2']) bench.calls.mkdir(`${path} ${count}`);
      orders.add(
        bench
          .run()
          .map((text) => text.replace(/ \d+$/, ''))
          .join(),
      );
    }
    expect([...orders].sort()).toEqual(['1 1,1 2,2 1,2 2', '2 1,2 2,1 1,1 2']);
  });

  it('are refused where the system gives no more of them', () => {
    const bench = new Bench({ mostWatches: 1, mostSets: 1 });
    expect(() => bench.watch('/a', '/b')).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(() => bench.watch('/a')).toThrow(expect.objectContaining({ code: 'EMFILE' }));
  });

  it('report what this machine does on a network disk, and not what others do', () => {
    const bench = new Bench({}, NFS);
    bench.watch('/a');
    const elsewhere = new SimulatedProgramCalls(bench.kernel, ROOT, '/', { isElsewhere: true });
    writeFile(elsewhere, 'a/there', NOTHING);
    writeFile(bench.calls, 'a/here', NOTHING);
    expect(bench.run()).toEqual(['1 here']);
  });
});
