/**
 * Numbers of updates when a volume moves: Ada has two volumes, `home` at the second server and `team` at the first, which
 * moves to the second. Bob reads `team`. Breaks reach him at once, and so do his questions the server; that is what the
 * other scopes are for.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

type Volume = 'home' | 'team';
type Place = 'first' | 'second';

interface Update {
  readonly uid: number;
  readonly volume: Volume;
  readonly seq: number;
}

interface Kept {
  /** `volume/number`, or the number alone without rule M1. */
  applied: string[];
  /** By volume, or of the device as a whole under `all`. */
  low: Record<string, number>;
  /** Updates that the server was told of, and that have not come. */
  marks: number[];
  /** It knows that Bob holds a promise for `team`. */
  knowsBob: boolean;
}

interface State {
  team: Place;
  first: Kept;
  second: Kept;
  /** The second server commits nothing in `team` until who may hold a promise has had it for a lease. */
  waits: boolean;
  log: Update[];
  next: Record<string, number>;
  up: { to: Place; update: Update; low: number }[];
  down: Update[];
  committed: { uid: number; volume: Volume }[];
  told: number[];
  /** How many updates of `team` Bob knows of, under a promise; null is none. */
  bob: number | null;
  left: { team: number; home: number; cut: number; move: number; opens: number };
}

const key = (rules: Rules, volume: Volume): string => (rules.M1 ? volume : 'all');
const rowOf = (rules: Rules, { volume, seq }: Update): string =>
  rules.M1 ? `${volume}/${seq}` : `${seq}`;
const custodian = (state: State, volume: Volume): Place =>
  volume === 'home' ? 'second' : state.team;
const inTeam = (state: State): number =>
  state.committed.filter(({ volume }) => volume === 'team').length;

function kept(knowsBob: boolean): Kept {
  return { applied: [], low: {}, marks: [], knowsBob };
}

/** Ada saves in two volumes while one of them moves to another server. */
export function numbers(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      team: 'first',
      first: kept(true),
      second: kept(false),
      waits: false,
      log: [],
      next: rules.M1 ? { home: 1, team: 1 } : { all: 1 },
      up: [],
      down: [],
      committed: [],
      told: [],
      bob: 0,
      left: { team: 1, home: 1, cut: 1, move: 1, opens: 1 },
    },
    moves: (state) => [
      ...adas(state, rules),
      ...servers(state, rules),
      ...worlds(state, rules),
      ...bobs(state),
    ],
    check,
  };
}

function adas(state: State, rules: Rules): Move<State>[] {
  const saves = (['team', 'home'] as const).map((volume): Move<State> | false => {
    if (state.left[volume] === 0) return false;
    const seq = state.next[key(rules, volume)] ?? 1;
    return {
      says: `ada saves a file of ${volume} (update ${seq}), and the server is told of it`,
      run: (s) => save(s, rules, volume, seq),
    };
  });
  const sends = state.log.map((update): Move<State> | false => {
    const isUnderWay = state.up.some(({ update: { uid } }) => uid === update.uid);
    if (isUnderWay || state.down.some(({ uid }) => uid === update.uid)) return false;
    const to = custodian(state, update.volume);
    const low = lowWaterAt(state, rules, to, update);
    return {
      says: `ada sends update ${update.seq} of ${update.volume} to the ${to} server, and says that all below ${low} are answered`,
      run: (s) => s.up.push({ to, update, low }),
    };
  });
  const hears = state.down.map((update): Move<State> => ({
    says: `ada learns that update ${update.seq} of ${update.volume} is committed`,
    run: (s) => {
      s.down = s.down.filter(({ uid }) => uid !== update.uid);
      s.log = s.log.filter(({ uid }) => uid !== update.uid);
    },
  }));
  return [...possible([...saves, ...sends]), ...hears];
}

function save(s: State, rules: Rules, volume: Volume, seq: number): void {
  s.left[volume]--;
  s.next[key(rules, volume)] = seq + 1;
  const update = { uid: volume === 'team' ? 1 : 2, volume, seq };
  s.log.push(update);
  const at = s[custodian(s, volume)];
  at.marks.push(update.uid);
  if (volume === 'team' && at.knowsBob) takePromise(s, at);
}

function takePromise(s: State, at: Kept): void {
  s.bob = null;
  at.knowsBob = false;
}

/** Without rule M1 a device counts what it waits for of one server, in one row of numbers for all volumes. */
function lowWaterAt(state: State, rules: Rules, to: Place, update: Update): number {
  const waited = state.log.filter(({ volume }) =>
    rules.M1 ? volume === update.volume : custodian(state, volume) === to,
  );
  return Math.min(...waited.map(({ seq }) => seq));
}

