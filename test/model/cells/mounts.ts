/**
 * Mount points and a plain folder: `team` is shown in a directory of Bob's volume `home`. His disk holds its file `notes`
 * and his own `doc`. What his daemon was told of rights and what it found on the disk are two things, and either may come first.
 */
import { possible, type Move, type Teller, type WorldOfMoves } from '../machine.ts';
import type { Rules } from '../rules.ts';

type Logged = 'save notes' | 'remove notes' | 'add doc' | 'remove doc' | 'add stray';

interface State {
  /** The server lets him use `team`; what his daemon knows follows. */
  may: boolean;
  knows: boolean;
  /** What is committed. */
  team: { notes: 'first' | 'edited' | 'removed'; doc: boolean };
  home: { doc: boolean; stray: boolean };
  /** What lies on his disk. `folder` is that of the mount point. */
  disk: { folder: boolean; notes: 'same' | 'edited' | 'none'; doc: 'home' | 'team' };
  held: boolean;
  log: Logged[];
  /** Kept and listed: work that may not be sent now. */
  kept: Logged[];
  edited: boolean;
  left: {
    edit: number;
    vanish: number;
    back: number;
    withdraw: number;
    give: number;
    stray: number;
    mv: number;
  };
}

/** Bob works in a folder in which another volume is mounted, and his right to that volume changes. */
export function mounts(rules: Rules): WorldOfMoves<State> {
  return {
    start: {
      may: true,
      knows: true,
      team: { notes: 'first', doc: false },
      home: { doc: true, stray: false },
      disk: { folder: true, notes: 'same', doc: 'home' },
      held: false,
      log: [],
      kept: [],
      edited: false,
      left: { edit: 1, vanish: 1, back: 1, withdraw: 1, give: 1, stray: 1, mv: 1 },
    },
    moves: (state) => [
      ...programs(state, rules),
      ...scans(state, rules),
      ...rights(state, rules),
      ...sends(state, rules),
    ],
    check,
  };
}

/** What people and disks do in the folder. */
function programs({ left, disk, knows, may }: State, rules: Rules): Move<State>[] {
  return possible([
    left.edit > 0 &&
      knows &&
      disk.notes === 'same' && {
        says: 'a program of bob writes team/notes',
        run: (s) => {
          s.left.edit--;
          s.disk.notes = 'edited';
          s.edited = true;
        },
      },
    left.vanish > 0 &&
      disk.folder &&
      disk.notes === 'same' && {
        says: 'the folder team is gone from his disk as a whole: its disk is not mounted',
        run: (s) => {
          s.left.vanish--;
          s.disk.folder = false;
          s.disk.notes = 'none';
        },
      },
    left.stray > 0 &&
      !knows &&
      !may && {
        says: 'bob writes a file into team, where nothing is shown',
        run: (s, tell) => stray(s, rules, tell),
      },
    left.mv > 0 &&
      disk.doc === 'home' &&
      knows && {
        says: 'bob moves doc into team; in the folder that is a rename',
        run: (s) => {
          s.left.mv--;
          s.disk.doc = 'team';
        },
      },
  ]);
}

/** Rule M2: what is not there takes no writes; a folder keeps and lists them. */
function stray(s: State, rules: Rules, tell: Teller): void {
  s.left.stray--;
  if (rules.M2) {
    s.kept.push('add stray');
    tell.say('which is kept and listed: team may not be written');
  } else {
    s.log.push('add stray');
    tell.say('and it is logged as a file of home, beneath the mount point');
  }
}

/** What the daemon makes of what it finds on the disk. */
function scans({ disk, held, knows, log, home, team }: State, rules: Rules): Move<State>[] {
  const isMoved = disk.doc === 'team' && home.doc && !log.includes('remove doc');
  return possible([
    knows &&
      disk.notes === 'edited' &&
      !log.includes('save notes') && {
        says: "bob's daemon finds the new contents of team/notes, and logs them",
        run: (s) => {
          s.log.push('save notes');
          s.disk.notes = 'same';
        },
      },
    knows &&
      !disk.folder &&
      !held &&
      !log.includes('remove notes') &&
      team.notes !== 'removed' && {
        says: "bob's daemon finds that all of team is gone",
        run: (s, tell) => {
          if (rules.M4) {
            s.held = true;
            tell.say('holds that, and asks which is meant');
          } else {
            s.log.push('remove notes');
            tell.say('and logs the removal of notes');
          }
        },
      },
    knows &&
      isMoved && {
        says: "bob's daemon finds the move, and logs that doc is added to team and removed from home",
        run: (s) => s.log.push('add doc', 'remove doc'),
      },
  ]);
}

