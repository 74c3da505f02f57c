/** A replay's world of real processes: a server and laptops on this machine, each laptop behind a relay of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CALL_SUMS, noSums, type CallSums } from '../../../../shared/metrics/call-meter.ts';
import { PRIORITY_CLASSES, type PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import { allOfQueue } from '../../../../shared/control/all-of-queue.ts';
import type { QueueRequest } from '../../../../shared/control/queue.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { heldBytes } from '../engine/held-bytes.ts';
import { filler } from '../engine/filler.ts';
import type {
  ClassSums,
  CostsMeter,
  Crossed,
  Edit,
  LaptopSettings,
  LinkProfile,
  PacketCount,
  ReplayLaptop,
  ReplayWorld,
  WorldSettings,
} from '../engine/replay-world.ts';
import { LOCAL_TEXTS } from '../../../../shared/group/local-texts.ts';
import { queueBytes, type LineCount, type LineShape } from '../../bench/real/line.ts';
import { RelayNet } from '../../bench/real/relay-net.ts';
import { Stage, type Actor } from '../../bench/real/stage.ts';
import { MachineMeter } from './measure-machine.ts';

export interface RealSettings extends WorldSettings {
  readonly signal: AbortSignal;
}

/** A laptop gets its line's own shape before it has one to use. */
const UNUSED: LineShape = { bytesPerSecond: 125_000_000, queueMs: 50, roundTripMs: 0 };

/** Runs a replay with real processes, each laptop behind a relay. */
export class RealWorld implements ReplayWorld {
  readonly #root: string;
  readonly #net = new RelayNet();
  readonly #stage: Stage;
  readonly #signal: AbortSignal;

