/**
 * A folder as it is on the disk, with everything that two synced copies must have in common.
 */
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { compareNames } from '../../../shared/model/names.ts';

export interface TreeNode {
  readonly kind: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  readonly mtimeNs: bigint;
  readonly size: number;
  /** Hash of a file's contents; a symlink's target; empty for a folder. */
  readonly contents: string;
  /** The first path, in order, of the same file; its own where it has one name only. */
  readonly firstName: string;
}

/** By path, in the order of names, a folder before what is in it. The root itself is not among them. */
export type Tree = ReadonlyMap<string, TreeNode>;

const PIECE_BYTES = 1024 * 1024;

/** `leaveOut`: paths that are not looked at, such as the daemon's own folder. */
export function readTree(root: string, leaveOut: (path: string) => boolean = () => false): Tree {
  const tree = new Map<string, TreeNode>();
  const firstNames = new Map<string, string>();
  const visit = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).sort(compareNames)) {
      const path = prefix + name;
      if (leaveOut(path)) continue;
      const node = readNode(join(folder, name), path, firstNames);
      if (node === null) continue;
      tree.set(path, node);
      if (node.kind === 'directory') visit(join(folder, name), `${path}/`);
    }
  };
  visit(root, '');
  return tree;
}

/** Null for sockets, devices and pipes: they are never synced. */
function readNode(full: string, path: string, firstNames: Map<string, string>): TreeNode | null {
  const stat = lstatSync(full, { bigint: true });
  const common = { mode: Number(stat.mode & 0o7777n), mtimeNs: stat.mtimeNs, firstName: path };
  if (stat.isDirectory()) return { ...common, kind: 'directory', size: 0, contents: '' };
  const size = Number(stat.size);
  if (stat.isSymbolicLink()) {
    return { ...common, kind: 'symlink', size, contents: readlinkSync(full) };
  }
  if (!stat.isFile()) return null;
  const identity = `${stat.dev}:${stat.ino}`;
  const firstName = firstNames.get(identity) ?? path;
  firstNames.set(identity, firstName);
  return { ...common, kind: 'file', size, contents: hashFile(full, size), firstName };
}

function hashFile(path: string, size: number): string {
  const hash = createHash('sha256');
  // Most files are small: a whole piece for each would cost more than reading them.
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
  const file = openSync(path, 'r');
  try {
    for (let read = 1; read > 0;) {
      read = readSync(file, piece, 0, piece.length, null);
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
