/** Which programs were run: the commit of the checkout, or the version of the package where there is no git. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

const GIT_PATIENCE_MS = 10_000;

/** `git`: the program that answers for the checkout. */
export function programCommit(root = ROOT, git = 'git'): string {
  const ask = (...args: string[]): string =>
    execFileSync(git, args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_PATIENCE_MS,
    }).trim();
  try {
    // A package unpacked in somebody else's checkout has nothing to do with that one's commits.
    if (realpathSync(ask('rev-parse', '--show-toplevel')) !== realpathSync(root)) {
      return packageVersion(root);
    }
    const commit = ask('rev-parse', 'HEAD');
    return ask('status', '--porcelain', '--untracked-files=no') === ''
      ? commit
      : `${commit} with changes`;
  } catch {
    return packageVersion(root);
  }
}

function packageVersion(root: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return `version ${version}`;
  } catch {
    return 'of an unknown version';
  }
}
