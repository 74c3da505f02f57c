/** Where plans of failures are kept: JSON, for `--replay`, for people, and for `test/sim/plans`. */
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../../../shared/system/make-folder.ts';
import { xdgFolder } from '../../../../shared/system/user-folders.ts';
import type { FolderPlan } from '../folder/folder-plan.ts';
import { MOST_FILE_BYTES } from '../plan/plan-limits.ts';
import { PlanError, readSavedRun } from '../plan/read-plan.ts';
import type { SavedRun } from '../plan/read-plan.ts';
import type { Failure } from '../shorten/failure.ts';
import { UsageError } from './usage-error.ts';

/** The folder for failures, made where it is missing. Null: the usual one. Throws UsageError for one that was asked for. */
export function failuresFolder(asked: string | null): string {
  try {
    const folder = resolve(asked ?? usualFolder());
    makeFolder(folder, 0o777);
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (error) {
    if (asked !== null) {
      const isMissing = (error as { code?: unknown }).code === 'ENOENT';
      const why = isMissing ? 'no folder can be made there' : reasonOf(error);
      throw new UsageError(`--save ${asked}`, why, 'give a folder that can be written');
    }
    return tmpdir();
  }
}

function usualFolder(): string {
  return join(xdgFolder('XDG_STATE_HOME', ['.local', 'state']), 'godwit', 'sim');
}

/** Its path. A failure that is found again gets the same one. Throws what the disk says. */
export function saveFailure(folder: string, commit: string, failure: Failure): string {
  const { shortened, report, findings } = failure;
  const path = join(folder, `seed-${report.seed}-${report.digest.slice(0, 8)}.json`);
  const content = {
    commit,
    findings: report.findings.length > 0 ? report.findings : findings,
    digest: report.digest,
    plan: shortened.plan,
  };
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}

/** Throws UsageError. */
export function loadRun(file: string): SavedRun {
  const thing = `--replay ${file}`;
  try {
    if (statSync(file).size > MOST_FILE_BYTES) throw new PlanError('', 'larger than a plan may be');
    return readSavedRun(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof PlanError) {
      throw new UsageError(thing, error.message, 'give a plan that `godwit sim` has saved');
    }
    throw new UsageError(thing, reasonOf(error), 'give the path of a saved plan');
  }
}

/** The plan of a saved failure of the folder's world; null: it is of the other one, or of none. */
export function loadFolderPlan(file: string): FolderPlan | null {
  try {
    if (statSync(file).size > MOST_FILE_BYTES) return null;
    const { world, plan } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly world?: unknown;
      readonly plan?: FolderPlan;
    };
    return world === 'folder' ? (plan ?? null) : null;
  } catch {
    return null;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'that is a folder',
  EEXIST: 'there is a file of that name',
  EACCES: 'no right to it',
  EPERM: 'no right to it',
  EROFS: 'the disk is mounted read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
};

/** Gives the reason of a file error in words: that of its code, else its message. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return REASONS[String(code)] ?? String(message ?? error);
}
