/** The status in words. */
import { describe, expect, it } from '@jest/globals';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { IDLE } from '../../test/support/fake-daemon.ts';
import { statusLine, statusLines } from './status-lines.ts';

const { data } = IDLE.queues;
const syncing = (queue: Partial<StatusSnapshot['queues']['data']>): StatusSnapshot => ({
  ...{ ...IDLE, state: 'syncing', summary: 'Syncing' },
  queues: { ...IDLE.queues, data: { ...data, ...queue } },
});

describe('the first line of the status', () => {
  it('shows how much is to be sent, without cancelled updates', () => {
    const sending = { updates: 2, bytes: 3_000_000, sentBytes: 500_000 };
    expect(statusLine(syncing(sending))).toBe('Syncing; 2.5 MB to send');
    const mixed = { ...sending, cancelled: 1, cancelledBytes: 2_000_000 };
    expect(statusLine(syncing(mixed))).toBe('Syncing; 500.0 KB to send');
    const takenOut = { updates: 1, bytes: 9, cancelled: 1, cancelledBytes: 9 };
    expect(statusLine(syncing(takenOut))).toBe('Syncing');
  });

  it('counts everything for an older daemon as before', () => {
    expect(statusLine(syncing({ updates: 1, bytes: 9, cancelled: 1 }))).toBe(
      'Syncing; 9 B to send',
    );
  });
});

it('files without contents are named, and keep the status from being synced', () => {
  const lines = statusLines({ ...IDLE, unstored: { files: 2, path: 'doc' } });
  expect(lines[0]).toBe('Synced but for 2 files without contents');
  const why = 'its contents have not come from the laptop that made it';
  expect(lines.at(-1)).toMatch(new RegExp(`^not synced +doc: ${why} \\(and 1 more\\)$`));
});

describe('the lines of the status', () => {
  const waiting = (...rows: ReadonlyArray<readonly [string | null, string]>): StatusSnapshot => ({
    ...syncing({}),
    waiting: rows.map(([path, reason]) => ({ path, reason })),
  });
  const shown = (status: StatusSnapshot): string[] =>
    statusLines(status).filter((line) => line.startsWith('waiting') || line.startsWith('error'));

  it('list what waits and why', () => {
    expect(shown(waiting(['a/b', 'it has changed'], [null, '3 changes to send: paused']))).toEqual([
      'waiting      a/b: it has changed',
      'waiting      3 changes to send: paused',
    ]);
    const many = Array.from({ length: 12 }, (_, at) => [`f${at}`, 'why'] as const);
    expect(shown(waiting(...many)).slice(-2)).toEqual([
      'waiting      f9: why',
      'waiting      and 2 more',
    ]);
  });

  it('show once what an error shows already', () => {
    const error = { code: 'place-taken', message: 'a link', remedy: 'move it', path: 'a' };
    const status = { ...waiting(['a', 'a link'], ['b', 'why']), errors: [error] };
    expect(shown(status)).toEqual(['error        a: a link; move it', 'waiting      b: why']);
  });

  it('are short enough to read and never contain control characters', () => {
    const long = `${'d'.repeat(250)}/`.repeat(40);
    const error = { code: 'internal', message: long, remedy: 'none', path: `\u001b[2J${long}end` };
    const status = {
      ...waiting([`${long}x`, long]),
      ...{ state: 'error' as const, summary: long, errors: [error] },
    };
    const lines = statusLines(status);
    for (const line of lines) expect(line.length).toBeLessThan(500);
    expect(lines.join('\n')).not.toContain('\u001b');
    expect(lines.join('\n')).toMatch(/\\x1b\[2Jddd.*\.\.\..*\/end: ddd/);
  });
});
