import { expect, it } from '@jest/globals';
import { wallTime, type WallTime } from '../../../shared/model/time.ts';
import { JOINED_SHOWN } from '../../limits.ts';
import type { ClientState } from '../state.ts';
import { devicesStatus } from './known-devices.ts';

it('a laptop that has joined is marked for a week, and listed from then on', () => {
  const since = wallTime(0);
  const devices = [
    { device: 2, name: 'new', since, heard: wallTime(1000) },
    { device: 1, name: 'own', since },
  ];
  const at = (wall: WallTime) => {
    const state = { devices: { current: { epoch: 'e', devices } }, now: { wall } };
    return devicesStatus(state as unknown as ClientState).devices?.map(({ joined }) => joined);
  };
  expect(at(wallTime(1000 + JOINED_SHOWN))).toEqual(['1970-01-01T00:00:01Z', undefined]);
  expect(at(wallTime(1001 + JOINED_SHOWN))).toEqual([undefined, undefined]);
});
