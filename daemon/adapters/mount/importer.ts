/**
 * Takes up the operations of the mount's log, one after the other, and tells the addon what came of each.
 *
 * What may pass (a full disk) is tried again, and what comes after waits. What is refused for good is listed; contents that were written go to
 * `lost+found` in the data folder, and the mount shows again what the volume has.
 */
import { rm } from 'node:fs/promises';
import type { ErrorStatus } from '../../../shared/control/snapshot.ts';
import { milliseconds } from '../../../shared/model/time.ts';
import type { Timers } from '../../../shared/ports/clock.ts';
import type { Feed } from '../../../shared/ports/feed.ts';
import type { Attributes, FileSystem } from '../../../shared/ports/file-system.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { diskError } from '../../../shared/system/disk-error.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { applyOperation } from './apply-operation.ts';
import type { MountLog } from './mount-log.ts';
import type { KnownKeys, Operation } from './operations.ts';

const AGAIN_MS = milliseconds(2000);
/** How many notes are kept before they are let go together. */
const MOST_NOTES = 256;
const MOST_ERRORS = 100;

export interface ImporterParts {
  readonly fileSystem: FileSystem;
  readonly feed: Pick<Feed, 'noted'>;
  readonly timers: Timers;
  readonly log: Log;
  readonly files: MountLog;
  readonly keys: KnownKeys;
  /** What is with the core is told here. */
  readonly told: ImporterListener;
}

export interface ImporterListener {
  /** `attributes`: of what it was about; null: there are none to tell. */
  imported(op: Operation, attributes: Attributes | null): void;
  /** What it has changed is to be shown as the volume has it. */
  refused(op: Operation): void;
  /** Everything that was given was taken up. */
  idle(seq: number): void;
}

/** Operations of a mount on their way to the core, in order. */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #queue: Operation[] = [];
  readonly #errors: ErrorStatus[] = [];
  #imported: number;
  #notes: number[] = [];
  #running: Promise<void> | null = null;
  #failure: GodwitError | null = null;
  #isClosed = false;
  /** Resolves when an operation has to wait. */
  #stuck = Promise.withResolvers<void>();
  #wakeUp = (): void => undefined;

  /** `seq`: all to this number was taken up before. */
  constructor(parts: ImporterParts, seq: number) {
    this.#parts = parts;
    this.#imported = seq;
  }

  /** The number of the last operation that was taken up. */
  get imported(): number {
    return this.#imported;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Why the next one could not be taken up; null: nothing is known to be wrong. */
  get failure(): GodwitError | null {
    return this.#failure;
  }

  get errors(): readonly ErrorStatus[] {
    return this.#errors;
  }

  add(operations: readonly Operation[]): void {
    this.#queue.push(...operations);
    if (operations.length > 0) this.#running ??= this.#run();
  }

  /** Resolves when nothing waits, or the next one can't be taken up now (`failure`). */
  async settled(): Promise<void> {
    while (this.#running !== null && this.#failure === null && !this.#isClosed) {
      await Promise.race([this.#running, this.#stuck.promise]);
    }
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** Something may have become possible. */
  again(): void {
    this.#failure = null;
    this.#wakeUp();
  }

  list(error: ErrorStatus): void {
    if (this.#errors.length < MOST_ERRORS) this.#errors.push(error);
  }

  /** What is left is taken up at the next start. */
  close(): void {
    this.#isClosed = true;
    this.#stuck.resolve();
    this.#wakeUp();
  }

  async #run(): Promise<void> {
    for (let op = this.#queue[0]; op !== undefined && !this.#isClosed; op = this.#queue[0]) {
      if (!(await this.#take(op))) continue;
      this.#queue.shift();
      if (this.#notes.length >= MOST_NOTES) this.#letNotesGo();
    }
    this.#letNotesGo();
    this.#running = null;
    if (this.#queue.length === 0 && !this.#isClosed) this.#parts.told.idle(this.#imported);
  }

  /** Whether it is done with, one way or the other. */
  async #take(op: Operation): Promise<boolean> {
    try {
      const { fileSystem, keys } = this.#parts;
      this.#done(op, await applyOperation(op, fileSystem, keys));
      return true;
    } catch (error) {
      const known = diskError('the mount', error);
      if (!(known instanceof GodwitError)) throw known;
      if (known.severity === 'transient' || this.#isClosed) {
        await this.#later(known);
        return false;
      }
      this.#refuse(op, known);
      return true;
    }
  }

  #done(op: Operation, attributes: Attributes | null): void {
    const { files, keys, told } = this.#parts;
    this.#failure = null;
    this.#imported = op.seq;
    if (op.op === 'writing') return;
    const isMade = op.op === 'create' || op.op === 'mkdir' || op.op === 'symlink';
    const made = isMade && attributes !== null ? { key: op.key, fid: attributes.fid } : null;
    if (made !== null) keys.learn(made.key, made.fid);
    files.took(op.seq, made);
    this.#notes.push(op.seq);
    told.imported(op, attributes);
    if (op.op === 'store') void rm(op.path, { force: true }).catch(() => undefined);
  }

  async #later(error: GodwitError): Promise<void> {
    if (this.#isClosed) return;
    if (this.#failure?.code !== error.code) {
      this.#parts.log.warn('an operation of the mount waits', { why: error.message });
    }
    this.#failure = error;
    this.#stuck.resolve();
    this.#stuck = Promise.withResolvers();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#wakeUp = () => resolve(undefined);
    const timer = this.#parts.timers.start(AGAIN_MS, () => resolve(undefined));
    await promise;
    timer.cancel();
    this.#wakeUp = () => undefined;
  }

  #refuse(op: Operation, error: GodwitError): void {
    const { files, told, log } = this.#parts;
    const name = 'name' in op && op.name !== undefined ? op.name : op.key;
    const kept = op.op === 'store' ? files.putAside(op.path, name, op.seq) : null;
    const where = kept === null ? '' : `; what was written is in ${kept}`;
    const { code, remedy } = error;
    log.error('an operation of the mount is refused', { what: op.op, name, why: error.message });
    this.list({ code, message: `${error.message}${where}`, remedy, path: name });
    this.#imported = op.seq;
    files.took(op.seq, null);
    told.refused(op);
  }

  #letNotesGo(): void {
    const notes = this.#notes;
    this.#notes = [];
    if (notes.length === 0) return;
    this.#parts.files.sync();
    // One that stays is seen at the next start.
    this.#parts.feed.noted(notes).catch(() => undefined);
  }
}
