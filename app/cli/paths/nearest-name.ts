/**
 * What a person may have meant by a path that names nothing: a name in that folder that is spelt nearly so, or a file of that name
 * somewhere else. The search is bounded in folders, in names and in time: an answer that comes late helps nobody.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { FileSystem } from '../../../shared/ports/file-system.ts';
import { editDistance } from '../../../shared/util/edit-distance.ts';

/** So many folders are looked through for a file of that name; each is a call. */
const MOST_FOLDERS = 200;
/** And so many names. */
const MOST_NAMES = 50_000;
/** Of names that differ, so many are looked at further down. */
const MOST_ALIKE = 3;
/** A name of three characters may differ in one, a longer one in a third of them. */
const PART_WRONG = 3;

type Tree = Pick<FileSystem, 'lookup' | 'readdir'>;

/** `isLate` ends the search. Null: nothing is alike. Rejects with the error of the file system. */
export async function nearestPath(
  tree: Tree,
  root: Fid,
  names: readonly string[],
  isLate: () => boolean,
): Promise<string[] | null> {
  const respelt = await respell(tree, root, [], names, isLate);
  return respelt ?? (await elsewhere(tree, root, names.at(-1) ?? '', isLate));
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
  tree: Tree,
  dir: Fid,
  above: readonly string[],
  names: readonly string[],
  isLate: () => boolean,
): Promise<string[] | null> {
  const [name, ...rest] = names;
  if (name === undefined) return [...above];
  if (isLate()) return null;
  const entries = await tree.readdir(dir);
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
    const whole = await respell(tree, found.attributes.fid, [...above, each], rest, isLate);
    if (whole !== null) return whole;
  }
  return null;
}

/** A file or folder of that very name, the one in the fewest folders. */
async function elsewhere(
  tree: Tree,
  root: Fid,
  name: string,
  isLate: () => boolean,
): Promise<string[] | null> {
  const wanted = folded(name);
  const folders: Array<{ fid: Fid; path: string[] }> = [{ fid: root, path: [] }];
  let seen = 0;
  for (let index = 0; index < Math.min(folders.length, MOST_FOLDERS); index++) {
    const at = folders[index];
    if (at === undefined || isLate() || seen > MOST_NAMES) return null;
    const entries = await tree.readdir(at.fid);
    seen += entries.length;
    const found = entries.find((entry) => folded(entry.name) === wanted);
    if (found !== undefined) return [...at.path, found.name];
    for (const { name: child, attributes } of entries) {
      if (attributes.kind !== 'directory') continue;
      folders.push({ fid: attributes.fid, path: [...at.path, child] });
    }
  }
  return null;
}
