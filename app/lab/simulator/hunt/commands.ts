/** What `godwit sim` does for each kind of arguments, from running to telling; each gives the exit code. */
import { availableParallelism } from 'node:os';
import { FAULTS } from '../fault/faults.ts';
import type { Plan } from '../plan/plan.ts';
import type { Report } from '../run/run-plan.ts';
import { examine } from '../shorten/failure.ts';
import type { Failure } from '../shorten/failure.ts';
import { planOf } from '../simulation.ts';
import type { Arguments, Making } from './arguments.ts';
import type { FolderPlan } from '../folder/folder-plan.ts';
import { Hunt } from './hunt.ts';
import {
  describeFolderRun,
  describeShortened,
  folderPlanOf,
  runFolderHere,
  saveFolderFailure,
  shortenFolder,
  type ShortenedFolder,
} from './folder-world.ts';
import { LiveLine, type Screen } from '../../../cli/live-line.ts';
import { runHere } from './run-here.ts';
import { failuresFolder, loadFolderPlan, loadRun, reasonOf, saveFailure } from './save-failure.ts';
import {
  describeBriefly,
  describeFailureAt,
  describeFindings,
  describePlan,
} from './describe-failure.ts';
import { programCommit } from './version.ts';

export interface Io {
  readonly out: Screen;
  readonly err: Screen;
  /** From now on the command ends itself when this is aborted. */
  readonly interruption: () => AbortSignal;
}

type Of<W extends Arguments['what']> = Extract<Arguments, { readonly what: W }>;

const FINE = 0;
const FOUND = 1;
const LOOK_EVERY_MS = 500;

/**
 * Runs the plan of one seed and prints its report. It gives exit code 1 if there is a finding, else
 * 0.
 */
export async function runOneSeed(args: Of<'seed'>, io: Io): Promise<number> {
  const folder = failuresFolder(args.save);
  const { seed, making } = args;
  if (making.world === 'folder') return runOneFolderSeed(args, folder, io);
  const plan = planOf({ seed, faults: making.faults, ...stepsOf(making) });
  const command = commandOf(seed, making);
  return runAndPrint(plan, io, { ...args, folder, command, note: null });
}

async function runOneFolderSeed(args: Of<'seed'>, folder: string, io: Io): Promise<number> {
  const { seed, making, json } = args;
  const plan = folderPlanOf({ seed, ...making });
  return tellFolderRun(plan, { ...args, folder }, io).then((found) => {
    if (found && !json) io.out.write(`whole: ${commandOf(seed, making)}\n`);
    return found ? FOUND : FINE;
  });
}

/** Runs it, and shortens and saves it where something is found and a folder is given. True: something was. */
async function tellFolderRun(
  plan: FolderPlan,
  { folder, shortenRuns, json }: Pick<Telling, 'folder' | 'shortenRuns' | 'json'>,
  io: Io,
): Promise<boolean> {
  const started = performance.now();
  const report = await runFolderHere(plan);
  const ms = performance.now() - started;
  const told = json ? [JSON.stringify(summary(report, ms))] : describeFolderRun(report, ms);
  io.out.write(`${told.join('\n')}\n`);
  if (report.findings.length === 0) return false;
  if (folder === null) return true;
  const signal = io.interruption();
  const patience = { mostRuns: shortenRuns, enough: () => signal.aborted };
  const shortened = await shortenFolder(plan, report, patience);
  const file = saveFolderFailure(folder, shortened);
  if (json) io.err.write(`the shortened plan is in ${file}\n`);
  else io.out.write(`${describeShortened(shortened, file).join('\n')}\n`);
  return true;
}

/**
 * Runs a saved plan again and prints whether its history is the saved one. It gives exit code 1 if
 * there is a finding, else 0.
 */
