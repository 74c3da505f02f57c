/**
 * Checker: what is excluded is not on the disk, or it is told why it is there still. Then everything is included again, so that all other checkers see
 * whether anything was removed or lost for it.
 */
import { GodwitError } from '../../../../../shared/wire/error-codes.ts';
import type { FolderMachine } from '../folder-machine.ts';
import type { CheckedRun } from './checked-run.ts';

const CHECKER = 'an excluded folder leaves the disk';

/** Looks at what each laptop has excluded, when all has settled. True: something is included again. */
export async function includeAll(run: CheckedRun): Promise<boolean> {
  let isAny = false;
  for (const machine of run.machines) {
    if (machine.folder === null) continue;
    for (const { fid, path, left, staying } of machine.folder.excluded()) {
      const shown = path?.join('/') ?? fid;
      if (left > 0 && staying.length === 0 && !machine.troubles.wereAny) {
        run.find(CHECKER, `${machine.name} has ${left} names of ${shown} and does not say why`);
      }
      // It is gone from the volume.
      if (path === null) continue;
      isAny = true;
      await include(run, machine, path);
    }
  }
  return isAny;
}

async function include(
  { cluster }: CheckedRun,
  { client }: FolderMachine,
  path: readonly string[],
): Promise<void> {
  const volume = client.status.volumes.find(({ id }) => id === client.volume)?.name ?? '';
  try {
    await cluster.run(client.daemon.cache.include(volume, path), `${client.name} to include`);
  } catch (error) {
    // One that is in another comes after it.
    if (!(error instanceof GodwitError)) throw error;
  }
}
