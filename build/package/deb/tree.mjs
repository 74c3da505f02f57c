/** The folder that becomes a package. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;
const PROGRAM_MODE = 0o755;

/** Copies a file or a folder; `filter` judges whole paths. */
export function copyTo(from, to, filter = () => true) {
  mkdirSync(dirname(to), { recursive: true, mode: FOLDER_MODE });
  cpSync(from, to, { recursive: true, filter, verbatimSymlinks: true });
}

/** Writes a file of the package, with its folders. */
export function write(work, path, text, mode = FILE_MODE) {
  const to = join(work, path);
  mkdirSync(dirname(to), { recursive: true, mode: FOLDER_MODE });
  writeFileSync(to, text);
  chmodSync(to, mode);
}

/** As Debian wants pages and changelogs. */
export const writeZipped = (work, path, text) =>
  write(work, `${path}.gz`, gzipSync(text, { level: 9 }));

/** Each is a file or a folder. */
function entriesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
}

/** All users may read all of it, whatever the mask of who builds; what begins as a program, and is in a place for programs, may be run. */
export function setModes(work) {
  chmodSync(work, FOLDER_MODE);
  for (const { entry, path } of entriesOf(work)) {
    const runs = entry.isDirectory() || isProgram(path);
    chmodSync(path, runs ? PROGRAM_MODE : FILE_MODE);
  }
}

const isProgram = (path) =>
  /\/usr\/s?bin\/|\/DEBIAN\/(pre|post)|\/bin\/node$/.test(path) ||
  /\/lib\/godwit-desktop\/file-action$/.test(path) ||
  (/\/lib\/godwit\/electron\//.test(path) && (statSync(path).mode & 0o111) !== 0);

/** Bytes of all files. */
export const sizeOf = (folder) =>
  entriesOf(folder).reduce(
    (sum, { entry, path }) => sum + (entry.isFile() ? statSync(path).size : 0),
    0,
  );

/** Where a filter has left out all that was in a folder, it goes, too. */
export function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** The text of DEBIAN/md5sums, by which dpkg finds files that were altered. */
export function md5sums(work) {
  return entriesOf(work)
    .filter(({ entry }) => entry.isFile())
    .map(({ path }) => [relative(work, path), path])
    .filter(([name]) => !name.startsWith('DEBIAN/') && !name.startsWith('etc/'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, path]) => `${md5Of(path)}  ${name}\n`)
    .join('');
}

const md5Of = (path) => createHash('md5').update(readFileSync(path)).digest('hex');
