import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ACCESS_RIGHTS,
  effectiveRights,
  has,
  neededFor,
  parseRights,
  rightSet,
  rightsIn,
  rightsText,
  teamsOf,
  toldRights,
  unusual,
  USUAL_SETS,
  type AccessEntry,
  type Principal,
  type Team,
} from './access-list.ts';
import type { VolumeId } from './fid.ts';
import type { Update } from './update.ts';

const VOLUME = 7 as VolumeId;
const ADA = 1;
const person = (id: number): Principal => ({ kind: 'person', id });
const team = (id: number): Principal => ({ kind: 'team', id });
const made = (id: number, members: Principal[], isOff = false): Team => {
  return { id, name: `t${id}`, owner: ADA, isOff, members };
};
const row = (principal: Principal, rights: number, negative = false): AccessEntry => {
  return { volume: VOLUME, principal, negative, rights };
};

describe('effective rights', () => {
  it('are the union of what is given to a person and to all their teams', () => {
    const teams = [made(1, [person(ADA)]), made(2, [team(1)])];
    const entries = [row(person(ADA), 1), row(team(1), 2), row(team(2), 4), row(person(2), 64)];
    expect(effectiveRights({ teams, entries }, ADA).get(VOLUME)).toBe(7);
  });

  it('lack what any row denies, whoever gives it', () => {
    const teams = [made(1, [person(ADA)])];
    const entries = [row(person(ADA), USUAL_SETS.admin), row(team(1), USUAL_SETS.write, true)];
    expect(rightsIn(effectiveRights({ teams, entries }, ADA).get(VOLUME) ?? 0)).toEqual([
      'administer',
    ]);
  });

  it('have no volume in which nothing is left', () => {
    const entries = [row(person(ADA), 3), row(person(ADA), 127, true)];
    expect(effectiveRights({ teams: [], entries }, ADA).size).toBe(0);
  });

  it('are those of the bits, for any lists', () => {
    const principal = fc.constantFrom(person(1), person(2), team(1), team(2));
    const entry = fc.tuple(principal, fc.nat(127), fc.boolean());
    const teams = [made(1, [person(1)]), made(2, [person(2), team(1)])];
    fc.assert(
      fc.property(fc.array(entry), (drawn) => {
        const entries = drawn.map(([who, rights, negative]) => row(who, rights, negative));
        const found = effectiveRights({ teams, entries }, 1).get(VOLUME) ?? 0;
        const theirs = drawn.filter(([{ kind, id }]) => kind === 'team' || id === 1);
        for (const right of ACCESS_RIGHTS) {
          const of = (denied: boolean): boolean =>
            theirs.some(([, rights, negative]) => negative === denied && has(rights, right));
          expect(has(found, right)).toBe(of(false) && !of(true));
        }
      }),
    );
  });
});

describe('teams of a person', () => {
  it('are those up to eight in one another, and no more', () => {
    const chain = Array.from({ length: 10 }, (_, index) =>
      made(index + 1, [index === 0 ? person(ADA) : team(index)]),
    );
    expect([...teamsOf(chain, ADA)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('leave out one that is switched off, and those that are reached by it alone', () => {
    const teams = [made(1, [person(ADA)], true), made(2, [team(1)]), made(3, [person(ADA)])];
    expect([...teamsOf(teams, ADA)]).toEqual([3]);
  });

  it('are found in a ring that an older program may have left', () => {
    const teams = [made(1, [person(ADA), team(2)]), made(2, [team(1)])];
    expect([...teamsOf(teams, ADA)]).toEqual([1, 2]);
  });
});

describe('what a device is told', () => {
  it.each([
    [['lookup', 'read'], 'read', undefined],
    [['lookup'], null, undefined],
    [['read', 'write', 'insert', 'delete', 'lock', 'administer'], null, undefined],
    [['lookup', 'read', 'insert', 'delete', 'write', 'lock'], 'write', undefined],
    [ACCESS_RIGHTS, 'write', undefined],
    [['lookup', 'read', 'insert'], 'write', 7],
    [['lookup', 'read', 'lock', 'administer'], 'read', 35],
  ] as const)('the rights %j are %j to a device, and beside that %j', (rights, told, more) => {
    expect(toldRights(rightSet(rights))).toBe(told);
    expect(unusual(rightSet(rights))).toBe(more);
  });

  it.each([
    ['create', ['insert']],
    ['rmdir', ['delete']],
    ['rename', ['insert', 'delete']],
    ['store', ['write']],
    ['setattr', ['write']],
  ] as const)('an update of kind %s needs %j', (op, needed) => {
    expect(neededFor({ op } as Update)).toEqual(needed);
  });
});

describe('rights as text', () => {
  it.each(['read', 'write', 'admin', 'lookup', 'lookup,read,lock'])(
    'are read as %s again',
    (text) => {
      expect(rightsText(parseRights(text) ?? 0)).toBe(text);
    },
  );

  it.each(['', 'all', 'read,', 'Write', 'lookup read'])('are none of %j', (text) => {
    expect(parseRights(text)).toBeNull();
  });
});
