/** The programs of the simulated world on the disk of this machine. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeHost } from '../../shared/transport/native-host.ts';
import { SeededRandom } from '../../shared/util/seeded-random.ts';
import { RealProgramCalls } from '../../app/lab/simulator/posix/real-program-calls.ts';
import { Hand } from '../../app/lab/simulator/folder/hand.ts';
import { Ledger } from '../../app/lab/simulator/folder/ledger.ts';
import { diskTree } from '../../app/lab/simulator/folder/trees.ts';
import {
  programCalled,
  PROGRAMS,
  RECORDED,
} from '../../app/lab/simulator/folder/programs/programs.ts';
import type { ProgramKind } from '../../app/lab/simulator/folder/programs/program.ts';

const SEEDS = [1, 2, 3, 4];

let dir: string;
let ledger: Ledger;
let calls: RealProgramCalls;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'godwit-programs-'));
  for (const name of ['root', 'outside']) mkdirSync(join(dir, name));
  ledger = new Ledger();
  calls = new RealProgramCalls(dir, new NativeHost());
});

afterEach(() => {
  calls.end();
  rmSync(dir, { recursive: true, force: true });
});

function handFor(program: string, seed: number): Hand {
  return new Hand({
    ...{ calls, observer: calls, root: join(dir, 'root'), outside: join(dir, 'outside'), ledger },
    ...{ laptop: 'ada', program, random: new SeededRandom(seed) },
    torn: (text) => expect(text).toBe(''),
    note: () => undefined,
  });
}

/** To its end, or until a call of it fails. */
function run(kind: ProgramKind, seed: number): string {
  const program = kind.run(handFor(kind.name, seed));
  try {
    while (program.next().done !== true);
    return 'done';
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string') throw error;
    return code;
  }
}

function digests(): Set<unknown> {
  const trees = ['root', 'outside'].map((name) => diskTree(calls, join(dir, name)));
  return new Set(trees.flatMap((tree) => [...tree.values()].map(({ digest }) => digest)));
}

describe('the programs of a folder', () => {
  it.each(PROGRAMS.map((kind) => [kind.name, kind] as const))(
    'leave all that they finished on a real disk: %s',
    (_, kind) => {
      for (const seed of SEEDS) {
        for (const other of PROGRAMS.slice(0, 4)) run(other, seed);
        run(kind, seed);
      }
      expect(ledger.wanted().length).toBeGreaterThan(0);
      const there = digests();
      for (const { digest, begins } of ledger.wanted()) {
        expect([begins, there.has(digest)]).toEqual([begins, true]);
      }
    },
  );

  it('finish their files on an empty disk', () => {
    const first = new Set(SEEDS.flatMap((seed) => PROGRAMS.map((kind) => run(kind, seed))));
    expect(first).toContain('done');
    const there = digests();
    for (const { digest } of ledger.wanted()) expect(there.has(digest)).toBe(true);
  });

  it.each(RECORDED)('end well in an empty folder when they were recorded: %s', (name) => {
    const kind = programCalled(name);
    expect(kind === null ? null : run(kind, 1)).toBe('done');
  });

  it('give up what they remove and write over', () => {
    const hand = handFor('test', 1);
    const [one, two, three] = [hand.newBytes(), hand.newBytes(), hand.newBytes()];
    hand.make('a', one);
    hand.finish('a', one);
    hand.make('b', two);
    hand.finish('b', two);
    hand.rename('b', 'a', two);
    expect(ledger.wanted().map(({ path }) => path)).toEqual(['b']);
    const fd = hand.open('a', { write: true });
    hand.write(fd, three, 0);
    hand.close(fd);
    hand.finish('a', three);
    expect(ledger.wanted().map(({ begins }) => begins)).toEqual(['3 ada test']);
    hand.unlink('a');
    expect(ledger.wanted()).toEqual([]);
  });
});
