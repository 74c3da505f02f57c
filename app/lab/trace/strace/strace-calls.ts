/** Calls that name a path. */
import { flagsOf, type TraceFlag, type TraceOperation } from '../record.ts';
import type { Call } from './strace-line.ts';
import type { Process } from './strace-processes.ts';
import { numberOf, stringOf } from './strace-text.ts';
import type { StraceWorld, UntimedRecord } from './strace-world.ts';

type Handler = (world: StraceWorld, process: Process, call: Call) => void;

/** Gives the flag of a call that failed: `not-found` or `failed`. False: it succeeded. */
export const refusedBy = ({ error, result }: Call): TraceFlag | false => {
  if (error === 'ENOENT' || error === 'ENOTDIR') return 'not-found';
  return (error !== null || (result ?? 0) < 0) && 'failed';
};

/** What a structure that the kernel has filled says of the file. */
export function statusIn(text: string): { readonly size?: number; readonly isDirectory: boolean } {
  const size = numberOf(/\bstx?_size=(\d+)/.exec(text)?.[1]);
  const isFile = /\bstx?_mode=S_IFREG/.test(text);
  const isDirectory = /\bstx?_mode=S_IFDIR/.test(text);
  return { ...(isFile && size !== null ? { size } : {}), isDirectory };
}

/** An operation on the path that stands at `at`, relative to the descriptor before it where there is one. */
function onPath(
  op: TraceOperation,
  at: number,
  more: (call: Call) => Partial<UntimedRecord> = () => ({}),
): Handler {
  return (world, process, call) => {
    const path = world.path(process, call.args[at], at === 0 ? null : call.args[at - 1]);
    if (path === null) return world.noFile();
    const flags = flagsOf(refusedBy(call));
    world.emit(process, { op, path, flags, ...more(call) });
    if (flags?.includes('not-found') === true || op === 'remove') world.absent(path);
    else if (op !== 'getattr' || flags === undefined) world.present(path);
  };
}

const attributes = (at: number): Handler =>
  onPath('getattr', at, (call) => {
    const { size, isDirectory } = statusIn(call.text);
    return { size, flags: flagsOf(isDirectory && 'directory', refusedBy(call)) };
  });

/** Of what the first argument is a descriptor of. */
export const descriptorStatus: Handler = (world, process, call) => {
  const file = world.file(process, call.args[0]);
  if (file === null) return world.noFile();
  const { size, isDirectory } = statusIn(call.text);
  if (size !== undefined) file.size = size;
  const flags = flagsOf(isDirectory && 'directory', refusedBy(call));
  world.emit(process, { op: 'getattr', path: file.path, size, flags });
};

/** `fstatat(3, "", ..., AT_EMPTY_PATH)` is of the descriptor. */
const attributesAt: Handler = (world, process, call) => {
  const isOfDescriptor = stringOf(call.args[1]) === '';
  (isOfDescriptor ? descriptorStatus : attributes(1))(world, process, call);
};

function opening(at: number, flagsAt: number | null): Handler {
  return (world, process, call) => {
    const words = flagsAt === null ? 'O_WRONLY|O_CREAT|O_TRUNC' : (call.args[flagsAt] ?? '');
    const has = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(words);
    const fd = refusedBy(call) === false ? call.result : null;
    const path = world.path(process, call.args[at], at === 0 ? null : call.args[at - 1]);
    if (path === null) {
      if (fd !== null) world.opens(process, fd, { path: null, closesOnExec: has('O_CLOEXEC') });
      return world.noFile();
    }
    const isNew = fd !== null && has('O_CREAT') && (has('O_EXCL') || world.isAbsent(path));
    const reads = !has('O_WRONLY') && !has('O_PATH') && !has('O_DIRECTORY');
    const flags = flagsOf(
      reads && 'read',
      (has('O_WRONLY') || has('O_RDWR')) && 'write',
      has('O_CREAT') && !isNew && 'create',
      has('O_TRUNC') && !isNew && 'truncate',
      has('O_APPEND') && 'append',
      has('O_EXCL') && has('O_CREAT') && 'exclusive',
      has('O_DIRECTORY') && 'directory',
      refusedBy(call),
    );
    world.emit(process, { op: isNew ? 'create' : 'open', path, flags });
    if (fd === null) {
      if (call.error === 'ENOENT') world.absent(path);
      return;
    }
    world.present(path);
    const isEmpty = isNew || has('O_TRUNC');
    world.opens(process, fd, {
      ...{ path, appends: has('O_APPEND'), closesOnExec: has('O_CLOEXEC') },
      size: isEmpty ? 0 : null,
    });
  };
}

