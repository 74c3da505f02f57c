/** The simulated kernel of a laptop: one file system with the synced folder, a folder beside it, and the engine's own data. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FreeDiskSpace } from '../../../../shared/model/cache.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Schedule } from '../clock/virtual-time.ts';
import { noWatchTroubles, WatchSystem, type WatchTroubles } from '../posix/directory-watches.ts';
import { EXT4, FILE_SYSTEMS, type FileSystemSwitches } from '../posix/file-system-switches.ts';
import { Kernel } from '../posix/kernel.ts';
import { beginFault, type KernelFault } from '../posix/kernel-faults.ts';
import type { ErrorName } from '../posix/kernel-error.ts';
import type { Process } from '../posix/process.ts';
import type { Credentials, ProgramCalls } from '../posix/program-calls.ts';
import { simulatedDisk } from '../posix/simulated-disk.ts';
import { SimulatedProgramCalls } from '../posix/simulated-program-calls.ts';
import type { DiskLacks } from './folder-plan.ts';
import { mayFail } from './failing-calls.ts';
import { MachineDisks } from './machine-disks.ts';
import { SHARED_GROUP } from './programs/attributes.ts';
import type { DaemonProcess, UserDisk } from './user-disk.ts';

export interface SimulatedUserDiskParts {
  readonly clock: VirtualClock;
  readonly time: Schedule;
  readonly random: SeededRandom;
  /** The type of the file system that the folder is on, as the table of mounts has it. */
  readonly fileSystem: string;
  /** What the disks of the folder lack that others of their types have. */
  readonly lacks?: DiskLacks | null;
  /** Of a disk that is mounted in the folder; null, or left out: none is. */
  readonly innerDisk?: string | null;
  /** Slow calls take up to so long for each of their steps. */
  readonly diskMs: number;
  readonly watches: Partial<WatchTroubles>;
}

const PERSON: Credentials = { uid: 1000, gid: 1000, groups: [SHARED_GROUP] };
const ROOT: Credentials = { uid: 0, gid: 0, groups: [] };
const DISK = '/home';
const BLOCK = 4096;
/** Of a disk that is not full. */
const MANY_BLOCKS = 2 ** 24;
/** The directory in the folder where another disk is. */
const INNER = 'disk';

/** Makes processes of the kernel of one laptop. */
export class SimulatedUserDisk implements UserDisk {
  readonly root = `${DISK}/folder`;
  readonly outside = `${DISK}/outside`;
  readonly data = '/data';
  readonly inner: string | null = null;
  readonly kernel: Kernel;
  readonly disks: MachineDisks;
  readonly observer: ProgramCalls;
  readonly #parts: SimulatedUserDiskParts;
  readonly watchTroubles: WatchTroubles;
  readonly #random: SeededRandom;
  readonly #watches: WatchSystem;
  #daemon: Process | null = null;

  constructor(parts: SimulatedUserDiskParts) {
    this.#parts = parts;
    const { clock, random, fileSystem } = parts;
    this.#random = random.fork('power');
    this.watchTroubles = { ...noWatchTroubles(), ...parts.watches };
    this.#watches = new WatchSystem({
      ...{ schedule: parts.time, random: random.fork('watches'), troubles: this.watchTroubles },
    });
    const wall = (): number => clock.wall();
    this.kernel = new Kernel({ wall, random: random.fork('kernel'), root: EXT4 });
    const calls = this.#process(ROOT);
    calls.process.seesAll = true;
    this.observer = calls;
    this.disks = new MachineDisks({ kernel: this.kernel, calls, owner: PERSON });
    for (const path of [DISK, this.data]) calls.mkdir(path);
    calls.chown(this.data, PERSON.uid, PERSON.gid);
    const switches = { ...switchesOf(fileSystem), ...parts.lacks };
    this.disks.add(DISK, switches);
    for (const path of [this.root, this.outside]) {
      calls.mkdir(path);
      if (switches.fixed === null) calls.chown(path, PERSON.uid, PERSON.gid);
    }
    const { innerDisk = null } = parts;
    if (innerDisk !== null) {
      this.inner = `${this.root}/${INNER}`;
      calls.mkdir(this.inner);
      this.disks.add(this.inner, { ...switchesOf(innerDisk), ...parts.lacks });
    }
    this.#syncAll();
  }

  process(who: 'person' | 'root'): ProgramCalls {
    return this.#process(who === 'root' ? ROOT : PERSON);
  }

  daemon(isAlive: () => boolean): DaemonProcess {
    const { time: schedule, diskMs: mostDelay } = this.#parts;
    const calls = this.#process(PERSON);
    const [watches, random] = [this.#watches, this.#random.fork('slow calls')];
    this.#daemon = calls.process;
    const disk = simulatedDisk({ calls, schedule, random, watches, isAlive, mostDelay });
    const end = (): void => {
      watches.endOf(calls);
      calls.end();
    };
    return { calls, disk, end };
  }

  askMount(path: string): ReturnType<UserDisk['askMount']> {
    return { again: () => this.disks.answered(path), end: () => undefined };
  }

  quietly<T>(calls: ProgramCalls, act: () => T): T {
    if (!(calls instanceof SimulatedProgramCalls)) return act();
    const caller = calls.process;
    const before = caller.seesAll;
    caller.seesAll = true;
    try {
      return act();
    } finally {
      caller.seesAll = before;
    }
  }

  begin(fault: KernelFault): () => void {
    return beginFault(this.kernel, this.watchTroubles, fault);
  }

  failDaemon(code: ErrorName, times: number): () => void {
    const { kernel } = this;
    const devices = new Set(this.disks.fileSystems.map(({ device }) => device));
    let left = times;
    return kernel.troubles.add((call, { inode }) => {
      if (left === 0 || kernel.caller === null || kernel.caller !== this.#daemon) return null;
      if (!mayFail(code, call) || !devices.has(inode.fs.device)) return null;
      left -= 1;
      return code;
    });
  }

  room(): FreeDiskSpace {
    const fs = this.kernel.mountAt(DISK)?.fs;
    const total = (fs?.blocks ?? MANY_BLOCKS) * BLOCK;
    return { total, free: total - (fs?.taken ?? 0) * BLOCK };
  }

  keptTime(path: string, time: bigint): bigint {
    const [mount] = this.kernel.mounts
      .filter((each) => `${path}/`.startsWith(each.path === '/' ? '/' : `${each.path}/`))
      .sort((a, b) => b.path.length - a.path.length);
    return mount?.fs.cut(time) ?? time;
  }

  losePower(): void {
    for (const fs of this.#fileSystems()) fs.losePower(null, null, this.#random);
  }

  #process(who: Credentials): SimulatedProgramCalls {
    return new SimulatedProgramCalls(this.kernel, who, DISK);
  }

  #fileSystems() {
    return new Set([...this.kernel.mounts.map(({ fs }) => fs), ...this.disks.fileSystems]);
  }

  #syncAll(): void {
    for (const fs of this.#fileSystems()) fs.syncAll();
  }
}

function switchesOf(type: string): FileSystemSwitches {
  return FILE_SYSTEMS.find((each) => each.type === type) ?? EXT4;
}
