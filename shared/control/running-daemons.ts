/**
 * Which daemons of this user run, wherever their data are: a file for each in STATE/running, which its daemon writes when it can be asked and
 * removes when it ends. One that was killed leaves it behind: then the process is gone, or another one has its number, and whoever
 * looks removes the file. What another user could have written is not believed. The file names a data folder and nothing else is taken
 * from it: folder and server are in the settings there.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../system/make-folder.ts';
import { stateFolder } from './state-folder.ts';

export interface RunningDaemon {
  readonly data: string;
  readonly pid: number;
}

const FOLDER = 'running';
const ENTRY = /^[0-9a-f]{20}\.json$/;
const NAME_DIGITS = 20;
/** More is no entry of ours. */
const MOST_ENTRY_BYTES = 16_384;
/** What others may do: write. */
const OTHERS_WRITE = 0o022;

const schema = z.object({
  data: z.string().refine(isAbsolute),
  pid: z.number().int().min(1),
  /** By which the process is told from a later one with its number; null: the system does not tell. */
  started: z.string().nullable(),
  /** A home folder may be that of several machines. */
  host: z.string(),
});

/** Says that this process serves the data folder. Gives what takes that back. Throws the disk's error. */
export function announceDaemon(data: string, state = stateFolder()): () => void {
  const folder = join(state, FOLDER);
  makeFolder(folder, 0o700);
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== userOr(found.uid)) return () => undefined;
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  const { pid } = process;
  const file = join(folder, nameOf(data));
  const beside = `${file}.${pid}`;
  const entry = { data, pid, started: startOf(pid) ?? null, host: hostname() };
  writeFileSync(beside, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  renameSync(beside, file);
  return () => {
    // A later daemon of this folder has written its own.
    if (readEntry(file)?.pid === pid) rmSync(file, { force: true });
  };
}

/** Those that run, by their data folder. Entries of processes that have ended are removed. Never throws. */
export function runningDaemons(state: string): RunningDaemon[] {
  const folder = join(state, FOLDER);
  const found: RunningDaemon[] = [];
  for (const name of namesIn(folder)) {
    const entry = readEntry(join(folder, name));
    if (entry === null || entry.host !== hostname() || nameOf(entry.data) !== name) continue;
    const { data, pid, started } = entry;
    if (isRunning(pid, started)) found.push({ data, pid });
    else removeStale(join(folder, name), pid);
  }
  return found.sort((a, b) => (a.data < b.data ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    if (!isOurs(lstatSync(folder), 'folder')) return [];
    return readdirSync(folder).filter((name) => ENTRY.test(name));
  } catch {
    return [];
  }
}

/** Null: there is none that we would believe. */
function readEntry(file: string): z.output<typeof schema> | null {
  try {
    const found = lstatSync(file);
    if (!isOurs(found, 'file') || found.size > MOST_ENTRY_BYTES) return null;
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Of this user, and nobody else can write there. No link. */
function isOurs(found: Stats, kind: 'folder' | 'file'): boolean {
  const isKind = kind === 'folder' ? found.isDirectory() : found.isFile();
  if (!isKind || process.platform === 'win32') return isKind;
  return found.uid === userOr(found.uid) && (found.mode & OTHERS_WRITE) === 0;
}

const userOr = (other: number): number => process.getuid?.() ?? other;

function nameOf(data: string): string {
  return `${createHash('sha256').update(data).digest('hex').slice(0, NAME_DIGITS)}.json`;
}

/** Whether that very process runs, and not another one that got its number since. */
function isRunning(pid: number, started: string | null): boolean {
  const now = startOf(pid);
  if (now !== undefined) return started === null || now === started;
  if (process.platform === 'linux') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The boot, and the ticks since then at which the process began; undefined: no process, or no system that tells. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // "PID (COMMAND) STATE ...", and a command may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended.
    if (fields[0] === 'Z' || fields[19] === undefined) return undefined;
    return `${boot} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** A daemon that was started meanwhile has written its own. */
function removeStale(file: string, pid: number): void {
  try {
    if (readEntry(file)?.pid === pid) rmSync(file, { force: true });
  } catch {
    // The next one who looks tries again.
  }
}
