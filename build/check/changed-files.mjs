/** Which files a check is about: those that are named, or those that git says have changed. Paths are relative to the repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

const USAGE = 'npm run check -- FILE... | --changed | --since REF';

/** What the words of the command line ask for: `{ files }` or `{ since }`. Throws an error of one line for other words. */
export function requestOf(words) {
  const rest = [...words];
  const files = [];
  let since = null;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--changed') since ??= 'HEAD';
    else if (word === '--since') {
      since = rest.shift() ?? '';
      if (since === '') throw new Error('--since: a commit is missing');
    } else if (word === '') {
      throw new Error(`an argument is empty; usage: ${USAGE}`);
    } else if (word.startsWith('-')) throw new Error(`unknown flag '${word}'; usage: ${USAGE}`);
    else files.push(word);
  }
  if (since !== null && files.length > 0) {
    throw new Error('give files, or --changed or --since, not both');
  }
  if (since === null && files.length === 0) throw new Error(`no file is named; usage: ${USAGE}`);
  return since === null ? { files } : { since };
}

/** The named files, as they are called from `folder`. */
export function namedFiles(root, folder, names) {
  const found = names.map((name) => {
    const full = resolve(folder, name);
    const stat = statSync(full, { throwIfNoEntry: false });
    if (stat === undefined) throw new Error(`${name}: there is no such file`);
    const path = relative(realpathSync(root), realpathSync(full));
    if (path.startsWith('..') || isAbsolute(path)) {
      throw new Error(`${name}: is not in this repository`);
    }
    if (stat.isDirectory()) {
      throw new Error(`${name}: is a folder; name files, or use --changed`);
    }
    return path.split(sep).join('/');
  });
  const ignored = found.find((path) => isIgnored(root, path));
  if (ignored !== undefined) throw new Error(`${ignored}: git ignores it, and so does the check`);
  return sorted(found);
}

/**
 * What differs from a commit (from where the two parted, if it is not HEAD), in the index, in the folder, or because git does not know it yet.
 * `removed` are those that are there no more.
 */
export function changedFiles(root, since) {
  const base = since === 'HEAD' ? 'HEAD' : git(root, ['merge-base', since, 'HEAD']).trim();
  const names = [
    ['diff', '--name-only', '--no-renames', '-z', base],
    ['diff', '--name-only', '--no-renames', '-z', '--cached', base],
    ['ls-files', '-o', '--exclude-standard', '-z'],
  ].flatMap((args) => git(root, args).split('\0').filter(Boolean));
  const all = sorted(names);
  const isThere = (path) => existsSync(join(root, path));
  return { files: all.filter(isThere), removed: all.filter((path) => !isThere(path)) };
}

/** All that git tracks or would track. */
export function allFiles(root) {
  const listed = git(root, ['ls-files', '-c', '-o', '--exclude-standard', '-z']);
  return sorted(listed.split('\0').filter((path) => path && existsSync(join(root, path))));
}

const sorted = (paths) => [...new Set(paths)].sort();

function git(root, args) {
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
    return execFileSync('git', args, { ...options, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const said = String(error.stderr ?? error.message).split('\n')[0];
    throw new Error(`git ${args[0]}: ${said || 'found no common ancestor'}`, { cause: error });
  }
}

function isIgnored(root, path) {
  try {
    execFileSync('git', ['check-ignore', '-q', path], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
