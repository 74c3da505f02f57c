import { describe, expect, it } from '@jest/globals';
import type { WaitingStatus } from '../../../shared/control/snapshot.ts';
import { MOST_WAITING } from '../../../shared/control/waiting.ts';
import { waitingView } from './waiting-view.ts';

const row = (path: string | null, reason = 'why'): WaitingStatus => ({ path, reason });
const error = (path: string | null) => ({ code: 'c', message: 'm', remedy: 'r', path });
const many = (count: number) => Array.from({ length: count }, (_, at) => row(`f${at}`));
const paths = (...parameters: Parameters<typeof waitingView>) =>
  waitingView(...parameters)?.rows.map(({ path }) => path);

describe('the list of waiting files', () => {
  it.each([
    ['when the daemon is an older one', undefined, []],
    ['when everything is synced', [], [error('a')]],
    ['when errors say all of it', [row('a'), row('b')], [error('b'), error('a')]],
  ])('is hidden %s', (_, waiting, errors) => {
    expect(waitingView(waiting === undefined ? { errors } : { waiting, errors })).toBeNull();
  });

  it('shows the reasons in the order of the daemon', () => {
    const waiting = [row(null, '2 changes to send: paused'), row('docs/a', 'it is being written')];
    expect(waitingView({ waiting, errors: [] })).toEqual({
      rows: [
        { path: '', reason: '2 changes to send: paused' },
        { path: 'docs/a', reason: 'it is being written' },
      ],
      more: '',
    });
  });

  it('omits a file when an error has the same path, and only then', () => {
    const waiting = [row(null), row('a'), row('a/b'), row('b')];
    expect(paths({ waiting, errors: [error('a'), error(null)] })).toEqual(['', 'a/b', 'b']);
  });

  it('shows how many more there are than it lists', () => {
    const shown = (count: number) => {
      const view = waitingView({ waiting: many(count), errors: [error('f0')] });
      return [view?.rows.length, view?.more];
    };
    expect(shown(MOST_WAITING + 1)).toEqual([MOST_WAITING, '']);
    expect(shown(MOST_WAITING + 2)).toEqual([MOST_WAITING, 'and 1 more']);
    expect(shown(MOST_WAITING + 1901)).toEqual([MOST_WAITING, 'and 1,900 more']);
  });

  it('contains no characters that reverse or break a line', () => {
    const waiting = [row('a\u202eb\nc', 'it is\u2066 busy')];
    expect(waitingView({ waiting, errors: [] })?.rows).toEqual([
      { path: 'a\ufffdb\ufffdc', reason: 'it is\ufffd busy' },
    ]);
  });
});
