/** Calls on descriptors. Offsets are those at which the file stands, unless the call gives one. */
import { flagsOf } from '../record.ts';
import { descriptorStatus, refusedBy } from './strace-calls.ts';
import type { Call } from './strace-line.ts';
import type { NamedFile, Process } from './strace-processes.ts';
import { numberOf } from './strace-text.ts';
import type { StraceWorld } from './strace-world.ts';

type Handler = (world: StraceWorld, process: Process, call: Call) => void;

/** `offsetAt`: where the call says at which byte; null: where the file stands. */
function moving(op: 'read' | 'write', offsetAt: number | null): Handler {
  return (world, process, call) => {
    const file = world.file(process, call.args[0]);
    if (file === null) return world.noFile();
    const given = offsetAt === null ? null : numberOf(call.args[offsetAt]);
    move(world, process, call, { op, file, given, length: call.result });
  };
}

interface Move {
  readonly op: 'read' | 'write';
  readonly file: NamedFile;
  /** null, or -1: at the present position of the file. */
  readonly given: number | null;
  readonly length: number | null;
}

function move(
  world: StraceWorld,
  process: Process,
  call: Call,
  { op, file, given, length }: Move,
): void {
  const { path } = file;
  if (refusedBy(call) !== false || length === null) {
    return world.emit(process, { op, path, flags: flagsOf(refusedBy(call) || 'failed') });
  }
  const goesOn = given === null || given < 0;
  const isAppended = op === 'write' && file.appends;
  const offset = isAppended ? (file.size ?? file.position) : goesOn ? file.position : given;
  if (goesOn || isAppended) file.position = offset + length;
  if (op === 'write') file.size = Math.max(file.size ?? 0, offset + length);
  const flags = flagsOf(op === 'read' && length === 0 && 'end');
  world.emit(process, { op, path, offset, length, flags });
}

/** From one descriptor to another: a read and a write. `places`: of both, and of their offsets, which may be NULL. */
function copying(
  input: number,
  output: number,
  offsets: readonly [number | null, number | null],
): Handler {
  return (world, process, call) => {
    const given = (at: number | null): number | null =>
      at === null ? null : numberOf(/^\[(\d+)\]/.exec(call.args[at] ?? '')?.[1]);
    const [from, to] = [
      world.file(process, call.args[input]),
      world.file(process, call.args[output]),
    ];
    const length = call.result;
    if (from !== null) {
      move(world, process, call, { op: 'read', file: from, given: given(offsets[0]), length });
    }
    if (to !== null && length !== 0) {
      move(world, process, call, { op: 'write', file: to, given: given(offsets[1]), length });
    }
    if (from === null && to === null) world.noFile();
  };
}

const closing: Handler = (world, process, call) => {
  const fd = world.number(call.args[0]);
  const file = world.file(process, call.args[0]);
  if (fd === null || refusedBy(call) === 'failed') return world.noFile();
  if (file === null) world.noFile();
  world.closes(process, fd);
};

const closingRange: Handler = (world, process, call) => {
  const [first, last] = [numberOf(call.args[0]), numberOf(call.args[1])];
  if (first === null || refusedBy(call) !== false) return world.noFile();
  const isOnExec = (call.args[2] ?? '').includes('CLOEXEC');
  for (const fd of [...process.table.keys()]) {
    if (fd < first || (last !== null && fd > last)) continue;
    if (isOnExec) world.processes.setClosesOnExec(process, fd, true);
    else world.closes(process, fd);
  }
};

const duplicating: Handler = (world, process, call) => {
  world.noFile();
  const isControl = call.name.startsWith('fcntl');
  const command = isControl ? (call.args[1] ?? '') : '';
  const fd = world.number(call.args[0]);
  if (fd === null || refusedBy(call) !== false || call.result === null) return;
  if (command === 'F_SETFD') {
    world.processes.setClosesOnExec(process, fd, call.text.includes('FD_CLOEXEC'));
  } else if (!isControl || command.startsWith('F_DUPFD')) {
    if (call.result === fd) return;
    const file = world.opened(process, call.args[0]);
    const closesOnExec = /O_CLOEXEC|F_DUPFD_CLOEXEC/.test(call.text);
    // What was open before the trace takes the place of what is known.
    if (file === undefined) world.opens(process, call.result, { path: null });
    else world.duplicates(process, call.result, file, closesOnExec);
  }
};

