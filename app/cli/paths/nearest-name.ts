/**
 * What a person may have meant by a path that names nothing: a name in that folder that is spelt nearly so, or a file of that name
 * somewhere else. The search is bounded in folders and in names, which are counted: what is found never depends on how fast the machine is.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import { editDistance } from '../../../shared/util/edit-distance.ts';

/** So many names are looked at, in all. */
const MOST_NAMES = 50_000;
/** Of names that differ, so many are looked at further down. */
const MOST_ALIKE = 3;
/** A name of three characters may differ in one, a longer one in a third of them. */
const PART_WRONG = 3;

type Tree = Pick<FileSystem, 'lookup' | 'readdir'>;

/**
 * Looks into `mostFolders` folders at most, each with a call, and at no more names than 50,000. Null: nothing is alike so far. Rejects with the error of
 * the file system.
 */
export async function nearestPath(
  tree: Tree,
  root: Fid,
  names: readonly string[],
  mostFolders: number,
): Promise<string[] | null> {
  const folders = new Folders(tree, mostFolders);
  const respelt = await respell(folders, root, [], names);
  return respelt ?? (await elsewhere(folders, root, names.at(-1) ?? ''));
}

/** Lists folders until the work that a search may do is done. */
class Folders {
  readonly #tree: Tree;
  #left: number;
  #namesLeft = MOST_NAMES;

  constructor(tree: Tree, most: number) {
    this.#tree = tree;
    this.#left = most;
  }

  /** What is in it; null: the search has done its work. Rejects with the error of the file system. */
  async list(dir: Fid): Promise<Awaited<ReturnType<Tree['readdir']>> | null> {
    if (this.#left === 0 || this.#namesLeft <= 0) return null;
    this.#left -= 1;
    const entries = await this.#tree.readdir(dir);
    this.#namesLeft -= entries.length;
    return entries;
  }
}

/** Of several, the nearest; in the order of names where they are equally near. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(wanted.length / PART_WRONG));
  return names
    .map((name) => ({ name, distance: distanceOf(wanted, name, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_ALIKE)
    .map(({ name }) => name);
}

function distanceOf(wanted: string, name: string, most: number): number {
  const [a, b] = [folded(wanted), folded(name)];
  if (a === b) return 0;
  // `report` for `report.pdf`: whoever leaves out the ending has not mistyped anything.
  if (b.startsWith(`${a}.`)) return 1;
  return editDistance(a, b, most);
}

const folded = (name: string): string => name.normalize().toLowerCase();

/** The same path with names that are there; each must be near the one that was given. */
async function respell(
  folders: Folders,
  dir: Fid,
  above: readonly string[],
  names: readonly string[],
): Promise<string[] | null> {
  const [name, ...rest] = names;
  if (name === undefined) return [...above];
  const entries = await folders.list(dir);
  if (entries === null) return null;
  const exact = entries.find((entry) => entry.name === name);
  const near =
    exact === undefined
      ? nearestNames(
          name,
          entries.map((entry) => entry.name),
        )
      : [name];
  for (const each of near) {
    const found = entries.find((entry) => entry.name === each);
    if (found === undefined) continue;
    if (rest.length === 0) return [...above, each];
    if (found.attributes.kind !== 'directory') continue;
    const whole = await respell(folders, found.attributes.fid, [...above, each], rest);
    if (whole !== null) return whole;
  }
  return null;
}

/** A file or folder of that very name, the one in the fewest folders. */
async function elsewhere(folders: Folders, root: Fid, name: string): Promise<string[] | null> {
  const wanted = folded(name);
  const next: Array<{ fid: Fid; path: string[] }> = [{ fid: root, path: [] }];
  for (const at of next) {
    const entries = await folders.list(at.fid);
    if (entries === null) return null;
    const found = entries.find((entry) => folded(entry.name) === wanted);
    if (found !== undefined) return [...at.path, found.name];
    for (const { name: child, attributes } of entries) {
      if (attributes.kind !== 'directory') continue;
      next.push({ fid: attributes.fid, path: [...at.path, child] });
    }
  }
  return null;
}
