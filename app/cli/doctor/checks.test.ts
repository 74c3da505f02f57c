/** What doctor says of what the daemon tells, and of the system. */
import { expect, it } from '@jest/globals';
import type { DaemonConfig } from '../../../shared/control/config.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { NOTE_CODES } from '../../../shared/control/notes.ts';
import { checkErrors, checkServer } from './daemon-checks.ts';
import { watchLimit } from './folder-checks.ts';

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
