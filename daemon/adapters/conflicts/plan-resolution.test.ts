import { describe, expect, it } from '@jest/globals';
import type { SideToKeep } from '../../../shared/control/resolution.ts';
import type { Fid } from '../../../shared/model/fid.ts';
import { commitNumber, dataVersion, mtimeOf, type Digest } from '../../../shared/model/vnode.ts';
import type { Attributes } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { planResolution, type ConflictState } from './plan-resolution.ts';
import { sideOf } from '../../../shared/model/conflict-side.ts';

function file(vnode: number, letter: string, change: Partial<Attributes> = {}): Attributes {
  return {
    fid: `1.${vnode}.1` as Fid,
    kind: 'file',
    mode: 0o644,
    mtime: mtimeOf(1n),
    size: 1,
    version: dataVersion(1),
    commit: commitNumber(1),
    digest: letter.repeat(64) as Digest,
    target: null,
    links: 1,
    xattrs: [],
    cached: true,
    sync: 'committed',
    ...change,
  };
}

const THEIRS = file(2, 'a');
const MINE = file(3, 'b');
const OTHER = file(4, 'c');
const FOLDER = file(5, 'd', { kind: 'directory', digest: null });
const LINK = file(6, 'e', { kind: 'symlink', digest: null, target: 'there' });

const SCENE: ConflictState = {
  conflict: { id: 1, when: '', path: 'd/doc', copy: 'd/doc (conflict)', kind: 'contents' },
  was: { mine: sideOf(MINE), theirs: sideOf(THEIRS) },
  atPath: THEIRS,
  atCopy: MINE,
  hasMoved: { mine: false, theirs: false },
  hasDirectory: true,
};

/** What is to be done, in a few words; or the code of the refusal. */
function planned(keep: SideToKeep, change: Partial<ConflictState> = {}): string {
  try {
    const plan = planResolution({ ...SCENE, ...change }, keep);
    if (plan.do === 'remove') return `remove at ${plan.from}`;
    return plan.do === 'forget' ? `forget, ${plan.kept ?? 'nothing'} kept` : plan.do;
  } catch (error) {
    if (error instanceof GodwitError) return error.code;
    throw error;
  }
}

const kindOf = (kind: string, copy = SCENE.conflict.copy): Partial<ConflictState> => ({
  conflict: { ...SCENE.conflict, kind, copy },
});
const moved = (side: 'mine' | 'theirs'): Partial<ConflictState> => ({
  hasMoved: { ...SCENE.hasMoved, [side]: true },
});
const was = (change: { mine?: Attributes; theirs?: Attributes | null }): Partial<ConflictState> => {
  const { mine, theirs } = { mine: MINE, theirs: THEIRS, ...change };
  return { was: { mine: sideOf(mine), theirs: theirs === null ? null : sideOf(theirs) } };
};

describe('the plan for an unchanged conflict', () => {
  it.each<[SideToKeep, string]>([
    ['mine', 'replace'],
    ['theirs', 'remove at copy'],
    ['both', 'forget, nothing kept'],
  ])('leads to keep %s by this step: %s', (keep, plan) => expect(planned(keep)).toBe(plan));
});

