/** The microbenchmarks of MFS (section 3.4 and table 2): Grep, Read, Write and Compile, and two of them side by side. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { TraceGroup } from '../trace-line.ts';
import { filesOf, KB, MB, numbered, Script, together, type ScriptFile } from './script.ts';
import { shares } from './shares.ts';
import type { Generator } from './workload.ts';

const FOREGROUND = 1;
const BACKGROUND = 2;
/** "several times" */
const GREPS = 3;

export const READ_FILES = filesOf(numbered('/read/file-', 16), MB);

/** Generates Grep: it reads 256 files of 8 KiB several times (MFS, section 3.4). */
export function grep(pid = FOREGROUND): Script {
  const script = new Script(pid, 'grep');
  const files = filesOf(numbered('/grep/file-', 256), 8 * KB);
  for (let time = 0; time < GREPS; time++) for (const file of files) script.read(file);
  return script;
}

/** Generates Read: it reads 16 files of 1 MiB in sequence (MFS, section 3.4). */
export function read(pid = FOREGROUND): Script {
  const script = new Script(pid, 'read');
  for (const file of READ_FILES) script.read(file);
  return script;
}

/** Generates Write: it makes 16 files of 1 MiB (MFS, section 3.4). */
export function write(pid = BACKGROUND): Script {
  const script = new Script(pid, 'write');
  for (const file of filesOf(numbered('/write/file-', 16), MB)) script.create(file);
  return script;
}

/** "259 files and directories comprising 1223 KB", of which six are the main directories and one has them. */
const ROOT = '/compile';
const MAIN_DIRECTORIES = ['rpc', 'cache', 'server', 'log', 'names', 'tests'];
const SOURCE_FILES = 259 - 1 - MAIN_DIRECTORIES.length;
const SOURCE_BYTES = 1223 * KB;
/** In each directory these are the first files; the rest are others that are only looked at. */
const SOURCES = 20;
const HEADERS = 16;
const MOST_INCLUDED = 8;
const COMPILING_US = 200_000;

function sourceTree(random: SeededRandom): ReadonlyArray<readonly ScriptFile[]> {
  const sizes = shares(random.fork('sizes'), SOURCE_FILES, SOURCE_BYTES, {
    ...{ least: 100, most: 64 * KB, spread: 1 },
  });
  return MAIN_DIRECTORIES.map((name, place) => {
    const own = sizes.filter((_, index) => index % MAIN_DIRECTORIES.length === place);
    return own.map((size, index) => {
      const kind = index < SOURCES ? 'c' : index < SOURCES + HEADERS ? 'h' : 'txt';
      return { path: `${ROOT}/${name}/${name}-${String(index).padStart(2, '0')}.${kind}`, size };
    });
  });
}

/** A make that looks at everything, compiles each source with some headers, and links what comes of it. */
export function compile(
  random: SeededRandom,
  pid = BACKGROUND,
): { readonly script: Script; readonly groups: readonly TraceGroup[] } {
  const tree = sourceTree(random);
  const script = new Script(pid, 'compile');
  script.list(ROOT);
  for (const [place, files] of tree.entries()) {
    script.list(`${ROOT}/${MAIN_DIRECTORIES[place] ?? ''}`);
    for (const file of files) script.look(file);
  }
  const headers = tree.flat().filter(({ path }) => path.endsWith('.h'));
  const sources = tree.flat().filter(({ path }) => path.endsWith('.c'));
  const work = random.fork('work');
  const objects = sources.map(({ path, size }) => ({
    path: path.replace(/c$/, 'o'),
    size: size + work.below(size),
  }));
  for (const [index, source] of sources.entries()) {
    script.read(source);
    for (const header of work.shuffled(headers).slice(0, work.between(1, MOST_INCLUDED))) {
      script.read(header);
    }
    script.wait(work.below(COMPILING_US));
    const object = objects[index];
    if (object !== undefined) script.create(object);
  }
  for (const object of objects) script.read(object);
  const size = objects.reduce((sum, object) => sum + object.size, 0);
  script.create({ path: `${ROOT}/program`, size });
  const groups = tree.map((files, place) => ({
    name: MAIN_DIRECTORIES[place] ?? '',
    members: files.map(({ path }) => path),
  }));
  return { script, groups };
}

const alone = (...scripts: Script[]) => ({ groups: [], records: together(scripts) });

export const MICROBENCHMARKS: Readonly<Record<string, Generator>> = {
  grep: { about: 'Grep: 256 files of 8 KB, three times', make: () => alone(grep()) },
  read: { about: 'Read: 16 files of 1 MB', make: () => alone(read()) },
  write: { about: 'Write: 16 new files of 1 MB', make: () => alone(write()) },
  compile: {
    about: 'Compile: 259 files and directories, 1223 KB',
    make: (random) => alone(compile(random).script),
  },
  'grep-compile': {
    about: 'GC: Grep beside Compile',
    make: (random) => alone(grep(), compile(random).script),
  },
  'grep-write': { about: 'GW: Grep beside Write', make: () => alone(grep(), write()) },
  'read-compile': {
    about: 'RC: Read beside Compile',
    make: (random) => alone(read(), compile(random).script),
  },
  'read-write': { about: 'RW: Read beside Write', make: () => alone(read(), write()) },
};
