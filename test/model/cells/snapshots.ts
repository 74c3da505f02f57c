/**
 * Snapshots: named points in the history of a volume with two files. Ada saves `a` and then `b`, and so on; Cyd reads the
 * snapshot, and keeps what he read, since nothing in a snapshot changes. Retention keeps nothing by itself here.
 */
import { copyOf } from '../state.ts';
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

/** Contents are numbers of saves, in the order in which Ada made them. */
interface Cut {
  readonly a: number;
  readonly b: number;
}

interface Snapshot {
  /** The commit, by its place in the history. */
  at: number;
  /** Of the server that made it. */
  epoch: number;
  /** What was read file by file, only without rule H1; null is not yet. */
  copied: { a: number; b: number | null } | null;
  /** Of the checks: what it showed when it was made. */
  showed: Cut;
}

interface Disk {
  epoch: number;
  commits: Cut[];
  snapshot: Snapshot | null;
  /** Contents that collection removed. */
  gone: number[];
}

interface State {
  disk: Disk;
  backup: Disk;
  /** Decided, and not durable. */
  staged: Cut | null;
  saves: number;
  /** Saves up to this one are of a history that a restore put aside (rule I1). */
  aside: number;
  cydMay: boolean;
  /** What Cyd read, under what he takes for its name. */
  cache: { key: string; cut: Cut } | null;
  left: {
    saves: number;
    fail: number;
    make: number;
    remove: number;
    collect: number;
    restore: number;
    withdraw: number;
  };
}

const FIRST: Cut = { a: 0, b: 0 };

/** A volume is saved, collected and restored while a snapshot of it is made, read and removed. */
export function snapshots(rules: Rules): WorldOfMoves<State> {
  const disk: Disk = { epoch: 0, commits: [FIRST], snapshot: null, gone: [] };
  return {
    start: {
      disk,
      backup: copyOf(disk),
      staged: null,
      saves: 0,
      aside: 0,
      cydMay: true,
      cache: null,
      left: { saves: 3, fail: 1, make: 2, remove: 1, collect: 1, restore: 1, withdraw: 1 },
    },
    moves: (state) => [
      ...commits(state),
      ...people(state, rules),
      ...reads(state, rules),
      ...upkeep(state, rules),
    ],
    check,
  };
}

const headOf = ({ disk, staged }: State): Cut => staged ?? disk.commits.at(-1) ?? FIRST;

function commits({ staged, left, saves }: State): Move<State>[] {
  const file = saves % 2 === 0 ? 'a' : 'b';
  return possible([
    staged === null &&
      left.saves > 0 && {
        says: `ada saves ${file} (save ${saves + 1}); the server decides the commit`,
        run: (s) => {
          s.left.saves--;
          s.staged = { ...headOf(s), [file]: ++s.saves };
        },
      },
    staged !== null && {
      says: 'the commit is durable',
      run: (s) => {
        if (s.staged !== null) s.disk.commits.push(s.staged);
        s.staged = null;
      },
    },
    staged !== null &&
      left.fail > 0 && {
        says: 'the commit fails with its group, and ada keeps her save in her log',
        run: (s) => {
          s.left.fail--;
          s.staged = null;
          s.saves--;
          s.left.saves++;
        },
      },
  ]);
}

function people({ disk, left, cydMay }: State, rules: Rules): Move<State>[] {
  const { snapshot } = disk;
  return possible([
    snapshot === null &&
      left.make > 0 && {
        says: 'the administrator makes the snapshot "yesterday"',
        run: (s, tell) => make(s, rules, tell),
      },
    snapshot?.copied?.b === null && {
      says: 'and the copy of it goes on with b',
      run: (s) => finish(s),
    },
    snapshot !== null &&
      left.remove > 0 && {
        says: 'the administrator removes the snapshot',
        run: (s) => {
          s.left.remove--;
          s.disk.snapshot = null;
        },
      },
    cydMay &&
      left.withdraw > 0 && {
        says: "the administrator takes cyd's right away, which he hears of",
        run: (s) => {
          s.left.withdraw--;
          s.cydMay = false;
          s.cache = null;
        },
      },
  ]);
}

function make(s: State, rules: Rules, tell: Teller): void {
  s.left.make--;
  const { commits: past, epoch } = s.disk;
  const head = past.at(-1) ?? FIRST;
  const isOfStaged = !rules['durable-cut'] && s.staged !== null;
  const at = past.length - (isOfStaged ? 0 : 1);
  const showed = isOfStaged ? headOf(s) : head;
  const copied = rules.H1 ? null : { a: head.a, b: null };
  if (copied !== null) tell.say('by reading one file after the other, of which a is done');
  else
    tell.say(
      `which is the number of commit ${at}${isOfStaged ? ', the last that is decided' : ''}`,
    );
  s.disk.snapshot = { at, epoch, copied, showed };
}

