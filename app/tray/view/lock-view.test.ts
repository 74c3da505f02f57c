import { describe, expect, it } from '@jest/globals';
import type { FolderRow } from '../../../shared/control/folder.ts';
import { lockAct, lockOutcome, lockText, unlockOutcome } from './lock-view.ts';

const NOW = Date.parse('2026-11-27T12:00:00.000Z');

function row(change: Partial<NonNullable<FolderRow['lock']>>): Pick<FolderRow, 'lock'> {
  const lock = { mode: 'exclusive', state: 'held', isOwn: false, device: 'study', user: 'bob' };
  return { lock: { ...lock, since: null, ...change } as NonNullable<FolderRow['lock']> };
}

describe('a row of the files', () => {
  it.each([
    [{}, null, 'lock'],
    [row({}), 'locked by study (bob)', 'break'],
    [row({ device: 'stu\u001bdy' }), 'locked by stu\ufffddy (bob)', 'break'],
    [row({ isOwn: true }), 'locked by this laptop', 'unlock'],
    [row({ isOwn: true, state: 'asked' }), 'its lock is asked for again', 'unlock'],
  ] as const)('says who has it locked, and what can be done: %j', (given, text, act) => {
    expect(lockText(given, NOW)).toBe(text);
    expect(lockAct(given)).toBe(act);
  });

  it('says since when', () => {
    const since = new Date(NOW - 60_000).toISOString();
    expect(lockText(row({ since }), NOW)).toMatch(/^locked by study \(bob\), \S/);
    expect(lockText(row({ since, isOwn: true }), NOW)).toMatch(/^locked by this laptop, \S/);
  });
});

it('the outcome says whether the end of a lock waits, and for whom', () => {
  expect(unlockOutcome('unlock', { waits: false, others: 0 })).toBe('Unlocked');
  expect(unlockOutcome('unlock', { waits: true, others: 0 })).toMatch(/last save/);
  expect(unlockOutcome('break', { waits: true, others: 1 })).toMatch(/has heard of it/);
  expect(unlockOutcome('break', { waits: false, others: 0 })).toBe('Unlocked');
});

it('the outcome of a lock says where the newest version is', () => {
  const text = (isCurrent: boolean, behind: boolean) => lockOutcome('doc', { isCurrent, behind });
  expect(text(true, false)).toBe('doc is locked: others see that you edit it');
  expect(text(false, false)).toMatch(/on its way here/);
  expect(text(true, true)).toMatch(/has not sent yet/);
  expect(text(false, true)).toMatch(/has not sent yet/);
});
