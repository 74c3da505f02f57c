/** Checks of the machine and the program: Node, the addon, the clock. */
import { lengthText } from '../../../shared/util/amounts.ts';
import { formatLocal } from '../format.ts';
import { bad, ok, warn, type Finding } from './finding.ts';

const OLDEST_NODE = 24;
/** Before this, certificates that are valid look as if they were not valid yet. */
const EARLIEST_YEAR = 2026;
const LATEST_YEAR = 2100;
/** An answer may be seconds on its way; from there on a person takes one time for another. */
const MOST_APART_MS = 120_000;

/** Checks that this version of Node.js is not older than `OLDEST_NODE`. */
export function checkNode(version = process.versions.node): Finding {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return ok('node', `Node ${version}`);
  return bad('node', `Node ${version} is too old`, `install Node ${OLDEST_NODE} or newer`);
}

/** Checks that the native addon loads and answers. */
export async function checkAddon(): Promise<Finding> {
  try {
    const { NativeHost } = await import('../../../shared/transport/native-host.ts');
    const uptime = new NativeHost().bootTimeMs();
    return ok('addon', `loads and answers (the machine is up for ${lengthText(uptime / 1000)})`);
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0] ?? '';
    return bad('addon', `the native addon does not load: ${reason}`, 'run `npm run setup`');
  }
}

/**
 * Checks that the year of the clock is one that can be right, and that the server's clock shows about the same: no rule of syncing goes
 * by a clock, but what people read does. `aheadMs`: by how much the server's is ahead; null: nobody knows.
 */
export function checkClock(aheadMs: number | null = null, now = new Date()): Finding {
  const year = now.getUTCFullYear();
  if (aheadMs !== null && Math.abs(aheadMs) >= MOST_APART_MS) {
    const by = lengthText(Math.abs(aheadMs) / 1000);
    return warn(
      'clock',
      `${formatLocal(now.getTime())}: the server's clock is ${by} ${aheadMs > 0 ? 'ahead' : 'behind'}`,
      'set the one that is wrong: times of versions, `--at` and the end of invitations go by the server',
    );
  }
  if (year >= EARLIEST_YEAR && year <= LATEST_YEAR) {
    const same = aheadMs === null ? '' : ", as the server's";
    return ok('clock', `${formatLocal(now.getTime())}${same}`);
  }
  return warn(
    'clock',
    `${formatLocal(now.getTime())} can not be right`,
    'set the clock: times of files and names of conflict copies come from it',
  );
}
