import { expect, it } from '@jest/globals';
import { instant, milliseconds, wallTime } from '../../../../shared/model/time.ts';
import { mtimeFromMs } from '../../../../shared/model/vnode.ts';
import { DirtyPaths } from './dirty-paths.ts';
import type { DiskFacts } from '../disk/disk-facts.ts';

const LIMITS = {
  settle: milliseconds(300),
  settleOpen: milliseconds(2000),
  openMost: milliseconds(20_000),
  rest: milliseconds(15),
  restNew: milliseconds(60),
  restPause: milliseconds(500),
  restPaths: 2,
  tick: milliseconds(10),
};
/** On a disk with fine times. */
const facts = (ctimeMs: number): DiskFacts => ({
  ...{ kind: 'file', inode: '1', size: 1, mode: 0o644, links: 1, target: null },
  ...{ mtime: mtimeFromMs(ctimeMs), ctime: `${BigInt(mtimeFromMs(ctimeMs)) + 1n}` },
});

/** Looks at the path when it is due, from 15 ms on; gives when that was, until it has settled. */
function lookedAt(paths: DirtyPaths, restsFrom: number): number[] {
  const looks: number[] = [];
  for (let at = 15; looks.length < 20; at = paths.nextDue() ?? Infinity) {
    looks.push(at);
    const about = { now: instant(at), wall: wallTime(at), rests: () => at >= restsFrom };
    if (paths.isStable('a', facts(Math.min(at, restsFrom)), about)) return looks;
  }
  return looks;
}

it('a known file is looked at soon and accepted if it has rested', () => {
  const paths = new DirtyPaths(LIMITS);
  const hint = (at: number): number => {
    const delay = paths.delayOf('a', instant(at));
    paths.hint('a', instant(at), { live: true, delay });
    return delay;
  };
  expect([hint(0), hint(10)]).toEqual([15, 15]);
  expect(lookedAt(paths, 0)).toEqual([15]);
  expect([hint(20), hint(300), hint(514), hint(516)]).toEqual([300, 300, 300, 15]);
  expect(paths.delayOf('b', instant(510))).toBe(15);
});

it.each([
  ['it was quiet for the usual time', 320, 15],
  ['it was not quiet, as in a save of several steps', 309, 300],
])('a file that was accepted soon and is saved again waits as needed: %s', (_, again, delay) => {
  const paths = new DirtyPaths(LIMITS);
  const hint = (at: number): number => {
    const delay = paths.delayOf('a', instant(at));
    paths.hint('a', instant(at), { live: true, delay });
    return delay;
  };
  expect([hint(0), hint(10)]).toEqual([15, 15]);
  expect(lookedAt(paths, 10)).toEqual([15, 45]);
  paths.done('a', paths.mark());
  expect(hint(again)).toBe(delay);
});

it('a file that is being written is looked at after doubling delays', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true, delay: paths.delayOf('a', instant(0)) });
  expect(lookedAt(paths, 1000)).toEqual([15, 45, 105, 225, 465, 765, 1065]);
  expect(paths.delayOf('a', instant(1070))).toBe(300);
});

it('further events of a written file do not bring its look forward', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.delayOf('a', instant(0));
  const about = { now: instant(15), wall: wallTime(1015), rests: () => false };
  expect(paths.isStable('a', facts(1015), about)).toBe(false);
  expect([16, 29, 44].map((at) => paths.delayOf('a', instant(at)))).toEqual([29, 16, 15]);
});

it('a file that is open for writing settles after the usual time unchanged', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true, delay: paths.delayOf('a', instant(0)) });
  const looks: number[] = [];
  for (let at = 15; looks.length < 20; at = paths.nextDue() ?? Infinity) {
    looks.push(at);
    const about = { now: instant(at), wall: wallTime(1000 + at), rests: () => false };
    if (paths.isStable('a', facts(1015), about)) break;
  }
  expect(looks).toEqual([15, 45, 105, 225, 315]);
});

