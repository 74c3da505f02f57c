/** What a flush says of its waiting without a progress bar. */
import { describe, expect, it } from '@jest/globals';
import type { DaemonState } from '../../shared/model/daemon-state.ts';
import { NOTES } from '../../shared/wire/error-codes.ts';
import { IDLE } from '../../test/support/fake-daemon.ts';
import { CERTAIN_ANSWERS, FlushCertainty, FlushNotes, LONG_MS } from './flush-notes.ts';
import { FlushTotals } from './flush-progress.ts';

const status = (state: DaemonState, ...reasons: string[]) => ({
  state,
  summary: 'Syncing',
  waiting: reasons.map((reason) => ({ path: null, reason })),
});

describe('a flush that waits', () => {
  it('says at once why nothing goes, and no reason twice', () => {
    const notes = new FlushNotes();
    expect(notes.seen(status('paused', 'paused'), 0)).toBe('paused');
    expect(notes.seen(status('paused', 'paused'), 1)).toBeNull();
    expect(notes.seen(status('offline', 'not connected'), 2)).toBe('not connected');
  });

  it('says what has lasted long although something goes', () => {
    const notes = new FlushNotes();
    expect(notes.seen(status('syncing', '1 change is sent'), 0)).toBeNull();
    expect(notes.late(LONG_MS - 1)).toBeNull();
    expect(notes.late(LONG_MS)).toBe('1 change is sent');
    expect(notes.late(2 * LONG_MS)).toBeNull();
  });

  it('counts the time of each reason by itself', () => {
    const notes = new FlushNotes();
    notes.seen(status('syncing', '2 changes to send'), 0);
    expect(notes.seen(status('syncing', '1 change to send'), LONG_MS - 1)).toBeNull();
    expect(notes.late(LONG_MS)).toBeNull();
    expect(notes.late(2 * LONG_MS)).toBe('1 change to send');
  });

  it('leaves to the error of the flush what that says', () => {
    const notes = new FlushNotes();
    const waiting = [{ path: '/doc', reason: 'it can not be read' }];
    expect(notes.seen({ state: 'error', summary: 'Error', waiting }, 0)).toBeNull();
    expect(notes.late(LONG_MS)).toBeNull();
  });
});

it('a flush is not silent although its reason changes all the time', () => {
  const notes = new FlushNotes();
  const said: Array<string | null> = [];
  for (let at = 0; at <= 21_000; at += 1000) {
    said.push(notes.seen(status('syncing', `${30 - at / 1000} changes to send`), at));
  }
  expect(said.filter((each) => each !== null)).toEqual([
    '20 changes to send',
    '10 changes to send',
  ]);
});

describe('a flush that can only fail', () => {
  const error = { code: 'place-taken', message: 'no', remedy: 'do', path: 'note.txt' };
  const seen = (change: object = {}) => ({ ...IDLE, errors: [error], ...change });
  const queues = (inFlight: number) => ({
    ...IDLE.queues,
    data: { ...IDLE.queues.data, updates: 1, inFlight },
  });

  /** Whether it is certain after each of so many answers of the daemon. */
  const after = (answers: number, change: object = {}): boolean[] => {
    const certainty = new FlushCertainty();
    return Array.from({ length: answers }, () => {
      certainty.answered(seen(change));
      return certainty.failed.length > 0;
    });
  };
  const never = new Array<boolean>(3 * CERTAIN_ANSWERS).fill(false);

  it('is certain when a file fails and nothing else has moved for some answers', () => {
    const before = new Array<boolean>(CERTAIN_ANSWERS - 1).fill(false);
    expect(after(CERTAIN_ANSWERS)).toEqual([...before, true]);
    expect(CERTAIN_ANSWERS).toBeLessThan(10);
  });

  it('is not certain while the daemon does not answer, however long that takes', () => {
    const certainty = new FlushCertainty();
    for (let told = 0; told < 3 * CERTAIN_ANSWERS; told++) certainty.seen(seen());
    expect([certainty.isSuspected, certainty.failed]).toEqual([true, []]);
  });

  it.each([
    ['something is on its way', { queues: queues(1) }],
    ['there is no connection', { connected: false }],
    ['it is paused', { paused: true }],
    ['nothing fails', { errors: [] }],
    ['there is only a note', { errors: [{ ...error, code: [...NOTES][0] ?? '' }] }],
    ['the error is of no file', { errors: [{ ...error, path: null }] }],
    ['the flush has not tried it again yet', { errors: [{ ...error, untried: true }] }],
  ])('is not certain where %s', (_why, change) => {
    expect(after(never.length, change)).toEqual(never);
  });

  it('is certain where the disk is full now, and nothing is tried for that', () => {
    const full = { ...error, code: 'disk-full', untried: true };
    const ofAll = { ...error, code: 'disk-full', path: null };
    expect(after(CERTAIN_ANSWERS, { errors: [ofAll, full] }).at(-1)).toBe(true);
    const before = { ...ofAll, untried: true };
    expect(after(never.length, { errors: [before, full] })).toEqual(never);
  });

  it('begins anew when the flush has tried everything again', () => {
    const certainty = new FlushCertainty();
    for (let answers = 0; answers < never.length; answers++) {
      certainty.answered(seen({ errors: [{ ...error, untried: true }] }));
    }
    certainty.answered(seen());
    expect(certainty.failed).toEqual([]);
  });

  it.each([
    ['the folder is gone', 'folder-moved'],
    ['the server admits this laptop no more', 'device-revoked'],
    ['another server answers', 'wrong-fingerprint'],
  ])('is certain soon where %s, whatever else moves', (_why, code) => {
    const certainty = new FlushCertainty();
    const gone = { ...error, code, path: null };
    for (let at = 0; at < CERTAIN_ANSWERS; at++) {
      const unsettled = { paths: at, commits: 0 };
      certainty.answered(seen({ connected: false, errors: [error, gone], unsettled }));
    }
    expect(certainty.failed).toEqual([gone]);
  });

  it('is not certain while others still move', () => {
    const certainty = new FlushCertainty();
    for (let at = 0; at < never.length; at++) {
      certainty.answered(seen({ unsettled: { paths: 0, commits: 100_000 - at } }));
      expect(certainty.failed).toEqual([]);
    }
  });
});

describe('the progress of a flush', () => {
  const { data, metadata } = IDLE.queues;
  const estimate = { bytesPerSecond: 250_000, seconds: 44, why: null };

  it('is in bytes, with the rate and the time that is left', () => {
    const totals = new FlushTotals();
    const link = { ...IDLE.link, rates: { up: 250_000, down: 0, classes: {} as never } };
    const at = (sentBytes: number) => ({
      ...IDLE,
      link,
      queues: { metadata, data: { ...data, updates: 2, bytes: 16.8e6, sentBytes, estimate } },
    });
    totals.line(at(0));
    expect(totals.line(at(5.7e6))).toBe(
      '[######--------------]  33 %  5.7 MB of 16.8 MB, 250.0 KB/s, about 44 s left',
    );
    expect(totals.line(IDLE)).toBe('[####################] 100 %  16.8 MB of 16.8 MB');
  });

  it('counts changes where there are no contents', () => {
    const totals = new FlushTotals();
    const at = (updates: number) => ({
      ...IDLE,
      queues: { data, metadata: { ...metadata, updates, estimate } },
    });
    totals.line(at(1500));
    expect(totals.line(at(500))).toBe('[#############-------]  66 %  1,000 of 1,500 changes');
  });
});
