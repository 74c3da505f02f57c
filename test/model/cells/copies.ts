/**
 * Marks of conflict copies: ada's programs name a copy of a losing save, and ada names files of her own like copies. Bob hears of each commit, and
 * lists what is a conflict. Programs and the server are replaced by newer ones, which know of marks, in any order.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

/** What is said of a name: it is a copy, it is none, or (null) nothing, as older programs do. */
type Said = boolean | null;

interface Named {
  /** Of the checks: what it is. */
  isCopy: boolean;
  said: Said;
  /** Of the checks: the program that logged it knows of marks. */
  couldSay: boolean;
}

interface State {
  ada: { isNew: boolean; log: Named[] };
  server: { isNew: boolean; commits: Named[] };
  bob: { isNew: boolean; heard: number };
  left: { loses: number; names: number };
}

type Program = 'ada' | 'server' | 'bob';
const PROGRAMS: readonly Program[] = ['ada', 'server', 'bob'];
const NAMES = { ada: "ada's daemon", server: 'the server', bob: "bob's daemon" };

/** Two laptops and their server, each of which is updated once, while names like those of copies are made. */
export function copies(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      ada: { isNew: false, log: [] },
      server: { isNew: false, commits: [] },
      bob: { isNew: false, heard: 0 },
      left: { loses: 1, names: 1 },
    },
    moves: (state) => [...updates(state), ...names(state, rules), ...messages(state, rules)],
    check: () => undefined,
  };
}

function updates(state: State): Move<State>[] {
  return PROGRAMS.filter((each) => !state[each].isNew).map((each) => ({
    says: `${NAMES[each]} is updated, and knows of marks from now on`,
    run: (s) => {
      s[each].isNew = true;
    },
  }));
}

function names({ ada, left }: State, rules: Rules): Move<State>[] {
  const saysNone = ada.isNew && rules['says-none'];
  const how = ada.isNew ? 'which says so' : 'an older one, which says nothing of it';
  return possible([
    left.loses > 0 && {
      says: `a save of ada loses; her daemon, ${how}, logs the copy "doc (conflict)" beside doc`,
      run: (s) => {
        s.left.loses--;
        s.ada.log.push({ isCopy: true, said: ada.isNew ? true : null, couldSay: ada.isNew });
      },
    },
    left.names > 0 && {
      says: `ada calls a file of her own "doc (conflict)"; her daemon says ${saysNone ? 'that it is no copy' : 'nothing of it'}`,
      run: (s) => {
        s.left.names--;
        s.ada.log.push({ isCopy: false, said: saysNone ? false : null, couldSay: ada.isNew });
      },
    },
  ]);
}

function messages({ ada, server, bob }: State, rules: Rules): Move<State>[] {
  const [next] = ada.log;
  const news = server.commits[bob.heard];
  return possible([
    next !== undefined && {
      says: 'ada sends that name, and the server commits it',
      run: (s, tell) => commit(s, rules, tell),
    },
    news !== undefined && {
      says: 'bob hears of that commit',
      run: (s, tell) => hear(s, news, rules, tell),
    },
  ]);
}

/** What goes to a program: nothing that it does not know. An older one takes a field that it does not know for damage. */
function sent(said: Said, isNew: boolean, who: Program, rules: Rules, tell: Teller): Said {
  if (isNew) return said;
  if (said !== null && !rules['mark-gated']) {
    tell.find(
      'older programs go on',
      `${NAMES[who]} is an older one, does not know the mark in the message, and takes it for damage`,
    );
  }
  return null;
}

function commit(s: State, rules: Rules, tell: Teller): void {
  const named = s.ada.log.shift();
  if (named === undefined) return;
  let said = sent(named.said, s.server.isNew, 'server', rules, tell);
  const speaks = s.ada.isNew && s.server.isNew;
  if (!rules['logged-mark'] && said === null && speaks) {
    tell.say('and takes what has no mark for none, since the sender knows of marks');
    said = false;
  }
  s.server.commits.push({ ...named, said, couldSay: named.couldSay && s.server.isNew });
}

function hear(s: State, news: Named, rules: Rules, tell: Teller): void {
  s.bob.heard++;
  const said = sent(news.said, s.bob.isNew, 'bob', rules, tell);
  const known = rules.C4 ? said : null;
  const isListed = known ?? (rules['unsaid-by-name'] || !s.bob.isNew);
  tell.say(isListed ? 'and lists a conflict about doc' : 'and lists no conflict');
  if (news.isCopy && !isListed) {
    tell.find('conflicts as they are', 'bob does not hear that doc has lost a version');
  }
  if (!news.isCopy && isListed && news.couldSay && s.bob.isNew) {
    tell.find('conflicts as they are', 'bob is told of a conflict that nobody had');
  }
}
