/**
 * What strace saw of a program, as steps of the simulated world: only what changed something beneath a folder, in the order in which the calls began. Names
 * that are drawn anew in each run are the same ones each time.
 */
import { parseStraceLine, type Call } from '../../../app/lab/trace/strace/strace-line.ts';
import { stringOf } from '../../../app/lab/trace/strace/strace-text.ts';
import { OpenFiles } from './open-files.ts';
import { PlainNames } from './plain-names.ts';

/** Longer writes are cut: what is recorded is the order of calls. */
const MOST_BYTES = 12_000;

export type Step = ReadonlyArray<string | number>;

/** What one process did: lines of `strace -y -ff -ttt -s 2`. */
export interface TracedProcess {
  readonly pid: number;
  readonly lines: readonly string[];
}

/** Gives the steps of these processes beneath a folder, one text each, as recorded-steps.ts reads them. */
export function stepsOf(processes: readonly TracedProcess[], folder: string): string[] {
  const reduction = new Reduction(folder);
  const timed = processes.flatMap(({ pid, lines }) => {
    const calls = lines.flatMap((text) => {
      const line = text === '' ? '' : parseStraceLine(text);
      const isCall = typeof line !== 'string' && line.event.kind === 'call';
      return isCall ? [{ us: line.us, pid, call: line.event.call }] : [];
    });
    return [...calls, { us: calls.at(-1)?.us ?? 0, pid, call: null }];
  });
  timed.sort((a, b) => a.us - b.us);
  for (const { pid, call } of timed) {
    if (call === null) reduction.ends(pid);
    else reduction.call(pid, call);
  }
  return joined(reduction.steps).map((step) => step.join(' '));
}

type Handler = (reduction: Reduction, call: Call, pid: number) => void;

const FORKS: ReadonlySet<string> = new Set(['clone', 'clone3', 'fork', 'vfork']);

class Reduction {
  readonly steps: Step[] = [];
  readonly files: OpenFiles;
  readonly #folder: string;
  readonly #names = new PlainNames();
  /** By thread: its process. */
  readonly #groups = new Map<number, number>();
  /** Where a process is. */
  readonly #places = new Map<number, string>();
  #folderNow: string;

  constructor(folder: string) {
    this.#folder = this.#folderNow = folder;
    this.files = new OpenFiles((number) => this.add('close', number));
  }

  call(pid: number, call: Call): void {
    if (call.error !== null || call.result === null || call.result < 0) return;
    const group = this.#groupOf(pid);
    this.#folderNow = this.#places.get(group) ?? this.#folder;
    if (FORKS.has(call.name)) this.#forked(group, call);
    else if (call.name === 'chdir' || call.name === 'fchdir') {
      const place = placeIn(call, this.#folderNow);
      if (place !== null) this.#places.set(group, place);
    } else HANDLERS.get(call.name)?.(this, call, group);
  }

  /** Threads have the same files and the same place as the process that they are of. */
  #forked(group: number, { result, text }: Call): void {
    const child = result ?? 0;
    if (text.includes('CLONE_THREAD')) return void this.#groups.set(child, group);
    this.#places.set(child, this.#folderNow);
    this.files.forked(group, child);
  }

  #groupOf(pid: number): number {
    return this.#groups.get(pid) ?? pid;
  }

  ends(pid: number): void {
    if (!this.#groups.has(pid)) this.files.ends(pid);
  }

  add(...step: Step): void {
    this.steps.push(step);
  }

  /** Beneath the folder; null: it is elsewhere. `base`: the descriptor before it, as `AT_FDCWD</tmp/x>`. */
  path(argument: string | undefined, base?: string): string | null {
    const given = stringOf(argument);
    if (given === null) return this.shown(base);
    const from = shownPath(base) ?? this.#folderNow;
    return this.#beneath(given.startsWith('/') ? given : `${from}/${given}`);
  }

  /** The path of a descriptor, as `3</tmp/x/a>`. */
  shown(argument: string | undefined): string | null {
    const path = shownPath(argument);
    return path === null ? null : this.#beneath(path);
  }

  #beneath(path: string): string | null {
    const parts: string[] = [];
    for (const part of path.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    const plain = `/${parts.join('/')}`;
    const isThere = plain.startsWith(`${this.#folder}/`);
    return isThere ? this.#names.plain(plain.slice(this.#folder.length + 1)) : null;
  }
}