export async function replay(args: Of<'replay'>, io: Io): Promise<number> {
  const ofFolder = loadFolderPlan(args.file);
  if (ofFolder !== null) {
    const folder = args.save === null ? null : failuresFolder(args.save);
    return (await tellFolderRun(ofFolder, { ...args, folder }, io)) ? FOUND : FINE;
  }
  const { plan, digest, commit } = loadRun(args.file);
  const command = `godwit sim --replay ${args.file}`;
  const by = commit === null ? '' : ` (saved with ${commit})`;
  const note = (report: Report): string | null =>
    digest === null || digest === report.digest
      ? null
      : `not the history that was saved, which has the digest ${digest}${by}`;
  if (args.save === null) return runAndPrint(plan, io, { ...args, folder: null, command, note });
  const folder = failuresFolder(args.save);
  return runAndPrint(plan, io, { ...args, folder, command, note });
}

interface Telling {
  readonly json: boolean;
  readonly shortenRuns: number;
  /** Null: it is neither shortened nor saved. */
  readonly folder: string | null;
  readonly command: string;
  readonly note: ((report: Report) => string | null) | null;
}

async function runAndPrint(plan: Plan, io: Io, telling: Telling): Promise<number> {
  const started = performance.now();
  const report = await runHere(plan);
  const ms = performance.now() - started;
  const { json, folder, note } = telling;
  const found = report.findings.length > 0;
  const told = json ? `${JSON.stringify(summary(report, ms))}\n` : printRun(report, ms);
  io.out.write(told);
  const remark = note?.(report) ?? null;
  if (remark !== null) io.err.write(`${remark}\n`);
  if (!found) return FINE;
  if (folder === null) {
    if (!json)
      io.out.write(`${[...describeFindings(report.findings), ...describePlan(plan)].join('\n')}\n`);
    return FOUND;
  }
  const failure = await shortened(plan, report, io, telling.shortenRuns);
  const { file, text } = kept({ ...telling, folder }, failure, io);
  if (!json) io.out.write(text);
  else if (file !== null) io.err.write(`the shortened plan is in ${file}\n`);
  return FOUND;
}

/** The same of a failure in the folder's world. */
function keptFolder(
  { folder, command }: { readonly folder: string; readonly command: string },
  failure: ShortenedFolder,
  io: Io,
): { readonly file: string | null; readonly text: string } {
  const { plan } = failure;
  let file: string | null = null;
  try {
    file = saveFolderFailure(folder, failure);
  } catch (error) {
    io.err.write(unsaved(folder, error));
  }
  const lines = [
    `seed ${plan.seed} fails`,
    ...describeShortened(failure, file),
    `whole: ${command}`,
  ];
  return { file, text: `${lines.join('\n')}\n` };
}

function unsaved(folder: string, error: unknown): string {
  return `godwit sim: ${folder}: ${reasonOf(error)}; the plan is not saved, give --save DIR\n`;
}

/** What was found, written and as text. */
function kept(
  { folder, command }: { readonly folder: string; readonly command: string },
  failure: Failure,
  io: Io,
): { readonly file: string | null; readonly text: string } {
  const commit = programCommit();
  let file: string | null = null;
  try {
    file = saveFailure(folder, commit, failure);
  } catch (error) {
    io.err.write(unsaved(folder, error));
  }
  const { seed } = failure.report;
  return { file, text: describeFailureAt({ seed, commit, failure, file, command }) };
}

async function shortened(plan: Plan, report: Report, io: Io, mostRuns: number): Promise<Failure> {
  const line = new LiveLine(io.err, 'silent');
  const signal = io.interruption();
  const failure = await examine(plan, report, runHere, {
    mostRuns: report.digest === '' ? 0 : mostRuns,
    enough: () => signal.aborted,
    progress: (runs, entries) => line.show(`shortening: ${entries} events left after ${runs} runs`),
  });
  line.clear();
  return failure;
}

