/**
 * What known programs do, as one unit: editors' ways of saving, a checkout, an install, a mail folder, a log, a build.
 * Each step is an entry of its own in the plan, so that a failing plan can be shortened within a script.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';
import type { DrawnNames } from './drawn-names.ts';

/** `unique`: a word that no other script of the run has. */
type Script = (random: SeededRandom, names: DrawnNames, unique: string) => FileOperation[];

const MOST_BYTES = 4_000;

const write = (path: string, bytes: number): FileOperation => ({ do: 'write', path, bytes });
const rename = (path: string, to: string): FileOperation => ({ do: 'rename', path, to });
const remove = (path: string): FileOperation => ({ do: 'remove', path });
const mkdir = (path: string): FileOperation => ({ do: 'mkdir', path });

function inFolder(path: string, change: (name: string) => string): string {
  const slash = path.lastIndexOf('/');
  return `${path.slice(0, slash)}/${change(path.slice(slash + 1))}`;
}

/** Keeps the old one until the new one is written. */
const backupSave: Script = (random, names) => {
  const path = names.file();
  return [rename(path, `${path}~`), write(path, random.below(MOST_BYTES)), remove(`${path}~`)];
};

/** A lock file beside while it is open, and saves in place. */
const lockedSaves: Script = (random, names) => {
  const path = names.file();
  const lock = inFolder(path, (name) => `.~lock.${name}#`);
  const saves = Array.from({ length: 1 + random.below(3) }, () =>
    write(path, random.below(MOST_BYTES)),
  );
  return [write(lock, 20), { do: 'read', path }, ...saves, remove(lock)];
};

const officeSave: Script = (random, names, unique) => {
  const path = names.file();
  const [fresh, old] = [`${unique}.tmp`, `~${unique}.tmp`].map((name) =>
    inFolder(path, () => name),
  ) as [string, string];
  return [
    write(fresh, random.below(MOST_BYTES)),
    rename(path, old),
    rename(fresh, path),
    remove(old),
  ];
};

/** vim's: a name to see whether files can be made here, a copy to fall back on, the file written anew. */
const vimSave: Script = (random, names) => {
  const path = names.file();
  const [probe, swap] = [
    inFolder(path, () => '4913'),
    inFolder(path, (name) => `.${name}.swp`),
  ] as const;
  return [
    write(swap, 100),
    write(probe, 0),
    remove(probe),
    rename(path, `${path}~`),
    write(path, random.below(MOST_BYTES)),
    { do: 'chmod', path, mode: 0o644 },
    remove(`${path}~`),
    remove(swap),
  ];
};

/** Attributes that the old file had are put on the new one before it takes its name. */
const carefulSave: Script = (random, names, unique) => {
  const path = names.file();
  const beside = `${path}.${unique}`;
  return [
    write(beside, random.below(MOST_BYTES)),
    { do: 'chmod', path: beside, mode: 0o600 },
    { do: 'xattr', path: beside, value: unique },
    { do: 'utimes', path: beside, ms: 1_000_000 + random.below(1_000_000) },
    rename(beside, path),
  ];
};

/** Many files end and many begin, the index under a lock that becomes it. */
const checkout: Script = (random, names, unique) => {
  const place = names.place();
  const files = Array.from({ length: 4 + random.below(10) }, () => names.file());
  return [
    write(`${place}/index.lock`, 60),
    ...files.flatMap((path) => [remove(path), write(path, random.below(MOST_BYTES))]),
    { do: 'symlink', path: `${place}/HEAD-${unique}`, target: 'index' },
    rename(`${place}/index.lock`, `${place}/index`),
  ];
};

/** A tree is removed and built again. */
const install: Script = (random, names) => {
  const top = `${names.place()}/modules`;
  const folders = ['p', 'q', 'p/r'].slice(0, 1 + random.below(3));
  return [
    { do: 'remove-tree', path: top },
    mkdir(top),
    ...folders.flatMap((folder) => [
      mkdir(`${top}/${folder}`),
      ...['index', 'read me'].map((name) => write(`${top}/${folder}/${name}`, random.below(500))),
    ]),
    { do: 'link', path: `${top}/p/index`, to: `${top}/index` },
  ];
};

/** A message is written aside, delivered, and then read. */
const mail: Script = (random, names, unique) => {
  const box = names.folder();
  return [
    ...['tmp', 'new', 'cur'].map((folder) => mkdir(`${box}/${folder}`)),
    write(`${box}/tmp/${unique}`, random.below(MOST_BYTES)),
    rename(`${box}/tmp/${unique}`, `${box}/new/${unique}`),
    { do: 'list', path: `${box}/new` },
    rename(`${box}/new/${unique}`, `${box}/cur/${unique}:2,S`),
  ];
};

const logging: Script = (random, names) => {
  const path = inFolder(names.file(), () => 'log');
  const lines = Array.from({ length: 3 + random.below(8) }, (): FileOperation => {
    return { do: 'append', path, bytes: 40 + random.below(60) };
  });
  const turned: FileOperation[] = random.chance(0.5) ? [rename(path, `${path}.1`)] : [];
  return [...lines, ...turned, write(path, 40)];
};

/** Put together aside, then swapped in for what was there. */
const build: Script = (random, names, unique) => {
  const place = names.place();
  const [fresh, shown] = [`${place}/out-${unique}`, `${place}/out`];
  const files = Array.from({ length: 2 + random.below(6) }, (_, i) =>
    write(`${fresh}/part${i}`, random.below(MOST_BYTES)),
  );
  return [
    mkdir(fresh),
    ...files,
    rename(shown, `${shown}-old`),
    rename(fresh, shown),
    { do: 'remove-tree', path: `${shown}-old` },
  ];
};

/** One file under two names, written through both. */
const twoNames: Script = (random, names, unique) => {
  const path = names.file();
  const other = `${names.place()}/other-${unique}`;
  return [
    { do: 'link', path, to: other },
    { do: 'patch', path: other, bytes: random.below(200) },
    { do: 'append', path, bytes: random.below(200) },
    random.chance(0.5) ? remove(path) : remove(other),
  ];
};

const SCRIPTS: readonly Script[] = [
  backupSave,
  lockedSaves,
  officeSave,
  vimSave,
  carefulSave,
  checkout,
  install,
  mail,
  logging,
  build,
  twoNames,
];

/** Draws one script after the other; each run has some of them. */
export function drawnScripts(random: SeededRandom, names: DrawnNames): () => FileOperation[] {
  const some = SCRIPTS.filter(() => random.chance(0.5));
  const taken = some.length === 0 ? SCRIPTS : some;
  let count = 0;
  return () => random.pick(taken)(random, names, `s${++count}`);
}