function finish(s: State): void {
  const { snapshot, commits: past } = s.disk;
  if (snapshot?.copied === null || snapshot === null) return;
  const b = past.at(-1)?.b ?? 0;
  snapshot.copied.b = b;
  snapshot.showed = { a: snapshot.copied.a, b };
}

/** What the server shows in it; null is that it has nothing to show. */
function shownBy({ disk }: State, snapshot: Snapshot): Cut | null {
  if (snapshot.copied !== null) return snapshot.copied.b === null ? null : snapshot.showed;
  return disk.commits[snapshot.at] ?? null;
}

function keyOf({ at, epoch }: Snapshot, rules: Rules): string {
  if (!rules.H3) return 'yesterday';
  return rules['snapshot-epoch'] ? `${epoch}/${at}` : `${at}`;
}

function reads(state: State, rules: Rules): Move<State>[] {
  const { snapshot } = state.disk;
  if (snapshot === null) return [];
  // Rule H4: the rights of today count, not those that were in force when it was made.
  if (!state.cydMay && rules.H4) return [];
  const key = keyOf(snapshot, rules);
  const isCached = state.cache?.key === key;
  return [
    {
      says: `cyd reads "yesterday"${isCached ? ', of which he has a copy' : ', and keeps a copy'}`,
      run: (s, tell) => {
        const shown = isCached ? (s.cache?.cut ?? null) : shownBy(s, snapshot);
        if (shown === null) return;
        s.cache = { key, cut: shown };
        if (!s.cydMay)
          tell.find('6', 'cyd is shown the volume as it was when he still had his right');
        if (shown.a !== snapshot.showed.a || shown.b !== snapshot.showed.b)
          tell.find(
            'a snapshot stays',
            `cyd is shown ${inWords(shown)}, and the snapshot has ${inWords(snapshot.showed)}`,
          );
      },
    },
  ];
}

const inWords = ({ a, b }: Cut): string => `a of save ${a} and b of save ${b}`;

function upkeep(state: State, rules: Rules): Move<State>[] {
  const { left } = state;
  return possible([
    left.collect > 0 && {
      says: 'collection removes what no present version and no snapshot needs',
      run: (s) => collect(s, rules),
    },
    left.restore > 0 &&
      state.staged === null && {
        says: 'the server is restored from its backup, in which nothing of this had happened',
        run: (s) => {
          s.left.restore--;
          s.aside = s.saves;
          s.disk = { ...copyOf(s.backup), epoch: s.disk.epoch + 1 };
        },
      },
  ]);
}

/** Rule H2: contents that a snapshot shows are needed. */
function collect(s: State, rules: Rules): void {
  s.left.collect--;
  const { disk, staged } = s;
  const cuts = [disk.commits.at(-1) ?? FIRST, ...(staged === null ? [] : [staged])];
  if (rules.H2 && disk.snapshot !== null) cuts.push(disk.snapshot.showed);
  const needed = new Set(cuts.flatMap(({ a, b }) => [a, b]));
  for (const { a, b } of disk.commits) {
    for (const content of [a, b]) {
      if (!needed.has(content) && !disk.gone.includes(content)) disk.gone.push(content);
    }
  }
}

function check(state: State, tell: Teller): void {
  const { snapshot, gone } = state.disk;
  if (snapshot === null) return;
  const { showed } = snapshot;
  const lost = [showed.a, showed.b].find((content) => gone.includes(content));
  if (lost !== undefined)
    tell.find(
      'a snapshot stays',
      `the contents of save ${lost}, which the snapshot shows, are collected`,
    );
  const isDone = snapshot.copied === null || snapshot.copied.b !== null;
  if (isDone && showed.b > showed.a + 1 && showed.b - 1 > state.aside)
    tell.find(
      '4',
      `the snapshot has save ${showed.b} of ada, and is without save ${showed.b - 1}, which came before it`,
    );
  const shown = shownBy(state, snapshot);
  if (state.staged !== null || !isDone) return;
  if (shown === null)
    tell.find(
      'a snapshot stays',
      'the snapshot is of a commit that never came to be, and shows nothing',
    );
  else if (shown.a !== showed.a || shown.b !== showed.b)
    tell.find(
      'a snapshot stays',
      `the snapshot showed ${inWords(showed)} when it was made, and shows ${inWords(shown)}`,
    );
}
