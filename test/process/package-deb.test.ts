/** The Debian package: made without a network, unpacked, and run from there. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { makePackage } from '../../build/package-deb.mjs';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'godwit-deb-'));
afterAll(() => rmSync(folder, { recursive: true }));

const missing =
  process.platform !== 'linux' || onPath('dpkg-deb') === null ? 'there is no dpkg-deb here' : null;

itNeeds(missing)('has what runs, and nothing of what tests or builds it', () => {
  const file = makePackage({ out: folder, electron: undefined, level: 1 });
  const unpacked = join(folder, 'unpacked');
  expect(spawnSync('dpkg-deb', ['-x', file, unpacked]).status).toBe(0);
  const home = join(unpacked, 'usr', 'lib', 'godwit');
  const names = readdirSync(home, { recursive: true }) as string[];
  const ours = names.filter((name) => !name.startsWith('node_modules/'));
  expect(ours.filter((name) => /\.test\.ts$|^test(\/|$)|\.rs$/.test(name))).toEqual([]);
  for (const name of ['jest', 'vite', 'eslint', 'playwright-core', 'electron']) {
    expect(existsSync(join(home, 'node_modules', name))).toBe(false);
  }
  const launcher = readFileSync(join(unpacked, 'usr', 'bin', 'godwit'), 'utf8');
  const moved = launcher.replaceAll('/usr/lib/godwit', home);
  const run = (...args: string[]) =>
    spawnSync('sh', ['-c', moved, 'godwit', ...args], { encoding: 'utf8', cwd: folder });
  expect(run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' });
  // It gets as far as its settings, for the addon and the database load.
  const daemon = run('up', '--data', join(folder, 'data'), '--folder', join(folder, 'synced'));
  expect(daemon.stderr).toMatch(/^godwit: .*invitation/);
  const doctor = JSON.parse(run('doctor', '--json', '--data', join(folder, 'data')).stdout) as {
    findings: unknown[];
  };
  expect(doctor.findings).toContainEqual(expect.objectContaining({ check: 'addon', level: 'ok' }));
  const shared = (path: string) => readFileSync(join(unpacked, 'usr', 'share', path), 'utf8');
  const type = /type="([^"]+)"/.exec(shared('mime/packages/godwit.xml'))?.[1] ?? 'none';
  expect(shared('applications/godwit-open.desktop').split('\n')).toEqual(
    expect.arrayContaining([`MimeType=${type};`, 'Exec=/usr/bin/godwit open %f']),
  );
  const unit = readFileSync(join(unpacked, 'usr/lib/systemd/user/godwit.service'), 'utf8');
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/godwit up --foreground$/m);
  expect(unit).not.toMatch(/MemoryDenyWriteExecute|NoNewPrivileges/);
  return Promise.resolve();
});
