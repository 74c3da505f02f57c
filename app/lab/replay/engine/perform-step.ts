/**
 * Does one step of a trace on a laptop, through its file-system port. Contents are whole files, as MFS has them: what is written between an
 * open and its close is put into the private file at the close.
 */
import type { Attributes, FileSystem } from '../../../../shared/ports/file-system.ts';
import type { TraceOperation } from '../../trace/record.ts';
import { GodwitError, type ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { Step } from '../plan/step.ts';
import type { Edit, ReplayLaptop } from './replay-world.ts';
import { Freshness, isStale, mtimeOfStamp } from './stamps.ts';
import type { Tally } from './tally.ts';
import { directoryOf, lookUp } from './walk.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
/** What a person does on the error that the server is away. */
const AGAIN_AFTER_MS = 1000;

interface Opened {
  readonly laptop: ReplayLaptop;
  /** Null: a directory, which needs none. */
  readonly handle: number | null;
  readonly local: string;
  readonly writes: boolean;
  readonly edits: Edit[];
}

/** How an operation may end that was possible when it was traced: the trace did not tell all, or things came in another order. */
const UNLIKE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['not-found', 'exists', 'not-empty', 'not-a-directory', 'is-a-directory'] as const),
  ...(['bad-name', 'bad-attribute', 'bad-handle', 'cycle', 'no-contents'] as const),
]);

/**
 * Does the steps of a trace on laptops, one call at a time, and tallies what came of them. A step
 * that ends otherwise than in the trace is counted, and is no error.
 */
export class Performer {
  readonly #tally: Tally;
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #fresh = new Freshness();
  readonly #opened = new Map<Step, Opened>();
  readonly #laptops = new Map<string, ReplayLaptop>();
  #stamps = 0;

  /** `now`: milliseconds since the replay began. */
  constructor(tally: Tally, now: () => number, wait: (ms: number) => Promise<void>) {
    this.#tally = tally;
    this.#now = now;
    this.#wait = wait;
  }

  /** Rejects with what no trace can be the reason of: a full disk, a server that is gone. */
  async perform(laptop: ReplayLaptop, step: Step): Promise<void> {
    const { op, path } = step;
    this.#laptops.set(laptop.name, laptop);
    const wasRefused = step.has('not-found') || step.has('failed');
    try {
      if (wasRefused) await this.#refused(laptop, step);
      else await this.#does(laptop, step);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
      if (error.code === 'not-connected') {
        this.#tally.away += 1;
        await this.#wait(AGAIN_AFTER_MS);
        return this.perform(laptop, step);
      }
      if (!UNLIKE.has(error.code)) throw error;
      if (!wasRefused) this.#tally.notAsThere(`${op} ${path}: ${error.code}`);
    }
  }

  /** What is still open when the processes have ended is closed, as their system would. */
  async closeAll(): Promise<void> {
    for (const [step, opened] of [...this.#opened]) await this.#close(step, opened);
  }

  /** What was looked for in vain is looked for again; of other refusals nobody knows the reason. */
  async #refused({ fs, root }: ReplayLaptop, step: Step): Promise<void> {
    if (!step.has('not-found')) {
      this.#tally.skipped += 1;
      return;
    }
    await lookUp(fs, root, step.path);
    this.#tally.notAsThere(`${step.op} ${step.path}: it is there`);
  }

  async #does(laptop: ReplayLaptop, step: Step): Promise<void> {
    const { fs, root } = laptop;
    const { path } = step;
    const act: Readonly<Partial<Record<TraceOperation, () => Promise<unknown>>>> = {
      open: () => this.#open(laptop, step),
      create: () => this.#create(laptop, step),
      close: () => this.#closeOf(step),
      read: () => this.#read(step),
      map: () => this.#read(step),
      write: () => this.#edit(laptop, step),
      truncate: () => this.#edit(laptop, step),
      getattr: () => lookUp(fs, root, path),
      setattr: () => this.#setMode(laptop, path),
      readdir: async () => fs.readdir((await lookUp(fs, root, path)).fid),
      mkdir: async () => {
        const { dir, name } = await directoryOf(fs, root, path);
        await fs.mkdir(dir, name, { mode: FOLDER_MODE });
      },
      symlink: async () => {
        const { dir, name } = await directoryOf(fs, root, path);
        await fs.symlink(dir, name, step.to ?? '', {});
      },
      rmdir: async () => fs.rmdir(await directoryOf(fs, root, path)),
      remove: () => this.#remove(laptop, path),
      rename: () => this.#rename(laptop, path, step.to ?? path),
      link: async () => {
        const { fid } = await lookUp(fs, root, path);
        await fs.link(fid, await directoryOf(fs, root, step.to ?? path));
      },
    };
    const work = act[step.op];
    if (work !== undefined) await work();
  }

