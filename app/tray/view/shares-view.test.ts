import { describe, expect, it } from '@jest/globals';
import type { VolumeStatus } from '../../../shared/control/snapshot.ts';
import { rightSet, USUAL_SETS } from '../../../shared/model/access-list.ts';
import type { ListedEntry } from '../../../shared/model/decide-access.ts';
import {
  givenBy,
  memberLines,
  mountLine,
  offersOf,
  placeTyped,
  whoTyped,
  type KnownShare,
} from './shares-view.ts';

const { read, write, admin } = USUAL_SETS;
const row = (name: string, rights: number, more: Partial<ListedEntry> = {}): ListedEntry => ({
  ...{ kind: 'person', name, negative: false, rights },
  ...more,
});
const CREW = row('crew', read, { kind: 'team' });
const share = (volume: string, more: Partial<KnownShare> = {}): KnownShare => ({
  ...{ volume, own: admin, by: null, path: null, isFolder: false },
  ...more,
});
const HOME = share('home', { path: [], isFolder: true });
const OFFER = share('trip-00aa', { by: 'bob', own: write });
const known = (...shares: KnownShare[]) => ({ person: 'ann', shares });

describe('the members of a folder', () => {
  it('begin with this person, and say of each what they may do', () => {
    const entries = [row('bob', write), CREW, row('ann', admin)];
    const lines = memberLines({ own: admin, entries }, 'ann');
    expect(lines.map(({ who, may, canChange }) => [who, may, canChange])).toEqual([
      ['you', 'may change and share', false],
      ['bob', 'may change', true],
      ['@crew', 'may read', true],
    ]);
  });

  it('are not changed by who may not share the folder', () => {
    const lines = memberLines({ own: write, entries: [row('bob', admin)] }, 'ann');
    expect(lines.map(({ canChange }) => canChange)).toEqual([false]);
  });

  it('say what is denied, and rights that nobody can choose here', () => {
    const lookup = rightSet(['lookup']);
    const entries = [row('bob', write, { negative: true }), row('cid', lookup)];
    const lines = memberLines({ own: admin, entries }, 'ann');
    expect(lines.map(({ may, right }) => [may, right])).toEqual([
      ['may not write', null],
      ['may lookup', null],
    ]);
  });

  it('have names of one line', () => {
    const [line] = memberLines({ own: admin, entries: [row('b\nob', read)] }, 'ann');
    expect(line?.who).not.toContain('\n');
  });
});

describe('an offer', () => {
  it('is what somebody gave and no folder shows, with its right in words', () => {
    const [offer, ...others] = offersOf(known(HOME, OFFER, share('own'), share('x', OFFER_AT)));
    expect(offer).toEqual({
      ...{ volume: 'trip-00aa', name: 'trip', says: 'is shared with you by bob.' },
      may: 'You may change what is in it.',
    });
    expect(others).toEqual([]);
  });

  it('is none on a laptop without a folder', () => {
    expect(offersOf(known(OFFER))).toEqual([]);
  });

  it('has rights of its own where they are none of the usual', () => {
    const own = rightSet(['lookup', 'read', 'insert']);
    const [offer] = offersOf(known(HOME, { ...OFFER, own }));
    expect(offer?.may).toBe('You may: lookup,read,insert.');
  });
});

const OFFER_AT = { by: 'bob', path: ['x'] } as const;

describe('a mount point', () => {
  const shown = (volume: string) => ({ mounted: { volume, why: null } });
  const volume = { id: 2, name: 'v', rights: 'read', head: 1, applied: 1, quota: null } as const;
  const volumes: readonly VolumeStatus[] = [volume];
  const of = (...entries: ListedEntry[]) => known(share('v', { entries }));
  it.each([
    [known(share('v', { by: 'bob' })), [], 'shared by bob'],
    [known(share('v', { by: 'bob' })), volumes, 'shared by bob, read-only'],
    [of(row('ann', admin)), [], 'shows the volume v'],
    [of(row('ann', admin), row('bob', read)), [], 'shared with bob'],
    [of(row('bob', read), CREW), [], 'shared with bob and @crew'],
    [of(row('bob', read), CREW, row('cid', read)), [], 'shared with 3 others'],
    [of(row('bob', read, { negative: true })), [], 'shows the volume v'],
    [null, [], 'shows the volume v'],
  ])('says whose it is', (about, told, says) => {
    expect(mountLine(shown('v'), about, told)).toEqual({ sign: 'shared', says });
  });

  it('says why it shows nothing, and is nothing where it is none', () => {
    const mounted = { volume: null, why: 'the volume x was removed on the server' };
    const says = 'not shown here: the volume x was removed on the server';
    expect(mountLine({ mounted }, null, [])).toEqual({ sign: 'shut', says });
    expect(mountLine({}, null, [])).toBeNull();
  });

  it('can be left where somebody has given what it shows', () => {
    expect(givenBy(shown('trip-00aa'), known(OFFER))).toBe('bob');
    expect(givenBy(shown('v'), known(share('v')))).toBeNull();
    expect(givenBy({}, known(OFFER))).toBeNull();
    expect(givenBy(shown('v'), null)).toBeNull();
  });
});

describe('a typed text', () => {
  it.each([
    ['ann', { kind: 'person', name: 'ann' }],
    [' @crew ', { kind: 'team', name: 'crew' }],
    ['@', null],
    [' ', null],
  ])('names a person or a team: %j', (text, who) => {
    expect(whoTyped(text)).toEqual(who);
  });

  it('is a place below the folder', () => {
    expect(placeTyped('/a//b c/')).toEqual(['a', 'b c']);
    expect(placeTyped(' / ')).toEqual([]);
  });
});