describe('the plan for a conflict that has changed since', () => {
  const again = file(3, 'b', { version: dataVersion(7), fid: '1.9.1' as Fid });
  const withMode = file(2, 'a', { mode: 0o600 });
  it.each<[string, SideToKeep, Partial<ConflictState>, string]>([
    ['the loser was written', 'mine', { atPath: OTHER }, 'changed-since'],
    ['the loser was written', 'theirs', { atCopy: OTHER }, 'changed-since'],
    ['the loser has another mode', 'mine', { atPath: withMode }, 'replace'],
    ['the loser was saved with the same bytes', 'theirs', { atCopy: again }, 'remove at copy'],
    ['the kept one was written', 'mine', { atCopy: OTHER }, 'replace'],
    ['the kept one was written', 'theirs', { atPath: OTHER }, 'remove at copy'],
    ['the loser is gone', 'mine', { atPath: null }, 'move'],
    ['the loser is gone', 'theirs', { atCopy: null }, 'forget, d/doc kept'],
    ['the kept one is gone', 'mine', { atCopy: null }, 'not-found'],
    ['the kept one is gone', 'theirs', { atPath: null }, 'not-found'],
    ['the loser has moved', 'mine', { atPath: null, ...moved('theirs') }, 'changed-since'],
    ['the loser has moved', 'theirs', { atCopy: null, ...moved('mine') }, 'changed-since'],
    ['the kept one has moved', 'mine', { atCopy: null, ...moved('mine') }, 'changed-since'],
    ['the kept one has moved', 'theirs', { atPath: null, ...moved('theirs') }, 'changed-since'],
    ['mine has taken the name by hand', 'theirs', { atPath: MINE, atCopy: null }, 'changed-since'],
    [
      'its folder is gone',
      'mine',
      { atPath: null, hasDirectory: false },
      'forget, d/doc (conflict) kept',
    ],
    ['a folder has the place of the loser', 'mine', { atPath: FOLDER }, 'changed-since'],
    ['nobody looked in time', 'mine', { was: null }, 'changed-since'],
    ['nobody looked in time', 'theirs', { was: null }, 'changed-since'],
    ['nobody looked in time', 'both', { was: null }, 'forget, nothing kept'],
  ])('is made when %s, to keep %s: %#', (_, keep, change, plan) =>
    expect(planned(keep, change)).toBe(plan),
  );
});

describe('the plan for a conflict whose resolution was interrupted', () => {
  it.each<[string, SideToKeep, Partial<ConflictState>, string]>([
    ['they were swapped', 'mine', { atPath: MINE, atCopy: THEIRS }, 'remove at copy'],
    ['they were swapped', 'theirs', { atPath: MINE, atCopy: THEIRS }, 'changed-since'],
    [
      'all but the forgetting is done',
      'mine',
      { atPath: MINE, atCopy: null },
      'forget, d/doc kept',
    ],
    ['all but the forgetting is done', 'theirs', { atCopy: null }, 'forget, d/doc kept'],
  ])('is made when %s, to keep %s', (_, keep, change, plan) =>
    expect(planned(keep, change)).toBe(plan),
  );
});

describe('the plan for a side that could not be restored later', () => {
  const queued = file(3, 'b', { sync: 'queued' });
  const empty = file(3, 'b', { digest: null });
  it.each<[string, SideToKeep, Partial<ConflictState>, string]>([
    ['is not on the server', 'theirs', { atCopy: queued }, 'sync-blocked'],
    [
      'is its own copy still',
      'theirs',
      { atCopy: { ...queued, sync: 'conflict' } },
      'sync-blocked',
    ],
    ['has no contents yet', 'theirs', { ...was({ mine: empty }), atCopy: empty }, 'sync-blocked'],
    ['is a folder', 'theirs', { ...was({ mine: FOLDER }), atCopy: FOLDER }, 'is-a-directory'],
    ['is kept, and may be queued', 'mine', { atCopy: queued }, 'replace'],
    [
      'is kept, and may be a folder',
      'mine',
      { ...was({ mine: FOLDER }), atCopy: FOLDER },
      'replace',
    ],
    ['is a link', 'theirs', { ...was({ mine: LINK }), atCopy: LINK }, 'remove at copy'],
    [
      'is another link',
      'theirs',
      { ...was({ mine: LINK }), atCopy: { ...LINK, target: 'x' } },
      'changed-since',
    ],
  ])('is made when the loser %s, to keep %s', (_, keep, change, plan) =>
    expect(planned(keep, change)).toBe(plan),
  );
});

