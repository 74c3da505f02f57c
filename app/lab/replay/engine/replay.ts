/**
 * Replays a trace: builds what was there before, lets its processes run side by side on laptops behind a line, waits until all is committed,
 * and says what it took. The same code for real processes and for a simulated world (replay-world.ts).
 *
 * A process thinks as long as it did in the trace: its next step begins so much after the one before has ended as it began after that
 * one's beginning then. What is shorter than a timer can wait is saved up.
 */
import type { ConsistencyChange } from '../../../../shared/model/consistency.ts';
import type { Scheduling } from '../../../../shared/model/scheduling.ts';
import type { WritebackPolicy } from '../../../../shared/model/writeback.ts';
import type { ReplayPlan } from '../plan/replay-plan.ts';
import type { Step } from '../plan/step.ts';
import type { Baseline } from './baseline.ts';
import { buildTree } from './build-tree.ts';
import { crossedSince } from './crossed-since.ts';
import { dealt } from './deal-laptops.ts';
import { meanCosts } from './mean-costs.ts';
import { Performer } from './perform-step.ts';
import type { ClassSums, LinkProfile, ReplayLaptop, ReplayWorld } from './replay-world.ts';
import { resultOf, type ReplayResult } from './replay-result.ts';
import { Tally } from './tally.ts';
import { lookUp } from './walk.ts';

export interface ReplaySettings {
  readonly policy: WritebackPolicy;
  readonly scheduling: Scheduling;
  /** How others are kept from reading what is old; left out: as it is for everybody. */
  readonly consistency?: ConsistencyChange;
  /** Whether laptops look ahead by the file groups of the trace; left out: as they do for everybody. */
  readonly prefetch?: boolean;
  /** How long a store waits for another write of its file, milliseconds; left out: LOGGING_DELAY_MS with `logging`, else none. */
  readonly delayMs?: number;
  /** The most that the cache of each laptop keeps; left out: as for everybody. */
  readonly cacheBytes?: number;
  /** What it runs without; left out: nothing. */
  readonly baseline?: Baseline;
  /** Of each laptop, or of one after the other and then again. */
  readonly lines: readonly LinkProfile[];
  /** Machines of the trace are dealt out to them in turn, or processes where it names none. */
  readonly laptops: number;
  /** `real`: with the time that processes thought. */
  readonly pace: 'real' | 'max';
  /** What of the tree is in the caches before, by how paths begin; left out: nothing. */
  readonly warm?: readonly string[];
  /** What is in the caches has to be validated first: its promises are gone. */
  readonly expired?: boolean;
  /** These programs begin anew when they have ended, as long as one of the others has not. */
  readonly repeats?: readonly string[];
  /** Ends the replay at this time even if steps are left; the bytes sent until then are counted. Left out: it ends when all is committed. */
  readonly stopAtMs?: number;
  /** Calls are grouped by when they ended: before the first of these times, the second ... It goes on until the last at least. */
  readonly marksMs?: readonly number[];
}

export interface ReplayProgress {
  readonly stage: 'tree' | 'warm' | 'replay' | 'drain';
  readonly done: number;
  readonly of: number;
  /** Milliseconds of the replay, in its own time. */
  readonly atMs: number;
}

export interface ReplayRun {
  readonly plan: ReplayPlan;
  readonly settings: ReplaySettings;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReplayProgress) => void;
}

/** "Flushed after at least 1 second" (MFS, section 3.4, of Coda and Little Work). */
const LOGGING_DELAY_MS = 1000;
/** Timers of a machine are a millisecond late; a process that thinks for less goes on. */
const LEAST_WAIT_MS = 1;
/**
 * A lease of the server's and a little: it answers no change of what a laptop that has left was promised before that lease is over, and
 * commits nothing before where it has begun anew.
 */
const FORGOTTEN_MS = 31_000;
/** While caches are filled the line is as fast as none. */
const FAST: LinkProfile = {
  rate: [{ atMs: 0, bytesPerSecond: 125_000_000 }],
  roundTripMs: 0,
  queueMs: 50,
};

