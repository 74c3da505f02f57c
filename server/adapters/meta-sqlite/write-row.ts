/**
 * The writes of a commit, one by one, inside its transaction.
 *
 * Each checks what the core decided upon: that the row it replaces is the present one, that commits have no gaps. If not, the
 * core's picture is not the database's, and the transaction must not stand.
 */
import type { RowWrite } from '../../../shared/model/stored.ts';
import { assert } from '../../../shared/util/assert.ts';
import { writeAccount, type AccountWrite } from './write-account.ts';
import { toSortName } from './sort-name.ts';
import type { Statements } from './statements.ts';
import { formatXattrs, partsOf } from './vnode-row.ts';

type Write<K extends RowWrite['kind']> = Extract<RowWrite, { kind: K }>;

export function writeRow(statements: Statements, write: RowWrite): void {
  switch (write.kind) {
    case 'vnode':
      return writeVnode(statements, write);
    case 'entry':
      return writeEntry(statements, write);
    case 'log':
      return writeLog(statements, write);
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

function writeVnode(statements: Statements, { row, previous, ordinal }: Write<'vnode'>): void {
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
  // Where there was to be none, and is one, the index of present rows refuses the second.
  statements.run(
    'INSERT INTO vnode (volume, vnode, uniquifier, from_commit, ordinal, kind, mode, mtime, size, version,' +
      ' digest, target, links, entries, xattrs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[volume, vnode, uniquifier, status.commit, ordinal, status.kind, status.mode, status.mtime],
    ...[status.size, status.version, status.digest, status.target, status.links, entries],
    formatXattrs(status.xattrs),
  );
}

function writeEntry(statements: Statements, write: Write<'entry'>): void {
  const { dir, fid, commit, previous } = write;
  const { volume, vnode, uniquifier } = partsOf(dir);
  const place = [volume, vnode, uniquifier, toSortName(write.name)];
  if (previous !== null) {
    const ended = statements.run(
      'UPDATE entry SET to_commit = ? WHERE volume = ? AND dir_vnode = ? AND dir_uniquifier = ?' +
        ' AND name = ? AND from_commit = ? AND to_commit IS NULL',
      ...[commit, ...place, previous],
    );
    assert(ended === 1, 'an entry replaces its present row', { dir, previous });
  }
  if (fid === null) return;
  const child = partsOf(fid);
  assert(child.volume === volume, 'an entry names a vnode of its volume', { dir, fid });
  statements.run(
    'INSERT INTO entry (volume, dir_vnode, dir_uniquifier, name, from_commit, vnode, uniquifier)' +
      ' VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[...place, commit, child.vnode, child.uniquifier],
  );
}

function writeLog(statements: Statements, write: Write<'log'>): void {
  const { volume, commit, device, seq, when } = write;
  const next = statements.run(
    'UPDATE volume SET head = ? WHERE id = ? AND head = ?',
    ...[commit, volume, commit - 1],
  );
  assert(next === 1, 'commits of a volume have no gaps', { volume, commit });
  statements.run(
    'INSERT INTO commit_log VALUES (?, ?, ?, ?, ?)',
    volume,
    commit,
    device,
    seq,
    when,
  );
}

function writeUsed(statements: Statements, { volume, used, previous }: Write<'used'>): void {
  const known = statements.run(
    'UPDATE volume SET used = ? WHERE id = ? AND used = ?',
    ...[used, volume, previous],
  );
  assert(known === 1, 'what a volume uses changes from what it was', { volume, previous });
}
