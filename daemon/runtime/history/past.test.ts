/** What is read of a long past: all of it, or word that it was too much. Nothing that is cut short passes for the whole. */
import { describe, expect, it } from '@jest/globals';
import { makeFid, rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { Moment } from '../../../shared/model/history.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { commitNumber, dataVersion } from '../../../shared/model/vnode.ts';
import type { History } from '../../../shared/ports/history.ts';
import { statusOf } from '../../../test/support/observations.ts';
import { MAX_PAST_ITEMS } from '../../limits.ts';
import { listPast } from './list-folder.ts';
import { allNames, allVersions, newestVersion, ownCommitsWhile } from './past.ts';

const PAGE = 1000;
const VOLUME = 1 as VolumeId;
const ROOT = rootOf(VOLUME);
const FILE = makeFid(1, 2, 1);

const moment = (commit: number): Moment => ({
  ...{ commit: commitNumber(commit), when: wallTime(commit), device: 7, deviceName: 'ada' },
});

/** `total` of everything, a page at a time. */
function past(total: number): History & { asked: number } {
  const state = { asked: 0 };
  const page = <T>(from: number, make: (index: number) => T) => {
    state.asked += 1;
    const length = Math.min(PAGE, total - from);
    const items = Array.from({ length }, (_, offset) => make(from + offset));
    return { items, more: from + length < total };
  };
  const status = statusOf({ fid: FILE, digest: null });
  const history: Partial<History> = {
    names: (_dir, _name, after) => {
      const { items, more } = page(after === null ? 0 : Number(after.name) + 1, (index) => ({
        ...{ name: String(index), fid: FILE, since: moment(1), until: null, ended: false, status },
      }));
      return Promise.resolve({ names: items, more });
    },
    versions: (_fid, before) => {
      const { items, more } = page(before === null ? 0 : total - before + 1, (index) => ({
        ...{ status: { ...status, version: dataVersion(total - index) }, kept: true },
        ...{ since: moment(total - index), until: null },
      }));
      return Promise.resolve({ versions: items, more });
    },
    directory: (_fid, _at, after) => {
      const { items, more } = page(after === null ? 0 : Number(after) + 1, (index) => ({
        ...{ name: String(index), status },
      }));
      return Promise.resolve({ entries: items, more });
    },
    ownCommits: (_volume, before) => {
      const { items, more } = page(before === null ? 0 : total - before + 1, (index) => ({
        ...{ commit: commitNumber(total - index), when: wallTime(1), names: [], contents: [] },
      }));
      return Promise.resolve({ commits: items, more }) as never;
    },
  };
  return Object.assign(state, history) as unknown as History & { asked: number };
}

const TOO_MUCH = { code: 'usage', message: expect.stringContaining('more than 100000') };

describe('a past that is longer than what is read at once', () => {
  const long = MAX_PAST_ITEMS + 1;

  it('is refused where the names of a folder would be cut', async () => {
    expect(await allNames(past(MAX_PAST_ITEMS), ROOT, null)).toHaveLength(MAX_PAST_ITEMS);
    await expect(allNames(past(long), ROOT, null)).rejects.toMatchObject(TOO_MUCH);
  });

  it('is refused where a folder would be listed in part', async () => {
    const at = (total: number) => listPast(past(total), ROOT, [], { commit: commitNumber(5) });
    expect((await at(MAX_PAST_ITEMS)).entries).toHaveLength(MAX_PAST_ITEMS);
    await expect(at(long)).rejects.toMatchObject(TOO_MUCH);
  });

  it('is refused where own commits would be cut, unless they are enough', async () => {
    const all = () => true;
    expect(await ownCommitsWhile(past(MAX_PAST_ITEMS), VOLUME, all)).toHaveLength(MAX_PAST_ITEMS);
    await expect(ownCommitsWhile(past(long), VOLUME, all)).rejects.toMatchObject(TOO_MUCH);
    const some = await ownCommitsWhile(past(long), VOLUME, (sofar) => sofar.length < 5);
    expect(some).toHaveLength(PAGE);
  });

  it('gives the newest versions of a file and says that there are older ones', async () => {
    expect((await allVersions(past(MAX_PAST_ITEMS), FILE)).isCut).toBe(false);
    const { versions, isCut } = await allVersions(past(long), FILE);
    expect([versions.length, versions[0]?.since.commit, isCut]).toEqual([
      ...[MAX_PAST_ITEMS, long, true],
    ]);
  });

  it('is searched for one version as far back as that is, and no further', async () => {
    const history = past(long + PAGE);
    const oldest = await newestVersion(history, FILE, ({ since }) => since.commit <= 3);
    expect(oldest?.since.commit).toBe(3);
    const soon = past(long);
    await newestVersion(soon, FILE, () => true);
    expect(soon.asked).toBe(1);
  });
});