/** Where a process goes by `chdir` or `fchdir`. */
function placeIn({ args }: Call, from: string): string | null {
  const given = stringOf(args[0]);
  if (given === null) return shownPath(args[0]);
  return given.startsWith('/') ? given : `${from}/${given}`;
}

function shownPath(argument: string | undefined): string | null {
  return /^\w+<(\/.*)>(?:\(deleted\))?$/s.exec(argument ?? '')?.[1] ?? null;
}

const modeIn = (text: string | undefined): string => /([0-7]{3})$/.exec(text ?? '')?.[1] ?? '644';

/** Seconds since 1970 of the second time; null: it is left, or set to now. */
const timeIn = (text: string | undefined): string | null =>
  /, \{tv_sec=(-?\d+)[^{]*$/.exec(text ?? '')?.[1] ?? null;

const numberIn = (text: string | undefined): number => Number(/^-?\d+/.exec(text ?? '')?.[0] ?? 0);

/** The path at `at`; before it stands its descriptor, unless it is the first one. */
const pathAt = (reduction: Reduction, { args }: Call, at: number): string | null =>
  reduction.path(args[at], at === 0 ? undefined : args[at - 1]);

/** `more`: what stands before the path; null: the call changes nothing that counts. */
const onPath =
  (what: string, at: number, more: (call: Call) => string | null = () => ''): Handler =>
  (reduction, call) => {
    const [path, rest] = [pathAt(reduction, call, at), more(call)];
    if (path !== null && rest !== null) reduction.add(what, ...(rest === '' ? [] : [rest]), path);
  };

const onDescriptor =
  (what: string, more: (call: Call) => string | null): Handler =>
  (reduction, call) => {
    const [path, rest] = [reduction.shown(call.args[0]), more(call)];
    if (path !== null && rest !== null) reduction.add(what, rest, path);
  };

const naming =
  (what: string, from: number, to: number): Handler =>
  (reduction, call) => {
    const isAt = from > 0;
    const [one, other] = [from, to].map((at) =>
      reduction.path(call.args[at], isAt ? call.args[at - 1] : undefined),
    );
    if (typeof one !== 'string' || typeof other !== 'string') return;
    reduction.add(what, one, other);
  };

const symlink =
  (at: number): Handler =>
  (reduction, call) => {
    const path = pathAt(reduction, call, at);
    const target = stringOf(call.args[0]);
    if (path !== null && target !== null) {
      reduction.add('symlink', target.startsWith('/') ? '/nowhere' : target, path);
    }
  };

const opening =
  (at: number): Handler =>
  (reduction, call, pid) => {
    const [path, flags] = [pathAt(reduction, call, at), call.args[at + 1] ?? ''];
    const has = (word: string): boolean => flags.split('|').includes(word);
    if (path === null || (!has('O_WRONLY') && !has('O_RDWR'))) return;
    const letters = [
      ...[has('O_CREAT') && 'c', has('O_EXCL') && 'x'],
      ...[has('O_TRUNC') && 't', has('O_APPEND') && 'a'],
    ].filter((letter) => letter !== false);
    const number = reduction.files.opens(pid, call.result ?? -1, {
      appends: has('O_APPEND'),
      closesOnExec: has('O_CLOEXEC'),
    });
    reduction.add('open', number, letters.join('') || '-', modeIn(call.args[at + 2]), path);
  };

/** `offset`: which argument says where; null: it goes on where it was. */
const writing =
  (fd: number, offset: number | null): Handler =>
  (reduction, call, pid) => {
    const argument = call.args[fd];
    const opened = reduction.files.find(pid, numberIn(argument));
    const length = call.result ?? 0;
    if (opened === null || length === 0) return;
    const at = offset === null ? opened.position : numberIn(call.args[offset]);
    if (offset === null) opened.position += length;
    reduction.add('write', opened.number, opened.appends ? '+' : at, length);
  };

const onOpened =
  (what: string, more: (call: Call) => readonly number[] = () => []): Handler =>
  (reduction, call, pid) => {
    const argument = call.args[0];
    const opened = reduction.files.find(pid, numberIn(argument));
    if (opened !== null) reduction.add(what, opened.number, ...more(call));
  };

const seeking: Handler = (reduction, call, pid) => {
  const opened = reduction.files.find(pid, numberIn(call.args[0]));
  if (opened !== null) opened.position = call.result ?? 0;
};

const removing: Handler = (reduction, call) => {
  const path = pathAt(reduction, call, 1);
  const what = (call.args[2] ?? '').includes('REMOVEDIR') ? 'rmdir' : 'unlink';
  if (path !== null) reduction.add(what, path);
};

const controlling: Handler = ({ files }, { args, result }, pid) => {
  if (args[1]?.startsWith('F_DUPFD') === true) files.copied(pid, numberIn(args[0]), result ?? -1);
};

const copying: Handler = ({ files }, { args, result }, pid) =>
  files.copied(pid, numberIn(args[0]), result ?? -1);

const HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ['open', opening(0)],
  ['openat', opening(1)],
  ['close', ({ files }, { args }, pid) => files.closes(pid, numberIn(args[0]))],
  ['dup', copying],
  ['dup2', copying],
  ['dup3', copying],
  ['fcntl', controlling],
  ['execve', ({ files }, _, pid) => files.executes(pid)],
  ['lseek', seeking],
  ['write', writing(0, null)],
  ['writev', writing(0, null)],
  ['pwrite64', writing(0, 3)],
  ['pwritev', writing(0, 3)],
  ['copy_file_range', writing(2, null)],
  ['sendfile', writing(0, null)],
  ['ftruncate', onOpened('cut', ({ args }) => [numberIn(args[1])])],
  ['fsync', onOpened('sync')],
  ['fdatasync', onOpened('sync')],
  ['mkdir', onPath('mkdir', 0, ({ args }) => modeIn(args[1]))],
  ['mkdirat', onPath('mkdir', 1, ({ args }) => modeIn(args[2]))],
  ['rmdir', onPath('rmdir', 0)],
  ['unlink', onPath('unlink', 0)],
  ['unlinkat', removing],
  ['rename', naming('rename', 0, 1)],
  ['renameat', naming('rename', 1, 3)],
  ['renameat2', naming('rename', 1, 3)],
  ['link', naming('link', 0, 1)],
  ['linkat', naming('link', 1, 3)],
  ['symlink', symlink(1)],
  ['symlinkat', symlink(2)],
  ['chmod', onPath('chmod', 0, ({ args }) => modeIn(args[1]))],
  ['fchmodat', onPath('chmod', 1, ({ args }) => modeIn(args[2]))],
  ['fchmod', onDescriptor('chmod', ({ args }) => modeIn(args[1]))],
  ['utimensat', onPath('touch', 1, ({ args }) => timeIn(args[2]))],
]);

/** Writes that follow each other are one, and none is very long. */
function joined(steps: readonly Step[]): Step[] {
  const all: Step[] = [];
  for (const step of steps) {
    const before = all.at(-1);
    const [what, fd, at, length] = step;
    if (what === 'write' && before?.[0] === 'write' && before[1] === fd && !isBreak(all)) {
      const [, , from, much] = before;
      const goesOn = at === '+' || Number(from) + Number(much) === Number(at);
      if (goesOn && from !== undefined) {
        all[all.length - 1] = ['write', Number(fd), from, Number(much) + Number(length)];
        continue;
      }
    }
    all.push(step);
  }
  return all.map((step) => {
    const [what, fd = 0, at = 0, length] = step;
    return what === 'write' ? ['write', fd, at, Math.min(Number(length), MOST_BYTES)] : step;
  });
}

/** The first write of a file stays by itself: others see what it has then. */
const isBreak = (steps: readonly Step[]): boolean => steps.at(-2)?.[0] === 'open';
