import { expect, it } from '@jest/globals';
import { milliseconds } from '../../../../shared/model/time.ts';
import { World } from '../world.ts';
import { anyOrder, inOrder, Pace } from './latency.ts';

it.each([anyOrder, inOrder])('the latency %p is longer for synced calls only', async (how) => {
  const world = new World(1);
  const pace = new Pace(0);
  pace.syncMs = 100;
  const later = how({ time: world.time, random: world.random, label: 'a disk answers', pace });
  const answered: string[] = [];
  later(() => answered.push('read'));
  later(() => answered.push('synced'), true);
  expect(answered).toEqual(['read']);
  await world.pass(milliseconds(100));
  expect(answered).toEqual(['read', 'synced']);
});