/** Rejects GodwitError where it can't go on, and with the signal's reason. The world is the caller's to close. */
export function replay(world: ReplayWorld, run: ReplayRun): Promise<ReplayResult> {
  return world.run(async () => {
    const { plan, settings, signal, onProgress } = run;
    const near = await world.laptop('near', { policy: 'async', line: null });
    const tell = (stage: 'tree' | 'warm') => (progress: { done: number; of: number }) =>
      onProgress({ stage, ...progress, atMs: 0 });
    await buildTree(near, plan, tell('tree'), signal);
    await near.close();
    if (writesToTree(plan)) await world.forget();
    if (changes(plan)) await world.wait(FORGOTTEN_MS);
    const laptops: ReplayLaptop[] = [];
    for (let index = 0; index < settings.laptops; index++) {
      laptops.push(await oneLaptop(world, run, index));
    }
    return runProcesses(world, run, laptops);
  });
}

const CHANGES: ReadonlySet<string> = new Set([
  ...['create', 'write', 'truncate', 'setattr', 'mkdir', 'rmdir'],
  ...['remove', 'rename', 'link', 'symlink'],
]);

const changes = ({ processes }: ReplayPlan): boolean =>
  processes.some(({ steps }) => steps.some(({ op, writes }) => writes || CHANGES.has(op)));

/** Then it matters whether the server takes a file for one that two laptops use. */
function writesToTree({ tree, processes }: ReplayPlan): boolean {
  const files = new Set(tree.filter(({ kind }) => kind === 'file').map(({ path }) => path));
  return processes.some(({ steps }) =>
    steps.some(({ writes, op, path }) => (writes || op === 'truncate') && files.has(path)),
  );
}

async function oneLaptop(
  world: ReplayWorld,
  { plan, settings, onProgress, signal }: ReplayRun,
  index: number,
): Promise<ReplayLaptop> {
  const { policy, warm = [], lines, consistency = {}, cacheBytes, prefetch } = settings;
  const { delayMs = policy === 'logging' ? LOGGING_DELAY_MS : 0 } = settings;
  const line = lines[index % lines.length] ?? FAST;
  const isWarm = warm.length > 0;
  const first = isWarm ? FAST : line;
  const name = `laptop-${index + 1}`;
  const laptop = await world.laptop(name, {
    ...{ policy, delayMs, consistency, line: first },
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(prefetch === undefined ? {} : { prefetch }),
  });
  if (!isWarm) return laptop;
  const isWanted = (path: string): boolean => warm.some((prefix) => path.startsWith(prefix));
  const wanted = plan.tree.filter(({ path, kind }) => kind === 'file' && isWanted(path));
  for (const [done, { path }] of wanted.entries()) {
    signal.throwIfAborted();
    const { fid } = await lookUp(laptop.fs, laptop.root, path);
    const { handle } = await laptop.fs.open(fid, { mode: 'read' });
    await laptop.fs.close(handle, null);
    onProgress({ stage: 'warm', done: done + 1, of: wanted.length, atMs: 0 });
  }
  if (settings.expired === true) await laptop.restart();
  laptop.begin(line);
  return laptop;
}

