import { expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import type { ClientState } from '../state.ts';
import { giveUpBlockOf, takeFid } from './vnode-blocks.ts';

const HOME = 1 as VolumeId;

function withBlocks(...blocks: object[]) {
  const volume = { row: { blocks }, madeBefore: blocks };
  let saved = 0;
  const state = {
    names: { volumes: { get: () => volume, save: () => (saved += 1) } },
  } as unknown as ClientState;
  return { state, saved: () => saved, left: () => volume.row.blocks };
}

const first = { first: 100, count: 4, used: 1, uniquifier: 7 };
const spare = { first: 200, count: 4, used: 0, uniquifier: 7 };

it('a block in which another vnode has a number is given up', () => {
  const { state, saved, left } = withBlocks(first, spare);
  giveUpBlockOf(state, HOME, '1.100.7' as Fid);
  expect([left(), saved()]).toEqual([[spare], 1]);
  expect(state.names.volumes.get(HOME)?.madeBefore).toEqual([spare]);
  expect(takeFid(state, HOME)).toBe('1.200.7');
  giveUpBlockOf(state, HOME, '1.200.7' as Fid);
  expect(takeFid(state, HOME)).toBeNull();
});

it.each(['1.104.7', '1.99.7', '1.100.8', '1.300.7', 'no fid'])(
  'all blocks are kept when %s is in use',
  (fid) => {
    const { state, saved, left } = withBlocks(first, spare);
    giveUpBlockOf(state, HOME, fid as Fid);
    expect([left(), saved()]).toEqual([[first, spare], 0]);
  },
);
