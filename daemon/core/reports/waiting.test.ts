/** The words for what a laptop waits for. */
import { expect, it } from '@jest/globals';
import { commitNumber } from '../../../shared/model/vnode.ts';
import { epochStart } from '../../../shared/model/epoch.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { toCome } from './waiting.ts';

it('commits that are to come are counted, but not those between two epochs of a server', () => {
  expect(toCome('home', 1)).toBe('1 commit is to come from the volume home');
  expect(toCome('home', 1e6)).toBe('1000000 commits are to come from the volume home');
  const restored = epochStart(commitNumber(7), Date.UTC(2026, 0) as WallTime);
  expect(toCome('home', restored - 7)).toBe('the volume home is compared with the restored server');
});
