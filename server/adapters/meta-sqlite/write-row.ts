/**
 * The writes of one transaction: of the commits in it, and of whatever else goes with them.
 *
 * Each commit is sealed (commit-seal.ts), so its row of the log comes when all of its others are there. Each write checks what the core
 * decided upon: that the row it replaces is the present one, that commits have no gaps. If not, the core's picture is not the
 * database's, and the transaction must not stand.
 */
import type { RowWrite } from '../../../shared/model/stored.ts';
import { assert } from '../../../shared/util/assert.ts';
import {
  SEALED_ENTRY,
  SEALED_VNODE,
  sealedEnd,
  sealedEntry,
  sealedVnode,
  sealOf,
  UnsealedRows,
  type CommitRow,
  type EndedRow,
} from './commit-seal.ts';
import { columnOf } from './copy-mark.ts';
import { writeAccount, type AccountWrite } from './write-account.ts';
import { toSortName } from './sort-name.ts';
import type { Statements } from './statements.ts';
import { formatXattrs, partsOf } from './vnode-row.ts';

const INSERT_VNODE =
  `INSERT INTO vnode (volume, from_commit, ${SEALED_VNODE})` +
  ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const INSERT_ENTRY = `INSERT INTO entry (volume, from_commit, ${SEALED_ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

const NOTHING_ENDED: EndedRow = [null, null];

type Write<K extends RowWrite['kind']> = Extract<RowWrite, { kind: K }>;

/** Runs in a transaction. */
export function writeRows(statements: Statements, writes: readonly RowWrite[]): void {
  const rows = writeEach(statements, writes);
  while (rows.next().done !== true);
}

/** The same, a row at a time. */
export function* writeEach(
  statements: Statements,
  writes: readonly RowWrite[],
): Generator<void, void> {
  const unsealed = new UnsealedRows();
  const logs: Array<Write<'log'>> = [];
  for (const write of writes) {
    if (write.kind === 'log') {
      logs.push(write);
      continue;
    }
    writeRow(statements, write, unsealed);
    yield;
  }
  for (const log of logs) {
    writeLog(statements, log, unsealed);
    yield;
  }
  assert(unsealed.isEmpty, 'a row comes with the commit that writes it');
}

function writeRow(
  statements: Statements,
  write: Exclude<RowWrite, { kind: 'log' }>,
  unsealed: UnsealedRows,
): void {
  switch (write.kind) {
    case 'vnode':
      return writeVnode(statements, write, unsealed);
    case 'entry':
      return writeEntry(statements, write, unsealed);
    case 'content':
      // The same digest is the same content: the row that is there will do.
      statements.run('INSERT OR IGNORE INTO content VALUES (?, ?)', write.digest, write.size);
      return;
    case 'used':
      return writeUsed(statements, write);
    default:
      return writeAccount(statements, write satisfies AccountWrite);
  }
}

function writeVnode(
  statements: Statements,
  { row, previous, ordinal }: Write<'vnode'>,
  unsealed: UnsealedRows,
): void {
  const { status, entries } = row;
  const { volume, vnode, uniquifier } = partsOf(status.fid);
  if (previous !== null) {
    const ended = statements.run(
      'UPDATE vnode SET to_commit = ? WHERE volume = ? AND vnode = ? AND uniquifier = ?' +
        ' AND from_commit = ? AND to_commit IS NULL',
      ...[status.commit, volume, vnode, uniquifier, previous],
    );
    assert(ended === 1, 'a vnode replaces its present row', { fid: status.fid, previous });
  }
  const { kind, mode, mtime, size, version, digest, target, links, xattrs } = status;
  const columns = [
    ...[vnode, uniquifier, ordinal, kind, mode, mtime, size, version],
    ...[digest, target, links, entries, formatXattrs(xattrs)],
  ];
  // Where there was to be none, and is one, the index of present rows refuses the second.
  statements.run(INSERT_VNODE, ...[volume, status.commit, ...columns]);
  const ended = previous === null ? NOTHING_ENDED : ([previous, status.commit] as const);
  unsealed.add(volume, status.commit, sealedVnode(columns, ended));
}

function writeEntry(statements: Statements, write: Write<'entry'>, unsealed: UnsealedRows): void {
  const { dir, fid, commit, previous } = write;
  const { volume, vnode, uniquifier } = partsOf(dir);
  const place = [vnode, uniquifier, toSortName(write.name)];
  if (previous !== null) {
    const ended = statements.run(
      'UPDATE entry SET to_commit = ? WHERE volume = ? AND dir_vnode = ? AND dir_uniquifier = ?' +
        ' AND name = ? AND from_commit = ? AND to_commit IS NULL',
      ...[commit, volume, ...place, previous],
    );
    assert(ended === 1, 'an entry replaces its present row', { dir, previous });
    unsealed.add(volume, commit, sealedEnd(place, previous));
  }
  if (fid === null) return;
  const child = partsOf(fid);
  assert(child.volume === volume, 'an entry names a vnode of its volume', { dir, fid });
  const columns = [...place, child.vnode, child.uniquifier];
  statements.run(INSERT_ENTRY, ...[volume, commit, ...columns]);
  unsealed.add(volume, commit, sealedEntry(columns));
}

function writeLog(statements: Statements, write: Write<'log'>, unsealed: UnsealedRows): void {
  const { volume, commit, device, seq, when, copyOf } = write;
  const next = statements.run(
    'UPDATE volume SET head = ? WHERE id = ? AND head = ?',
    ...[commit, volume, commit - 1],
  );
  assert(next === 1, 'commits of a volume have no gaps', { volume, commit });
  const row = { volume, number: commit, device, seq, when_ms: when, copy_of: columnOf(copyOf) };
  writeLogRow(statements, row, unsealed.take(volume, commit));
}

/** `lines`: what the commit wrote. */
export function writeLogRow(
  statements: Statements,
  row: CommitRow,
  lines: readonly string[],
): void {
  const { volume, number, device, seq, when_ms: when, copy_of: mark } = row;
  statements.run(
    'INSERT INTO commit_log (volume, number, device, seq, when_ms, copy_of, seal) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[volume, number, device, seq, when, mark, sealOf(row, lines)],
  );
}

function writeUsed(statements: Statements, { volume, used, previous }: Write<'used'>): void {
  const known = statements.run(
    'UPDATE volume SET used = ? WHERE id = ? AND used = ?',
    ...[used, volume, previous],
  );
  assert(known === 1, 'what a volume uses changes from what it was', { volume, previous });
}
