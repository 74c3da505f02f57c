/**
 * What is on the disk beside a mount: the log of operations, which the addon writes, and how far it was taken up, which is written here.
 *
 * Invariants
 * 1. Operations are taken up in their order, each with its number as the note of its call. So the newest note, or the newest line of
 *    `taken.log` where the note is gone already, says how far that went.
 * 2. A note goes only after its line is durable.
 * 3. A log begins anew only when all in it was taken up. Its first line says from which number on.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isFid, type Fid } from '../../../shared/model/fid.ts';
import type { KeptNote } from '../../../shared/ports/feed.ts';
import { KnownKeys, type Contents, type Operation } from './operations.ts';

/** Of the data folder. */
export const MOUNT_FOLDER = 'mount';

/** The text of the notes of a mount: those of a folder, which may have been here before, say what was told. */
export const MOUNT_NOTE = '';

export interface LeftOperations {
  /** Those that were not taken up. */
  readonly operations: readonly Operation[];
  readonly keys: KnownKeys;
  /** The number of the newest operation. */
  readonly seq: number;
}

/** The files beside a mount, in the data folder. */
export class MountLog {
  readonly log: string;
  readonly spool: string;
  readonly #lost: string;
  readonly #taken: string;
  #file: number | null = null;

  constructor(dataDir: string) {
    const folder = join(dataDir, MOUNT_FOLDER);
    this.log = join(folder, 'operations.log');
    this.spool = join(folder, 'files');
    this.#lost = join(folder, 'lost+found');
    this.#taken = join(folder, 'taken.log');
    for (const each of [folder, this.spool]) mkdirSync(each, { recursive: true, mode: 0o700 });
  }

  /** What an earlier run has left. A line that is not whole ends it: it was being written. */
  left(notes: readonly KeptNote[]): LeftOperations {
    const lines = linesOf(this.log);
    const base = baseOf(lines[0]);
    const all = lines.slice(1).filter(isOperation);
    const keys = new KnownKeys();
    let taken = base;
    for (const line of linesOf(this.#taken)) {
      const { seq, key, fid } = line;
      if (typeof seq !== 'number' || seq <= base) continue;
      taken = Math.max(taken, seq);
      if (typeof key === 'string' && isFid(fid)) keys.learn(key, fid);
    }
    for (const { id, fid } of notes.filter(isOfMount)) {
      if (id <= base) continue;
      taken = Math.max(taken, id);
      keys.learn(`L${id}`, fid);
    }
    // Notes have one row of numbers, whoever gives them.
    const last = notes.reduce((most, { id }) => Math.max(most, id), taken);
    const seq = all.reduce((most, each) => Math.max(most, each.seq), last);
    return { operations: all.filter((each) => each.seq > taken), keys, seq };
  }

  /** Files that were about to be written, of which no operation says that they were stored or have no name any more. */
  unclosed(): Contents[] {
    const open = new Map<string, Contents>();
    for (const line of linesOf(this.log).filter(isOperation)) {
      const op: Operation = line;
      if (op.op === 'writing') open.set(op.path, op);
      else if (op.op === 'store') open.delete(op.path);
      else if ((op.op === 'remove' || op.op === 'rename') && op.last === true) {
        const ended = op.op === 'remove' ? op.key : op.over;
        for (const [path, { key }] of open) if (key === ended) open.delete(path);
      }
    }
    return [...open.values()];
  }

  /** The operation is with the core, durably; `made`: a vnode that it made. */
  took(seq: number, made: { key: string; fid: Fid } | null): void {
    this.#file ??= openSync(this.#taken, 'a', 0o600);
    appendFileSync(this.#file, `${JSON.stringify({ seq, ...made })}\n`);
  }

  sync(): void {
    if (this.#file !== null) fsyncSync(this.#file);
  }

  /** All of the log was taken up, and it begins anew. */
  begun(): void {
    this.close();
    rmSync(this.#taken, { force: true });
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Files that programs wrote and that no operation is about any more. */
  clearSpool(): void {
    for (const name of readdirSync(this.spool)) rmSync(join(this.spool, name), { force: true });
  }

  /** Contents that could not be given to the core are kept for their user. Gives where; null: there are none. */
  putAside(path: string, name: string, seq: number): string | null {
    if (!existsSync(path)) return null;
    mkdirSync(this.#lost, { recursive: true, mode: 0o700 });
    const to = join(this.#lost, `${basename(name)}-${seq}`);
    renameSync(path, to);
    return to;
  }
}

/** Whether a mount gave the note. */
export const isOfMount = ({ text }: KeptNote): boolean => text === MOUNT_NOTE;

function linesOf(path: string): Array<Record<string, unknown>> {
  if (!existsSync(path)) return [];
  const whole: Array<Record<string, unknown>> = [];
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const value = parsed(line);
    if (value === null) break;
    whole.push(value);
  }
  return whole;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function baseOf(line: Record<string, unknown> | undefined): number {
  const base = line?.['base'];
  return typeof base === 'number' ? base : 0;
}

function isOperation(line: Record<string, unknown>): line is Operation & Record<string, unknown> {
  return typeof line['seq'] === 'number' && typeof line['op'] === 'string';
}
