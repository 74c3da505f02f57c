/**
 * Locks with leases: Ada and Bob lock and save `doc`. Questions and answers of locks travel at once, except the grant,
 * which may be on its way. A client counts its lease from sending and the server from replying, so the client's ends first.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import { nameOf } from '../state.ts';
import type { Rules } from '../rules.ts';

type Mode = 'shared' | 'exclusive';

interface Person {
  link: boolean;
  /** It takes its lease for running. */
  leased: boolean;
  /** The lock that it takes itself to hold. */
  has: Mode | null;
  /** A lock that it had when its lease ran out. */
  had: Mode | null;
  asks: Mode | null;
  grant: { mode: Mode; version: number } | null;
  /** The version that its applications see. */
  sees: number;
  /** A save that is queued, and what it was made under. */
  queued: 'none' | 'free' | 'under lock' | 'released';
}

interface State {
  people: Person[];
  version: number;
  /** Of the checks: the last version that was saved under an exclusive lock. */
  lockedVersion: number;
  /** `broken`: another has taken it away, and its holder may not know yet. */
  holders: { who: number; mode: Mode; broken?: true }[];
  /** The server's leases. */
  leases: boolean[];
  /** A restarted server grants nothing yet. */
  grace: boolean;
  left: { asks: number; saves: number; cut: number; restart: number; breaks: number };
}

function person(queued: Person['queued'] = 'none'): Person {
  return {
    link: true,
    leased: true,
    has: null,
    had: null,
    asks: null,
    grant: null,
    sees: 1,
    queued,
  };
}

/** Two people lock a file; connections break, leases run out, the server restarts. */
export function locks(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      people: [person(), person()],
      version: 1,
      lockedVersion: 1,
      holders: [],
      leases: [true, true],
      grace: false,
      left: { asks: 2, saves: 2, cut: 1, restart: 1, breaks: 1 },
    },
    moves: (state) => [
      ...[0, 1].flatMap((who) => [
        ...wishes(state, rules, who),
        ...grants(state, rules, who),
        ...leases(state, rules, who),
        ...breaks(state, rules, who),
      ]),
      ...restarts(state, rules),
    ],
    check,
  };
}

function at(s: State, who: number): Person {
  const found = s.people[who];
  if (found === undefined) throw new Error(`there is no person ${who}`);
  return found;
}

function wishes(state: State, rules: Rules, who: number): Move<State>[] {
  const one = at(state, who);
  const name = nameOf(who);
  const mayAsk = one.link && one.has === null && one.asks === null && one.grant === null;
  // One of them reads, the other writes or reads: that is enough for all pairs.
  const modes: Mode[] = who === 0 ? ['exclusive'] : ['shared', 'exclusive'];
  const asks = modes.map(
    (mode) =>
      mayAsk &&
      state.left.asks > 0 && {
        says: `${name} asks for ${mode === 'shared' ? 'a shared' : 'an exclusive'} lock of doc`,
        run: (s: State) => {
          s.left.asks--;
          at(s, who).asks = mode;
        },
      },
  );
  const isFree = one.has === null && state.holders.length === 0 && one.asks === null;
  return possible([
    ...asks,
    state.left.saves > 0 &&
      one.queued === 'none' &&
      (one.has === 'exclusive' || (isFree && one.leased)) && {
        says: `${name} saves doc${one.has === null ? ', which nobody has locked' : ' under the lock'}; that is queued`,
        run: (s) => {
          s.left.saves--;
          at(s, who).queued = one.has === null ? 'free' : 'under lock';
        },
      },
    one.queued !== 'none' &&
      one.link && {
        says: `${name}'s save is committed`,
        run: (s) => commit(s, who),
      },
    one.has !== null &&
      one.link &&
      // Rule K3: released is what is committed.
      (one.queued === 'none' || !rules.K3) && {
        says: `${name} releases the lock`,
        run: (s) => {
          const me = at(s, who);
          me.has = null;
          if (me.queued === 'under lock') me.queued = 'released';
          s.holders = s.holders.filter((holder) => holder.who !== who);
        },
      },
  ]);
}

function commit(s: State, who: number): void {
  const me = at(s, who);
  s.version++;
  me.sees = s.version;
  // One whose author has lost the lock meets what was saved since as a conflict (rule C1).
  if (me.queued === 'under lock' && me.has === 'exclusive') s.lockedVersion = s.version;
  me.queued = 'none';
}

function grants(state: State, rules: Rules, who: number): Move<State>[] {
  const { asks, grant } = at(state, who);
  const others = state.people.filter((_, nth) => nth !== who);
  // Rule K2: whoever is there and has something queued is asked for it first.
  const isPulled = others.every(({ queued, link }) => queued === 'none' || !link);
  const isOpen = state.holders.every(
    ({ who: by, mode }) => by === who || (mode === 'shared' && asks === 'shared'),
  );
  return possible([
    asks !== null &&
      isOpen &&
      !state.grace &&
      (isPulled || !rules.K2) && {
        says: `the server grants it to ${nameOf(who)}`,
        run: (s, tell) => {
          hidden(s, who, tell);
          at(s, who).asks = null;
          at(s, who).grant = { mode: asks, version: s.version };
          s.holders = [...s.holders.filter((holder) => holder.who !== who), { who, mode: asks }];
        },
      },
    grant !== null && {
      says: `${nameOf(who)} hears that the lock is granted, and is shown version ${grant.version}`,
      run: (s) => {
        const me = at(s, who);
        me.grant = null;
        me.has = grant.mode;
        me.sees = grant.version;
      },
    },
  ]);
}

