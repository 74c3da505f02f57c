/** Opens what is in the folder with its program, or shows where it lies. */
import { shell } from 'electron';
import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { Known } from '../view/status-view.ts';

/** Brings a file here for which a placeholder stands. */
export type Demand = (volume: string, path: readonly string[]) => Promise<unknown>;

/** Throws an Error for what is outside of the folder, and what `demand` rejects with. */
export async function openPlace(
  known: Known,
  path: readonly string[],
  reveal: boolean,
  demand: Demand,
): Promise<void> {
  if (known.kind !== 'running' || known.status.folder === null) return;
  const { folder, volumes } = known.status;
  const root = resolve(folder);
  const place = resolve(join(root, ...path));
  if (place !== root && !place.startsWith(root + sep)) throw new Error('that is not in the folder');
  if (!existsSync(place)) await demand(volumes[0]?.name ?? '', path);
  if (reveal) return shell.showItemInFolder(place);
  const wrong = await shell.openPath(place);
  if (wrong !== '') throw new Error(wrong);
}
