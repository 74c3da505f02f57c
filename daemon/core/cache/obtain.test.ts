/** Who is refused when a fetch fails, of all who wait for it. */
import { describe, expect, it } from '@jest/globals';
import type { DataVersion, Digest } from '../../../shared/model/vnode.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import type { Call } from '../events.ts';
import type { ContentsFetch } from './fetch-list.ts';
import { isMeantFor } from './obtain.ts';

const fid = '1.1.1' as Fid;
const version = 3 as DataVersion;
const digest = 'd' as Digest;

const CALLS: Readonly<Record<string, Call>> = {
  'puts a version in place': { op: 'obtain', fid, version, digest },
  'brings a version back': {
    op: 'open',
    fid,
    how: { mode: 'write', truncate: false, from: { fid, version, digest } },
  },
  'reads the file': { op: 'open', fid, how: { mode: 'read' } },
  'writes over a part of the file': { op: 'open', fid, how: { mode: 'write', truncate: false } },
};

/** The calls that a fetch of this kind is refused with. */
const meant = (fetching: Pick<ContentsFetch, 'into' | 'version'>): string[] =>
  Object.entries(CALLS).flatMap(([what, call]) =>
    isMeantFor(fetching as ContentsFetch, call) ? [what] : [],
  );

describe('a fetch that fails', () => {
  it('is refused to who asked for just that, and all others look anew', () => {
    expect(meant({ into: 'caller', version })).toEqual(['puts a version in place']);
    expect(meant({ into: 'cache', version })).toEqual(['brings a version back']);
    expect(meant({ into: 'cache', version: null })).toEqual([
      'reads the file',
      'writes over a part of the file',
    ]);
  });
});
