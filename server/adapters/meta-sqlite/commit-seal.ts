/**
 * The seal of a commit: a digest over all that it wrote into the tables `vnode` and `entry`, and its own row. It is written in the transaction
 * of the commit, and shows later whether a row was altered, left out or added: by a bit that flipped, or by a person. It does not stop a person who
 * means to deceive.
 *
 * What a commit wrote never changes, so a seal is written once. A row that a later commit ends gets its `to_commit` from that one, and belongs to
 * the seal of that.
 */
import { hash } from 'node:crypto';
import { rowLine } from '../../../shared/sqlite/row-line.ts';
import type { SqlValue } from './statements.ts';

/** As they are bound, so as they are read back. */
export interface CommitRow {
  readonly volume: number;
  readonly number: number;
  readonly device: number;
  readonly seq: number;
  readonly when_ms: number;
  /** Null: nothing was said (copy-mark.ts). */
  readonly copy_of: string | null;
}

/** Columns of a vnode that are sealed, in this order; volume and commit are those of the seal. */
export const SEALED_VNODE =
  'vnode, uniquifier, ordinal, kind, mode, mtime, size, version, digest, target, links, entries, xattrs';
/** Columns of an entry that are sealed by the commit that set it. */
export const SEALED_ENTRY = 'dir_vnode, dir_uniquifier, name, vnode, uniquifier';

/** Of a row that ended by the commit, where there was one: `from_commit`, `to_commit`. */
export type EndedRow = readonly [from: number | null, to: number | null];

/** 64 bits: one altered row in so many looks whole. */
const SEAL_DIGITS = 16;

export function sealedVnode(columns: readonly SqlValue[], ended: EndedRow): string {
  return rowLine('vnode', [...columns, ...ended]);
}

export function sealedEntry(columns: readonly SqlValue[]): string {
  return rowLine('entry', columns);
}

/** A name that the commit freed, or gave to another vnode: the key of the row that ended. */
export function sealedEnd(place: readonly SqlValue[], from: number): string {
  return rowLine('end', [...place, from]);
}

/** `lines` in any order: which of its rows a commit wrote first is not kept. */
export function sealOf(commit: CommitRow, lines: readonly string[]): string {
  const { volume, number, device, seq, when_ms: when, copy_of: mark } = commit;
  // As before there were marks, where there is none.
  const row = [volume, number, device, seq, when, ...(mark === null ? [] : [mark])];
  const all = [rowLine('commit', row), ...[...lines].sort()];
  return hash('sha256', all.join('\n'), 'hex').slice(0, SEAL_DIGITS);
}

/** What the commits of one transaction have written so far. */
export class UnsealedRows {
  readonly #lines = new Map<string, string[]>();

  add(volume: number, commit: number, line: string): void {
    const key = `${volume}.${commit}`;
    const lines = this.#lines.get(key);
    if (lines === undefined) this.#lines.set(key, [line]);
    else lines.push(line);
  }

  /** The lines of a commit, which are to be sealed. */
  take(volume: number, commit: number): readonly string[] {
    const key = `${volume}.${commit}`;
    const lines = this.#lines.get(key) ?? [];
    this.#lines.delete(key);
    return lines;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }
}
