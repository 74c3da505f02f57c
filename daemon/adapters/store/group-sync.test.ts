import { describe, expect, it } from '@jest/globals';
import { MOST_SYNCED } from '../../limits.ts';
import { GroupSync } from './group-sync.ts';

/** Syncs whose ends the test says, each with what it was asked for. */
function held() {
  const asked: string[][] = [];
  const ends: Array<(answer: Array<number | Error>) => void> = [];
  const syncPaths = (paths: readonly string[]): Promise<Array<number | Error>> => {
    asked.push([...paths]);
    return new Promise((resolve) => ends.push(resolve));
  };
  return { group: new GroupSync('/folder', { syncPaths }), asked, ends };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the GroupSync of a folder', () => {
  it('syncs all files of one turn and then their folder', async () => {
    const { group, asked, ends } = held();
    const lengths = Promise.all([group.sync('/folder/a'), group.sync('/folder/b')]);
    await turn();
    expect(asked).toEqual([['/folder/a', '/folder/b', '/folder']]);
    ends[0]?.([1, 2, 4096]);
    expect(await lengths).toEqual([1, 2]);
  });

  it('collects callers for the next sync while two are under way', async () => {
    const { group, asked, ends } = held();
    const long = group.sync('/folder/long');
    await turn();
    const first = group.sync('/folder/a');
    await turn();
    const later = [group.sync('/folder/b'), group.sync('/folder/c')];
    await turn();
    expect(asked).toEqual([
      ['/folder/long', '/folder'],
      ['/folder/a', '/folder'],
    ]);
    ends[1]?.([1, 4096]);
    await first;
    await turn();
    expect(asked[2]).toEqual(['/folder/b', '/folder/c', '/folder']);
    ends[2]?.([2, 3, 4096]);
    expect(await Promise.all(later)).toEqual([2, 3]);
    ends[0]?.([9, 4096]);
    expect(await long).toBe(9);
  });

  it('fails only the caller of a file that cannot be synced', async () => {
    const { group, ends } = held();
    const [bad, good] = [group.sync('/folder/a'), group.sync('/folder/b')];
    await turn();
    ends[0]?.([new Error('EIO'), 2, 4096]);
    await expect(bad).rejects.toThrow('EIO');
    expect(await good).toBe(2);
  });

  it('fails all callers when their names are not durable, and goes on', async () => {
    const { group, ends } = held();
    const both = Promise.allSettled([group.sync('/folder/a'), group.sync('/folder/b')]);
    await turn();
    ends[0]?.([1, 2, new Error('EIO')]);
    expect(await both).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    const next = group.sync('/folder/c');
    await turn();
    ends[1]?.([3, 4096]);
    expect(await next).toBe(3);
  });

  it('opens a limited number of files at a time', async () => {
    const { group, asked, ends } = held();
    const all = Promise.all(Array.from({ length: MOST_SYNCED + 1 }, (_, i) => group.sync(`${i}`)));
    await turn();
    ends[0]?.([...Array.from({ length: MOST_SYNCED }, () => 1), 4096]);
    ends[1]?.([7, 4096]);
    await turn();
    ends[1]?.([7, 4096]);
    expect((await all).at(-1)).toBe(7);
    expect(asked.map((paths) => paths.length)).toEqual([MOST_SYNCED + 1, 2]);
  });
});