it('a file that changed in this tick of the clock waits for the next one', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true, delay: paths.delayOf('a', instant(0)) });
  const at = (now: number, ctime: number): boolean =>
    paths.isStable('a', facts(ctime), {
      ...{ now: instant(now), wall: wallTime(1000 + now), rests: () => true },
    });
  expect([at(15, 1014), at(24, 1015), at(25, 1015)]).toEqual([false, false, true]);
});

it('a file settles after the usual time unchanged when the clock was set back', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true });
  const at = (now: number): boolean => {
    const about = { now: instant(now), wall: wallTime(now), rests: () => false };
    return paths.isStable('a', facts(100_000), about);
  };
  expect([at(15), at(200), at(314), at(315)]).toEqual([false, false, false, true]);
});

it('a known file is not looked at soon when many known files change', () => {
  const paths = new DirtyPaths(LIMITS);
  const hint = (path: string): void => paths.hint(path, instant(0), { live: true, known: true });
  hint('a');
  hint('a');
  expect(paths.delayOf('c', instant(0))).toBe(15);
  hint('b');
  expect(paths.delayOf('d', instant(0))).toBe(300);
  paths.isStable('b', facts(0), { now: instant(1), wall: wallTime(1), rests: () => false });
  expect(paths.delayOf('d', instant(1))).toBe(300);
  paths.done('a', paths.mark());
  expect(paths.delayOf('d', instant(1))).toBe(15);
});

it('a known file is looked at soon beside many new names', () => {
  const paths = new DirtyPaths(LIMITS);
  for (let name = 0; name < 100; name++) paths.hint(`${name}`, instant(0), { live: true });
  expect(paths.delayOf('a', instant(0))).toBe(15);
});

it.each([
  ['somebody still writes it', true, false, false],
  ['nobody writes it', true, true, true],
  ['it was not due for an early look', false, true, false],
])('a file settles early only when nobody writes it: %s', (_, soon, rests, settled) => {
  const paths = new DirtyPaths(LIMITS);
  const [now, wall] = [instant(15), wallTime(1015)];
  if (soon) paths.delayOf('a', instant(0));
  paths.hint('a', instant(0), { live: true });
  expect(paths.isStable('a', facts(1000), { now, wall, rests: () => rests })).toBe(settled);
  // What rests long enough has settled in any case.
  const late = { now: instant(400), wall: wallTime(1400), rests: () => false };
  expect(paths.isStable('a', facts(1000), late)).toBe(true);
});

it('a requested file settles a moment after its last writer', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true });
  const at = (ms: number, isWanted: boolean, rests: boolean): boolean => {
    const about = { now: instant(ms), wall: wallTime(ms), rests: () => rests };
    return paths.isStable('a', facts(0), { ...about, isWanted });
  };
  expect([at(14, true, true), at(15, true, false), at(15, false, true)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(at(15, true, true)).toBe(true);
});

/** A new path of which something happened at 0: when it was looked at, until it has settled. */
function newLooks(about: { isLarge: boolean; rests: boolean }): number[] {
  const paths = new DirtyPaths(LIMITS);
  const delay = paths.delayOfNew();
  paths.hint('a', instant(0), { live: true, delay });
  const looks: number[] = [];
  for (let at: number = delay; looks.length < 20; at = paths.nextDue() ?? Infinity) {
    looks.push(at);
    const times = { now: instant(at), wall: wallTime(1000 + at) };
    const { isLarge, rests } = about;
    if (paths.isStable('a', facts(1000), { ...times, isLarge, rests: () => rests })) break;
  }
  return looks;
}

it('a large new file without a writer settles sooner, and others no later', () => {
  expect(newLooks({ isLarge: true, rests: true })).toEqual([60]);
  expect(newLooks({ isLarge: true, rests: false })).toEqual([60, 300]);
  expect(newLooks({ isLarge: false, rests: true })).toEqual([60, 300]);
});