/** From the path at `from` to that at `to`; with `at` calls each behind its descriptor. */
function naming(op: 'rename' | 'link', from: number, to: number): Handler {
  return (world, process, call) => {
    const base = (at: number): string | null | undefined => (from === 0 ? null : call.args[at - 1]);
    const path = world.path(process, call.args[from], base(from));
    const target = world.path(process, call.args[to], base(to));
    if (path === null || target === null) return world.noFile();
    world.emit(process, { op, path, to: target, flags: flagsOf(refusedBy(call)) });
    if (refusedBy(call) !== false) return;
    world.present(target);
    if (op === 'rename') world.absent(path);
  };
}

function symlink(at: number): Handler {
  return (world, process, call) => {
    const target = stringOf(call.args[0]);
    const path = world.path(process, call.args[at], at === 1 ? null : call.args[at - 1]);
    if (path === null || target === null || target === '') return world.noFile();
    world.emit(process, { op: 'symlink', path, to: target, flags: flagsOf(refusedBy(call)) });
  };
}

const removal: Handler = (world, process, call) => {
  const isDirectory = (call.args[2] ?? '').includes('AT_REMOVEDIR');
  onPath(isDirectory ? 'rmdir' : 'remove', 1)(world, process, call);
};

const truncation: Handler = (world, process, call) => {
  const length = numberOf(call.args[1]) ?? undefined;
  if (length === undefined && refusedBy(call) === false) return world.noFile();
  onPath('truncate', 0, () => ({ length }))(world, process, call);
};

const execution: Handler = (world, process, call) => {
  const at = call.name === 'execveat' ? 1 : 0;
  onPath('map', at)(world, process, call);
  if (refusedBy(call) !== false) return;
  const name = stringOf(call.args[at])?.split('/').at(-1) ?? '';
  world.executes(process, name);
};

/** `chdir`, and what tells where it is. */
const placed: Handler = (world, process, call) => {
  if (call.name === 'chdir') onPath('getattr', 0)(world, process, call);
  else world.noFile();
  const given = stringOf(call.args[0]);
  if (given !== null && refusedBy(call) === false) world.moves(process, given);
};

export const PATH_CALLS: Readonly<Record<string, Handler>> = {
  open: opening(0, 1),
  openat: opening(1, 2),
  openat2: opening(1, 2),
  creat: opening(0, null),
  ...each(['stat', 'lstat', 'stat64', 'lstat64', 'access', 'readlink', 'statfs'], attributes(0)),
  ...each(['getxattr', 'lgetxattr', 'listxattr', 'llistxattr'], attributes(0)),
  ...each(['faccessat', 'faccessat2', 'readlinkat'], attributes(1)),
  ...each(['newfstatat', 'fstatat64', 'statx'], attributesAt),
  ...each(
    ['chmod', 'chown', 'lchown', 'utime', 'utimes', 'setxattr', 'lsetxattr'],
    onPath('setattr', 0),
  ),
  ...each(['fchmodat', 'fchmodat2', 'fchownat', 'utimensat', 'futimesat'], onPath('setattr', 1)),
  ...each(['removexattr', 'lremovexattr'], onPath('setattr', 0)),
  mkdir: onPath('mkdir', 0),
  mkdirat: onPath('mkdir', 1),
  rmdir: onPath('rmdir', 0),
  unlink: onPath('remove', 0),
  unlinkat: removal,
  rename: naming('rename', 0, 1),
  ...each(['renameat', 'renameat2'], naming('rename', 1, 3)),
  link: naming('link', 0, 1),
  linkat: naming('link', 1, 3),
  symlink: symlink(1),
  symlinkat: symlink(2),
  truncate: truncation,
  ...each(['execve', 'execveat'], execution),
  ...each(['chdir', 'getcwd'], placed),
};

function each(names: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(names.map((name) => [name, handler]));
}