async function runProcesses(
  world: ReplayWorld,
  run: ReplayRun,
  laptops: readonly ReplayLaptop[],
): Promise<ReplayResult> {
  const { plan, onProgress } = run;
  const places = dealt(plan.processes, laptops.length);
  const laptopOf = (process: number): ReplayLaptop => laptops[places[process] ?? 0] as ReplayLaptop;
  const before = await Promise.all(laptops.map((laptop) => laptop.calls()));
  const meters = laptops.map((laptop) => laptop.measure());
  const crossedBefore = laptops.map((laptop) => laptop.crossed());
  for (const laptop of laptops) laptop.begin();
  const began = world.now();
  const now = (): number => world.now() - began;
  const tally = new Tally(
    plan.processes.map(({ name, program }, index) => {
      return { name, program, laptop: laptopOf(index).name };
    }),
  );
  const performer = new Performer(tally, now, (ms) => world.wait(ms));
  const players = new Players(world, run, { tally, performer, now });
  let readAndWritten = 0;
  const all = async (): Promise<void> => {
    await players.play(laptopOf);
    await performer.closeAll();
    readAndWritten = now();
    onProgress({ stage: 'drain', done: tally.done, of: plan.steps, atMs: now() });
    await Promise.all(laptops.map((laptop) => laptop.flush()));
  };
  const { stopAtMs, marksMs = [] } = run.settings;
  const marked: Array<readonly ClassSums[]> = [];
  const mark = async (): Promise<void> => {
    for (const at of marksMs) {
      await world.wait(Math.max(at - now(), 0));
      marked.push(await Promise.all(laptops.map((laptop) => laptop.calls())));
    }
  };
  try {
    if (stopAtMs === undefined) await Promise.all([all(), mark()]);
    else await Promise.race([all(), world.wait(stopAtMs).then(() => players.stop())]);
  } catch (error) {
    for (const meter of meters) meter?.end().catch(() => undefined);
    throw error;
  }
  const drained = now();
  const after = await Promise.all(laptops.map((laptop) => laptop.calls()));
  const crossed = laptops.map((laptop, index) =>
    crossedSince(laptop.crossed(), crossedBefore[index]),
  );
  const machine = meanCosts(
    await Promise.all(meters.map(async (meter) => (await meter?.end()) ?? null)),
  );
  const measured = { before, marked, after, crossed, ended: readAndWritten, drained, machine };
  return resultOf(plan, tally, laptops, measured, marksMs);
}

interface Parts {
  readonly tally: Tally;
  readonly performer: Performer;
  readonly now: () => number;
}

/** Lets the processes of a plan run. */
class Players {
  readonly #world: ReplayWorld;
  readonly #run: ReplayRun;
  readonly #parts: Parts;
  /** How many of those that are waited for have not ended. */
  #running = 0;
  /** The time is up, or one of them met what no trace can be the reason of: all end. */
  #over = false;

  constructor(world: ReplayWorld, run: ReplayRun, parts: Parts) {
    this.#world = world;
    this.#run = run;
    this.#parts = parts;
  }

  async play(laptopOf: (process: number) => ReplayLaptop): Promise<void> {
    const { plan, settings } = this.#run;
    const { repeats = [] } = settings;
    this.#running = plan.processes.filter(({ program }) => !repeats.includes(program)).length;
    const ends = plan.processes.map(async ({ program, steps }, index) => {
      const isRepeated = repeats.includes(program);
      try {
        do await this.#process(steps, laptopOf(index), isRepeated);
        while (isRepeated && this.#goesOn(true));
      } catch (error) {
        this.#over = true;
        for (const { steps: others } of plan.processes) for (const step of others) step.finish();
        throw error;
      } finally {
        if (!isRepeated) this.#running -= 1;
      }
    });
    const results = await Promise.allSettled(ends);
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Each ends with what it does now. */
  stop(): void {
    this.#over = true;
  }

  #goesOn(isRepeated: boolean): boolean {
    return !this.#over && (!isRepeated || this.#running > 0);
  }

  async #process(steps: readonly Step[], laptop: ReplayLaptop, isRepeated: boolean): Promise<void> {
    const { plan, settings, signal, onProgress } = this.#run;
    const { tally, performer, now } = this.#parts;
    let due = now();
    for (const step of steps) {
      for (const needed of step.after) if (!needed.isDone) await needed.finished();
      due = Math.max(due + (settings.pace === 'real' ? step.thinkUs / 1000 : 0), 0);
      const ahead = due - now();
      if (ahead >= LEAST_WAIT_MS) await this.#world.wait(ahead);
      signal.throwIfAborted();
      if (!this.#goesOn(isRepeated)) return;
      const began = now();
      await performer.perform(laptop, step);
      step.finish();
      const ended = now();
      due = Math.max(due, ended);
      tally.step(step.process, step.op, began, ended);
      onProgress({ stage: 'replay', done: tally.done, of: plan.steps, atMs: ended });
    }
  }
}
