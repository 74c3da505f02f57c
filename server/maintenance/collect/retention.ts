/** How long a server keeps old versions (rule D4): reports that to an administrator, and sets it, beside a running server or without one. */
import {
  isRetention,
  MAX_RETENTION_DAYS,
  type RetentionPolicy,
} from '../../../shared/model/retention.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { retentionOf, setRetention } from '../../adapters/meta-sqlite/contents-named.ts';
import { withServerDatabase } from '../../adapters/meta-sqlite/server-database.ts';
import { startedFolder } from '../../data-folder.ts';

/** What is stored is not read then: it may be damaged. */
const isWhole = (change: Partial<RetentionPolicy>): change is RetentionPolicy =>
  change.allDays !== undefined && change.dailyDays !== undefined;

/** What is given changes, the rest stays; gives what holds now. Throws GodwitError `usage`, `no-server`, `damaged-database`. */
export function changeRetention(
  dataDir: string,
  change: Partial<RetentionPolicy>,
): RetentionPolicy {
  return withServerDatabase(startedFolder(dataDir).database, (database) => {
    const policy = isWhole(change) ? change : { ...retentionOf(database), ...change };
    if (!isRetention(policy)) {
      throw new GodwitError('usage', `days are whole numbers from 0 to ${MAX_RETENTION_DAYS}`);
    }
    if (Object.keys(change).length > 0) setRetention(database, policy);
    return policy;
  });
}
