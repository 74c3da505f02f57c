/** What doctor says of what the daemon tells, and of the system. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { NOTE_CODES } from '../../../shared/control/notes.ts';
import { checkErrors, checkServer } from './daemon-checks.ts';
import { checkFolder, watchLimit } from './folder-checks.ts';
import { checkLogin } from './login-check.ts';
import { checkClock } from './machine-checks.ts';

const levels = (codes: Iterable<string>): string[] =>
  checkErrors({
    errors: [...codes].map((code) => ({ code, message: code, remedy: 'none', path: 'p' })),
  } as unknown as StatusSnapshot).map(({ level }) => level);

it('a note of the daemon counts as a warning, not as an error', () => {
  expect(new Set(levels(NOTE_CODES))).toEqual(new Set(['warn']));
  expect(levels(['name-refused', 'disk-lacks', 'disk-full'])).toEqual(['warn', 'warn', 'bad']);
});

it('the server has no second verdict where the daemon says what is wrong with it', async () => {
  const config = { server: { host: '127.0.0.1', port: 9 } } as unknown as DaemonConfig;
  const said = { connected: false, errors: [{ code: 'device-revoked', path: null }] };
  expect(await checkServer(config, said as unknown as StatusSnapshot)).toEqual([]);
});

it('a missing folder has one verdict, and its disk has none', () => {
  const there = mkdtempSync(join(tmpdir(), 'godwit-doctor-'));
  const gone = join(there, 'gone');
  const moved = { code: 'folder-moved', path: null };
  expect(checkFolder(gone, [])).toMatchObject([{ check: 'folder', level: 'bad' }]);
  expect(checkFolder(gone, [moved])).toEqual([]);
  expect(checkFolder(gone, [{ ...moved, path: 'stick' }])).toHaveLength(1);
  const checks = checkFolder(there, [moved]).map(({ check }) => check);
  rmSync(there, { recursive: true });
  expect(checks.slice(0, 2)).toEqual(['folder', 'disk of folder']);
});

const limits =
  (files: Record<string, string>) =>
  (file: string): string => {
    const found = Object.entries(files).find(([name]) => file.endsWith(name));
    if (found === undefined) throw new Error('ENOENT');
    return found[1];
  };

it.each([
  [{ max_user_watches: '65536\n', max_inotify_watches: '1000\n' }, 1000],
  [{ max_user_watches: '500\n', max_inotify_watches: '1000\n' }, 500],
  [{ max_user_watches: '500\n' }, 500],
  [{ max_inotify_watches: '0\n' }, 0],
  [{ max_user_watches: 'none\n' }, null],
  [{}, null],
])('the smaller of the limits of watches %j counts', (files, limit) => {
  expect(watchLimit(limits(files))).toBe(limit);
});

it.each([
  [null, 'ok', /12$/],
  [0, 'ok', /12, as the server's$/],
  [-110_000, 'ok', /as the server's$/],
  [7_200_000, 'warn', /the server's clock is 2 h 0 min ahead$/],
  [-120_000, 'warn', /the server's clock is 2 min 0 s behind$/],
])('a server whose clock is ahead by %j ms makes the clock %s', (ahead, level, message) => {
  const found = checkClock(ahead, new Date(2026, 10, 27, 10, 11, 12));
  expect(found.level).toBe(level);
  expect(found.message).toMatch(message);
});

describe('the check of what starts at login', () => {
  const before = process.env['XDG_CONFIG_HOME'];
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'login-'));
    process.env['XDG_CONFIG_HOME'] = join(home, 'config');
  });
  afterEach(() => {
    if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
    else process.env['XDG_CONFIG_HOME'] = before;
    rmSync(home, { recursive: true });
  });
  const global = (): string => join(home, 'global');
  const write = (...path: string[]): void => {
    mkdirSync(join(home, ...path.slice(0, -1)), { recursive: true });
    writeFileSync(join(home, ...path), '');
  };

  it('warns when there is none', () => {
    const { level, remedy } = checkLogin(global());
    expect(level).toBe('warn');
    expect(remedy).toContain('systemctl --user enable godwit');
  });

  it.each([
    ['tray', 'config', 'autostart', 'godwit-tray.desktop'],
    ['service', 'config', 'systemd', 'user', 'default.target.wants', 'godwit.service'],
    ['service', 'global', 'default.target.wants', 'godwit.service'],
  ])('finds the %s: %s/%s', (what, ...path) => {
    write(...path);
    expect(checkLogin(global())).toMatchObject({
      level: 'ok',
      message: expect.stringContaining(what),
    });
  });
});
