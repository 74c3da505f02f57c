/**
 * Rights that change: Bob may write `doc`, and its administrator takes that away, in part or as a whole, and gives it back.
 * Breaks and news of rights travel in class VALIDATE, answers in FETCH, and neither waits for the other.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

type Rights = 'write' | 'read' | 'none';

interface State {
  rights: Rights;
  /** The number of the change of rights that is in force. */
  revision: number;
  /** The administrator was told that this one is. */
  inForce: number;
  version: number;
  /** The server's promise to Bob. */
  promised: boolean;
  /** His read waits at the server; rights were looked at when it came. */
  reads: boolean;
  /** His update is on its way into the server; rights were looked at when it began. */
  comes: boolean;
  bob: {
    link: 'open' | 'greeted' | 'none';
    rights: Rights;
    revision: number;
    /** What is cached; 0 is nothing. */
    version: number;
    promise: boolean;
    asks: boolean;
    log: 'none' | 'queued' | 'blocked';
  };
  news: (
    | { t: 'rights'; rights: Rights; revision: number }
    | { t: 'break' }
    | { t: 'welcome'; rights: Rights; revision: number }
  )[];
  answers: (
    | { t: 'contents'; version: number; revision: number }
    | { t: 'refused' }
    | { t: 'stored' }
    | { t: 'blocked' }
  )[];
  acks: number[];
  saved: boolean;
  left: { change: number; opens: number; saves: number; ada: number; cut: number };
}

/** Bob reads and saves while his rights change, and a connection may break. */
export function access(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      rights: 'write',
      revision: 1,
      inForce: 1,
      version: 1,
      promised: true,
      reads: false,
      comes: false,
      bob: {
        link: 'open',
        rights: 'write',
        revision: 1,
        version: 1,
        promise: true,
        asks: false,
        log: 'none',
      },
      news: [],
      answers: [],
      acks: [],
      saved: false,
      left: { change: 2, opens: 1, saves: 1, ada: 1, cut: 1 },
    },
    moves: (state) => [
      ...admins(state, rules),
      ...bobs(state, rules),
      ...servers(state, rules),
      ...links(state),
    ],
    check,
  };
}

const isInForce = ({ inForce, revision }: State): boolean => inForce === revision;

function admins(state: State, rules: Rules): Move<State>[] {
  if (state.left.change === 0 || !isInForce(state)) return [];
  const others = (['write', 'read', 'none'] as const).filter((rights) => rights !== state.rights);
  return others.map((rights) => ({
    says: `the administrator changes bob's right to doc to "${rights}"`,
    run: (s, tell) => {
      s.left.change--;
      s.revision++;
      s.rights = rights;
      // Rule A1: it counts when whoever it touches has heard of it, or has been away for a lease.
      const isTold = rules.A1 && (s.bob.link !== 'none' || s.promised);
      if (isTold && s.bob.link !== 'none')
        s.news.push({ t: 'rights', rights, revision: s.revision });
      if (isTold) tell.say('and the server waits until bob has heard of that');
      else s.inForce = s.revision;
      // Rule A5: whoever may not read is told of no change.
      if (rights === 'none' && rules.A5) s.promised = false;
      if (isTold && s.bob.link === 'none' && !s.promised) s.inForce = s.revision;
    },
  }));
}

function bobs(state: State, rules: Rules): Move<State>[] {
  const { bob, left, news, answers } = state;
  return possible([
    left.opens > 0 &&
      bob.link === 'open' &&
      !bob.promise &&
      !bob.asks && {
        says: 'bob opens doc, and asks the server for it',
        run: (s, tell) => ask(s, tell),
      },
    left.saves > 0 &&
      bob.rights === 'write' &&
      bob.log === 'none' && {
        says: 'bob saves doc; that is in his log',
        run: (s) => {
          s.left.saves--;
          s.saved = true;
          s.bob.log = 'queued';
        },
      },
    bob.log === 'queued' &&
      bob.link === 'open' &&
      !state.comes &&
      !answers.some(({ t }) => t === 'stored' || t === 'blocked') && {
        says: "bob's save begins to come to the server",
        run: (s, tell) => {
          if (s.rights === 'write') s.comes = true;
          else refuse(s, tell);
        },
      },
    news.length > 0 && {
      says: `bob gets ${told(news[0])}`,
      run: (s, tell) => hearNews(s, rules, tell),
    },
    answers.length > 0 && {
      says: `bob gets ${toldAnswer(answers[0])}`,
      run: (s, tell) => hearAnswer(s, rules, tell),
    },
  ]);
}

function told(message: State['news'][number] | undefined): string {
  if (message === undefined || message.t === 'break') return 'a break of doc';
  const change = `that his right is "${message.rights}" (change ${message.revision})`;
  return message.t === 'rights' ? `the news ${change}` : 'the answer to his Hello';
}

function toldAnswer(answer: State['answers'][number] | undefined): string {
  if (answer?.t === 'contents')
    return `version ${answer.version} of doc, decided under change ${answer.revision}`;
  return answer?.t === 'stored' ? 'the answer that his save is committed' : 'a refusal';
}

function ask(s: State, tell: Teller): void {
  s.left.opens--;
  s.bob.asks = true;
  if (s.rights !== 'none') {
    s.reads = true;
    return;
  }
  s.answers.push({ t: 'refused' });
  tell.say('which refuses');
}

