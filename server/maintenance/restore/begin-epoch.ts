/**
 * A database that was put back from a backup begins a new epoch (rule I1), before a server opens it: see contract 5 of the
 * MetaStore port. Devices that know more of the history than the backup then offer it again, and nothing of theirs
 * is replaced by an older version.
 *
 * No server may be running on the database.
 */
import type { VolumeId } from '../../../shared/model/fid.ts';
import { epochStart, LOST_UNIQUIFIERS } from '../../../shared/model/epoch.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { Random } from '../../../shared/ports/random.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { Statements } from '../../adapters/meta-sqlite/statements.ts';
import { countAgain } from '../quota/quotas.ts';
import { epochOf, storedVolumes } from '../../adapters/meta-sqlite/stored-state.ts';
import { writeLogRow } from '../../adapters/meta-sqlite/write-row.ts';

export interface BegunEpoch {
  readonly epoch: string;
  readonly volumes: ReadonlyArray<{
    readonly volume: VolumeId;
    readonly name: string;
    /** The newest commit of the backup. */
    readonly last: CommitNumber;
  }>;
}

const TOKEN_BYTES = 16;

/** Throws GodwitError `no-server`. */
export function beginEpoch(database: Sqlite, now: WallTime, random: Random): BegunEpoch {
  const statements = new Statements(database);
  const begin = database.transaction((): BegunEpoch => {
    const ended = epochOf(statements);
    if (ended === null) {
      throw new GodwitError('no-server', `${database.name}: no server was started on it yet`);
    }
    const epoch = random.hex(TOKEN_BYTES);
    const volumes = storedVolumes(statements);
    for (const { id, head, lastUniquifier } of volumes) {
      const first = epochStart(head, now);
      const lost = [lastUniquifier + 1, lastUniquifier + LOST_UNIQUIFIERS];
      statements.run(
        'INSERT INTO epoch_cut VALUES (?, ?, ?, ?, ?, ?)',
        ended,
        id,
        head,
        first,
        ...lost,
      );
      const row = { volume: id, number: first, device: 0, seq: 0, when_ms: now, copy_of: null };
      writeLogRow(statements, row, []);
      statements.run('UPDATE volume SET head = ? WHERE id = ?', first, id);
    }
    countAgain(database);
    statements.run("UPDATE device SET incarnation = ''");
    statements.run("INSERT OR IGNORE INTO lease SELECT id, '' FROM device");
    statements.run("INSERT OR IGNORE INTO lease VALUES (0, '')");
    statements.run("UPDATE meta SET value = ? WHERE key = 'epoch'", epoch);
    return {
      epoch,
      volumes: volumes.map(({ id, name, head }) => ({ volume: id, name, last: head })),
    };
  });
  return begin.immediate();
}
