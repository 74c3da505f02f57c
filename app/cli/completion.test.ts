import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { godwit } from '../../test/support/run-cli.ts';

let cwd: string;
let script: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'godwit-completion-'));
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'a b.txt'), '');
  script = (await godwit(['completion', 'bash'])).stdout;
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** What the function offers; nothing: bash completes files by itself. */
function complete(...words: string[]): string[] {
  const removed =
    '{"path":"/","removed":[{"path":"/gone.txt","kind":"file"},{"path":"/go on","kind":"file"}]}';
  const paths =
    'case "$*" in *=/le) echo /letters/ ;; *=home:/*) echo home:/letters/; echo "home:/a b" ;; esac';
  const line = [
    script,
    `godwit() { if [[ $1 == ls ]]; then ${paths}; else printf '%s\\n' '${removed}'; fi; }`,
    'timeout() { shift; "$@"; }',
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _godwit',
    'printf \'%s\\n\' "${COMPREPLY[@]}"',
  ].join('\n');
  const { stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', 'godwit', ...words], {
    ...{ cwd, encoding: 'utf8' },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((each) => each !== '');
}

describe('completion in bash', () => {
  it('offers commands and flags', () => {
    expect(complete('stat')).toEqual(['status', 'stats']);
    expect(complete('server', 'inv')).toEqual(['invite', 'invitations']);
    expect(complete('flush', '--wa')).toEqual(['--wait']);
    expect(complete('status', '--wa')).toEqual(['--watch']);
    expect(complete('queue', 'n')).toEqual(['now']);
  });

  it.each([
    [['status', '']],
    [['pin', 'do']],
    [['cat', '--volume', 'home', 'a']],
    [['queue', 'now', '']],
    [['group', 'add', 'g', 'd']],
    [['put', '']],
    [['restore', '--to', 'd']],
    [['up', '--folder', '']],
  ])('leaves the files of %j to bash', (words) => expect(complete(...words)).toEqual([]));

  it('offers no files where none is wanted', () => {
    expect(complete('pause', '')).toContain('--for');
    expect(complete('flush', '--timeout', '')).toEqual([]);
  });

  it('offers the values of flags and arguments that have some', () => {
    expect(complete('conflicts', 'resolve', '--keep', '')).toEqual(['mine', 'theirs', 'both']);
    expect(complete('conflicts', 'resolve', '1', '--keep', 't')).toEqual(['theirs']);
    expect(complete('conflicts', 'resolve', '--keep', '=', 't')).toEqual(['theirs']);
    expect(complete('up', '--front-end', '')).toEqual(['folder', 'mount', 'auto', 'none']);
    expect(complete('server', 'snapshot', 'schedule', 'home', 'd')).toEqual(['daily']);
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it('offers names of settings, then the words that such a one takes', () => {
    expect(complete('config', 'cache.m')).toEqual(['cache.minimum', 'cache.maximum']);
    expect(complete('config', '--data', '/x', 'network.metered.p')).toEqual([
      'network.metered.pause',
    ]);
    expect(complete('config', 'cache.maximum', '')).toEqual(['auto']);
    expect(complete('config', 'writeback.policy', 's')).toEqual(['sync']);
  });

  it('offers paths of volumes, as the daemon knows them', () => {
    expect(complete('ls', '/le')).toEqual(['/letters/']);
    expect(complete('ls', 'home:/')).toEqual(['/letters/', '/a b']);
    expect(complete('ls', 'home', ':', '/')).toEqual(['/letters/', '/a b']);
    expect(complete('queue', 'now', "'home:/")).toEqual(['home:/letters/', 'home:/a b']);
    expect(complete('put', 'a b.txt', '/le')).toEqual(['/letters/']);
  });

  it('offers what is there and what was removed to be restored', () => {
    expect(complete('restore', '')).toEqual(['a b.txt', 'docs', 'gone.txt', 'go on']);
    expect(complete('restore', 'g')).toEqual(['gone.txt', 'go on']);
    expect(complete('restore', 'docs/g')).toEqual(['docs/gone.txt', 'docs/go on']);
    expect(complete('restore', '--ve')).toEqual(['--verbose', '--version']);
  });
});

it('completion in fish has files for commands that take paths, and no others', async () => {
  const { stdout } = await godwit(['completion', 'fish']);
  const lines = stdout.split('\n');
  const of = (name: string): string => `complete -c godwit -n '__godwit_at "${name}"'`;
  expect(lines).toContain(`${of('pause')} -f`);
  expect(lines).not.toContain(`${of('pin')} -f`);
  const help = 'complete -c godwit -n "__fish_seen_subcommand_from help"';
  expect(lines.filter((line) => line.startsWith(`${help} -f -a "here `))).toHaveLength(1);
  expect(lines).toContain(`${of('restore')} -l to -r -F -a '(__godwit_paths)'`);
  expect(lines).toContain(`${of('conflicts resolve')} -l keep -x -a "mine theirs both"`);
  expect(lines).toContain(`${of('restore')} -l version -x`);
});
