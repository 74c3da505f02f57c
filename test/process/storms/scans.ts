/** What is in the folders of a storm: trees of them, and what Godwit keeps aside. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3 } from '@noble/hashes/blake3.js';
import { readTree, type Tree } from '../../../app/lab/demo/read-tree.ts';
import { FILLER } from './stage.ts';

const OURS = /(^|\/)\.godwit($|-[0-9a-f]{32}$)/;
/** Ignored by the default rules. */
const IGNORED = /\.(db|sqlite3?)-shm$/;

export const isOurs = (path: string): boolean => OURS.test(path);

function isLeftOut(path: string): boolean {
  return isOurs(path) || IGNORED.test(path) || path.split('/').at(-1) === FILLER;
}

/** All that is synced of a folder. */
export function wholeTree(folder: string): Tree {
  return readTree(folder, isLeftOut);
}

/** The same, of some folders in it alone. */
export function treeIn(folder: string, parts: readonly string[]): Tree {
  const isIn = (path: string): boolean =>
    parts.some(
      (part) => path === part || path.startsWith(`${part}/`) || part.startsWith(`${path}/`),
    );
  const tree = readTree(folder, (path) => !isIn(path) || isLeftOut(path));
  return partOf(tree, parts);
}

/** What a tree has in some folders. */
export function partOf(tree: Tree, parts: readonly string[]): Tree {
  const isIn = (path: string): boolean => parts.some((part) => isBelow(path, part));
  return new Map([...tree].filter(([path]) => isIn(path)));
}

export const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** The names by which a server knows the contents of the files of a tree, by their names here. */
export function serverNames(folder: string, tree: Tree): Map<string, string> {
  const names = new Map<string, string>();
  for (const [path, { kind, contents }] of tree) {
    if (kind !== 'file' || names.has(contents)) continue;
    const bytes = bytesOf(join(folder, path));
    if (bytes !== null) names.set(contents, Buffer.from(blake3(bytes)).toString('hex'));
  }
  return names;
}

/** The contents that Godwit keeps aside in a folder, and on the disks in it, by where they are. */
export function keptAside(folder: string, inner: string): Tree {
  const found = new Map();
  for (const base of ['.godwit', ...oursOn(folder, inner)]) {
    if (!existsSync(join(folder, base))) continue;
    for (const [path, node] of readTree(join(folder, base))) {
      if (node.kind === 'file') found.set(`${base}/${path}`, node);
    }
  }
  return found;
}

function oursOn(folder: string, inner: string): string[] {
  const names = readdirSync(join(folder, inner));
  return names.map((name) => `${inner}/${name}`).filter(isOurs);
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