it('a large new file that was looked at too early settles no later', () => {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true, delay: paths.delayOfNew() });
  const look = { now: instant(20), wall: wallTime(1020), isLarge: true, rests: () => true };
  expect(paths.isStable('a', facts(1000), look)).toBe(false);
  expect(paths.nextDue()).toBe(60);
});

it('new names are not looked at sooner when there are many', () => {
  const paths = new DirtyPaths(LIMITS);
  for (const path of ['a', 'b']) paths.hint(path, instant(0), { live: true });
  expect(paths.delayOfNew()).toBe(300);
});

/** Looks at a new path from 300 ms on, each time that it is due; gives when it had settled. `written`: when its writer does, until it closes it. */
function takenAt(written: readonly number[], closed: number): number {
  const paths = new DirtyPaths(LIMITS);
  paths.hint('a', instant(0), { live: true });
  for (let at = 300; at < 60_000; at = paths.nextDue() ?? Infinity) {
    const last = Math.max(0, ...written.filter((when) => when <= at));
    const look = { now: instant(at), wall: wallTime(at), rests: () => false };
    if (paths.isStable('a', facts(last), { ...look, isOpen: () => at < closed })) return at;
    // As the watcher does it: the hint of a write that came after the look.
    const next = written.find((when) => when > at);
    if (next !== undefined && next < (paths.nextDue() ?? 0)) {
      paths.hint('a', instant(next), { live: true });
    }
  }
  return Infinity;
}

it('a new file waits for its writer, also for a delayed one', () => {
  expect(takenAt([], 0)).toBe(300);
  expect(takenAt([], 1000)).toBe(1200);
  expect(takenAt([1100, 1900], 2000)).toBe(2200);
});

it('a new file does not wait for a writer that is quiet for long or never ends', () => {
  expect(takenAt([], Infinity)).toBe(2100);
  const always = Array.from({ length: 100 }, (_, index) => index * 1000);
  expect(takenAt(always, Infinity)).toBeGreaterThanOrEqual(20_000);
  expect(takenAt(always, Infinity)).toBeLessThan(22_000);
});

it('a file with times in whole seconds settles when the tick is over', () => {
  const coarse = { ...facts(0), ctime: mtimeFromMs(10_000) };
  const paths = new DirtyPaths(LIMITS);
  const at = (ms: number): boolean =>
    paths.isStable('a', coarse, {
      now: instant(ms),
      wall: wallTime(10_000 + ms),
      rests: () => true,
    });
  expect([at(500), at(2000), at(2200)]).toEqual([false, false, true]);
});

it.each([
  { of: 'the usual time', after: 300 - 1e-13, ctime: '1' },
  { of: 'the tick of a coarse clock', after: 2100 - 5e-13, ctime: '0' },
])(
  'a path that is looked at within a rounding error of $of is not due at once',
  ({ after, ctime }) => {
    const paths = new DirtyPaths(LIMITS);
    const now = instant(8279.3);
    paths.hint('a', instant(8000), { live: true, delay: milliseconds(100) });
    const about = { now, wall: wallTime(after), rests: () => false };
    expect(paths.isStable('a', { ...facts(0), ctime }, about)).toBe(false);
    expect(paths.due(now, 10)).toEqual([]);
    expect(paths.nextDue()).toBe(now + 1);
  },
);

it('a directory waits for the first of the paths in it, and no less than the usual time', () => {
  const paths = new DirtyPaths(LIMITS);
  const delayAt = (ms: number): number => paths.delayIn('d', instant(ms));
  expect(delayAt(0)).toBe(LIMITS.settle);
  paths.hint('d/failed', instant(0), { live: true, delay: milliseconds(15_000) });
  paths.hint('other/a', instant(0), { live: true });
  paths.hint('d/sub/a', instant(0), { live: true });
  expect([delayAt(0), delayAt(5000), delayAt(20_000)]).toEqual([15_000, 10_000, LIMITS.settle]);
  paths.hint('d/new', instant(5000), { live: true });
  expect(delayAt(5000)).toBe(LIMITS.settle);
});
