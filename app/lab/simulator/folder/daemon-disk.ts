/**
 * The disk as one life of a simulated daemon uses it: that of the kernel, with what lies between a program and its disk.
 *
 * - Each call is heard of before and after it. So another program can come between two of them, and the daemon can die at any: a call of a dead process
 *   does nothing and throws, or is never answered.
 * - Calls with a promise take their time, and are at their work at some moment within it.
 * - What the daemon's stores hand out and take lies on another disk (`StoreDisk`), in memory: contents pass between the two by copying, as between any
 *   two disks.
 */
import type { Disk } from '../../../../daemon/adapters/folder/disk/disk.ts';
import { digestOf } from '../disk/content-digest.ts';
import type { StoreDisk } from '../disk/memory-disk.ts';
import type { Later } from '../clock/later.ts';
import { OPEN } from '../posix/open-flags.ts';
import type { ProgramCalls } from '../posix/program-calls.ts';
import { readFile, writeFile } from '../posix/program-calls.ts';
import { MachineStopped } from '../process/crash-points.ts';
import type { ProcessLife } from '../process/life.ts';

export interface DaemonDiskParts {
  readonly disk: Disk;
  /** The same process. */
  readonly calls: ProgramCalls;
  readonly life: ProcessLife;
  readonly stores: StoreDisk;
  /** Paths that begin so are of the stores. */
  readonly storePaths: readonly string[];
  readonly later: Later;
  /** Hears of each call, before anything of it is done. */
  readonly before: (call: string, given: readonly unknown[]) => void;
  /** The same, when it is done and nobody was told. */
  readonly after: (call: string, given: readonly unknown[]) => void;
}

type Method = (...given: unknown[]) => unknown;

const PROMISED: ReadonlySet<string> = new Set([
  ...['copyFile', 'digestFile', 'readParts', 'move', 'drop', 'syncFile', 'copySparse'],
]);
const never = (): Promise<never> => new Promise(() => undefined);

/** Makes the disk of one life of a daemon. */
export function daemonDisk(parts: DaemonDiskParts): Disk {
  const { disk } = parts;
  const bridge = storeCalls(parts);
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(disk)) {
    if (typeof value !== 'function') {
      made[name] = value;
      continue;
    }
    const method = value as Method;
    const other = bridge[name] ?? null;
    const run = (given: readonly unknown[]): { value: unknown; isOurs: boolean } => {
      const ours = other?.(...given) as { readonly value: unknown } | undefined;
      if (ours !== undefined) return { ...ours, isOurs: true };
      return { value: method(...given), isOurs: false };
    };
    made[name] = PROMISED.has(name) ? promised(parts, name, run) : direct(parts, name, run);
  }
  const whole = made as unknown as Disk;
  const { lockFile } = whole;
  return {
    ...whole,
    watchDirectories: watching(parts),
    lockFile: (path) => {
      const lock = lockFile(path);
      // With the process all of its locks have gone.
      return lock && { release: () => (parts.life.over ? undefined : lock.release()) };
    },
  };
}

/** A process that dies while it is told of something stops there. */
function watching({ disk, life }: DaemonDiskParts): Disk['watchDirectories'] {
  const told = (tell: () => void): void => {
    if (life.over) return;
    try {
      tell();
    } catch (error) {
      if (!(error instanceof MachineStopped)) throw error;
    }
  };
  return (events) => {
    if (life.over) throw new MachineStopped();
    return disk.watchDirectories({
      happened: (event) => told(() => events.happened(event)),
      lost: () => told(() => events.lost()),
    });
  };
}

function direct(
  { life, before, after }: DaemonDiskParts,
  name: string,
  run: (given: readonly unknown[]) => { readonly value: unknown },
): Method {
  return (...given) => {
    if (life.over) throw new MachineStopped();
    before(name, given);
    if (life.over) throw new MachineStopped();
    const { value } = run(given);
    after(name, given);
    if (life.over) throw new MachineStopped();
    return value;
  };
}

/** `isOurs`: what it does is done here, at once, and takes its time all the same. */
function promised(
  { life, before, after, later }: DaemonDiskParts,
  name: string,
  run: (given: readonly unknown[]) => { readonly value: unknown; readonly isOurs: boolean },
): Method {
  return (...given) => {
    if (life.over) return never();
    before(name, given);
    if (life.over) return never();
    return new Promise((resolve, reject) => {
      const answer = (tell: () => void, isOurs: boolean): void => {
        if (life.over) return;
        after(name, given);
        if (isOurs) later(() => (life.over ? undefined : tell()));
        else if (!life.over) tell();
      };
      const failed = (error: Error): void => answer(() => reject(error), false);
      try {
        const { value, isOurs } = run(given);
        Promise.resolve(value).then((done) => answer(() => resolve(done), isOurs), failed);
      } catch (error) {
        failed(error as Error);
      }
    });
  };
}

/** What is done by another way where a path is one of the stores: `{ value }`; undefined: it is none. */
function storeCalls({ calls, stores, storePaths }: DaemonDiskParts): Record<string, Method> {
  const isStores = (path: unknown): boolean =>
    typeof path === 'string' && storePaths.some((folder) => path.startsWith(folder));
  const read = (path: string): Uint8Array =>
    isStores(path) ? stores.read(path) : readFile(calls, path);
  const sealed = (bytes: Uint8Array): { digest: string; length: number } => {
    return { digest: digestOf(bytes), length: bytes.length };
  };
  const copy = (from: string, to: string, sync: boolean): { digest: string; length: number } => {
    const bytes = read(from);
    if (isStores(to)) {
      stores.write(to, bytes);
      if (sync) stores.sync(to);
    } else writeNew(calls, to, bytes, sync);
    return sealed(bytes);
  };
  const remove: Method = (path) =>
    isStores(path) ? { value: stores.remove(path as string, { missing: 'fine' }) } : undefined;
  return {
    copyFile: (from, to, options) => {
      if (!isStores(from) && !isStores(to)) return undefined;
      return { value: copy(from as string, to as string, (options as { sync: boolean }).sync) };
    },
    copySparse: (from) => (isStores(from) ? { value: false } : undefined),
    digestFile: (path) => (isStores(path) ? { value: sealed(read(path as string)) } : undefined),
    exists: (path) => (isStores(path) ? { value: stores.has(path as string) } : undefined),
    move: (from, to) => {
      if (!isStores(from)) return undefined;
      throw Object.assign(new Error(`EXDEV: rename '${String(from)}' -> '${String(to)}'`), {
        ...{ code: 'EXDEV', syscall: 'rename', path: from },
      });
    },
    drop: remove,
    remove,
    unlink: remove,
  };
}

/** As the addon makes the file that it copies to. */
function writeNew(calls: ProgramCalls, path: string, bytes: Uint8Array, sync: boolean): void {
  writeFile(calls, path, bytes, { flags: 'wx', mode: 0o600 });
  if (!sync) return;
  const fd = calls.open(path, OPEN.readOnly);
  calls.fsync(fd);
  calls.close(fd);
}
