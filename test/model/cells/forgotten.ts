/**
 * What is forgotten and asked for anew: bob looks at a directory that ada changes. He asks for its status, or for one name in it, and gives his
 * promise up when he forgets it. Messages take each other's place, but for answers, which wait for the breaks that were sent before them.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

type Asked = 'status' | 'name';

type Up = { t: 'ask'; what: Asked; id: number } | { t: 'give-up'; upTo: number };

type Down =
  | { t: 'answer'; what: Asked; id: number; version: number; grant: number; own: boolean }
  | { t: 'break'; upTo: number };

interface State {
  server: { version: number; grants: number; promise: number; own: boolean };
  bob: {
    /** Of the status that he has; 0: none. */
    version: number;
    grant: number;
    own: boolean;
    /** Of the name that he has; 0: none. */
    name: number;
    /** Grants up to this one are void for the requests up to `relevantTo`. */
    voided: { upTo: number; relevantTo: number };
    open: number[];
    asked: number;
    /** He has saved something in it that nobody was told of. */
    hidden: boolean;
  };
  up: Up[];
  down: Down[];
  /** Ada was told that this version is committed. */
  told: number;
  left: { asks: number; saves: number; forgets: number; hides: number };
}

/** Bob looks, forgets and looks again while ada changes what he looks at. */
export function forgotten(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      server: { version: 1, grants: 0, promise: 0, own: false },
      bob: {
        ...{ version: 0, grant: 0, own: false, name: 0 },
        ...{ voided: { upTo: 0, relevantTo: 0 }, open: [], asked: 0, hidden: false },
      },
      up: [],
      down: [],
      told: 1,
      left: { asks: 3, saves: 2, forgets: 1, hides: 1 },
    },
    moves: (state) => [
      ...bobs(state, rules),
      ...atServer(state, rules),
      ...arrivals(state, rules),
      ...adas(state),
    ],
    check: (state, tell) => check(state, rules, tell),
  };
}

function bobs({ bob, left }: State, rules: Rules): Move<State>[] {
  const asks = (what: Asked): Move<State> => ({
    says: what === 'name' ? 'bob asks for a name in desk' : 'bob asks for the status of desk',
    run: (s) => {
      s.left.asks--;
      s.bob.asked++;
      s.bob.open.push(s.bob.asked);
      s.up.push({ t: 'ask', what, id: s.bob.asked });
    },
  });
  const isKept = bob.hidden && rules['hidden-kept'];
  return possible([
    left.asks > 0 && asks('status'),
    left.asks > 0 && asks('name'),
    bob.grant > 0 &&
      left.forgets > 0 &&
      !isKept && {
        says: 'bob forgets desk, and gives its promise up',
        run: (s) => giveUp(s, rules),
      },
    bob.own &&
      left.hides > 0 && {
        says: 'bob saves in desk, and tells nobody, since desk is his own',
        run: (s) => {
          s.left.hides--;
          s.bob.hidden = true;
        },
      },
  ]);
}

function giveUp(s: State, rules: Rules): void {
  s.left.forgets--;
  s.up.push({ t: 'give-up', upTo: s.bob.grant });
  if (rules['given-up-voids']) voidUpTo(s, s.bob.grant);
  s.bob.grant = 0;
  s.bob.version = 0;
  s.bob.name = 0;
  s.bob.own = false;
}

function voidUpTo({ bob }: State, upTo: number): void {
  const youngest = bob.open.at(-1);
  if (youngest === undefined) return;
  bob.voided = { upTo: Math.max(bob.voided.upTo, upTo), relevantTo: youngest };
}

function atServer({ up }: State, rules: Rules): Move<State>[] {
  return up.map((message, nth) => ({
    says:
      message.t === 'ask'
        ? `the server answers question ${message.id}`
        : `the server hears that bob gives up grants up to ${message.upTo}`,
    run: (s, tell) => {
      s.up.splice(nth, 1);
      if (message.t === 'ask') return answer(s, message);
      const { server } = s;
      if (rules.N3 && server.promise > message.upTo) return;
      if (server.promise > message.upTo)
        tell.say('and takes what it has promised since for given up');
      server.promise = 0;
      server.own = false;
    },
  }));
}

function answer({ server, down }: State, { what, id }: Up & { t: 'ask' }): void {
  server.promise = ++server.grants;
  server.own ||= what === 'status';
  const { version, grants: grant, own } = server;
  down.push({ t: 'answer', what, id, version, grant, own });
}

function arrivals({ down }: State, rules: Rules): Move<State>[] {
  return possible(
    down.map((message, nth) => {
      if (message.t === 'break') {
        return {
          says: `the break of grants up to ${message.upTo} arrives at bob, who acknowledges it`,
          run: (s) => {
            s.down.splice(nth, 1);
            voidUpTo(s, message.upTo);
            if (s.bob.grant <= message.upTo) s.bob.grant = 0;
            if (s.bob.grant === 0) s.bob.own = false;
            // The acknowledgement tells of it.
            s.bob.hidden = false;
            s.told = s.server.version;
          },
        };
      }
      const isBehindBreak = down.slice(0, nth).some(({ t }) => t === 'break');
      return (
        !isBehindBreak && {
          says: `answer ${message.id} arrives at bob, with grant ${message.grant}`,
          run: (s) => {
            s.down.splice(nth, 1);
            take(s, message, rules);
          },
        }
      );
    }),
  );
}

function take(s: State, message: Down & { t: 'answer' }, rules: Rules): void {
  const { bob } = s;
  const { voided } = bob;
  const isVoid = message.grant <= voided.upTo && message.id <= voided.relevantTo;
  bob.open = bob.open.filter((id) => id !== message.id);
  if (message.version >= bob.version) {
    bob.version = message.version;
    if (!isVoid && message.grant > bob.grant) {
      bob.grant = message.grant;
      bob.own ||= message.own;
    }
  }
  if (message.what === 'status') return;
  // Rule N1: it counts beside the status of the version that it was told with.
  if (!rules.N1 || message.version === bob.version) bob.name = message.version;
}

function adas({ server, left, down }: State): Move<State>[] {
  const isWaiting = down.some(({ t }) => t === 'break');
  return possible([
    left.saves > 0 &&
      !isWaiting && {
        says: `ada changes desk (version ${server.version + 1})`,
        run: (s, tell) => {
          s.left.saves--;
          s.server.version++;
          if (s.server.promise === 0) {
            tell.say('nobody holds a promise, so she is told at once');
            s.told = s.server.version;
            return;
          }
          s.server.promise = 0;
          s.server.own = false;
          s.down.push({ t: 'break', upTo: s.server.grants });
        },
      },
  ]);
}

function check({ bob, server, told, up, down }: State, rules: Rules, tell: Teller): void {
  if (bob.grant > 0 && bob.version > 0 && bob.version < told) {
    tell.find(
      '3',
      `bob takes version ${bob.version} for the present one, and ada knows of ${told}`,
    );
  }
  const counts = bob.name > 0 && bob.grant > 0 && (!rules.N1 || bob.name === bob.version);
  if (counts && bob.name < told) {
    tell.find('3', `bob finds a name as of version ${bob.name}, and ada knows of ${told}`);
  }
  const isUnderWay = up.length > 0 || down.length > 0;
  if (bob.hidden && !bob.own && !server.own && !isUnderWay && server.version === 1) {
    tell.find(
      '3',
      'whoever reads desk now is shown it without the save of bob, and nobody told of that',
    );
  }
}