function printRun(
  { seed, digest, steps, operations, events, virtualMs, findings }: Report,
  ms: number,
): string {
  const lines = [
    `seed ${seed}: ${steps} steps, ${operations} operations, ${events} events, ${Math.round(virtualMs / 1000)} s of virtual time in ${(ms / 1000).toFixed(1)} s`,
    `digest ${digest}`,
    findings.length === 0 ? 'nothing found' : `${findings.length} found`,
  ];
  return `${lines.join('\n')}\n`;
}

function summary({ seed, digest, findings, operations }: Report, ms: number): object {
  return {
    seed,
    digest,
    findings,
    operations,
    operationsPerMinute: perMinute(operations, ms / 1000),
  };
}

/**
 * Runs many seeds and prints each new kind of failure, then the totals. It gives exit code 1 if a
 * seed failed, else 0.
 */
export async function hunt(args: Of<'hunt'>, io: Io): Promise<number> {
  const { minutes, range, making, shortenRuns, json } = args;
  const folder = failuresFolder(args.save);
  const [line, files] = [new LiveLine(io.err, 'silent'), new Map<number, string>()];
  const running = new Hunt({
    making: {
      steps: making.steps,
      faults: making.faults.map(({ name }) => name),
      ...(making.world === undefined ? {} : { world: making.world }),
    },
    workers: args.workers ?? availableParallelism(),
    minutes,
    range,
    shortenRuns,
    signal: io.interruption(),
    failed: (report, failure) => {
      line.clear();
      const command = commandOf(report.seed, making);
      if (failure === null) {
        if (!json) io.out.write(printNewFailure(report));
        return;
      }
      const { file, text } =
        'shortened' in failure
          ? kept({ folder, command }, failure, io)
          : keptFolder({ folder, command }, failure, io);
      if (file !== null) files.set(report.seed, file);
      if (!json) io.out.write(text);
    },
  });
  const ticking = setInterval(() => line.show(printProgress(running)), LOOK_EVERY_MS);
  try {
    await running.run();
  } finally {
    clearInterval(ticking);
    line.clear();
  }
  io.out.write(
    json ? `${JSON.stringify(totalsOf(running, files))}\n` : `${printProgress(running)}\n`,
  );
  return running.totals.failures === 0 ? FINE : FOUND;
}

function printNewFailure({ seed, findings }: Report): string {
  return `seed ${seed} fails\n${findings.slice(0, 1).map(describeBriefly).join('')}\n`;
}

function printProgress({ totals, seconds }: Hunt): string {
  const { seeds, steps, operations, failures } = totals;
  const rate = perMinute(operations, seconds);
  return `${Math.round(seconds)} s: ${seeds} seeds, ${steps} steps, ${operations} operations, ${rate} a minute; ${failures} seeds fail`;
}

function totalsOf({ totals, seconds }: Hunt, files: ReadonlyMap<number, string>): object {
  const { seeds, steps, operations, failures, failing } = totals;
  return {
    seeds,
    steps,
    operations,
    operationsPerMinute: perMinute(operations, seconds),
    seconds: Math.round(seconds),
    failures,
    failing: failing.map(({ seed, digest, findings }) => {
      return { seed, digest, findings, plan: files.get(seed) ?? null };
    }),
  };
}

function perMinute(operations: number, seconds: number): number {
  return seconds <= 0 ? 0 : Math.round((operations / seconds) * 60);
}

function stepsOf({ steps }: Making): { readonly steps?: number } {
  return steps === null ? {} : { steps };
}

function commandOf(seed: number, { steps, faults, world }: Making): string {
  const names = faults.map(({ name }) => name);
  const list = names.length === 0 ? 'none' : names.join(',');
  const chosen = names.length === FAULTS.length ? '' : ` --faults ${list}`;
  const where = world === undefined ? '' : ` --world ${world}`;
  return `godwit sim${where} --seed ${seed}${steps === null ? '' : ` --steps ${steps}`}${chosen}`;
}
