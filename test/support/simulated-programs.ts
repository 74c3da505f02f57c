/** A simulated kernel for the suites of real disks: the disk of a process, what programs do on it, and a time that goes on while somebody waits. */
import { drained } from '../../app/lab/simulator/clock/drain.ts';
import { VirtualTime } from '../../app/lab/simulator/clock/virtual-time.ts';
import { noWatchTroubles, WatchSystem } from '../../app/lab/simulator/posix/directory-watches.ts';
import type { FileSystemSwitches } from '../../app/lab/simulator/posix/file-system-switches.ts';
import { Kernel } from '../../app/lab/simulator/posix/kernel.ts';
import { OPEN } from '../../app/lab/simulator/posix/open-flags.ts';
import { decodeName } from '../../app/lab/simulator/posix/path-bytes.ts';
import {
  readFile,
  writeFile,
  type InodeKind,
} from '../../app/lab/simulator/posix/program-calls.ts';
import { simulatedDisk } from '../../app/lab/simulator/posix/simulated-disk.ts';
import { SimulatedProgramCalls } from '../../app/lab/simulator/posix/simulated-program-calls.ts';
import type { DiskKind } from '../../daemon/adapters/folder/disk/disk-facts.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import type { Arrange, DiskSite, Lack, Seen } from '../conformance/disk-harness.ts';

const ROOT = { uid: 0, gid: 0, groups: [] };
const NOBODY = 65_534;
const WALL = 1_767_225_600_000;

/** Time that goes on by itself, event by event, for as long as something is due. */
class GoingTime extends VirtualTime {
  #isGoing = false;

  override in(delayMs: number, label: string, run: () => void): ReturnType<VirtualTime['in']> {
    const event = super.in(delayMs, label, run);
    if (!this.#isGoing) void this.#go();
    return event;
  }

  async #go(): Promise<void> {
    this.#isGoing = true;
    do await drained();
    while (this.step() !== null);
    this.#isGoing = false;
  }
}

/** An empty directory of a simulated disk. */
export function simulatedSite(root: FileSystemSwitches, lacks: readonly Lack[]): DiskSite {
  const schedule = new GoingTime();
  const random = new SeededRandom(1);
  const kernel = new Kernel({ wall: () => WALL + schedule.now(), random, root });
  const calls = new SimulatedProgramCalls(kernel, ROOT, '/');
  calls.mkdir('/dir');
  if (root.fixed === null) calls.chmod('/dir', 0o777);
  calls.mkdir('/proc');
  const watches = new WatchSystem({ schedule, random, troubles: noWatchTroubles() });
  const disk = simulatedDisk({ calls, schedule, random, watches });
  return { disk, dir: '/dir', arrange: simulatedPrograms(calls), lacks, end: () => calls.end() };
}

function simulatedPrograms(calls: SimulatedProgramCalls): Arrange {
  const bytesOf = (text: string | Uint8Array): Uint8Array =>
    typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return {
    write: (path, contents) => writeFile(calls, path, bytesOf(contents)),
    append: (path, contents) => writeFile(calls, path, bytesOf(contents), { flags: 'a' }),
    read: (path) => new TextDecoder().decode(readFile(calls, path)),
    resize: (path, size) => calls.truncate(path, size),
    mkdir: (path) => calls.mkdir(path),
    symlink: (target, path) => calls.symlink(target, path),
    link: (file, path) => calls.link(file, path),
    fifo: (path) => goes(() => calls.mkfifo(path)),
    writeBytesName: (dir, name) =>
      goes(() =>
        writeFile(calls, Buffer.concat([Buffer.from(`${dir}/`), name]), new Uint8Array(0)),
      ),
    setBytesXattr: (path, name, value) =>
      goes(() => calls.setxattr(path, `user.${decodeName(name)}`, bytesOf(value))),
    rename: (from, to) => calls.rename(from, to),
    unlink: (path) => calls.unlink(path),
    rmdir: (path) => calls.rmdir(path),
    chmod: (path, mode) => calls.chmod(path, mode),
    chown: (path, uid, gid) => goes(() => calls.chown(path, uid, gid)),
    touch: (path, time) => calls.lutimes(path, time, time),
    names: (dir) => calls.readdir(dir),
    look: (path) => (goes(() => calls.lstat(path)) ? look(calls, path) : null),
    openToWrite(path) {
      const fd = calls.open(path, OPEN.writeOnly | OPEN.append | OPEN.create);
      return () => calls.close(fd);
    },
    beOrdinary() {
      Object.assign(calls.process, { uid: NOBODY, gid: NOBODY });
      return () => void Object.assign(calls.process, ROOT);
    },
    asksAsOrdinary: true,
    umask: calls.process.umask,
  };
}

function goes(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

const KINDS: Partial<Record<InodeKind, DiskKind>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'symlink',
};

function look(calls: SimulatedProgramCalls, path: string): Seen {
  const { kind, mode, links, size, uid, gid, ino, mtime, atime, blocks } = calls.lstat(path);
  return {
    ...{ kind: KINDS[kind] ?? 'other', mode, links, size, uid, gid },
    ...{ inode: ino, mtimeNs: mtime, atimeNs: atime, room: blocks * 512 },
  };
}
