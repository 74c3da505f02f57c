/** Where the source is a git checkout: git itself looks at the copies, without writing to them. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Demo, StepOutcome } from './demo-step.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** A worktree's `.git` is a file that leads elsewhere; a copy of it is no repository of its own. */
export function isGitCheckout(folder: string): boolean {
  return statSync(join(folder, '.git'), { throwIfNoEntry: false })?.isDirectory() === true;
}

export async function gitAgainstSource({ source, b }: Demo): Promise<StepOutcome> {
  return compareGit(source, b.folder, 'git status as in the source; git fsck of B');
}

export async function gitAgainstEachOther({ a, b }: Demo): Promise<StepOutcome> {
  return compareGit(a.folder, b.folder, 'git status of A and B; git fsck of B');
}

async function compareGit(wanted: string, found: string, compared: string): Promise<StepOutcome> {
  const faults: string[] = [];
  const [there, here] = await Promise.all([status(wanted), status(found)]);
  if (there !== here) faults.push(`git status differs:\n${there}\n---\n${here}`);
  try {
    await git(found, ['fsck', '--full', '--no-progress']);
  } catch (error) {
    faults.push(`git fsck: ${(error as { stderr?: string }).stderr ?? (error as Error).message}`);
  }
  return { compared, items: there.split('\n').length - 1, faults };
}

const status = (folder: string): Promise<string> => git(folder, ['status', '--porcelain']);

async function git(folder: string, args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-c', `safe.directory=${folder}`, '-C', folder, ...args], {
    // A status would write the index anew, and that would be a change to sync.
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout;
}
