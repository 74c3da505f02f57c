/**
 * The Host port on the native addon. Errors come as Node's own do: an Error with the errno's name in `code`.
 */
import { fstatSync, statSync } from 'node:fs';
import type {
  CopyOptions,
  DirectoryEvents,
  DirectoryWatches,
  Host,
  ListedXattr,
  PeerCredentials,
} from '../ports/host.ts';
import { native } from './binding.ts';
import type { NativeDigest } from './binding.ts';
import { NativeWatches } from './native-watches.ts';

/**
 * The host port in the native addon: file-system calls that Node.js lacks. Errors carry the
 * system's `code`.
 */
export class NativeHost implements Host {
  bootTimeMs(): number {
    return native.hostBootTimeMs();
  }

  setMtime(path: string, nanoseconds: bigint): void {
    native.hostSetMtime(path, nanoseconds);
  }

  setMode(path: string, mode: number): void {
    native.hostSetMode(path, mode);
  }

  keepUnsynced(from: string, to: string): string[] {
    return native.hostKeepUnsynced(from, to);
  }

  inherit(directory: string, file: string): void {
    native.hostInherit(directory, file);
  }

  openBeneath(root: string, path: string, as: 'directory' | 'file'): number {
    return native.hostOpenBeneath(root, path, as === 'directory');
  }

  renameNoReplace(from: string, to: string): void {
    native.hostRenameNoReplace(from, to);
  }

  renameExchange(a: string, b: string): void {
    native.hostRenameExchange(a, b);
  }

  reflink(from: string, to: string): void {
    native.hostReflink(from, to);
  }

  listXattrs(path: string): ListedXattr[] {
    return native.hostListXattrs(path);
  }

  setXattr(path: string, name: string, value: Uint8Array): void {
    native.hostSetXattr(path, name, value);
  }

  removeXattr(path: string, name: string): void {
    native.hostRemoveXattr(path, name);
  }

  peerCredentials(fd: number): PeerCredentials {
    return native.hostPeerCredentials(fd);
  }

  lockFile(path: string): { release(): void } | null {
    let fd = withPath(path, () => native.hostLockFile(path));
    // Its last owner may have removed it in between: then this locks a file that no other process can find.
    while (fd >= 0 && !isStill(path, fd)) {
      native.hostUnlockFile(fd);
      fd = withPath(path, () => native.hostLockFile(path));
    }
    if (fd < 0) return null;
    let held = true;
    return {
      release: () => {
        // The number may belong to another file by now: it is closed once only.
        if (held) native.hostUnlockFile(fd);
        held = false;
      },
    };
  }

  isBeingWritten(path: string): boolean | null {
    return native.hostIsBeingWritten(path);
  }

  watchDirectories(events: DirectoryEvents): DirectoryWatches {
    return new NativeWatches(events);
  }

  syncDirectory(path: string): void {
    native.hostSyncDirectory(path);
  }

  async syncPath(path: string): Promise<number> {
    return checked(await native.hostSyncPath(path)).length;
  }

  async syncData(fd: number): Promise<void> {
    checked(await native.hostSyncData(fd));
  }

  async syncPaths(paths: readonly string[]): Promise<Array<number | Error>> {
    const answers = await native.hostSyncPaths(paths);
    return answers.map((answer) => errorIn(answer) ?? answer.length);
  }

  async digestFile(path: string): Promise<{ digest: string; length: number }> {
    return checked(await native.hostDigestFile(path));
  }

  async digestPart(
    path: string,
    offset: number,
    length: number,
  ): Promise<{ digest: string; length: number }> {
    return checked(await native.hostDigestPart(path, offset, length));
  }

  async joinFiles(
    from: ReadonlyArray<{ path: string; length: number }>,
    to: string,
  ): Promise<void> {
    const paths = from.map(({ path }) => path);
    const lengths = from.map(({ length }) => length);
    checked(await native.hostJoinFiles(paths, lengths, to));
  }

  async readParts(
    path: string,
    lengths: readonly number[],
  ): Promise<Array<{ bytes: Uint8Array; digest: string }>> {
    const answer = await native.hostReadParts(path, lengths);
    const error = errorIn(answer);
    if (error !== null) throw error;
    let end = 0;
    return answer.digests.map((digest, index) => {
      const begin = end;
      end += lengths[index] ?? 0;
      return { bytes: answer.bytes.subarray(begin, end), digest };
    });
  }

  async copyFile(
    from: string,
    to: string,
    { sync, spare = false }: CopyOptions,
  ): Promise<{ digest: string; length: number }> {
    return checked(await native.hostCopyFile(from, to, sync, spare));
  }
}

function isStill(path: string, fd: number): boolean {
  const [there, ours] = [statSync(path, { throwIfNoEntry: false }), fstatSync(fd)];
  return there?.ino === ours.ino && there.dev === ours.dev;
}

/** Like Node's own errors it names the path, for messages. */
function withPath<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw Object.assign(error as Error, { path });
  }
}

function checked(answer: NativeDigest): { digest: string; length: number } {
  const { digest, length } = answer;
  const error = errorIn(answer);
  if (error !== null) throw error;
  return { digest, length };
}

function errorIn({ code, message }: Pick<NativeDigest, 'code' | 'message'>): Error | null {
  return code === undefined ? null : Object.assign(new Error(message), { code });
}
