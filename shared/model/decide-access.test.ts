import { describe, expect, it } from '@jest/globals';
import { USUAL_SETS, type AccessPicture, type RightSet } from './access-list.ts';
import {
  decideAccess,
  withWrites,
  type AccessAnswer,
  type AccessQuestion,
  type Asker,
} from './decide-access.ts';
import type { VolumeId } from './fid.ts';

const HOME = 1 as VolumeId;
const [ADA, BOB, EVE] = [1, 2, 3];

/** Changes a picture as a store does, and tells what was answered. */
class Lists {
  picture: AccessPicture = {
    people: ['ada', 'bob', 'eve'].map((name, index) => ({ id: index + 1, name })),
    teams: [],
    entries: [],
  };
  #teams = 0;

  constructor() {
    this.set('ada', USUAL_SETS.admin, { person: null });
  }

  ask(question: AccessQuestion, asker: Asker): AccessAnswer {
    const answer = decideAccess(this.picture, question, asker);
    if (answer.answer !== 'done') return answer;
    this.picture = withWrites(this.picture, answer.writes);
    for (const write of answer.writes) {
      if (write.what !== 'team' || write.id !== null) continue;
      const team = { ...write.team, id: ++this.#teams, members: [] };
      this.picture = { ...this.picture, teams: [...this.picture.teams, team] };
    }
    return answer;
  }

  set(name: string, rights: RightSet, asker: Asker = { person: ADA }, negative = false) {
    const kind = name.startsWith('@') ? 'team' : 'person';
    const row = { kind, name: name.replace('@', ''), negative, rights } as const;
    return this.ask({ ask: 'set', volume: HOME, ...row }, asker);
  }

  member(team: string, name: string, isIn = true, asker: Asker = { person: ADA }) {
    const kind = name.startsWith('@') ? 'team' : 'person';
    return this.ask({ ask: 'member', team, kind, name: name.replace('@', ''), isIn }, asker);
  }

  team(team: string, person: number | null = ADA) {
    return this.ask({ ask: 'make-team', team }, { person });
  }

  list(person: number | null) {
    return this.ask({ ask: 'list', volume: HOME }, { person });
  }
}

const DONE = { answer: 'done' };
const refused = (code: string) => ({ answer: 'refused', code });

describe('a list', () => {
  it('is seen by who sees the volume, and changed by who administers it', () => {
    const lists = new Lists();
    expect(lists.list(BOB)).toMatchObject(refused('no-such-volume'));
    expect(lists.set('bob', USUAL_SETS.read)).toMatchObject(DONE);
    expect(lists.list(BOB)).toEqual({
      answer: 'list',
      own: USUAL_SETS.read,
      entries: [
        { kind: 'person', name: 'ada', negative: false, rights: USUAL_SETS.admin },
        { kind: 'person', name: 'bob', negative: false, rights: USUAL_SETS.read },
      ],
    });
    expect(lists.set('eve', USUAL_SETS.read, { person: BOB })).toMatchObject(
      refused('not-administrator'),
    );
    expect(lists.set('eve', USUAL_SETS.read, { person: EVE })).toMatchObject(
      refused('no-such-volume'),
    );
  });

  it('refuses names that nobody has', () => {
    const lists = new Lists();
    expect(lists.set('zoe', 1)).toMatchObject(refused('not-found'));
    expect(lists.set('@crew', 1)).toMatchObject(refused('not-found'));
  });

  it('has a row that was asked for twice once, and a row that is gone is gone twice', () => {
    const lists = new Lists();
    for (const rights of [USUAL_SETS.read, USUAL_SETS.read, 0, 0]) {
      expect(lists.set('bob', rights)).toMatchObject(DONE);
    }
    expect(lists.picture.entries).toHaveLength(1);
  });

  it.each([0, USUAL_SETS.write])('keeps its last administrator: %j', (rights) => {
    const lists = new Lists();
    expect(lists.set('ada', rights)).toMatchObject(refused('last-administrator'));
    expect(lists.set('ada', rights, { person: null })).toMatchObject(refused('last-administrator'));
    expect(lists.set('ada', rights, { person: ADA, isMeant: true })).toMatchObject(
      refused('last-administrator'),
    );
    expect(lists.set('ada', rights, { person: null, isMeant: true })).toMatchObject(DONE);
    // Where nobody administers it, nothing more can be lost.
    expect(lists.set('bob', USUAL_SETS.read, { person: null })).toMatchObject(DONE);
  });

  it('keeps its last administrator also from a row that denies, and in a team', () => {
    const lists = new Lists();
    expect(lists.set('ada', 2, { person: ADA }, true)).toMatchObject(refused('last-administrator'));
    lists.team('crew');
    lists.member('crew', 'bob');
    lists.set('@crew', USUAL_SETS.admin);
    expect(lists.set('ada', 0)).toMatchObject(DONE);
    const asker = { person: ADA };
    for (const question of [
      { ask: 'end-team', team: 'crew' },
      { ask: 'switch-team', team: 'crew', isOff: true },
      { ask: 'member', team: 'crew', kind: 'person', name: 'bob', isIn: false },
    ] as const) {
      const answer = lists.ask(question, asker);
      expect(answer).toMatchObject(refused('last-administrator'));
      expect(JSON.stringify(answer)).not.toContain('home');
    }
  });
});

it('nobody gets to see more volumes than a Hello may list', () => {
  const lists = new Lists();
  const principal = { kind: 'person', id: BOB } as const;
  const entries = Array.from({ length: 256 }, (_, index) => {
    return { volume: (index + 2) as VolumeId, principal, negative: false, rights: 3 };
  });
  lists.picture = { ...lists.picture, entries: [...lists.picture.entries, ...entries] };
  expect(lists.set('bob', USUAL_SETS.read)).toMatchObject(refused('usage'));
  // One row without effect is none that shows it.
  expect(lists.set('bob', 1)).toMatchObject(DONE);
});

describe('a team', () => {
  it('is changed by its owner, and seen by its owner and who is in it', () => {
    const lists = new Lists();
    lists.team('crew');
    expect(lists.team('crew', BOB)).toMatchObject(refused('exists'));
    expect(lists.member('crew', 'bob')).toMatchObject(DONE);
    expect(lists.member('crew', 'eve', true, { person: BOB })).toMatchObject(
      refused('not-administrator'),
    );
    const asked = (person: number | null, team: string | null) =>
      lists.ask({ ask: 'teams', team }, { person });
    const crew = { name: 'crew', owner: 'ada', isOff: false, size: 1 };
    expect(asked(BOB, null)).toEqual({ answer: 'teams', teams: [crew] });
    const members = [{ kind: 'person', name: 'bob' }];
    expect(asked(BOB, 'crew')).toEqual({ answer: 'teams', teams: [{ ...crew, members }] });
    expect(asked(EVE, null)).toEqual({ answer: 'teams', teams: [] });
    expect(asked(EVE, 'crew')).toEqual(asked(EVE, 'crew'));
    expect(asked(EVE, 'crew')).toMatchObject(refused('not-found'));
    expect(asked(null, null)).toMatchObject({ teams: [crew] });
  });

  it.each(['', '@crew', 'a b', '-x', 'a,b'])('is not called %j', (name) => {
    expect(new Lists().team(name)).toMatchObject(refused('usage'));
  });

  it('is never in itself, and eight are in one another at most', () => {
    const lists = new Lists();
    const names = Array.from({ length: 9 }, (_, index) => `t${index + 1}`);
    for (const name of names) lists.team(name);
    expect(lists.member('t1', '@t1')).toMatchObject(refused('team-ring'));
    for (let index = 1; index < 8; index++) {
      expect(lists.member(`t${index + 1}`, `@t${index}`)).toMatchObject(DONE);
    }
    expect(lists.member('t1', '@t8')).toMatchObject(refused('team-ring'));
    expect(lists.member('t9', '@t8')).toMatchObject(refused('team-ring'));
    expect(lists.member('t9', '@t7')).toMatchObject(DONE);
  });

  it('leaves all lists and teams when it ends', () => {
    const lists = new Lists();
    lists.team('crew');
    lists.team('all');
    lists.member('all', '@crew');
    lists.set('@crew', USUAL_SETS.read);
    expect(lists.ask({ ask: 'end-team', team: 'crew' }, { person: ADA })).toMatchObject(DONE);
    expect(lists.picture.entries).toHaveLength(1);
    expect(lists.picture.teams).toMatchObject([{ name: 'all', members: [] }]);
  });

  it('may be made for somebody by who runs the server, and is changed by nobody else without an owner', () => {
    const lists = new Lists();
    expect(
      lists.ask({ ask: 'make-team', team: 'x', owner: 'bob' }, { person: null }),
    ).toMatchObject(DONE);
    expect(lists.member('x', 'eve', true, { person: BOB })).toMatchObject(DONE);
    lists.team('y', null);
    expect(lists.member('y', 'eve', true, { person: ADA })).toMatchObject(
      refused('not-administrator'),
    );
    expect(lists.ask({ ask: 'make-team', team: 'z', owner: 'bob' }, { person: ADA })).toMatchObject(
      refused('not-administrator'),
    );
  });
});
