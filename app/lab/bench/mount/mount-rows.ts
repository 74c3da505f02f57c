/**
 * What `godwit bench mount` does in two folders, one in the mount and one on the file system of its cache: the calls of programs, from Node. Node's own time is
 * in both, so ratios of very short calls look better than they are for a program in C.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../figures.ts';

export interface MountSettings {
  /** Bytes of the large file. */
  readonly large: number;
  /** Names in the large folder. */
  readonly names: number;
  readonly rounds: number;
}

/** One thing that is measured. */
export interface MountRow {
  readonly name: string;
  readonly what: string;
  /** Of the time in the mount over that beside it (`time`), or of the speeds (`speed`). */
  readonly ratio: 'time' | 'speed';
  readonly target: number;
  readonly wanted: Figure['wanted'];
  /** Made once in each folder. */
  prepare?(folder: string, settings: MountSettings): void;
  /** What is timed, as often as it says there. */
  run(folder: string, settings: MountSettings, round: number): void;
}

const MIB = 1024 * 1024;
const PIECE = randomBytes(MIB);
const SMALL = PIECE.subarray(0, 8192);
const CALLS = 20_000;
const OPENS = 2000;
const RANDOM_READS = 5000;
const SMALL_FILES = 300;
const LARGE_WRITES = 16;
const GIT_FILES = 1000;
/** Steps of a random walk over blocks that is the same each time. */
const STRIDE = 7919;

const large = (folder: string): string => join(folder, 'large');

function write(path: string, bytes: number, flags: string): void {
  const file = openSync(path, flags);
  for (let at = 0; at < bytes; at += MIB) writeSync(file, PIECE, 0, MIB, at);
  closeSync(file);
}

function reading(path: string, work: (file: number) => void): void {
  const file = openSync(path, 'r');
  work(file);
  closeSync(file);
}

function readWhole(path: string): void {
  const into = Buffer.alloc(MIB);
  reading(path, (file) => {
    for (let at = 0; readSync(file, into, 0, MIB, at) > 0;) at += MIB;
  });
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
}

const speed = { ratio: 'speed', wanted: 'least' } as const;
const time = { ratio: 'time', wanted: 'most' } as const;

/** In the order in which they are measured: later ones use what earlier ones have made. */
export const MOUNT_ROWS: readonly MountRow[] = [
  {
    ...{ name: 'write', what: 'a new large file, in calls of 1 MiB', ...speed, target: 0.9 },
    run: (folder, settings, round) => write(`${large(folder)}-${round}`, settings.large, 'w'),
  },
  {
    ...{ name: 'rewrite', what: 'the same file written over, in place', ...speed, target: 0.9 },
    prepare: (folder, settings) => write(large(folder), settings.large, 'w'),
    run: (folder, settings) => write(large(folder), settings.large, 'r+'),
  },
  {
    ...{ name: 'read', what: 'the same file read, warm', ...speed, target: 0.9 },
    run: (folder) => readWhole(large(folder)),
  },
  {
    ...{ name: 'randomRead', what: '4 KB from random places of it, warm', ...speed, target: 0.9 },
    run: (folder, settings) => {
      const blocks = Math.max(1, Math.floor(settings.large / 4096));
      const into = Buffer.alloc(4096);
      reading(large(folder), (file) => {
        for (let i = 0; i < RANDOM_READS; i++) {
          readSync(file, into, 0, into.length, ((i * STRIDE) % blocks) * into.length);
        }
      });
    },
  },
  {
    ...{ name: 'stat', what: 'attributes of a known file', ...time, target: 1.7 },
    prepare: (folder) => writeFileSync(join(folder, 'small'), SMALL),
    run: (folder) => {
      const path = join(folder, 'small');
      for (let i = 0; i < CALLS; i++) statSync(path);
    },
  },
  {
    ...{ name: 'missing', what: 'a name that is missing', ...time, target: 1.3 },
    run: (folder) => {
      const path = join(folder, 'missing');
      for (let i = 0; i < CALLS; i++) existsSync(path);
    },
  },
  {
    ...{ name: 'list', what: 'names of a large folder', ...time, target: 1 },
    prepare: (folder, { names }) => {
      const at = join(folder, 'names');
      mkdirSync(at);
      for (let i = 0; i < names; i++) closeSync(openSync(join(at, `name-${i}`), 'w'));
    },
    run: (folder) => void readdirSync(join(folder, 'names')),
  },
  {
    ...{ name: 'open', what: 'open, read and close 8 KB that are here', ...time, target: 9 },
    run: (folder) => {
      const into = Buffer.alloc(SMALL.length);
      const path = join(folder, 'small');
      for (let i = 0; i < OPENS; i++) {
        reading(path, (file) => readSync(file, into, 0, into.length, 0));
      }
    },
  },
  {
    ...{ name: 'create', what: 'create, write and close files of 8 KB', ...time, target: 2.5 },
    run: (folder, _, round) => {
      const at = join(folder, `made-${round}`);
      mkdirSync(at);
      for (let i = 0; i < SMALL_FILES; i++) writeFileSync(join(at, `${i}`), SMALL);
    },
  },
  {
    ...{ name: 'writes', what: '16 files of 1 MB, written and closed', ...time, target: 1.2 },
    run: (folder, _, round) => {
      for (let i = 0; i < LARGE_WRITES; i++) {
        writeFileSync(join(folder, `write-${round}-${i}`), PIECE);
      }
    },
  },
  {
    ...{ name: 'gitStatus', what: 'git status of a work tree, warm', ...time, target: 1.3 },
    prepare: (folder) => {
      const at = join(folder, 'tree');
      mkdirSync(at);
      git(at, 'init', '-q');
      for (let i = 0; i < GIT_FILES; i++) writeFileSync(join(at, `file-${i}`), `${i}\n`);
      git(at, 'add', '.');
      git(at, 'status');
    },
    run: (folder) => git(join(folder, 'tree'), 'status'),
  },
];