function servers(state: State, rules: Rules): Move<State>[] {
  return possible(
    state.up.map(({ to, update, low }, nth) => {
      if (state.waits && to === 'second' && update.volume === 'team') return false;
      return {
        says: `the ${to} server gets ada's update ${update.seq} of ${update.volume}`,
        run: (s, tell) => {
          s.up.splice(nth, 1);
          take(s, rules, { to, update, low }, tell);
        },
      };
    }),
  );
}

function take(
  s: State,
  rules: Rules,
  { to, update, low }: State['up'][number],
  tell: Teller,
): void {
  if (custodian(s, update.volume) !== to) return tell.say('and answers that it has moved');
  const at = s[to];
  const by = key(rules, update.volume);
  const row = rowOf(rules, update);
  const isOld = update.seq < (at.low[by] ?? 1);
  if (isOld) tell.say('and takes it for one that was answered long ago');
  else if (at.applied.includes(row)) tell.say('again, and knows that it is applied');
  else commit(s, at, update, row, tell);
  at.low[by] = Math.max(at.low[by] ?? 1, low);
  s.down.push(update);
  s.told.push(update.uid);
  s.told = [...new Set(s.told)].sort((a, b) => a - b);
}

function commit(s: State, at: Kept, update: Update, row: string, tell: Teller): void {
  if (update.volume === 'team' && at.knowsBob) takePromise(s, at);
  s.committed.push({ uid: update.uid, volume: update.volume });
  at.applied.push(row);
  at.marks = at.marks.filter((uid) => uid !== update.uid);
  tell.say('commits it, and tells ada');
}

function worlds(state: State, rules: Rules): Move<State>[] {
  return possible([
    state.left.move > 0 && {
      says: 'team moves from the first server to the second',
      run: (s) => moveTeam(s, rules),
    },
    state.left.cut > 0 &&
      state.up.length + state.down.length > 0 && {
        says: "ada's connections break; what was under way is gone",
        run: (s) => {
          s.left.cut--;
          s.up = [];
          s.down = [];
        },
      },
  ]);
}

/** The rows of `team` go along: what was applied, its low water, and what is still to come. */
function moveTeam(s: State, rules: Rules): void {
  s.left.move--;
  s.team = 'second';
  const { first, second } = s;
  if (rules['applied-moves']) second.applied.push(...first.applied);
  if (rules.M1 && first.low['team'] !== undefined) second.low['team'] = first.low['team'];
  if (rules['marks-move']) second.marks.push(...first.marks);
  s.first = kept(false);
  s.waits = rules['move-waits'] && s.bob !== null;
}

function bobs(state: State): Move<State>[] {
  return possible([
    state.bob !== null && {
      says: "nothing of team is heard for long: bob's lease runs out",
      run: (s) => {
        s.bob = null;
        s[s.team].knowsBob = false;
        s.waits = false;
      },
    },
    state.left.opens > 0 &&
      state.bob === null &&
      !state.waits && {
        says: 'bob opens the file of team',
        run: (s, tell) => open(s, tell),
      },
  ]);
}

function open(s: State, tell: Teller): void {
  s.left.opens--;
  const at = s[s.team];
  const hidden = s.log.filter(
    ({ uid, volume }) => volume === 'team' && !s.committed.some((each) => each.uid === uid),
  );
  if (hidden.some(({ uid }) => at.marks.includes(uid)))
    return tell.say('and is shown it with a flag: a save of ada is to come');
  if (hidden.length > 0)
    tell.find(
      '3',
      'bob is shown team as if it were the latest, though a server was told of a save of ada that has not come',
    );
  s.bob = inTeam(s);
  at.knowsBob = true;
}

function check(state: State, tell: Teller): void {
  const lost = state.told.find((uid) => !state.committed.some((each) => each.uid === uid));
  if (lost !== undefined)
    tell.find('1', 'ada was told that her save is committed, and it is nowhere');
  const uids = state.committed.map(({ uid }) => uid);
  if (new Set(uids).size < uids.length)
    tell.find('exactly once', 'one update of ada is applied twice');
  const told = state.committed.filter(
    ({ uid, volume }) => volume === 'team' && state.told.includes(uid),
  );
  if (state.bob !== null && state.bob < told.length)
    tell.find(
      '3',
      'bob reads team under his promise, without a save that ada was told is committed',
    );
}
