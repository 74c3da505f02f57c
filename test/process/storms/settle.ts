/** All that was wrong has ended: whatever is to run runs, and everything comes to rest. What does not is found. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ErrorStatus,
  StatusSnapshot,
  WaitingStatus,
} from '../../../shared/control/snapshot.ts';
import { readControlFile } from '../../../shared/control/control-file.ts';
import type { Stage, StormLaptop } from './stage.ts';

/** Each takes another one's answer into account, such as a conflict's. */
const MOST_PASSES = 6;
const QUIET_PASSES = 2;
/** What a disk that lacks something says of itself, and of what it can not have. */
const OF_THE_DISK = new Set([
  'disk-limits',
  'disk-lacks',
  'name-refused',
  'looked-at',
  'attributes-left',
]);
const LOST = '.godwit/lost+found';

export interface Rest {
  readonly findings: readonly string[];
  readonly confirmed: number;
  readonly conflicts: number;
}

/** Brings a case to rest. */
export async function settle(stage: Stage, note: (line: string) => void): Promise<Rest> {
  const findings: string[] = [];
  await stage.startLeftOut();
  if (stage.server.child.exitCode !== null) findings.push('the server has ended by itself');
  for (const { name, data } of stage.laptops) {
    if (!isRunning(data)) findings.push(`${name}: the daemon has ended by itself`);
  }
  if (findings.length > 0) return { findings, confirmed: 0, conflicts: 0 };
  let confirmed = 0;
  let quiet = 0;
  for (let pass = 0; pass < MOST_PASSES && quiet < QUIET_PASSES; pass++) {
    const said: string[] = [];
    for (const laptop of stage.laptops) {
      const why = await stage.flush(laptop);
      if (why === null) continue;
      const reason = `${why} (flush of ${laptop.name})`;
      if (reason.startsWith('removals-held')) {
        note(`${laptop.name}: confirm`);
        confirmed += 1;
        await stage.confirm(laptop);
      }
      said.push(reason);
    }
    quiet = said.every((reason) => isExpected(stage, reason)) ? quiet + 1 : 0;
    if (pass === MOST_PASSES - 1 && quiet === 0) findings.push(...said);
  }
  let conflicts = 0;
  for (const laptop of stage.laptops) {
    const status = await stage.until(laptop, isAtRest);
    if (status === null) findings.push(await restless(stage, laptop));
    conflicts += status?.conflicts.length ?? 0;
    const said = status?.errors ?? [];
    const isAside = said.some(isOfLost);
    if (status !== null && isAside !== liesAside(laptop)) {
      findings.push(
        `${laptop.name} ${isAside ? 'says' : 'does not say'} that files lie in ${LOST}`,
      );
    }
    const errors = said.filter((error) => !OF_THE_DISK.has(error.code) && !isOfLost(error));
    for (const { code, path, message } of errors) {
      findings.push(`${laptop.name} still says ${code} of ${path ?? 'everything'}: ${message}`);
    }
  }
  return { findings, confirmed, conflicts };
}

/** It is said until somebody has taken it out. */
function isOfLost({ code, path }: ErrorStatus): boolean {
  return code === 'put-aside' && path === LOST;
}

function liesAside({ folder }: StormLaptop): boolean {
  const path = join(folder, LOST);
  return existsSync(path) && readdirSync(path).length > 0;
}

function isExpected({ laptops }: Stage, reason: string): boolean {
  const isLacking = laptops.some(({ outer, inner }) => outer.kind.lacks || inner.kind.lacks);
  return isLacking && OF_THE_DISK.has(reason.split(':')[0] ?? '');
}

const stands = ({ stands: does }: WaitingStatus): boolean => does === true;

function isAtRest({ state, queues, unsettled, waiting = [], connected }: StatusSnapshot): boolean {
  const queued = queues.metadata.updates + queues.data.updates;
  const isDone =
    state === 'idle' || state === 'incomplete' || state === 'conflict' || state === 'error';
  return (
    connected &&
    isDone &&
    queued === 0 &&
    unsettled.paths + unsettled.commits === 0 &&
    waiting.every(stands)
  );
}

async function restless(stage: Stage, { name, data }: StormLaptop): Promise<string> {
  const { state, queues, unsettled, waiting, summary } = await stage.status({ data });
  const updates = queues.metadata.updates + queues.data.updates;
  return `${name} does not come to rest: ${JSON.stringify({ state, updates, unsettled, waiting, summary })}`;
}

function isRunning(data: string): boolean {
  const pid = readControlFile(data)?.pid;
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
