/** The tests of prefetching of MFS (section 4.2, figure 6), each with its file groups. Comments name what the paper leaves open. */
import type { TraceGroup } from '../trace-line.ts';
import { compile, read, READ_FILES, write } from './microbenchmarks.ts';
import { filesOf, KB, MB, numbered, Script, together, US, type ScriptFile } from './script.ts';
import { shares } from './shares.ts';
import type { Generator, Workload } from './workload.ts';

const pathsOf = (files: readonly ScriptFile[]): string[] => files.map(({ path }) => path);
const groupOf = (name: string, files: readonly ScriptFile[]): TraceGroup => ({
  name,
  members: pathsOf(files),
  sizes: files.map(({ size }) => size),
});

function reading(pid: number, program: string, files: readonly ScriptFile[], thinkUs = 0): Script {
  const script = new Script(pid, program);
  for (const file of files) {
    script.read(file);
    script.wait(thinkUs);
  }
  return script;
}

/** "4 MB of small files": of 8 KB, as those of Grep. */
const SMALL = 8 * KB;
const PAUSE_US = 4 * US;

function pause(): Workload {
  const files = filesOf(numbered('/pause/file-', (8 * MB) / SMALL), SMALL);
  const script = new Script(1, 'pause');
  const half = files.length / 2;
  for (const file of files.slice(0, half)) script.read(file);
  script.wait(PAUSE_US);
  for (const file of files.slice(half)) script.read(file);
  return { groups: [groupOf('pause', files)], records: together([script]) };
}

const SIXTY_FOUR = { count: 64, size: 64 * KB };
const sixtyFour = (folder: string): ScriptFile[] =>
  filesOf(numbered(`/${folder}/file-`, SIXTY_FOUR.count), SIXTY_FOUR.size);

/** "A longer think time", of 0.25 s after each file (figure 7). */
const THINK_US = US / 4;

/** "The other does the same, but without a file group", or writes. */
function simultaneous(writes: boolean, thinkUs = 0): Workload {
  const files = sixtyFour('foreground');
  const others = sixtyFour('background');
  const background = new Script(2, 'background');
  for (const file of others) {
    if (writes) background.create(file);
    else background.read(file);
    background.wait(thinkUs);
  }
  const records = together([reading(1, 'foreground', files, thinkUs), background]);
  return { groups: [groupOf('foreground', files)], records };
}

function badGroups(): Workload {
  const directories = numbered('/bad-groups/directory-', 16).map((directory) =>
    filesOf(numbered(`${directory}/file-`, 64), 128 * KB),
  );
  const script = new Script(1, 'bad-groups');
  // The first file of each, then the thirty-third.
  for (const place of [0, 32]) {
    for (const files of directories)
      for (const file of files.slice(place, place + 1)) script.read(file);
  }
  const groups = directories.map((files, index) => groupOf(`directory-${index}`, files));
  return { groups, records: together([script]) };
}

/** As many as the simultaneous tests have. */
function ordered(isGood: boolean): Workload {
  const files = sixtyFour('order');
  const script = reading(1, 'order', isGood ? files : files.toReversed());
  return { groups: [groupOf('order', files)], records: together([script]) };
}

export const PREFETCH_TESTS: Readonly<Record<string, Generator>> = {
  'read-write-group': {
    about: 'Read-write: RW with a group over what is read',
    make: () => ({ groups: [groupOf('read', READ_FILES)], records: together([read(), write()]) }),
  },
  'compile-groups': {
    about: 'Compile with a group for each of its six directories',
    make: (random) => {
      const { script, groups } = compile(random, 1);
      return { groups, records: together([script]) };
    },
  },
  multigrep: {
    about: 'Multigrep: 75 text files of 2 MB together, one group',
    make: (random) => {
      const sizes = shares(random, 75, 2 * MB, { least: 256, most: 256 * KB, spread: 1 });
      const paths = numbered('/multigrep/text-', sizes.length, '.txt');
      const files = sizes.map((size, index) => ({ path: paths[index] ?? '', size }));
      const records = together([reading(1, 'grep', files)]);
      return { groups: [groupOf('texts', files)], records };
    },
  },
  pause: { about: 'Pause: 4 MB of small files, 4 s, 4 MB more, one group', make: pause },
  'simultaneous-demand-fetch': {
    about: 'two processes read 64 files of 64 KB each, a group for one of them',
    make: () => simultaneous(false),
  },
  'simultaneous-writeback': {
    about: 'the same, and the second process writes',
    make: () => simultaneous(true),
  },
  'thoughtful-writeback': {
    about: 'the same, and both think for 0.25 s after each file',
    make: () => simultaneous(true, THINK_US),
  },
  'bad-groups': {
    about: 'Bad groups: 16 groups of 64 files of 128 KB, of which two each are read',
    make: badGroups,
  },
  'good-order': { about: 'a group of 64 files, read in its order', make: () => ordered(true) },
  'bad-order': { about: 'a group of 64 files, read backwards', make: () => ordered(false) },
};