  private constructor({ scheduling, signal }: RealSettings) {
    this.#signal = signal;
    this.#root = mkdtempSync(join(tmpdir(), 'godwit-replay-'));
    this.#stage = new Stage({
      root: this.#root,
      net: this.#net,
      shape: UNUSED,
      configuration: { scheduling },
      signal,
      onStep: () => undefined,
    });
  }

  /** Rejects where no server starts. */
  static async open(settings: RealSettings): Promise<RealWorld> {
    const world = new RealWorld(settings);
    try {
      await world.#stage.open();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  now(): number {
    return performance.now();
  }

  async wait(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#signal });
  }

  async laptop(
    name: string,
    { policy, delayMs, line, consistency = {}, prefetch, cacheBytes }: LaptopSettings,
  ): Promise<ReplayLaptop> {
    const actor =
      line === null
        ? await this.#stage.near(name)
        : await this.#stage.far(name, 'none', shapeOf(line));
    const delay = delayMs === undefined ? {} : { delayMs };
    await actor.control.command('writeback', { policy, ...delay });
    await actor.control.command('consistency', consistency);
    const cache = {
      ...(prefetch === undefined ? {} : { prefetch }),
      ...(cacheBytes === undefined ? {} : { maximum: cacheBytes }),
    };
    if (Object.keys(cache).length > 0) await actor.control.command('cache-settings', cache);
    return new RealLaptop(name, this.#stage, actor, { line, folder: this.#root });
  }

  async forget(): Promise<void> {
    await this.#stage.restartServer();
  }

  /** Rejects too when the server ends: its laptops would wait for it for ever, in good order. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    working.catch(() => undefined);
    const ended = new Promise<never>((_, reject) => {
      this.#stage.onServerEnd = () => {
        reject(new GodwitError('timed-out', 'replay: the server ended in the middle of it'));
      };
    });
    ended.catch(() => undefined);
    const interrupted = new Promise<never>((_, reject) => {
      const stop = (): void => reject(new GodwitError('timed-out', 'replay: interrupted'));
      if (this.#signal.aborted) stop();
      else this.#signal.addEventListener('abort', stop, { once: true });
    });
    return Promise.race([working, ended, interrupted]);
  }

  async close(): Promise<void> {
    await this.#stage.close();
    this.#net.close();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }
}

class RealLaptop implements ReplayLaptop {
  readonly name: string;
  readonly texts = LOCAL_TEXTS;
  readonly #stage: Stage;
  readonly #folder: string;
  #actor: Actor;
  #line: LinkProfile | null;
  /** Of the daemons before this one. */
  #before: ClassSums = none();

  constructor(
    name: string,
    stage: Stage,
    actor: Actor,
    { line, folder }: { line: LinkProfile | null; folder: string },
  ) {
    this.#folder = folder;
    this.name = name;
    this.#stage = stage;
    this.#actor = actor;
    this.#line = line;
  }

  get fs(): FileSystem {
    return this.#actor.control.fileSystem;
  }

  get root(): Fid {
    return this.#actor.files.root;
  }

  async change(path: string, edits: readonly Edit[], stamp: number): Promise<void> {
    const file = await open(path, 'r+');
    try {
      for (const edit of edits) await apply(file, edit, stamp);
    } finally {
      await file.close();
    }
  }

  async holds(path: string): Promise<number | null> {
    const { control } = this.#actor;
    const ask = async (asked: QueueRequest) => await control.command('queue', asked);
    return heldBytes(await allOfQueue(ask, { of: 'data' }), path);
  }

  flush(): Promise<void> {
    return this.#actor.flush();
  }

  async calls(): Promise<ClassSums> {
    const { text } = (await this.#actor.control.command('metrics', {})) as { text: string };
    return added(this.#before, sumsIn(text));
  }

  crossed(): Crossed {
    if (this.#line === null) return { up: 0, down: 0, packets: null };
    const { line } = this.#actor;
    const { up, down } = line.counted();
    const packets = { up: packetsOf(up), down: packetsOf(down) };
    return { ...line.arrived(), packets };
  }

  measure(): CostsMeter {
    // Over a connection of its own: on the programs' one it would wait for what they wait for.
    const control = this.#actor.laptop.control();
    const call = (): Promise<unknown> => control.command('writeback', {});
    return new MachineMeter(this.#folder, { call, close: () => control.close() });
  }

  begin(line: LinkProfile | null = this.#line): void {
    this.#line = line;
    if (line !== null) this.#actor.line.shape(shapeOf(line));
  }

  async restart(): Promise<void> {
    this.#before = await this.calls();
    this.#actor = await this.#stage.restart(this.#actor);
  }

  close(): Promise<void> {
    return this.#stage.end(this.#actor);
  }
}

const packetsOf = ({ packets, dropped }: LineCount): PacketCount => ({ crossed: packets, dropped });

function shapeOf({ rate, roundTripMs, queueMs }: LinkProfile): LineShape {
  const bytesPerSecond = Math.max(1, ...rate.map((step) => step.bytesPerSecond));
  const shape = { bytesPerSecond, queueMs, roundTripMs, steps: rate };
  // A queue has room for some frames at any rate.
  return { ...shape, queueMs: (queueBytes(shape) / bytesPerSecond) * 1000 };
}

async function apply(file: FileHandle, edit: Edit, stamp: number): Promise<void> {
  if (edit.kind === 'truncate') await file.truncate(edit.size);
  else {
    const { offset, length } = edit;
    await file.write(filler(stamp, offset, length), 0, length, offset);
  }
}

/** Samples of the daemon's metrics, as `docs/reference/metrics.md` has them. */
const SAMPLES: Readonly<Record<string, keyof CallSums>> = {
  'calls_total answered': 'calls',
  'calls_total broken': 'broken',
  'calls_total raised': 'raised',
  'call_bytes_total up': 'upBytes',
  'call_bytes_total down': 'downBytes',
  'call_seconds_total up-queued': 'upQueuedMs',
  'call_seconds_total up-sent': 'upSentMs',
  'call_seconds_total down-queued': 'downQueuedMs',
  'call_seconds_total down-sent': 'downSentMs',
  'raised_call_seconds_total up-queued': 'raisedUpQueuedMs',
  'raised_call_seconds_total up-sent': 'raisedUpSentMs',
  'raised_call_seconds_total down-queued': 'raisedDownQueuedMs',
  'raised_call_seconds_total down-sent': 'raisedDownSentMs',
};
const LINE =
  /^godwit_(calls_total|call_bytes_total|(?:raised_)?call_seconds_total)\{class="([A-Z_]+)",[a-z]+="([a-z-]+)"\} (\S+)$/;

/** Reads the sums by priority class out of a daemon's metrics. Times become milliseconds. */
export function sumsIn(text: string): ClassSums {
  const sums = none();
  for (const line of text.split('\n')) {
    const [, name = '', priorityClass = '', value = '', number] = LINE.exec(line) ?? [];
    const field = SAMPLES[`${name} ${value}`];
    const of = sums[priorityClass as PriorityClass] as CallSums | undefined;
    if (field === undefined || of === undefined) continue;
    of[field] = Number(number) * (name.endsWith('_seconds_total') ? 1000 : 1);
  }
  return sums;
}

const none = (): Record<PriorityClass, CallSums> =>
  Object.fromEntries(PRIORITY_CLASSES.map((name) => [name, noSums()])) as Record<
    PriorityClass,
    CallSums
  >;

function added(one: ClassSums, other: ClassSums): ClassSums {
  const sums = none();
  for (const name of PRIORITY_CLASSES) {
    for (const field of CALL_SUMS) sums[name][field] = one[name][field] + other[name][field];
  }
  return sums;
}
