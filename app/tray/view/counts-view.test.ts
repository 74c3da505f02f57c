import { expect, it } from '@jest/globals';
import { fakeStats } from '../../../test/support/fake-stats.ts';
import { countRows } from './counts-view.ts';

it('the figures say how much was answered from here, what calls took, and what was spared', () => {
  expect(countRows(fakeStats(null))).toEqual([
    { name: 'Answered from here', value: '95.0 %', more: 'of 102 looks in 5 h 0 min' },
    { name: 'Calls of the server', value: '12', more: '100 ms on average, 1 failed' },
    { name: 'Never had to be sent', value: '5.0 MB', more: '6 updates' },
  ]);
});

it('a daemon that has counted nothing has no figures', () => {
  expect(countRows({ ...fakeStats(null), calls: [], looks: [], spared: [] })).toEqual([]);
});
