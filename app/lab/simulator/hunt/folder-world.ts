/** `godwit sim --world folder`: one seed of the folder's world, from running to telling; and a saved plan of it again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultFamily } from '../fault/fault.ts';
import type { FolderEntry, FolderPlan } from '../folder/folder-plan.ts';
import { makeFolderPlan } from '../folder/make-folder-plan.ts';
import { runFolderPlan, type FolderReport } from '../folder/run-folder-plan.ts';
import { smallestPart } from '../shorten/smallest-part.ts';
import { kindOf } from '../shorten/shorten-plan.ts';
import { brokenRun } from './broken-run.ts';
import { describeFindings } from './describe-failure.ts';
import { caughtWhile, said } from './run-here.ts';
import { programCommit } from './version.ts';

export const USUAL_PROGRAMS = 100;

export interface FolderSeed {
  readonly seed: number;
  /** Null: as many as is usual. */
  readonly steps: number | null;
  readonly faults: readonly FaultFamily[];
}

/** With faults if any family is named, and with mounted volumes if that of the mount points is. */
export function folderPlanOf({ seed, steps, faults }: FolderSeed): FolderPlan {
  const hasMounts = faults.some(({ name }) => name === 'mounts');
  const hasFaults = faults.length > 0;
  return makeFolderPlan({ seed, steps: steps ?? USUAL_PROGRAMS, hasFaults, hasMounts });
}

/** Runs a plan in this process. What nobody catches is a finding; it never rejects. */
export async function runFolderHere(plan: FolderPlan): Promise<FolderReport> {
  try {
    const { result, findings } = await caughtWhile(() => runFolderPlan(plan));
    return { ...result, findings: [...result.findings, ...findings] };
  } catch (error) {
    return brokenRun(plan.seed, said(error));
  }
}

/** A failure as it is saved and told: the shortest plan that shows the first of its findings. */
export interface ShortenedFolder {
  readonly plan: FolderPlan;
  /** Of that plan. */
  readonly report: FolderReport;
  readonly runs: number;
  /** How many entries the whole plan has. */
  readonly entries: number;
}

/** Leaves out what the first finding does not need. */
export async function shortenFolder(
  plan: FolderPlan,
  report: FolderReport,
  { mostRuns, enough }: { readonly mostRuns: number; readonly enough: () => boolean },
): Promise<ShortenedFolder> {
  const [first] = report.findings;
  const kind = first === undefined ? '' : kindOf(first);
  const whole = plan.entries.length;
  let best: ShortenedFolder = { plan, report, runs: 0, entries: whole };
  let runs = 0;
  const fails = async (entries: readonly FolderEntry[]): Promise<boolean> => {
    if (runs >= mostRuns || enough()) return false;
    runs += 1;
    const shorter = { ...plan, entries };
    const again = await runFolderHere(shorter);
    const isIt = again.findings.some((finding) => kindOf(finding) === kind);
    if (isIt) best = { plan: shorter, report: again, runs, entries: whole };
    return isIt;
  };
  await smallestPart(plan.entries, fails);
  return { ...best, runs };
}

/** The plan with what was found, in a file; its path. */
export function saveFolderFailure(folder: string, { plan, report }: ShortenedFolder): string {
  const path = join(folder, `folder-${plan.seed}-${report.digest.slice(0, 8)}.json`);
  const { findings, digest } = report;
  const content = { world: 'folder', commit: programCommit(), findings, digest, plan };
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}

/** What was left of the plan of a failure; `file`: where it is saved; null: it could not be. */
export function describeShortened(
  { plan, report, runs, entries }: ShortenedFolder,
  file: string | null,
): string[] {
  return [
    `shortened from ${entries} entries to ${plan.entries.length} in ${runs} runs:`,
    ...describeFolderPlan(plan),
    ...describeFindings(report.findings),
    ...(file === null ? [] : [`again: godwit sim --replay ${file}`]),
  ];
}

function describeFolderPlan({ settings, entries }: FolderPlan): string[] {
  return [
    `world: ${JSON.stringify(settings)}`,
    ...entries.map((entry) => {
      const { at, laptop, ...rest } = entry;
      const what =
        rest.kind === 'program' ? `${rest.program} (${rest.seed})` : JSON.stringify(rest);
      return `  ${(at / 1000).toFixed(3).padStart(9)} s  laptop ${laptop}: ${what}`;
    }),
  ];
}

export function describeFolderRun(report: FolderReport, ms: number): string[] {
  const { seed, digest, steps, operations, events, virtualMs, findings } = report;
  const rate = Math.round((operations / Math.max(ms, 1)) * 60_000);
  return [
    `seed ${seed}: ${steps} programs, ${operations} disk operations (${rate} a minute), ${events} events, ${Math.round(virtualMs / 1000)} s of virtual time in ${(ms / 1000).toFixed(1)} s`,
    `digest ${digest}`,
    ...(findings.length === 0 ? ['nothing found'] : describeFindings(findings)),
  ];
}
