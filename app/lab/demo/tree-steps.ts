/**
 * Steps in which laptop A changes something: what A had on its disk before it was synced is held against both afterwards,
 * with contents, kinds, modes, symlink targets, times to the nanosecond and hard links.
 */
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compareTrees, countTree } from './compare-trees.ts';
import { DEMO_FOLDER, faultsOf, settle, type Demo, type StepOutcome } from './demo-step.ts';
import { readTree, type Tree } from './read-tree.ts';

const run = promisify(execFile);
const THOUSAND = 1000;
const DELETED_FILES = 20;
/** A folder to delete must stay far below what looks like a disaster: mass deletions wait for a confirmation. */
const MAX_DELETED_FOLDER = 40;

const ALL_ASPECTS = 'contents, kinds, modes, mtimes, links';

/** Copies the source tree into laptop A's folder, and compares both laptops with it. */
export async function copySource(demo: Demo): Promise<StepOutcome> {
  // Keeps times to the nanosecond and hard links, which Node's own copy does not.
  await run('cp', ['-a', `${demo.source}/.`, demo.a.folder]);
  await settle(demo);
  const source = readTree(demo.source);
  return compareBoth(demo, source, `A and B with the source: ${ALL_ASPECTS}`);
}

/** Edits files of laptop A in several ways, and compares both laptops afterwards. */
export async function edit(demo: Demo): Promise<StepOutcome> {
  const { a } = demo;
  const files = pickFiles(a.tree(), 5);
  const own = join(a.folder, DEMO_FOLDER);
  mkdirSync(own, { recursive: true });
  for (let index = 0; index < 5; index++) {
    writeFileSync(join(own, `notes ${index}.txt`), `note ${index}\n`.repeat(40));
    files.push(`${DEMO_FOLDER}/notes ${index}.txt`);
  }
  await a.flush(demo.flushSeconds);
  files.forEach((path, index) => EDITS[index % EDITS.length]?.(join(a.folder, path)));
  symlinkSync('notes 0.txt', join(own, 'link'));
  await a.flush(demo.flushSeconds);
  rmSync(join(own, 'link'));
  symlinkSync('notes 1.txt', join(own, 'link'));
  return compareAfterwards(demo, `A before and after, and B: ${ALL_ASPECTS}`);
}

const EDITS: ReadonlyArray<(path: string) => void> = [
  (path) => appendFileSync(path, 'one line more\n'),
  (path) => writeFileSync(path, 'all of it is new\n'),
  (path) => truncateSync(path, 5),
  // As editors do it: the new version beside, and then in its place.
  (path) => {
    writeFileSync(`${path}.new~`, 'saved safely\n');
    renameSync(`${path}.new~`, path);
  },
  (path) => chmodSync(path, 0o755),
];

/**
 * Renames a folder of a thousand files at laptop A, which it makes if there is none, and compares
 * both laptops.
 */
export async function renameThousand(demo: Demo): Promise<StepOutcome> {
  const { a } = demo;
  let folder = folderOfThousand(a.tree());
  if (folder === null) {
    folder = `${DEMO_FOLDER}/a thousand`;
    mkdirSync(join(a.folder, folder), { recursive: true });
    for (let index = 0; index < THOUSAND; index++) {
      writeFileSync(join(a.folder, folder, `file ${index}`), `number ${index}\n`);
    }
    await settle(demo);
  }
  renameSync(join(a.folder, folder), join(a.folder, `${folder} (renamed)`));
  return compareAfterwards(demo, `A before and after, and B: ${ALL_ASPECTS}`);
}

/** Removes files and a folder at laptop A, and compares both laptops. */
export async function remove(demo: Demo): Promise<StepOutcome> {
  const { a } = demo;
  const tree = a.tree();
  for (const path of pickFiles(tree, DELETED_FILES, 0.5)) rmSync(join(a.folder, path));
  const folder = smallFolder(tree);
  if (folder !== null) rmSync(join(a.folder, folder), { recursive: true });
  return compareAfterwards(demo, 'A before and after, and B: what is gone and what is not');
}

async function compareAfterwards(demo: Demo, compared: string): Promise<StepOutcome> {
  const wanted = demo.a.tree();
  await settle(demo);
  return compareBoth(demo, wanted, compared);
}

/** Compares the folders of both laptops with a tree, and gives what differs as faults. */
export function compareBoth({ a, b }: Demo, wanted: Tree, compared: string): StepOutcome {
  const faults = [a, b].flatMap((laptop) =>
    faultsOf(`laptop ${laptop.name}`, compareTrees(wanted, laptop.tree())),
  );
  return { compared, items: wanted.size, faults };
}

const isGit = (path: string): boolean => path === '.git' || path.startsWith('.git/');

/**
 * Files with one name that may be written to, spread evenly over the tree; as many as there are. `offset` (of the way from one
 * to the next) gives others.
 */
function pickFiles(tree: Tree, count: number, offset = 0): string[] {
  const linked = new Set(
    [...tree].filter(([path, node]) => node.firstName !== path).map(([, node]) => node.firstName),
  );
  const candidates = [...tree]
    .filter(([path, { kind, mode, firstName }]) => {
      const plain = kind === 'file' && firstName === path && !linked.has(path);
      return plain && (mode & 0o200) !== 0 && !isGit(path) && !path.startsWith(DEMO_FOLDER);
    })
    .map(([path]) => path);
  const step = Math.max(1, Math.floor(candidates.length / count));
  const first = Math.floor(step * offset);
  return candidates.filter((_path, index) => index % step === first).slice(0, count);
}

/** The smallest folder, not of git's, that holds a thousand files; null: there is none. */
function folderOfThousand(tree: Tree): string | null {
  const folders = fileCounts(tree).filter(([, files]) => files >= THOUSAND);
  return folders.sort(([a, x], [b, y]) => x - y || b.length - a.length)[0]?.[0] ?? null;
}

function smallFolder(tree: Tree): string | null {
  const folders = fileCounts(tree).filter(
    ([path, files]) => files > 0 && files <= MAX_DELETED_FOLDER && !path.startsWith(DEMO_FOLDER),
  );
  return folders[0]?.[0] ?? null;
}

/** How many files lie below each folder that is not git's. */
function fileCounts(tree: Tree): Array<[string, number]> {
  const counts = new Map<string, number>();
  for (const [path, node] of tree) {
    if (isGit(path)) continue;
    if (node.kind === 'directory') counts.set(path, 0);
    if (node.kind !== 'file') continue;
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts];
}

/** For the heading: what the source is made of. */
export function describeTree(tree: Tree): string {
  const { files, folders, symlinks, links } = countTree(tree);
  return `${files} files (${links} of them further names), ${folders} folders, ${symlinks} symlinks`;
}
