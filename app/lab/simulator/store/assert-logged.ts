/** The rows of a commit come with its row of the log (contract 3 of the MetaStore port). */
import { volumeOf, type VolumeId } from '../../../../shared/model/fid.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { CommitNumber } from '../../../../shared/model/vnode.ts';
import { assert } from '../../../../shared/util/assert.ts';

/**
 * Checks that each row of a transaction has the row of the log of its commit. Throws
 * AssertionFailure if one has not.
 */
export function assertLogged(writes: readonly RowWrite[]): void {
  const keyOf = (volume: VolumeId, commit: CommitNumber): string => `${volume}.${commit}`;
  const logged = new Set<string>();
  for (const write of writes) {
    if (write.kind === 'log') logged.add(keyOf(write.volume, write.commit));
  }
  for (const write of writes) {
    const of =
      write.kind === 'vnode'
        ? keyOf(volumeOf(write.row.status.fid), write.row.status.commit)
        : write.kind === 'entry'
          ? keyOf(volumeOf(write.dir), write.commit)
          : null;
    assert(of === null || logged.has(of), 'a row comes with the commit that writes it', { of });
  }
}
