/** What the first page shows: what moves, what was last, what needs somebody. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatInvitation } from '../../../shared/model/invitation.ts';
import type { ErrorStatus, StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import { queued } from '../../../test/support/page-states.ts';
import { agoText, leftText } from './ago.ts';
import { appearanceOf, iconLook, pictureName, withNotices } from './appearance.ts';
import { Burst } from './burst.ts';
import { fileKind } from './file-kind.ts';
import { invitationView } from './invitation-view.ts';
import { movingView } from './moving-view.ts';
import { needsOf, problemNeed } from './needs-view.ts';
import { newlyOut, takenOut } from './queue-undo.ts';
import { lastChange, recentKey, recentRows } from './recent-view.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 2, 12);

describe('the times of the first page', () => {
  it.each([
    [0, 'just now'],
    [-5, 'just now'],
    [2 * MINUTE, '2 min ago'],
    [119 * MINUTE, '1 h ago'],
    [47 * 60 * MINUTE, '47 h ago'],
    [49 * 60 * MINUTE, '2 days ago'],
  ])('say %d ms ago as "%s"', (ms, said) => expect(agoText(NOW - ms, NOW)).toBe(said));

  it.each([
    [5, 'less than a minute'],
    [146, '2 min'],
    [3600, '1 h'],
    [5000, '1 h 23 min'],
    [3 * 86_400, '3 days'],
  ])('say %d s to go as "%s"', (seconds, said) => expect(leftText(seconds)).toBe(said));
});

describe('the progress of a burst', () => {
  it('counts from when something began to wait', () => {
    const burst = new Burst();
    expect(burst.look(0)).toEqual({ done: 0, total: 0 });
    expect(burst.look(5)).toEqual({ done: 0, total: 5 });
    expect(burst.look(3)).toEqual({ done: 2, total: 5 });
    expect(burst.look(4)).toEqual({ done: 2, total: 6 });
    expect(burst.look(0)).toEqual({ done: 0, total: 0 });
    expect(burst.look(1)).toEqual({ done: 0, total: 1 });
  });

  it('never has more done than there is', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 })), (counts) => {
        const burst = new Burst();
        for (const waiting of counts) {
          const { done, total } = burst.look(waiting);
          expect(done).toBeGreaterThanOrEqual(0);
          expect(total - done).toBe(waiting);
        }
      }),
    );
  });
});

describe('the moving file', () => {
  const { queues } = IDLE;
  const estimate = { bytesPerSecond: 250_000, seconds: 70, why: null };
  const busy: StatusSnapshot = {
    ...IDLE,
    state: 'syncing',
    queues: { ...queues, data: { ...queues.data, updates: 3, inFlight: 1, estimate } },
  };
  const nothing = { sent: [], fetched: [] };

  it('is the one that is sent, with how much is left of all', () => {
    const sent = [queued(1, 'a/film.mp4', 1000, 250), queued(2, 'b', 10)];
    expect(movingView(busy, { sent, fetched: [] }, { done: 1, total: 5 })).toEqual({
      ...{ way: 'up', name: 'film.mp4', folder: 'a', share: 0.25 },
      line: '2 of 5 changes · 1 min left · 250.0 KB/s',
    });
  });

  it('is the one that arrives when none is sent', () => {
    const fetched = [
      {
        ...{ volume: 'home', path: 'b/c.jpg', demanded: true },
        ...{ state: 'on its way' as const, bytes: 100, receivedBytes: 50 },
      },
    ];
    const status = { ...IDLE, fetches: { running: 2, bytes: 3000, receivedBytes: 1000 } };
    expect(movingView(status, { sent: [], fetched }, { done: 0, total: 0 })).toEqual({
      ...{ way: 'down', name: 'c.jpg', folder: 'b', share: 0.5, line: '2 fetches · 2.0 KB' },
    });
  });

  it('is nothing while it is paused, offline or idle', () => {
    const progress = { done: 0, total: 3 };
    expect(movingView({ ...busy, paused: true }, nothing, progress)).toBe(null);
    expect(movingView({ ...busy, connected: false }, nothing, progress)).toBe(null);
    expect(movingView(IDLE, nothing, { done: 0, total: 0 })).toBe(null);
    expect(movingView(busy, nothing, progress)).toMatchObject({ name: '', share: null });
  });
});

describe('the recent files', () => {
  const file = (path: string, how: 'sent' | 'received') =>
    ({ volume: 'home', path, how, when: new Date(NOW - 2 * MINUTE).toISOString() }) as const;

  it('say when and from where, as far as it is known', () => {
    const recent = [file('a/b\u202e.JPG', 'received'), file('c', 'sent')];
    const status = { ...IDLE, recent: [file('.godwit-groups/g', 'sent'), ...recent] };
    const senders = new Map([[recentKey(recent[0] as never), 'laptop-b']]);
    expect(recentRows(status, senders, NOW)).toMatchObject([
      { name: 'b\ufffd.JPG', folder: 'a', icon: 'image', what: 'from laptop-b, 2 min ago' },
      { name: 'c', icon: 'file', what: 'sent 2 min ago' },
    ]);
    expect(recentRows(status, new Map(), NOW)[0]?.what).toBe('received 2 min ago');
    expect(lastChange(status, senders, NOW)).toBe('Last change 2 min ago, on laptop-b');
    expect(lastChange(status, new Map(), NOW)).toBe('Last change 2 min ago');
    expect(lastChange({ ...IDLE, recent: [file('c', 'sent')] }, senders, NOW)).toBe(
      'Last change 2 min ago, on this laptop',
    );
    expect(lastChange(IDLE, senders, NOW)).toBe('');
  });

  it('have a sign by the end of their names', () => {
    expect(['a.tar.GZ', '.bashrc', 'Makefile', 'x.', 'a.docx', 'b.unknown'].map(fileKind)).toEqual([
      ...['archive', 'file', 'file', 'file', 'text', 'file'],
    ]);
  });
});

describe('the list of needs', () => {
  const error = (change: Partial<ErrorStatus>): ErrorStatus => ({
    ...{ code: 'sync-blocked', message: 'no', remedy: '', path: 'a/note.txt' },
    ...change,
  });

  it('begins with the gravest', () => {
    const held = error({ code: 'removals-held', path: null });
    const conflict = { id: 4, when: '', path: 'doc', copy: 'x', kind: 'contents' };
    const needs = needsOf({ ...IDLE, errors: [error({}), held], conflicts: [conflict] });
    expect(needs.map(({ kind }) => kind)).toEqual(['held', 'problem', 'conflict']);
    expect(needs[2]).toMatchObject({
      ...{ name: 'doc', says: 'was changed here and on another laptop' },
    });
  });

  it('ends with an update that the daemon does not run yet', () => {
    expect(needsOf({ ...IDLE, version: '1.0.0' })).toEqual([]);
    expect(needsOf({ ...IDLE, version: '1.0.0', installed: '1.1.0\u202e' })).toMatchObject([
      {
        ...{ kind: 'problem', says: 'Godwit 1.1.0\ufffd is installed, and 1.0.0 still runs.' },
        ...{ remedy: 'Stop syncing and start Godwit again. Nothing is lost meanwhile.' },
        remedies: [],
      },
    ]);
  });

  it('names the file first, and keeps what the system said for the details', () => {
    const message =
      "it can not be put in place: EPERM: operation not permitted, setxattr '/proc/self/fd/50'";
    const remedy = 'see `godwit status` for what it is';
    expect(problemNeed(error({ message, remedy }))).toMatchObject({
      ...{ name: 'note.txt', folder: 'a', path: 'a/note.txt' },
      says: 'it can not be put in place: the system refused it',
      remedy: 'Godwit tries again by itself.',
      details: `a/note.txt: ${message}: ${remedy}: (sync-blocked)`,
      remedies: ['try', 'show'],
    });
  });

  it.each([
    ['EACCES: permission denied', 'you have no right to it'],
    ['no room', 'no room'],
    ['it fails: EWEIRD', 'it fails'],
    ['EWEIRD', 'EWEIRD'],
  ])('says "%s" as "%s"', (message, says) => {
    expect(problemNeed(error({ message })).says).toBe(says);
  });

  it('names the volume of a path that is none of the folder, and does not show it there', () => {
    expect(problemNeed(error({ volume: 'photos', message: 'no', remedy: '' }))).toMatchObject({
      ...{ name: 'note.txt', folder: 'photos:/a', remedies: ['try'] },
      details: 'photos:/a/note.txt: no: (sync-blocked)',
    });
  });

  it('has remedies that are no commands', () => {
    const server = error({
      code: 'server-unreachable',
      path: null,
      remedy: 'check the address; or run `godwit doctor`',
    });
    expect(problemNeed(server)).toMatchObject({
      ...{ name: '', remedy: 'check the address', remedies: ['address', 'try'] },
    });
    expect(problemNeed(error({ code: 'disk-full' })).remedies).toEqual(['space', 'try', 'show']);
  });
});

it('an order is taken back for all that it took out, and nothing else', () => {
  const out = (number: number) => ({ ...queued(number, 'a', 1), state: 'cancelled' }) as const;
  expect(takenOut([out(3), queued(4, 'b', 1)])).toEqual(new Set([3]));
  expect(newlyOut(5, new Set([1, 2]), new Set([1, 2, 5, 6]))).toEqual([5, 6]);
  expect(newlyOut(5, new Set([5]), new Set([5]))).toEqual([5]);
});

describe('a pasted invitation', () => {
  const good = formatInvitation({
    ...{ host: 'files.example.org', port: 4433, fingerprint: 'a'.repeat(64) },
    ...{ id: 'b'.repeat(32), secret: 'c'.repeat(32) },
  });
  it.each([
    ['', 'empty', ''],
    [` ${good}\n`, 'good', 'An invitation of the server files.example.org:4433'],
    [good.slice(0, -3), 'wrong', expect.stringContaining('not whole')],
    ['https://files.example.org', 'wrong', 'An invitation begins with godwit://'],
  ])('is judged for the text %j as %s', (text, kind, says) => {
    expect(invitationView(text)).toEqual({ kind, says });
  });
});

describe('how the icon looks', () => {
  it('is as a person has chosen, or as can be read', () => {
    expect(iconLook('automatic', 'linux', true)).toBe('colour');
    expect([true, false].map((isDark) => iconLook('automatic', 'win32', isDark))).toEqual([
      ...['dark', 'light'],
    ]);
    expect(iconLook('light', 'linux', true)).toBe('light');
    expect(pictureName('idle', 'none', 'dark')).toBe('idle-dark');
    expect(pictureName('offline', 'conflict', 'colour')).toBe('offline-conflict-colour');
  });

  it.each([null, 7, 'dark', { theme: 'pink', icon: 3 }, {}])('is as usual for %j', (given) => {
    expect(appearanceOf(given)).toEqual({ theme: 'automatic', icon: 'automatic', silent: [] });
  });

  it('keeps the kinds of notices that are turned off, and knows no others', () => {
    const kept = appearanceOf({ silent: ['updates', 'pink', 'conflicts', 'conflicts'] });
    expect(kept.silent).toEqual(['conflicts', 'updates']);
    const on = withNotices(kept, 'updates', true);
    expect([on.silent, withNotices(on, 'removals', false).silent]).toEqual([
      ['conflicts'],
      ['conflicts', 'removals'],
    ]);
    expect(appearanceOf({ silent: 'conflicts' }).silent).toEqual([]);
  });
});