  async #open(laptop: ReplayLaptop, step: Step): Promise<void> {
    const { fs, name } = laptop;
    const expected = this.#fresh.expected(step.path, name);
    const inOrder = this.#fresh.inOrder(step.path, name);
    const writer = this.#laptops.get(expected?.by ?? '');
    const queued = (await writer?.holds(step.path)) ?? null;
    const asked = this.#now();
    const attributes = await this.#found(laptop, step);
    if (attributes.kind !== 'file') {
      const opened = { laptop, handle: null, local: '', writes: false, edits: [] };
      this.#opened.set(step, opened);
      return;
    }
    const isEmptied = step.has('truncate');
    const began = this.#now();
    const how = step.writes
      ? ({ mode: 'write', truncate: isEmptied } as const)
      : ({ mode: 'read' } as const);
    const { handle, path, attributes: seen } = await fs.open(attributes.fid, how);
    this.#opened.set(step, { laptop, handle, local: path, writes: step.writes, edits: [] });
    if (isEmptied) return;
    this.#tally.opened(step.process, attributes.cached, this.#now() - began);
    this.#tally.lastReadMs = this.#now();
    if (queued !== null) this.#tally.pulled.push({ bytes: queued, ms: this.#now() - asked });
    this.#fresh.saw(seen.mtime, name);
    if (isStale(seen.mtime, expected?.stamp ?? null)) this.#tally.stale += 1;
    if (isStale(seen.mtime, inOrder)) this.#tally.disordered += 1;
  }

  /** Opened, or made where nobody knew whether it was there. */
  async #found(laptop: ReplayLaptop, step: Step): Promise<Attributes> {
    const { fs, root } = laptop;
    const { dir, name } = await directoryOf(fs, root, step.path);
    if (name === '') return fs.getattr(dir);
    try {
      return await fs.lookup(dir, name);
    } catch (error) {
      const isMissing = error instanceof GodwitError && error.code === 'not-found';
      if (!isMissing || !step.has('create')) throw error;
      step.writes = true;
      return fs.create(dir, name, { mode: FILE_MODE });
    }
  }

  async #create(laptop: ReplayLaptop, step: Step): Promise<void> {
    const { fs, root } = laptop;
    const { dir, name } = await directoryOf(fs, root, step.path);
    const { fid } = await made(fs, dir, name);
    const { handle, path } = await fs.open(fid, { mode: 'write', truncate: true });
    this.#opened.set(step, { laptop, handle, local: path, writes: true, edits: [] });
  }

  #read(step: Step): Promise<void> {
    const opened = this.#openedOf(step);
    if (opened === null) this.#tally.skipped += 1;
    else {
      this.#tally.readBytes += step.length;
      this.#tally.lastReadMs = this.#now();
    }
    return Promise.resolve();
  }

  async #edit(laptop: ReplayLaptop, step: Step): Promise<void> {
    const { offset, length } = step;
    const opened = this.#openedOf(step);
    const edit: Edit =
      step.op === 'write'
        ? { kind: 'write', offset, length }
        : { kind: 'truncate', size: step.length };
    if (opened?.writes === true) opened.edits.push(edit);
    else if (step.on === null && step.op === 'truncate') await this.#cutByName(laptop, step, edit);
    else {
      this.#tally.skipped += 1;
      return;
    }
    if (step.op === 'write') this.#tally.writtenBytes += length;
  }

  /** A program may cut a file without opening it. */
  async #cutByName(laptop: ReplayLaptop, step: Step, edit: Edit): Promise<void> {
    const { fs, root } = laptop;
    const { fid } = await lookUp(fs, root, step.path);
    const { handle, path } = await fs.open(fid, { mode: 'write', truncate: step.length === 0 });
    const opened = { laptop, handle, local: path, writes: true, edits: [edit] };
    this.#opened.set(step, opened);
    await this.#close(step, opened);
  }

  async #closeOf(step: Step): Promise<void> {
    const opened = this.#openedOf(step);
    // Directories are opened and closed too, and nobody writes that down as an open.
    if (opened === null || step.on === null) return;
    await this.#close(step.on, opened);
    if (step.on.has('delete-on-close')) await this.#remove(opened.laptop, step.path);
  }

  async #close(open: Step, { laptop, handle, local, writes, edits }: Opened): Promise<void> {
    this.#opened.delete(open);
    if (handle === null) return;
    const { fs, name } = laptop;
    const isNew = open.op === 'create' || open.has('truncate') || open.has('create');
    if (!writes) await fs.close(handle, null);
    else if (edits.length === 0 && !isNew) await fs.abandon(handle);
    else {
      this.#stamps += 1;
      const stamp = this.#stamps;
      await laptop.change(local, edits, stamp);
      this.#fresh.closing(stamp, name);
      await fs.close(handle, { mtime: mtimeOfStamp(stamp) });
      this.#fresh.closed(open.path, stamp);
      this.#tally.lastWriteMs = this.#now();
    }
  }

  async #setMode({ fs, root }: ReplayLaptop, path: string): Promise<void> {
    const { fid, mode } = await lookUp(fs, root, path);
    await fs.setattr(fid, { mode: mode ^ 0o010 });
  }

  async #remove({ fs, root }: ReplayLaptop, path: string): Promise<void> {
    await fs.remove(await directoryOf(fs, root, path));
    this.#fresh.removed(path);
  }

  async #rename({ fs, root }: ReplayLaptop, from: string, to: string): Promise<void> {
    await fs.rename(await directoryOf(fs, root, from), await directoryOf(fs, root, to));
    this.#fresh.renamed(from, to);
  }

  #openedOf({ on }: Step): Opened | null {
    return on === null ? null : (this.#opened.get(on) ?? null);
  }
}

async function made(
  fs: FileSystem,
  dir: Parameters<FileSystem['create']>[0],
  name: string,
): Promise<Attributes> {
  try {
    return await fs.create(dir, name, { mode: FILE_MODE });
  } catch (error) {
    if (!(error instanceof GodwitError) || error.code !== 'exists') throw error;
    return fs.lookup(dir, name);
  }
}
