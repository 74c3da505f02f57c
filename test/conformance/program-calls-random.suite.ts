/**
 * The same random program in two worlds: each call must come to the same, and leave the same behind it. What no list of cases thought of shows here.
 */
import { expect } from '@jest/globals';
import { OPEN } from '../../app/lab/simulator/posix/open-flags.ts';
import {
  readFile,
  type ProgramCalls,
  type Stats,
} from '../../app/lab/simulator/posix/program-calls.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { NOBODY, type ProgramHarness } from './program-calls-harness.ts';

interface Step {
  readonly text: string;
  readonly isOrdinary: boolean;
  run(calls: ProgramCalls): unknown;
}

/** Runs a random program of so many calls in both worlds, and compares after each. */
export function runInBoth(
  one: ProgramHarness,
  other: ProgramHarness,
  { seed, calls }: { seed: number; calls: number },
): void {
  const random = new SeededRandom(seed);
  const worlds = [new World(one), new World(other)] as const;
  const told: string[] = [];
  for (let count = 0; count < calls; count++) {
    const step = drawStep(random);
    told.push(`${step.isOrdinary ? 'ordinary ' : ''}${step.text}`);
    const [left, right] = worlds.map((world) => world.take(step));
    try {
      expect(right).toEqual(left);
    } catch (error) {
      const history = told.slice(-12).join('\n');
      throw new Error(`after\n${history}\n${(error as Error).message}`, { cause: error });
    }
  }
}

/** One of the two, and what its folder looked like after the last call. */
class World {
  readonly #harness: ProgramHarness;
  #before = new Map<string, Stats>();

  constructor(harness: ProgramHarness) {
    this.#harness = harness;
  }

  take(step: Step): { outcome: unknown; tree: unknown } {
    const { calls } = this.#harness;
    this.#harness.pass();
    const outcome = step.isOrdinary
      ? this.#harness.ordinary((own) => this.#outcome(own, step))
      : this.#outcome(calls, step);
    // What is read to look at it is read later than what was done.
    this.#harness.pass();
    return { outcome, tree: this.#look(calls) };
  }

  #outcome(calls: ProgramCalls, step: Step): unknown {
    try {
      return plain(step.run(calls));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === undefined) throw error;
      return code;
    }
  }

  /** All that is there, with which times have changed since the last look. */
  #look(calls: ProgramCalls): unknown {
    const found: Record<string, unknown> = {};
    const now = new Map<string, Stats>();
    const inodes = new Map<bigint, number>();
    const look = (path: string): void => {
      const stats = calls.lstat(path);
      const { kind, mode, links, uid, gid, ino } = stats;
      now.set(`${ino} ${stats.birth}`, stats);
      const isFirst = !inodes.has(ino);
      if (isFirst) inodes.set(ino, inodes.size);
      const size = kind === 'directory' ? 0 : stats.size;
      const changed = (['atime', 'mtime', 'ctime', 'birth'] as const).filter(
        (time) => stats[time] !== this.#before.get(`${ino} ${stats.birth}`)?.[time],
      );
      const contents = isFirst ? this.#contents(calls, path, stats) : null;
      const sameAs = inodes.get(ino);
      found[path] = { kind, mode, links, uid, gid, size, changed, contents, sameAs };
      if (kind !== 'directory') return;
      for (const name of calls.readdir(path).sort()) look(path === '.' ? name : `${path}/${name}`);
    };
    look('.');
    this.#before = now;
    return found;
  }

  #contents(calls: ProgramCalls, path: string, { kind, size }: Stats): unknown {
    if (kind === 'symlink') return calls.readlink(path).slice(-40);
    if (kind !== 'file') return null;
    return size > 100_000
      ? size
      : Buffer.from(readFile(calls, path)).toString('latin1').slice(0, 200);
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (Array.isArray(value)) return (value as string[]).map(String).sort();
  return value;
}

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;

function drawPath(random: SeededRandom): string {
  const names = Array.from({ length: 1 + random.below(3) }, () => {
    const draw = random.below(40);
    if (draw === 0) return '..';
    if (draw === 1) return '.';
    if (draw === 2) return 'n'.repeat(random.pick([255, 256]));
    return random.pick(NAMES);
  });
  // Never above the folder.
  const path = names.join('/').replace(/^(\.\.\/?)+/, '') || 'a';
  const isBelow = path.split('/').reduce(
    ({ depth, is }, name) => {
      const next = name === '..' ? depth - 1 : name === '.' ? depth : depth + 1;
      return { depth: next, is: is && next >= 0 };
    },
    { depth: 0, is: true },
  ).is;
  const end = random.chance(0.08) ? '/' : random.chance(0.03) ? '/.' : '';
  return `${isBelow ? path : random.pick(NAMES)}${end}`;
}

type Draw = (random: SeededRandom) => Omit<Step, 'isOrdinary'>;

const FLAGS = [
  OPEN.readOnly,
  OPEN.writeOnly,
  OPEN.readWrite,
  OPEN.writeOnly | OPEN.create,
  OPEN.writeOnly | OPEN.create | OPEN.truncate,
  OPEN.writeOnly | OPEN.create | OPEN.exclusive,
  OPEN.readWrite | OPEN.create | OPEN.append,
  OPEN.readOnly | OPEN.create,
  OPEN.readOnly | OPEN.directory,
  OPEN.path,
  OPEN.path | OPEN.directory,
];

