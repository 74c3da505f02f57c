/** One row, or one page, for each kind of key. All keys of a load are read in one transaction, so as of one state. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { AnyRow, RowKey, VnodeBlock } from '../../../shared/model/stored.ts';
import type { NamedSnapshot } from '../../../shared/model/snapshots.ts';
import type { UpdateResult } from '../../../shared/model/update.ts';
import { parseStored } from './store-error.ts';
import { deviceByFingerprint, deviceNames, invitationById, unusedBlocks } from './account-rows.ts';
import { ancestorsOf, presentEntry } from './entry-row.ts';
import { heightOf } from './height.ts';
import { feedPage } from './read-feed.ts';
import { isKept, ownCommits, pastNames, pastVersions } from './read-history.ts';
import { directoryPage, volumePage } from './read-listings.ts';
import { SNAPSHOTS_OF } from './snapshot-rows.ts';
import { allVolumes } from './stored-state.ts';
import type { Statements } from './statements.ts';
import { partsOf, presentVnode, statusOf, storedVnode, vnodeOfVersion } from './vnode-row.ts';

/** `walked`: directories of which this load has what is above them. */
export function readRow(statements: Statements, key: RowKey, walked: Set<Fid>): AnyRow {
  switch (key.kind) {
    case 'vnode': {
      const row = presentVnode(statements, partsOf(key.fid));
      return row === null ? null : storedVnode(row);
    }
    case 'entry':
      return presentEntry(statements, key.dir, key.name);
    case 'ancestors':
      return ancestorsOf(statements, key.fid, walked);
    case 'height':
      return heightOf(statements, key.fid, key.most);
    case 'applied': {
      const row = statements.get<{ result: string; name: string | null }>(
        'SELECT result, name FROM applied WHERE device = ? AND seq = ?',
        ...[key.device, key.seq],
      );
      if (row === null) return null;
      const what = `the answer to update ${key.seq} of device ${key.device}`;
      return { result: parseStored<UpdateResult>(row.result, what), name: row.name };
    }
    case 'block':
      return statements.get<VnodeBlock>(
        'SELECT volume, first, count, uniquifier, device FROM block WHERE volume = ? AND uniquifier = ?',
        ...[key.volume, key.uniquifier],
      );
    case 'unused-blocks':
      return unusedBlocks(statements, key);
    case 'volumes':
      return allVolumes(statements);
    case 'device':
      return deviceByFingerprint(statements, key.fingerprint);
    case 'device-names':
      return deviceNames(statements, key.user);
    case 'invitation':
      return invitationById(statements, key.id);
    case 'version': {
      const row = vnodeOfVersion(statements, partsOf(key.fid), key.version);
      // Contents that were collected since (rule D4) are as if they had never been.
      if (row === null || (row.digest !== null && !isKept(statements, row.digest))) return null;
      return statusOf(row);
    }
    case 'directory':
      return directoryPage(statements, key);
    case 'changes':
      return feedPage(statements, key);
    case 'snapshot':
      return volumePage(statements, key);
    case 'past-versions':
      return pastVersions(statements, key);
    case 'past-names':
      return pastNames(statements, key);
    case 'named-snapshots':
      return statements.all<NamedSnapshot>(SNAPSHOTS_OF, key.volume);
    case 'own-commits':
      return ownCommits(statements, key);
  }
}