const seeking: Handler = (world, process, call) => {
  const file = world.opened(process, call.args[0]);
  if (file !== undefined && refusedBy(call) === false && call.result !== null) {
    file.position = call.result;
  }
  // Nothing is done to the file.
  world.noFile();
};

function plain(op: 'setattr' | 'sync' | 'readdir' | 'other'): Handler {
  return (world, process, call) => {
    const file = world.file(process, call.args[0]);
    if (file === null) return world.noFile();
    const flags = flagsOf(op === 'readdir' && 'directory', refusedBy(call));
    world.emit(process, { op, path: file.path, flags });
  };
}

const truncating: Handler = (world, process, call) => {
  const file = world.file(process, call.args[0]);
  const length = numberOf(call.args[1]);
  if (file === null || length === null || length < 0) return world.noFile();
  const flags = flagsOf(refusedBy(call));
  if (flags === undefined) file.size = length;
  world.emit(process, { op: 'truncate', path: file.path, length, flags });
};

const mapping: Handler = (world, process, call) => {
  const file = world.file(process, call.args[4]);
  if (file === null) return world.noFile();
  const offset = numberOf(call.args[5]) ?? undefined;
  const at = offset === undefined || offset < 0 ? undefined : offset;
  const flags = flagsOf(call.error !== null && 'failed');
  world.emit(process, { op: 'map', path: file.path, offset: at, flags });
};

const movingPlace: Handler = (world, process, call) => {
  const file = world.file(process, call.args[0]);
  if (file !== null && refusedBy(call) === false) process.place.cwd = file.path;
  world.noFile();
};

/** Descriptors that are no files. */
const others: Handler = (world, process, call) => {
  world.noFile();
  if (refusedBy(call) !== false) return;
  const pair = /\[(\d+)(?:<[^>]*>)?, (\d+)/.exec(call.text);
  const made = pair === null ? [call.result] : [Number(pair[1]), Number(pair[2])];
  for (const fd of made) {
    if (fd !== null && fd >= 0) world.opens(process, fd, { path: null });
  }
};

export const DESCRIPTOR_CALLS: Readonly<Record<string, Handler>> = {
  ...each(['read', 'readv'], moving('read', null)),
  ...each(['pread', 'pread64', 'preadv', 'preadv2'], moving('read', 3)),
  ...each(['write', 'writev'], moving('write', null)),
  ...each(['pwrite', 'pwrite64', 'pwritev', 'pwritev2'], moving('write', 3)),
  ...each(['sendfile', 'sendfile64'], copying(1, 0, [2, null])),
  copy_file_range: copying(0, 2, [1, 3]),
  splice: copying(0, 2, [1, 3]),
  close: closing,
  close_range: closingRange,
  ...each(['dup', 'dup2', 'dup3', 'fcntl', 'fcntl64'], duplicating),
  ...each(['lseek', '_llseek'], seeking),
  ...each(['fstat', 'fstat64'], descriptorStatus),
  ...each(['getdents', 'getdents64'], plain('readdir')),
  ...each(['fchmod', 'fchown', 'fsetxattr', 'fremovexattr'], plain('setattr')),
  ...each(['fsync', 'fdatasync', 'sync_file_range', 'msync'], plain('sync')),
  ...each(['flock', 'fallocate', 'fadvise64', 'readahead'], plain('other')),
  ...each(['ftruncate', 'ftruncate64'], truncating),
  ...each(['mmap', 'mmap2'], mapping),
  fchdir: movingPlace,
  ...each(['pipe', 'pipe2', 'socket', 'socketpair', 'accept', 'accept4', 'eventfd2'], others),
  ...each(['epoll_create', 'epoll_create1', 'signalfd4', 'timerfd_create'], others),
  ...each(['inotify_init', 'inotify_init1', 'memfd_create', 'userfaultfd', 'pidfd_open'], others),
};

function each(names: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(names.map((name) => [name, handler]));
}
