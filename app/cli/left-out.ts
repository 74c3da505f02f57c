/** Places at which a volume can not be shown, since the folder leaves them out. */
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Context } from './context.ts';

/** Throws GodwitError `usage` for what an ignore rule names, or what belongs to Godwit. `shown`: the path for people. */
export async function refuseLeftOut(
  { daemon }: Context,
  { volume, path }: { readonly volume: string; readonly path: readonly string[] },
  shown: string,
): Promise<void> {
  const { reason } = await daemon.command('left-out', { volume, path: [...path] });
  if (reason === null) return;
  const remedy = 'name another folder, or take the rule back (see `godwit status PATH`)';
  throw new GodwitError('usage', `${shown} is not synced: ${reason}`, remedy);
}