const MODES = [
  0o777, 0o755, 0o644, 0o600, 0o000, 0o111, 0o4755, 0o2755, 0o2775, 0o1777, 0o7777, 0o2644,
];
const OWNERS = [-1, 0, 1000, NOBODY];

const DRAWS: readonly Draw[] = [
  ...Array.from({ length: 6 }, (): Draw => drawOpen),
  (random) => {
    const path = drawPath(random);
    const mode = random.pick(MODES);
    return { text: `mkdir ${path} ${mode.toString(8)}`, run: (calls) => calls.mkdir(path, mode) };
  },
  ...(['rmdir', 'unlink', 'readdir', 'readlink'] as const).map((name): Draw => (random) => {
    const path = drawPath(random);
    return { text: `${name} ${path}`, run: (calls) => withoutRoot(calls, calls[name](path)) };
  }),
  ...(['rename', 'rename', 'rename', 'renameNoReplace', 'exchange', 'link', 'link'] as const).map(
    (name): Draw =>
      (random) => {
        const [from, to] = [drawPath(random), drawPath(random)];
        return { text: `${name} ${from} ${to}`, run: (calls) => calls[name](from, to) };
      },
  ),
  (random) => {
    // None leads to its own directory or above: no path of such a program can lead out of the folder.
    const target = random.pick(['a', 'b', 'e/../a', 'c/d', './e', 'nothing', 'a/']);
    const path = drawPath(random);
    return { text: `symlink ${target} ${path}`, run: (calls) => calls.symlink(target, path) };
  },
  (random) => {
    const path = drawPath(random);
    const mode = random.pick(MODES);
    return { text: `chmod ${path} ${mode.toString(8)}`, run: (calls) => calls.chmod(path, mode) };
  },
  ...(['chown', 'lchown'] as const).map((name): Draw => (random) => {
    const path = drawPath(random);
    const [uid, gid] = [random.pick(OWNERS), random.pick(OWNERS)];
    return { text: `${name} ${path} ${uid} ${gid}`, run: (calls) => calls[name](path, uid, gid) };
  }),
  ...(['utimes', 'lutimes'] as const).map((name): Draw => (random) => {
    const path = drawPath(random);
    const time = BigInt(random.below(2 ** 31)) * 1_000_000_000n + BigInt(random.below(10 ** 9));
    return {
      text: `${name} ${path} ${time}`,
      run: (calls) => {
        calls[name](path, 1_000_000_000n, time);
        return calls.lstat(path).mtime === time;
      },
    };
  }),
  (random) => {
    const path = drawPath(random);
    const length = random.pick([0, 1, 5000, 100_000]);
    return { text: `truncate ${path} ${length}`, run: (calls) => calls.truncate(path, length) };
  },
  (random) => {
    const path = drawPath(random);
    const bits = random.below(8);
    return { text: `access ${path} ${bits}`, run: (calls) => calls.access(path, bits) };
  },
];

/** A link's target may hold where the folder is. */
function withoutRoot(calls: ProgramCalls, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(calls.cwd, '') : value;
}

function drawOpen(random: SeededRandom): Omit<Step, 'isOrdinary'> {
  const path = drawPath(random);
  const flags = random.pick(FLAGS) | OPEN.nonBlocking | (random.chance(0.2) ? OPEN.noFollow : 0);
  const mode = random.pick(MODES);
  const text = random.pick(['', 'x', 'some text', 'y'.repeat(5000)]);
  const at = random.pick([null, 0, 3, 9000]);
  const then = random.pick([
    'write',
    'read',
    'ftruncate',
    'fchmod',
    'fchown',
    'fsync',
    'unlink',
    'nothing',
  ] as const);
  return {
    text: `open ${path} ${flags.toString(8)} ${mode.toString(8)} ${then} ${text.length} at ${at}`,
    run: (calls) => {
      const fd = calls.open(path, flags, mode);
      try {
        const { links, size, kind } = calls.fstat(fd);
        return { links, size: kind === 'directory' ? 0 : size, kind, then: use(calls, fd) };
      } finally {
        calls.close(fd);
      }
    },
  };

  function use(calls: ProgramCalls, fd: number): unknown {
    const bytes = Buffer.from(text);
    switch (then) {
      case 'write':
        return at === null ? calls.write(fd, bytes) : calls.pwrite(fd, bytes, at);
      case 'read':
        return plain(at === null ? calls.read(fd, 10) : calls.pread(fd, 10, at));
      case 'ftruncate':
        return calls.ftruncate(fd, text.length);
      case 'fchmod':
        return calls.fchmod(fd, mode);
      case 'fchown':
        return calls.fchown(fd, -1, -1);
      case 'fsync':
        return calls.fsync(fd);
      case 'unlink':
        calls.unlink(path);
        return calls.fstat(fd).links;
      case 'nothing':
        return null;
    }
  }
}

function drawStep(random: SeededRandom): Step {
  const step = random.pick(DRAWS)(random);
  // `access` asks for who started the process, not for whom it acts as.
  const isOrdinary = random.chance(0.4) && !step.text.startsWith('access');
  return { ...step, isOrdinary };
}