describe('the plan for other kinds of conflict', () => {
  const removed = { ...kindOf('removed', 'd/doc'), ...was({ theirs: null }), atPath: MINE };
  const away = { ...kindOf('directory-gone'), ...was({ theirs: null }), atPath: null };
  const lost = kindOf('contents-lost', 'd/doc');
  it.each<[string, SideToKeep, Partial<ConflictState>, string]>([
    ['removed by others', 'mine', removed, 'forget, d/doc kept'],
    ['removed by others', 'theirs', removed, 'remove at path'],
    [
      'removed by others, and written since',
      'theirs',
      { ...removed, atPath: OTHER },
      'changed-since',
    ],
    ['removed by others, and here', 'theirs', { ...removed, atPath: null }, 'forget, nothing kept'],
    ['removed by others, and here', 'mine', { ...removed, atPath: null }, 'not-found'],
    ['its folder is gone', 'theirs', away, 'remove at copy'],
    [
      'its folder is gone',
      'mine',
      { ...away, hasDirectory: false },
      'forget, d/doc (conflict) kept',
    ],
    ['theirs was not seen', 'theirs', { ...was({ theirs: null }), atPath: null }, 'not-found'],
    ['theirs was not seen', 'mine', was({ theirs: null }), 'changed-since'],
    ['nobody has the contents', 'mine', lost, 'no-contents'],
    ['nobody has the contents', 'theirs', lost, 'no-contents'],
    ['nobody has the contents', 'both', lost, 'forget, nothing kept'],
  ])('is made for the conflict "%s", to keep %s', (_, keep, change, plan) =>
    expect(planned(keep, change)).toBe(plan),
  );
});

describe('the plan for conflicts of others and for replaced names', () => {
  const elsewhere = { ...kindOf('elsewhere'), ...was({ mine: MINE, theirs: THEIRS }) };
  const renamed = { ...kindOf('rename-undone'), atPath: null };
  const removed = kindOf('removal-undone');
  const stays = { ...kindOf('removal-undone', 'd/doc'), atPath: MINE, atCopy: MINE };
  it.each<[string, SideToKeep, Partial<ConflictState>, string]>([
    ["another's copy", 'mine', elsewhere, 'remove at copy'],
    ["another's copy", 'theirs', elsewhere, 'replace'],
    ["another's copy, written since", 'mine', { ...elsewhere, atCopy: OTHER }, 'changed-since'],
    ['renamed by both', 'mine', renamed, 'move'],
    ['renamed by both', 'theirs', renamed, 'forget, d/doc (conflict) kept'],
    ['renamed by both, name taken', 'mine', { ...renamed, atPath: OTHER }, 'changed-since'],
    ['renamed by both, changed', 'mine', { ...renamed, atCopy: OTHER }, 'changed-since'],
    ['renamed by both, gone', 'mine', { ...renamed, atCopy: null }, 'not-found'],
    ['its folder is gone', 'mine', { ...renamed, hasDirectory: false }, 'changed-since'],
    ['removed, and changed by others', 'mine', removed, 'remove at copy'],
    ['removed, and changed by others', 'mine', stays, 'remove at path'],
    ['removed, and changed by others', 'theirs', stays, 'forget, d/doc kept'],
    ['removed, and changed again', 'mine', { ...stays, atCopy: OTHER }, 'changed-since'],
    ['renamed, and removed', 'mine', kindOf('renamed-removed'), 'not-found'],
    ['renamed, and removed', 'theirs', kindOf('renamed-removed'), 'forget, nothing kept'],
  ])('is made for the conflict "%s", to keep %s', (_, keep, change, plan) =>
    expect(planned(keep, change)).toBe(plan),
  );
});

describe('the plan for a conflict of which one side has taken the place of the other', () => {
  const { path } = SCENE.conflict;
  const one = (kind: string, there: Attributes): Partial<ConflictState> => ({
    ...kindOf(kind, path),
    atPath: there,
    atCopy: there,
  });
  it.each<[string, Attributes, SideToKeep, string]>([
    ['contents', MINE, 'mine', 'forget, d/doc kept'],
    ['contents', MINE, 'theirs', 'not-found'],
    ['contents', THEIRS, 'theirs', 'forget, d/doc kept'],
    ['contents', THEIRS, 'mine', 'not-found'],
    ['name', OTHER, 'theirs', 'not-found'],
    // The copy is another laptop's there.
    ['elsewhere', MINE, 'theirs', 'forget, d/doc kept'],
    ['elsewhere', MINE, 'mine', 'not-found'],
    ['elsewhere', THEIRS, 'mine', 'forget, d/doc kept'],
  ])('removes nothing for %s (case %#)', (kind, there, keep, plan) => {
    expect(planned(keep, one(kind, there))).toBe(plan);
  });
});
