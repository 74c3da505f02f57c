/**
 * A folder that people share: ada has the volume `trip` made for it, offers it to bob and cyd, and takes it back from bob; bob accepts and leaves.
 * Bob may also name its file `plan` by version and digest, as the source of a file in his own volume: he has seen it, or somebody told him.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

type Person = 'bob' | 'cyd';

interface State {
  /** What ada's order is to her, the question that is on its way, and the volumes that came of it. */
  order: 'none' | 'open' | 'known';
  question: boolean;
  made: number;
  /** Who is in the list of `trip` beside ada. */
  row: Record<Person, boolean>;
  /** Of the checks: it was given, and neither ada nor the person has taken it away since. */
  owed: Record<Person, boolean>;
  bob: {
    /** He was told that `trip` is offered. */
    told: boolean;
    mount: 'none' | 'asked' | 'there';
    /** The store in his own volume that names `plan` as what it is made of. */
    store: 'none' | 'begun' | 'delta here' | 'made';
  };
  left: { offers: number; takes: number; leaves: number; looks: number; stores: number };
}

/** Three people and one shared folder: it is made, offered, accepted, left and taken back, in any order. */
export function sharing(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      order: 'none',
      question: false,
      made: 0,
      row: { bob: false, cyd: false },
      owed: { bob: false, cyd: false },
      bob: { told: false, mount: 'none', store: 'none' },
      left: { offers: 3, takes: 2, leaves: 1, looks: 2, stores: 1 },
    },
    moves: (state) => [
      ...orders(state, rules),
      ...offers(state),
      ...bobs(state, rules),
      ...stores(state, rules),
    ],
    check,
  };
}

/** Rule A6: the maker's own connection ends with the news of the right, so the question is asked twice. */
function orders({ order, question, made }: State, rules: Rules): Move<State>[] {
  return possible([
    order !== 'known' &&
      !question && {
        says: `ada asks for a volume for her folder${order === 'open' ? ' again, on a new connection' : ''}`,
        run: (s) => {
          s.order = 'open';
          s.question = true;
        },
      },
    question && {
      says: 'the server gets the question',
      run: (s, tell) => {
        s.question = false;
        if (made > 0 && rules.A6) {
          s.order = 'known';
          return tell.say('knows the order, and answers with the volume that it made before');
        }
        s.made++;
        tell.say("makes a volume, and ends ada's connection with the news of her right");
      },
    },
  ]);
}

function offers({ order, row, left }: State): Move<State>[] {
  const people: readonly Person[] = ['bob', 'cyd'];
  return people.flatMap((person) =>
    possible<State>([
      left.offers > 0 &&
        order === 'known' &&
        !row[person] && {
          says: `ada offers trip to ${person}`,
          run: (s) => {
            s.left.offers--;
            s.row[person] = true;
            s.owed[person] = true;
          },
        },
      left.takes > 0 &&
        row[person] && {
          says: `ada takes trip back from ${person}`,
          run: (s) => {
            s.left.takes--;
            s.row[person] = false;
            s.owed[person] = false;
          },
        },
    ]),
  );
}

function bobs({ made, row, bob, left }: State, rules: Rules): Move<State>[] {
  return possible([
    left.looks > 0 && {
      says: 'bob asks what is shared with him',
      run: (s, tell) => {
        s.left.looks--;
        const isTold = row.bob || (made > 0 && !rules['offers-own']);
        s.bob.told = isTold;
        if (!isTold) return tell.say('and nothing is');
        tell.say('and is told of trip');
        if (!row.bob) tell.find('6', 'bob is told of trip, which he may not see');
      },
    },
    bob.told &&
      bob.mount === 'none' && {
        says: 'bob accepts it: the mount point is in his log',
        run: (s) => {
          s.bob.mount = 'asked';
        },
      },
    bob.mount === 'asked' && {
      says: "the server gets bob's mount point",
      run: (s, tell) => {
        if (row.bob || !rules['mount-seen']) {
          s.bob.mount = 'there';
          tell.say('and commits it');
          if (!row.bob)
            tell.find('6', 'bob is answered that trip is there, and he may not see it any more');
          return;
        }
        s.bob.mount = 'none';
        s.bob.told = false;
        tell.say('and answers as if there were no such volume');
      },
    },
    left.leaves > 0 &&
      row.bob &&
      bob.mount === 'there' && {
        says: 'bob leaves trip',
        run: (s) => {
          s.left.leaves--;
          s.row.bob = false;
          s.owed.bob = false;
          s.bob = { ...s.bob, told: false, mount: 'none' };
          // Rule A7: it is the row of who leaves, and no more.
          if (!rules.A7) s.row.cyd = false;
        },
      },
  ]);
}

/** Rule M3: what another volume has is taken by who may see it, when that is named, and still when it is taken. */
function stores({ made, row, bob, left }: State, rules: Rules): Move<State>[] {
  return possible([
    left.stores > 0 &&
      made > 0 &&
      bob.store === 'none' && {
        says: 'bob begins a store in his own volume, and names plan by its digest',
        run: (s, tell) => {
          s.left.stores--;
          if (row.bob || !rules['digest-alone']) {
            s.bob.store = 'begun';
            return tell.say('and the server waits for the difference');
          }
          tell.say('and the server asks for all of it, as if plan were not there');
        },
      },
    bob.store === 'begun' && {
      says: 'all of the difference is at the server',
      run: (s) => {
        s.bob.store = 'delta here';
      },
    },
    bob.store === 'delta here' && {
      says: 'the server makes the contents of the difference and of plan',
      run: (s, tell) => {
        if (rules['source-again'] && rules['digest-alone'] && !row.bob) {
          s.bob.store = 'none';
          return tell.say('no: the right has gone, and it asks for all of them');
        }
        s.bob.store = 'made';
        if (!row.bob) tell.find('6', 'bob reads in his own volume what plan has, which he may not');
      },
    },
  ]);
}

function check({ made, row, owed }: State, tell: Teller): void {
  if (made > 1) tell.find('exactly once', 'there are two volumes for one folder of ada');
  if (owed.cyd && !row.cyd)
    tell.find(
      'nothing removed unasked',
      'cyd may not see trip any more, and neither ada nor cyd has taken that away',
    );
}