/** Whoever gets the lock sees what was saved before by who is there, and by who had it. */
function hidden(s: State, who: number, tell: Teller): void {
  s.people.forEach(({ queued, link }, nth) => {
    if (nth === who || queued === 'none' || queued === 'under lock') return;
    if (queued === 'free' && !link) return;
    const when =
      queued === 'released'
        ? 'made it under the lock before, and has released that'
        : 'is connected';
    tell.find(
      'a lock excludes',
      `${nameOf(who)}, who gets the lock, is shown doc without a save of ${nameOf(nth)}, who ${when}`,
    );
  });
}

function leases(state: State, rules: Rules, who: number): Move<State>[] {
  const one = at(state, who);
  const name = nameOf(who);
  return possible([
    one.link &&
      state.left.cut > 0 && {
        says: `${name}'s connection breaks`,
        run: (s) => {
          s.left.cut--;
          cut(at(s, who));
        },
      },
    !one.link &&
      one.leased && {
        says: `nothing is heard for long: ${name}'s lease runs out at the client`,
        run: (s, tell) => {
          const me = at(s, who);
          me.leased = false;
          me.had = me.has;
          // Rule K1: a lock is held under the lease of its connection.
          if (!rules.K1 || me.has === null) return;
          me.has = null;
          if (me.queued === 'under lock') me.queued = 'free';
          tell.say('who is told that the lock is lost');
        },
      },
    !one.link &&
      !one.leased &&
      state.leases[who] === true && {
        says: `and it runs out at the server, with ${name}'s lock`,
        run: (s) => {
          s.leases[who] = false;
          s.holders = s.holders.filter((holder) => holder.who !== who);
          endGrace(s);
        },
      },
    !one.link && {
      says: `${name} connects, and says Hello`,
      run: (s, tell) => hello(s, rules, who, tell),
    },
  ]);
}

/** Bob takes a lock away that he has not; the holder hears of it, and saves from then on as somebody without one. */
function breaks(state: State, rules: Rules, who: number): Move<State>[] {
  const one = at(state, who);
  const holder = state.holders.find((each) => each.who === who);
  const bob = at(state, 1);
  const isBroken = one.has !== null && (holder === undefined || holder.broken === true);
  return possible([
    who === 0 &&
      holder !== undefined &&
      holder.broken !== true &&
      bob.link &&
      bob.has === null &&
      state.left.breaks > 0 && {
        says: `bob breaks the lock of ${nameOf(who)}`,
        run: (s) => {
          s.left.breaks--;
          // Rule K5: it is kept until its holder knows.
          s.holders = rules.K5
            ? s.holders.map((each) => (each.who === who ? { ...each, broken: true } : each))
            : s.holders.filter((each) => each.who !== who);
        },
      },
    isBroken &&
      one.link && {
        says: `${nameOf(who)} hears that the lock was broken`,
        run: (s) => {
          const me = at(s, who);
          me.has = null;
          if (me.queued === 'under lock') me.queued = 'free';
          s.holders = s.holders.filter((each) => each.who !== who);
        },
      },
  ]);
}

function cut(me: Person): void {
  me.link = false;
  me.asks = null;
  me.grant = null;
}

/** A lock is announced again with the Hello; the server takes it if nobody has it since. */
function hello(s: State, rules: Rules, who: number, tell: Teller): void {
  const me = at(s, who);
  const isBroken = s.holders.some((each) => each.who === who && each.broken === true);
  const announced = isBroken ? null : (me.has ?? (rules['lapsed-lost'] ? null : me.had));
  if (isBroken) me.has = null;
  me.link = true;
  me.leased = true;
  me.had = null;
  s.leases[who] = true;
  const others = s.holders.filter((holder) => holder.who !== who);
  s.holders = others;
  if (announced !== null) {
    const isOpen = others.every(({ mode }) => mode === 'shared' && announced === 'shared');
    tell.say(
      `with the ${announced} lock that it has${isOpen ? ', which is taken' : ', which is lost'}`,
    );
    me.has = isOpen ? announced : null;
    if (isOpen) s.holders = [...others, { who, mode: announced }];
  }
  if (announced === null || me.has === null) {
    if (me.queued === 'under lock') me.queued = 'free';
  }
  endGrace(s);
}

/** Rule K4: the wait ends when everybody whose lease may run has said Hello. */
function endGrace(s: State): void {
  if (s.people.every(({ link }, nth) => link || s.leases[nth] !== true)) s.grace = false;
}

function restarts(state: State, rules: Rules): Move<State>[] {
  return possible([
    state.left.restart > 0 && {
      says: `the server crashes and starts again${rules.K4 ? ', and grants nothing for one lease' : ''}`,
      run: (s) => {
        s.left.restart--;
        s.holders = [];
        s.grace = rules.K4;
        s.people.forEach(cut);
        endGrace(s);
      },
    },
  ]);
}

function check({ people, lockedVersion }: State, tell: Teller): void {
  const [ada, bob] = people;
  if (ada === undefined || bob === undefined) return;
  const isBoth = ada.has !== null && bob.has !== null;
  if (isBoth && (ada.has === 'exclusive' || bob.has === 'exclusive'))
    tell.find(
      'a lock excludes',
      `ada takes herself to hold the ${ada.has} lock and bob the ${bob.has} one, at once`,
    );
  people.forEach(({ has, sees }, nth) => {
    if (has !== null && sees < lockedVersion)
      tell.find(
        'a lock excludes',
        `${nameOf(nth)} has the lock and is shown version ${sees}, though ${lockedVersion} was saved under it since`,
      );
  });
}
