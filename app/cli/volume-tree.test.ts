/** The walk to what a path names, across mount points (rule M2). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { rootOf, type Fid, type VolumeId } from '../../shared/model/fid.ts';
import type { Attributes, FileSystem } from '../../shared/ports/file-system.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { findPath } from './volume-tree.ts';

const [HOME, TEAM] = [1, 2].map((n) => rootOf(n as VolumeId)) as [Fid, Fid];

const folder = (fid: Fid, more: Partial<Attributes> = {}): Attributes =>
  ({ fid, kind: 'directory', target: null, ...more }) as Attributes;
const shows = (fid: Fid, volume: string): Attributes =>
  folder(fid, { mounted: { at: '1.9.9' as Fid, volume, why: null } });

/** Each volume shows the other: home in `back` of team, team in `team` of home. */
let names: Record<string, Attributes>;
const fs = {
  getattr: (fid: Fid) => Promise.resolve(folder(fid)),
  lookup: (dir: Fid, name: string) => {
    const found = names[`${dir}/${name}`];
    return found === undefined
      ? Promise.reject(new GodwitError('not-found'))
      : Promise.resolve(found);
  },
} as FileSystem;

beforeEach(() => {
  names = {
    [`${HOME}/team`]: shows(TEAM, 'team'),
    [`${HOME}/link`]: folder('1.3.3' as Fid, { kind: 'symlink', target: 'team/doc' }),
    [`${TEAM}/doc`]: folder('2.5.5' as Fid, { kind: 'file' }),
    [`${TEAM}/back`]: shows(HOME, 'home'),
    [`${HOME}/own`]: folder('1.7.7' as Fid, {
      mounted: { at: '1.7.7' as Fid, volume: null, why: 'it shows nothing' },
    }),
  };
});

describe('a path', () => {
  it('leads across a mount point, also by a symlink', async () => {
    expect(await findPath(fs, HOME, ['team', 'doc'], false)).toMatchObject({ fid: '2.5.5' });
    expect(await findPath(fs, HOME, ['link'], true)).toMatchObject({ fid: '2.5.5' });
  });

  it('ends at the second crossing of a volume', async () => {
    const walk = findPath(fs, HOME, ['team', 'back', 'team', 'doc'], false);
    await expect(walk).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('/team/back shows the volume home again'),
    });
  });

  it('may end in a folder that shows nothing', async () => {
    expect(await findPath(fs, HOME, ['own'], false)).toMatchObject({ fid: '1.7.7' });
  });
});
