import { expect, it } from '@jest/globals';
import { fakeServerStatistics } from '../../test/support/fake-server-statistics.ts';
import { pictureOf, topLines } from './top-lines.ts';

const between = (from: number, to: number) =>
  pictureOf(fakeServerStatistics(from), fakeServerStatistics(to));

it('the rates of a picture are those between its two answers', () => {
  const picture = between(10, 12);
  expect(picture).toMatchObject({
    ...{ overMs: 2000, cpuShare: 0.25, commitsPerSecond: 10 },
    ...{ sentPerSecond: 1000, receivedPerSecond: 2000 },
  });
  expect(picture.calls).toEqual([
    {
      ...{ rpc: 'Apply', side: 'received', perSecond: 20, failures: 2 },
      ...{ averageMs: 5, nearlyAllMs: 100 },
    },
    {
      ...{ rpc: 'BreakCallback', side: 'began', perSecond: 3, failures: 0 },
      ...{ averageMs: 1, nearlyAllMs: 1 },
    },
  ]);
  expect(picture.devices.map(({ name, sentPerSecond }) => [name, sentPerSecond])).toEqual([
    ['laptop-b', 900],
    ['laptop-a', 0],
  ]);
  expect(picture.volumes.map(({ name, averageMs }) => [name, averageMs])).toEqual([
    ['team', 10],
    ['ann', null],
  ]);
});

it('a server that began anew counts from its start', () => {
  const picture = between(100, 4);
  expect(picture).toMatchObject({ overMs: 4000, sentPerSecond: 1000, commitsPerSecond: 0 });
  expect(picture.calls[0]).toMatchObject({ rpc: 'Apply', perSecond: 20, failures: 4 });
});

it('two answers at one time divide by no zero', () => {
  const { calls, cpuShare } = between(3, 3);
  expect([calls, cpuShare]).toEqual([[], 0]);
});

it('the lines of a picture name calls, devices and volumes', () => {
  const lines = topLines(between(10, 12)).map((line) => line.replaceAll(/ {2,}/g, '  '));
  expect(lines).toEqual([
    'godwit-server 1.2.3, up 12 s; 25 % of a core, 90.0 MB of memory, 8.0 GB free on the disk',
    '3 connections, 2 devices; active: 2 people on 2 devices (home 1, shared 2)',
    'waiting: 4 calls, 1 store, 5 updates, 6 breaks; 10 commits/s; 1.0 KB/s sent, 2.0 KB/s received',
    '',
    'calls  a second  failed  average  99 % within',
    'Apply  20  2  5 ms  100 ms',
    'BreakCallback (of the server)  3.0  0  1 ms  1 ms',
    '',
    'device  of  open calls  sent to it  received  used',
    'laptop-b  bob  4  900 B/s  1.9 KB/s  2 s ago',
    'laptop-a  ann  0  0 B/s  0 B/s  idle',
    '',
    'volume  kind  calls a second  average  used',
    'team  shared  15  10 ms  4.0 MB',
    'ann  home  0  -  500 B',
  ]);
});

it('a name of another device cannot write to the terminal', () => {
  const named = (second: number) => {
    const told = fakeServerStatistics(second);
    return { ...told, devices: told.devices.map((each) => ({ ...each, name: 'x\u001b[2Jy' })) };
  };
  expect(topLines(pictureOf(named(1), named(2))).join('\n')).not.toContain('\u001b');
});