function rights({ left, may, knows, disk }: State, rules: Rules): Move<State>[] {
  return possible([
    left.withdraw > 0 &&
      may && {
        says: "the owner of team takes bob's right away",
        run: (s) => {
          s.left.withdraw--;
          s.may = false;
        },
      },
    left.give > 0 &&
      !may && {
        says: 'the owner gives it back',
        run: (s) => {
          s.left.give--;
          s.may = true;
        },
      },
    knows !== may && {
      says: `bob's daemon hears that it may ${may ? '' : 'not '}use team`,
      run: (s, tell) => (s.may ? shows(s) : withdraws(s, rules, tell)),
    },
    left.back > 0 &&
      !disk.folder &&
      knows && {
        says: 'the disk with team is there again',
        run: (s) => {
          s.left.back--;
          s.disk.folder = true;
          s.disk.notes = 'same';
          s.held = false;
        },
      },
  ]);
}

function shows(s: State): void {
  s.knows = true;
  s.disk.folder = true;
  if (s.disk.notes === 'none') s.disk.notes = 'same';
  s.log.push(...s.kept.filter((each) => each === 'save notes' && !s.log.includes(each)));
  s.kept = s.kept.filter((each) => each !== 'save notes');
}

/** Rule M5: unchanged files go, changed ones are kept, and nothing of it is a removal. */
function withdraws(s: State, rules: Rules, tell: Teller): void {
  s.knows = false;
  s.held = false;
  if (rules.M5 && s.disk.notes === 'edited') {
    s.kept.push('save notes');
    tell.say('keeps the changed notes, and lists them');
  } else if (s.disk.notes !== 'none') {
    tell.say('and takes notes off the disk');
    if (!rules['withdrawn-silent']) {
      s.log.push('remove notes');
      tell.say('which its own watcher finds and logs as a removal');
    }
  }
  s.disk.notes = 'none';
}

function sends(state: State, rules: Rules): Move<State>[] {
  return possible(
    state.log.map((entry, nth) => {
      const isOfTeam = entry !== 'remove doc' && entry !== 'add stray';
      if (isOfTeam && !state.may) return false;
      // Rule M3: what is removed here waits for what was added there.
      if (entry === 'remove doc' && rules.M3 && !state.team.doc) return false;
      return {
        says: `bob's update "${entry}" is committed`,
        run: (s) => {
          s.log.splice(nth, 1);
          if (entry === 'save notes') s.team.notes = 'edited';
          if (entry === 'remove notes') s.team.notes = 'removed';
          if (entry === 'add doc') s.team.doc = true;
          if (entry === 'remove doc') s.home.doc = false;
          if (entry === 'add stray') s.home.stray = true;
        },
      };
    }),
  );
}

function check({ team, home, disk, log, kept, knows, edited }: State, tell: Teller): void {
  if (team.notes === 'removed')
    tell.find(
      'nothing removed unasked',
      'notes is removed for all members of team, and nobody asked for that',
    );
  const isKept = [...log, ...kept].includes('save notes');
  if (edited && disk.notes !== 'edited' && team.notes !== 'edited' && !isKept)
    tell.find('1', 'what the program wrote to notes is nowhere any more');
  if (home.stray && knows)
    tell.find(
      '1',
      'the file that bob wrote lies beneath the mount point, where nobody is shown it',
    );
  if (!home.doc && !team.doc)
    tell.find(
      '4',
      'everybody else is shown doc in neither volume: it was removed before it was added',
    );
}

interface Ring {
  /** What each volume mounts. */
  mounts: { a: boolean; b: boolean };
  logged: { a: boolean; b: boolean };
  walk: ('a' | 'b')[];
}

/** Ada sees volume a and mounts b in it, Bob sees b and mounts a in it, and Cyd walks down. */
export function ring(rules: Rules): WorldOfMoves<Ring> {
  const other = { a: 'b', b: 'a' } as const;
  return {
    start: { mounts: { a: false, b: false }, logged: { a: false, b: false }, walk: ['a'] },
    moves: ({ mounts: made, logged, walk }) => {
      const makes = (['a', 'b'] as const).flatMap((volume) => [
        !logged[volume] &&
          !made[other[volume]] && {
            says: `${volume === 'a' ? 'ada' : 'bob'} mounts ${other[volume]} in ${volume}, and sees no ring`,
            run: (s: Ring) => {
              s.logged[volume] = true;
            },
          },
        logged[volume] &&
          !made[volume] && {
            says: `the server of ${volume} commits the mount point`,
            run: (s: Ring) => {
              s.mounts[volume] = true;
            },
          },
      ]);
      const here = walk.at(-1) ?? 'a';
      const isSecond = walk.includes(other[here]);
      const isCut = isSecond && rules['cut-at-crossing'];
      return possible([
        ...makes,
        made[here] &&
          !isCut && {
            says: `cyd walks from ${here} into ${other[here]}`,
            run: (s: Ring) => s.walk.push(other[here]),
          },
      ]);
    },
    check: ({ walk }, tell) => {
      if (new Set(walk).size < walk.length)
        tell.find(
          'one tree',
          `cyd is in volume ${walk.at(-1) ?? ''} for the second time, and the walk has no end`,
        );
    },
  };
}
