/** The package for npm: unpacked where Node takes no types out of files, beside the packages that it names, and run there. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { ROOT } from '../../build/node-path.mjs';

const folder = mkdtempSync(join(tmpdir(), 'godwit-npm-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

it('the package for npm runs in a node_modules folder, without types and tests', () => {
  const script = join(ROOT, 'build', 'npm-package.mjs');
  const [file = ''] = run(process.execPath, script, '--out', folder).split(' ');
  expect(file).toMatch(new RegExp(`/godwit-0\\.1\\.0-${process.platform}-${process.arch}\\.tgz$`));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  run('tar', '-xzf', file, '-C', modules);
  const home = join(modules, 'package');
  const names = readdirSync(home, { recursive: true }) as string[];
  expect(names.filter((name) => /\.tsx?$|\.test\.|^app\/lab|\.rs$/.test(name))).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  for (const [name, version] of Object.entries(dependencies)) {
    expect([name, version]).toEqual([name, lock.packages[`node_modules/${name}`]?.version]);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  const godwit = join(home, 'build', 'godwit.mjs');
  expect(run(process.execPath, godwit, '--version')).toBe('0.1.0\n');
  // The addon and the database load, and the daemon is found by its path.
  const data = join(folder, 'data');
  const up = spawnSync(process.execPath, [godwit, 'up', '--data', data, '--folder', data], {
    encoding: 'utf8',
  });
  expect(up.stderr).toMatch(/^godwit: .*invitation/);
  const ready = ['server', 'setup', '--address', 'x.example', '--data', data, '--config'];
  const config = join(folder, 'none', 'server.conf');
  const missing = spawnSync(process.execPath, [godwit, ...ready, config, '--port', '0'], {
    encoding: 'utf8',
  });
  expect(missing.stderr).toMatch(/^godwit: --port 0: not a port/);
  const here = run(process.execPath, godwit, 'doctor', '--json', '--data', data);
  expect(JSON.parse(here)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ check: 'addon', level: 'ok' })]),
  });
});
