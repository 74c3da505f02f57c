/**
 * Checker: "synced" is true without anybody's asking. When the programs have ended and nobody has flushed, laptops that all say that everything is
 * synced show the same. It allows watches that lose events without a word: those are found by a flush, or in an hour.
 */
import { seconds } from '../../../../../shared/model/time.ts';
import { diskTree } from '../trees.ts';
import type { CheckedRun } from './checked-run.ts';
import { expectedTree, volumesNow } from './mounted-kept.ts';
import { lookForOther } from './same-as-volume.ts';

const CHECKER = 'synced is true';
/** What is not watched is looked at each half minute. */
const QUIET = seconds(45);

/** Lets some time pass, and looks at laptops that say that they are done. */
export async function lookWhenQuiet(run: CheckedRun): Promise<void> {
  const { cluster, machines, plan, find } = run;
  const { lossChance = 0, isLossTold = true } = plan.settings.watches;
  if (lossChance > 0 || !isLossTold) return;
  await cluster.pass(QUIET);
  const isDone = machines.every(
    ({ client, folder }) => client.running && folder !== null && client.status.state === 'idle',
  );
  if (!isDone) return;
  const volumes = await volumesNow(run);
  const told = (_: string, text: string): void => find(CHECKER, text);
  for (const machine of machines) {
    const own = diskTree(machine.observer, machine.root);
    const volume = expectedTree(volumes, machine, own);
    lookForOther({ find: told }, machine, { volume, own });
  }
}
