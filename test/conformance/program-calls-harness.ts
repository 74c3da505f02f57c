/** The two worlds that the calls of a program are tried in: a folder on a disk of this machine, and one of the simulated kernel. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  BTRFS,
  EXT4,
  TMPFS,
  XFS,
  type FileSystemSwitches,
} from '../../app/lab/simulator/posix/file-system-switches.ts';
import { Kernel } from '../../app/lab/simulator/posix/kernel.ts';
import type { ProgramCalls } from '../../app/lab/simulator/posix/program-calls.ts';
import { RealProgramCalls } from '../../app/lab/simulator/posix/real-program-calls.ts';
import { SimulatedProgramCalls } from '../../app/lab/simulator/posix/simulated-program-calls.ts';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { beOrdinary } from '../support/ordinary-user.ts';

export interface ProgramHarness {
  /** Of a process that may do all in its folder; as root, where the tests run so. */
  readonly calls: ProgramCalls;
  /** A process of an ordinary user in the same folder, or of the one that the tests run as. */
  readonly ordinary: <T>(act: (calls: ProgramCalls) => T) => T;
  /** Makes the times of the disk go on, so that what happens later has later ones. */
  readonly pass: () => void;
  readonly end: () => void;
}

export const NOBODY = 65_534;
export const IS_ROOT = process.getuid?.() === 0;

/** Makes the harness for one test. */
export type MakeHarness = () => ProgramHarness;

/** How deep the folder of a program lies in one of its own: where a test leads out of it, it leads to nothing of others. */
const DEPTH = 12;

/** A new folder below `parent`, on a disk of this machine. */
export function realHarness(parent: string): ProgramHarness {
  const whole = mkdtempSync(join(parent, 'godwit-programs-'));
  chmodSync(whole, 0o755);
  const folder = join(whole, ...Array.from({ length: DEPTH }, () => 'deep'));
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  const calls = new RealProgramCalls(folder, new NativeHost());
  const umask = process.umask(0o022);
  return {
    calls,
    ordinary: (act) => {
      const back = beOrdinary();
      try {
        return act(calls);
      } finally {
        back();
      }
    },
    pass: () => passOn(join(whole, 'probe')),
    end: () => {
      calls.end();
      process.umask(umask);
      const outside = readdirSync(dirname(folder));
      rmSync(whole, { recursive: true, force: true });
      if (outside.join() !== 'deep') throw new Error('a test has led out of its folder');
    },
  };
}

/** A year in which no test runs, in seconds. */
const LATER = 4_000_000_000;

/** The time of a read is that of the kernel's own clock, which goes in steps; a link that says it was changed later shows each read. */
function passOn(probe: string): void {
  if (!lstatSync(probe, { throwIfNoEntry: false })) symlinkSync('nothing', probe);
  const readAt = (): bigint => {
    lutimesSync(probe, 1, LATER);
    readlinkSync(probe);
    return lstatSync(probe, { bigint: true }).atimeNs;
  };
  const before = readAt();
  while (readAt() === before);
}

/** As the kernel has them: Node adds the group itself. */
function furtherGroups(): number[] {
  const line = /^Groups:(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return line.split(' ').flatMap((group) => (group.trim() === '' ? [] : [Number(group)]));
}

/** By the numbers that statfs gives: the real file systems that a simulated one is to be like. */
const LIKE: ReadonlyMap<number, FileSystemSwitches> = new Map([
  [0xef53, EXT4],
  [0x0102_1994, TMPFS],
  [0x9123_683e, BTRFS],
  [0x5846_5342, XFS],
]);

export interface RealFolder {
  readonly name: string;
  readonly folder: string;
  readonly switches: FileSystemSwitches;
}

/** Where this machine always has disks, as far as they are of a kind that is simulated. */
export function realFolders(): RealFolder[] {
  return [tmpdir(), '/dev/shm'].flatMap((folder) => {
    const switches = existsSync(folder) ? LIKE.get(statfsSync(folder).type) : undefined;
    return switches === undefined
      ? []
      : [{ name: `${switches.type} in ${folder}`, folder, switches }];
  });
}

/** A folder of a simulated kernel with one file system. */
export function simulatedHarness(switches: FileSystemSwitches): ProgramHarness {
  // Times that a test sets are before or after it in both worlds.
  let wall = Date.now();
  const random = new SeededRandom(1);
  const kernel = new Kernel({ wall: () => wall, random, root: switches });
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const groups = furtherGroups();
  const setUp = new SimulatedProgramCalls(kernel, { uid: 0, gid: 0, groups: [] }, '/');
  setUp.mkdir('/home');
  setUp.chmod('/home', 0o777);
  if (uid !== 0) setUp.chown('/home', uid, gid);
  const calls = new SimulatedProgramCalls(kernel, { uid, gid, groups }, '/home');
  const other = IS_ROOT ? { uid: NOBODY, gid: NOBODY, groups } : { uid, gid, groups };
  const ordinary = new SimulatedProgramCalls(kernel, other, '/home');
  return {
    calls,
    ordinary: (act) => act(ordinary),
    pass: () => {
      wall += 10;
    },
    end: () => calls.end(),
  };
}