function refuse(s: State, tell: Teller): void {
  s.comes = false;
  s.answers.push({ t: 'blocked' });
  tell.say('which refuses it');
}

function hearNews(s: State, rules: Rules, tell: Teller): void {
  const message = s.news.shift();
  if (message === undefined) return;
  if (message.t === 'break') {
    s.bob.promise = false;
    return;
  }
  if (message.t === 'welcome') s.bob.link = 'open';
  else s.acks.push(message.revision);
  if (message.t === 'welcome' && !rules['hello-rights']) return;
  const { rights, revision } = message;
  s.bob.rights = rights;
  s.bob.revision = revision;
  if (rights === 'none') {
    s.bob.version = 0;
    s.bob.promise = false;
    tell.say('and drops what he has of doc');
  }
  if (rights !== 'write' && s.bob.log === 'queued') block(s, rules, tell);
  else if (rights === 'write' && s.bob.log === 'blocked') s.bob.log = 'queued';
}

/** Rule A4: work that may not be sent any more is kept and listed. */
function block(s: State, rules: Rules, tell: Teller): void {
  s.bob.log = rules.A4 ? 'blocked' : 'none';
  tell.say(rules.A4 ? 'his save is blocked, and kept' : 'his save is refused, and leaves the log');
}

function hearAnswer(s: State, rules: Rules, tell: Teller): void {
  const answer = s.answers.shift();
  if (answer === undefined) return;
  if (answer.t === 'stored') s.bob.log = 'none';
  else if (answer.t === 'blocked') {
    if (s.bob.log === 'queued') block(s, rules, tell);
  } else takeContents(s, rules, answer, tell);
}

function takeContents(
  s: State,
  rules: Rules,
  answer: Extract<State['answers'][number], { t: 'contents' | 'refused' }>,
  tell: Teller,
): void {
  s.bob.asks = false;
  if (answer.t === 'refused') return;
  if (rules.A2 && answer.revision < s.bob.revision)
    return tell.say('and drops it: a later change of rights is known');
  s.bob.version = answer.version;
  s.bob.promise = s.promised;
  if (s.rights === 'none' && isInForce(s))
    tell.find(
      '6',
      'bob is shown doc, and the administrator was told that he may not read it any more',
    );
}

function servers(state: State, rules: Rules): Move<State>[] {
  return possible([
    state.left.ada > 0 && {
      says: "ada's save of doc is committed",
      run: (s, tell) => {
        s.left.ada--;
        s.version++;
        if (!s.promised) return;
        s.promised = false;
        if (s.bob.link === 'none') return;
        s.news.push({ t: 'break' });
        if (s.rights === 'none')
          tell.find(
            '6',
            'a break tells bob that doc has changed, of which he may not know anything',
          );
      },
    },
    state.reads && {
      says: 'the server answers bob',
      run: (s) => {
        s.reads = false;
        // Rule A3: rights are looked at again when it is answered.
        if (rules.A3 && s.rights === 'none') s.answers.push({ t: 'refused' });
        else {
          s.answers.push({ t: 'contents', version: s.version, revision: s.revision });
          s.promised = s.rights !== 'none' || !rules.A5;
        }
      },
    },
    state.comes && {
      says: "the server has all of bob's save",
      run: (s, tell) => {
        if (rules.A3 && s.rights !== 'write') return refuse(s, tell);
        s.comes = false;
        s.version++;
        s.saved = false;
        s.answers.push({ t: 'stored' });
        tell.say('and commits it');
        if (s.rights !== 'write' && isInForce(s))
          tell.find(
            '6',
            'a save of bob is committed, and the administrator was told that he may not write any more',
          );
      },
    },
    state.acks.length > 0 && {
      says: 'the server hears that bob knows of the change, and tells the administrator that it is in force',
      run: (s) => {
        s.inForce = Math.max(s.inForce, s.acks.shift() ?? 0);
      },
    },
  ]);
}

function links(state: State): Move<State>[] {
  const { link } = state.bob;
  return possible([
    state.left.cut > 0 &&
      link === 'open' && {
        says: "bob's connection breaks; what was under way is gone",
        run: (s) => {
          s.left.cut--;
          s.bob.link = 'none';
          s.bob.asks = false;
          Object.assign(s, { news: [], answers: [], acks: [], reads: false, comes: false });
        },
      },
    link === 'none' && {
      says: 'bob connects, says Hello and gives up what he was promised; the server answers',
      run: (s) => {
        s.bob.link = 'greeted';
        s.bob.promise = false;
        s.promised = false;
        s.news.push({ t: 'welcome', rights: s.rights, revision: s.revision });
        if (!isInForce(s)) s.news.push({ t: 'rights', rights: s.rights, revision: s.revision });
      },
    },
    link === 'none' &&
      (state.bob.promise || !isInForce(state)) && {
        says: 'nothing is heard of bob for long: his lease runs out, at both ends',
        run: (s) => {
          s.bob.promise = false;
          s.promised = false;
          s.inForce = s.revision;
        },
      },
  ]);
}

function check(state: State, tell: Teller): void {
  const { bob, rights } = state;
  const isShown = bob.link === 'open' && bob.version > 0;
  if (isShown && rights === 'none' && isInForce(state))
    tell.find(
      '6',
      'bob, who is connected, reads doc on his disk, and the administrator was told that he may not read it any more',
    );
  if (state.saved && bob.log === 'none') tell.find('1', 'what bob saved is nowhere any more');
}
