/** What the programs of a storm begin with, made once: a history, trees, packages, sources. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, linkSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { onPath } from '../../../support/programs.ts';
import { makeHistory } from '../../checkouts/history.ts';

const HISTORY_FILES = 90;
const TREES = 3;
const FOLDERS = 4;
const FILES = 12;
const PACKAGES = 6;
const PACKAGE_FILES = 15;
const SOURCES = 12;
const GIT_CONFIG = `[user]
name = Ada
email = ada@example.org
[gc]
auto = 0
[maintenance]
auto = false
[safe]
directory = *
[advice]
detachedHead = false
`;

/** The environment of the programs of a laptop: the same on every machine. */
export function programEnv(prepared: string, outside: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: join(prepared, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
    LC_ALL: 'C',
    PREPARED: prepared,
    OUTSIDE: outside,
  };
}

/** Makes it in a new folder. */
export function prepare(folder: string, seed: number): void {
  const random = new SeededRandom(`prepared ${seed}`);
  mkdirSync(join(folder, 'home'), { recursive: true });
  writeFileSync(join(folder, 'home', '.gitconfig'), GIT_CONFIG);
  if (onPath('git') !== null) makeHistory(join(folder, 'history'), HISTORY_FILES, seed);
  for (let tree = 0; tree < TREES; tree++) makeTree(folder, tree, random);
  writeFileSync(join(folder, 'large'), random.bytes(600_000));
  if (onPath('npm') !== null) makePackages(folder);
  makeSources(join(folder, 'build'));
}

/** Three trees, alike but for some files: with links of both kinds, modes and old times. */
function makeTree(folder: string, number: number, random: SeededRandom): void {
  const name = `tree-${number}`;
  const root = join(folder, name);
  for (let dir = 0; dir < FOLDERS; dir++) {
    const at = join(root, `d${dir}`, 'in');
    mkdirSync(at, { recursive: true });
    for (let file = 0; file < FILES; file++) {
      const isSame = random.chance(0.6);
      const line = `${dir} ${file} ${isSame ? 'the same' : `of ${number}`}\n`;
      const path = join(at, `f${file}`);
      writeFileSync(path, line.repeat(1 + ((dir * FILES + file) % 40) ** 2));
      if (file % 5 === 0) chmodSync(path, 0o755);
      if (file % 6 === number) linkSync(path, `${path}-linked`);
    }
    symlinkSync('in/f1', join(root, `d${dir}`, 'link'));
    mkdirSync(join(root, `d${dir}`, `empty-${number}`));
  }
  run('tar', ['-c', '-f', join(folder, `${name}.tar`), '-C', root, '.'], folder);
}

/** A project that `npm ci` installs without a network, from packages in files. */
function makePackages(folder: string): void {
  const project = join(folder, 'package');
  const tarballs = join(folder, 'tarballs');
  for (const each of [project, tarballs]) mkdirSync(each);
  const needs: Record<string, string> = {};
  for (let number = 0; number < PACKAGES; number++) {
    const name = `storm-part-${number}`;
    const at = join(folder, name);
    mkdirSync(join(at, 'lib'), { recursive: true });
    writeFileSync(
      join(at, 'package.json'),
      JSON.stringify({ name, version: '1.0.0', bin: { [name]: 'lib/0.js' } }),
    );
    for (let file = 0; file < PACKAGE_FILES; file++) {
      writeFileSync(join(at, 'lib', `${file}.js`), `// ${number} ${file}\n`.repeat(file ** 2));
    }
    run('npm', ['pack', '--silent', '--pack-destination', tarballs], at, folder);
    needs[name] = `file:${tarballs}/${name}-1.0.0.tgz`;
  }
  const [first = '', ...others] = Object.entries(needs);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      name: 'storm',
      version: '1.0.0',
      dependencies: Object.fromEntries(others),
      devDependencies: Object.fromEntries([first as [string, string]]),
    }),
  );
  const how = ['--offline', '--no-audit', '--no-fund', '--package-lock-only', '--silent'];
  run('npm', ['install', ...how], project, folder);
}

function makeSources(folder: string): void {
  mkdirSync(folder);
  const names = Array.from({ length: SOURCES }, (_, number) => `s${number}`);
  for (const name of names) writeFileSync(join(folder, `${name}.in`), `${name}\n`.repeat(500));
  const objects = names.map((name) => `${name}.o`).join(' ');
  writeFileSync(
    join(folder, 'Makefile'),
    [
      `all: program`,
      `program: ${objects}\n\tcat ${objects} > program.part\n\tmv program.part program\n\tchmod +x program`,
      `%.o: %.in\n\tsort -r $< > $@.tmp\n\tmv $@.tmp $@`,
      `clean:\n\trm -f *.o program`,
      '',
    ].join('\n'),
  );
}

function run(program: string, args: readonly string[], cwd: string, prepared = cwd): void {
  execFileSync(program, args, {
    cwd,
    env: programEnv(prepared, prepared),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
