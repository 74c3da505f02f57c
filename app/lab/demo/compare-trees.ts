/**
 * Are two trees the same? Compared for every path: that both have it, kind, contents, symlink target, mode,
 * modification time to the nanosecond, and which names are names of one file.
 */
import { compareNames } from '../../../shared/model/names.ts';
import type { Tree, TreeNode } from './read-tree.ts';

export type Aspect =
  'missing' | 'extra' | 'kind' | 'contents' | 'target' | 'mode' | 'mtime' | 'hard links';

export interface Difference {
  readonly path: string;
  readonly aspect: Aspect;
  readonly wanted: string;
  readonly found: string;
}

export interface Counts {
  readonly files: number;
  readonly folders: number;
  readonly symlinks: number;
  /** Names beyond the first of files with several. */
  readonly links: number;
}

/** In the order of paths. Symlinks have no mode of their own anywhere but on macOS. */
export function compareTrees(wanted: Tree, found: Tree): Difference[] {
  const differences: Difference[] = [];
  const paths = [...new Set([...wanted.keys(), ...found.keys()])].sort(compareNames);
  for (const path of paths) {
    const a = wanted.get(path);
    const b = found.get(path);
    const add = (aspect: Aspect, x: unknown, y: unknown): void => {
      differences.push({ path, aspect, wanted: String(x), found: String(y) });
    };
    if (b === undefined) add('missing', a?.kind, 'nothing');
    else if (a === undefined) add('extra', 'nothing', b.kind);
    else compareNodes(a, b, add);
  }
  return differences;
}

function compareNodes(
  a: TreeNode,
  b: TreeNode,
  add: (aspect: Aspect, wanted: unknown, found: unknown) => void,
): void {
  if (a.kind !== b.kind) {
    add('kind', a.kind, b.kind);
    return;
  }
  if (a.contents !== b.contents) {
    if (a.kind === 'symlink') add('target', a.contents, b.contents);
    else add('contents', `${a.size} bytes, ${a.contents}`, `${b.size} bytes, ${b.contents}`);
  }
  if (a.kind !== 'symlink' && a.mode !== b.mode) add('mode', octal(a.mode), octal(b.mode));
  if (a.mtimeNs !== b.mtimeNs) add('mtime', a.mtimeNs, b.mtimeNs);
  if (a.firstName !== b.firstName) add('hard links', a.firstName, b.firstName);
}

/** Counts the files, folders and symlinks of a tree, and the further names of hard links. */
export function countTree(tree: Tree): Counts {
  const nodes = [...tree];
  const count = (test: (node: TreeNode, path: string) => boolean): number =>
    nodes.filter(([path, node]) => test(node, path)).length;
  return {
    files: count((node) => node.kind === 'file'),
    folders: count((node) => node.kind === 'directory'),
    symlinks: count((node) => node.kind === 'symlink'),
    links: count((node, path) => node.firstName !== path),
  };
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
