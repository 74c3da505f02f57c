/** Where a volume is shown, or is to be: what sharing, accepting and leaving have in common. */
import type { Share } from '../../../../shared/control/access.ts';
import type { Fid } from '../../../../shared/model/fid.ts';
import type { AccessKeeper } from '../../../../shared/ports/access-keeper.ts';
import type { ControlledDaemon, VolumePath } from '../../../../shared/ports/controlled.ts';
import type { Attributes } from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { findPath, findVolume } from '../find-path.ts';

const MODE = 0o755;
/** How often it is looked whether the folder shows a volume, and how long between. */
const MOST_LOOKS = 100;
const LOOK_MS = 100;

/** What sharing needs of a daemon. */
export interface SharingDaemon extends Pick<
  ControlledDaemon,
  'programs' | 'changed' | 'snapshot' | 'scan' | 'flush' | 'leftOut' | 'acrossMounts'
> {
  readonly access: Pick<
    AccessKeeper,
    'list' | 'set' | 'shares' | 'makeVolume' | 'handOver' | 'leave'
  >;
}

/** A name in a folder. */
export interface Place {
  readonly dir: Fid;
  readonly last: string;
  /** For people. */
  readonly shown: string;
  /** null: nothing has the name. */
  readonly found: Attributes | null;
}

/** Where something is, or is to be. Rejects `usage` for the root of a volume, `not-a-directory`, `no-such-volume`. */
export async function placeOf(
  { programs }: Pick<SharingDaemon, 'programs'>,
  { volume, path }: VolumePath,
): Promise<Place> {
  const [last, shown] = [path.at(-1), shownPath(path)];
  if (last === undefined) {
    const remedy = 'for the volume as a whole, see `godwit access give`';
    throw new GodwitError('usage', `${shown}: a folder in it is meant`, remedy);
  }
  const above = await findPath(programs, volume, path.slice(0, -1));
  if (above.kind !== 'directory') {
    throw new GodwitError('not-a-directory', `${shownPath(path.slice(0, -1))} is no folder`);
  }
  return { dir: above.fid, last, shown, found: await entryOf(programs, above.fid, last) };
}

/** What has a name in a folder; null: nothing. */
export async function entryOf(
  programs: SharingDaemon['programs'],
  dir: Fid,
  name: string,
): Promise<Attributes | null> {
  try {
    return await programs.lookup(dir, name);
  } catch (error) {
    if (error instanceof GodwitError && error.code === 'not-found') return null;
    throw error;
  }
}

/** Rejects `usage` where no volume can be shown: what an ignore rule names, or what belongs to Godwit. `shown`: the path for people. */
export async function refuseLeftOut(
  daemon: Pick<SharingDaemon, 'leftOut'>,
  { volume, path }: VolumePath,
  shown: string,
): Promise<void> {
  const reason = await daemon.leftOut(volume, path);
  if (reason === null) return;
  const remedy = 'name another folder, or take the rule back (see `godwit status PATH`)';
  throw new GodwitError('usage', `${shown} is not synced: ${reason}`, remedy);
}

/** A path from the root of a volume, for people. */
export const shownPath = (path: readonly string[]): string => `/${path.join('/')}`;

/** The folder of this laptop does not show it. */
export const isNowhere = ({ path, isFolder }: Share): boolean => path === null && !isFolder;

/** Shows a volume; resolves when the folder keeps it, so that what is put there next is of it; or when that takes long, or there is no folder. */
export async function mount(
  daemon: SharingDaemon,
  at: { readonly dir: Fid; readonly name: string; readonly mode?: number | undefined },
  volume: string,
): Promise<void> {
  const { programs, access } = daemon;
  const { id } = await findVolume(programs, volume);
  await programs.mkdir(at.dir, at.name, { mode: at.mode ?? MODE, mounts: id });
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { shares } = await access.shares();
    const share = shares.find((each) => each.volume === volume);
    if (!shares.some(({ isFolder }) => isFolder) || share === undefined || !isNowhere(share)) {
      return;
    }
    await daemon.changed(daemon.snapshot().revision, LOOK_MS);
  }
}
