/**
 * `share-folder`, `accept-share` and `leave-share`: what the window, and the command for the last two, asks for in one call each. A shared folder is a volume of its own that is shown where
 * the folder was (rule M2). All that is done is ordinary calls of the access lists and of the file-system port, so each of these may be asked again.
 */
import { randomBytes } from 'node:crypto';
import type { Share } from '../../../../shared/control/access.ts';
import { has } from '../../../../shared/model/access-list.ts';
import { volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import { labelOf } from '../../../../shared/model/shared-name.ts';
import type { AccessKeeper, AskedRow } from '../../../../shared/ports/access-keeper.ts';
import type { ControlledDaemon, VolumePath } from '../../../../shared/ports/controlled.ts';
import type { Attributes } from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { findPath, findVolume } from '../find-path.ts';

const MODE = 0o755;
const NONCE_BYTES = 16;
/** How often it is looked whether the folder shows a volume, and how long between. */
const MOST_LOOKS = 100;
const LOOK_MS = 100;

/** What sharing needs of a daemon. */
export interface SharingDaemon extends Pick<ControlledDaemon, 'programs' | 'changed' | 'snapshot'> {
  readonly access: Pick<AccessKeeper, 'list' | 'set' | 'shares' | 'makeVolume' | 'leave'>;
}

type Guest = Pick<AskedRow, 'kind' | 'name' | 'rights'>;

interface Place {
  readonly dir: Fid;
  readonly last: string;
  /** For people. */
  readonly shown: string;
  /** null: nothing has the name. */
  readonly found: Attributes | null;
}

/**
 * Makes a folder a volume that `guest` may use, and gives its name. Nothing is changed in the folder if the guest is refused. Rejects `usage`, `not-found`,
 * `not-empty`, `not-a-directory`, `no-right`, `not-administrator`, `not-connected`, `server-too-old` ...
 */
export async function shareFolder(
  daemon: SharingDaemon,
  place: VolumePath,
  guest: Guest,
): Promise<string> {
  const { dir, last, shown, found } = await placeOf(daemon, place);
  if (found === null) throw new GodwitError('not-found', `${shown}: there is no such folder`);
  const shows = await mayBeShared(daemon, shown, found);
  const around = (await daemon.programs.volumes()).find(({ id }) => id === volumeOf(dir));
  const volume =
    shows ??
    (await unfinished(daemon, last, guest)) ??
    (await daemon.access.makeVolume(around?.name ?? '', last, nonce()));
  await daemon.access.set(volume, { ...guest, negative: false });
  if (shows !== null) return volume;
  await daemon.programs.rmdir({ dir, name: last });
  await show(daemon, dir, last, volume);
  return volume;
}

const nonce = (): string => randomBytes(NONCE_BYTES).toString('hex');

/** The name of the volume that it shows; null: it is an ordinary folder, which can be shared. */
async function mayBeShared(
  { programs }: SharingDaemon,
  shown: string,
  { fid, kind, mounted }: Attributes,
): Promise<string | null> {
  if (mounted !== undefined) {
    if (mounted.volume !== null) return mounted.volume;
    throw new GodwitError('no-right', `${shown}: ${mounted.why ?? 'it shows nothing here'}`);
  }
  if (kind !== 'directory') {
    throw new GodwitError('not-a-directory', `${shown}: folders are shared, and this is none`);
  }
  if ((await programs.readdir(fid)).length === 0) return null;
  const why = `${shown}: there are files in it, and it is shared as it is in a terminal only`;
  throw new GodwitError('not-empty', why, `\`godwit share ${shown} --with NAME\``);
}

/** A volume of that name that an order before has made and not shown: empty, shown nowhere, and for nobody but this person and the guest. */
async function unfinished(
  { access, programs }: SharingDaemon,
  label: string,
  guest: Guest,
): Promise<string | null> {
  const { person, shares } = await access.shares();
  const own = shares.filter(
    (share) =>
      isNowhere(share) &&
      has(share.own, 'administer') &&
      share.volume !== label &&
      labelOf(share.volume) === label,
  );
  for (const { volume } of own) {
    const { entries } = await access.list(volume);
    const isOurs = entries.every(
      ({ kind, name }) =>
        (kind === 'person' && name === person) || (kind === guest.kind && name === guest.name),
    );
    const { root } = await findVolume(programs, volume);
    if (isOurs && (await programs.readdir(root)).length === 0) return volume;
  }
  return null;
}

const isNowhere = ({ path, isFolder }: Share): boolean => path === null && !isFolder;

/** Shows what was offered at a new place. Rejects `no-such-volume`, `exists`, `no-right`, `not-found`, `not-connected` ... */
export async function acceptShare(
  daemon: SharingDaemon,
  volume: string,
  place: VolumePath,
): Promise<void> {
  const share = await shareNamed(daemon, volume);
  if (!isNowhere(share)) {
    const at = shownPath(share.path ?? []);
    throw new GodwitError('exists', `${volume} is shown at ${at} already`);
  }
  const { dir, last, shown, found } = await placeOf(daemon, place);
  if (found !== null) {
    throw new GodwitError('exists', `${shown}: something is called so`, 'name another folder');
  }
  await show(daemon, dir, last, volume);
}

/** Gives up what was given, and takes it out of the folder. `stays`: a team lets this person see it still. Rejects `no-such-volume`, `usage`, `last-administrator`, `not-connected` ... */
export async function leaveShare(daemon: SharingDaemon, volume: string): Promise<boolean> {
  const { path, isFolder } = await shareNamed(daemon, volume);
  if (isFolder) throw new GodwitError('usage', `${volume}: your folder itself shows it`);
  await daemon.access.leave(volume);
  const { shares } = await daemon.access.shares();
  if (path !== null) {
    const around = shares.find((share) => share.isFolder)?.volume ?? '';
    const { dir, last, found } = await placeOf(daemon, { volume: around, path });
    if (found?.mounted !== undefined) {
      await daemon.programs.rmdir({ dir, name: last }, { unmounts: true });
    }
  }
  return shares.some((share) => share.volume === volume);
}

async function shareNamed({ access }: SharingDaemon, name: string): Promise<Share> {
  const { shares } = await access.shares();
  const found = shares.find(({ volume }) => volume === name);
  if (found !== undefined) return found;
  throw new GodwitError('no-such-volume', `${name}: nothing is shared with you by this name`);
}

/** Rejects `usage` for the root of a volume. */
async function placeOf({ programs }: SharingDaemon, { volume, path }: VolumePath): Promise<Place> {
  const [last, shown] = [path.at(-1), shownPath(path)];
  if (last === undefined) throw new GodwitError('usage', `${shown}: a folder in it is meant`);
  const above = await findPath(programs, volume, path.slice(0, -1));
  if (above.kind !== 'directory') {
    throw new GodwitError('not-a-directory', `${shownPath(path.slice(0, -1))} is no folder`);
  }
  const found = await programs.lookup(above.fid, last).catch((error: unknown) => {
    if (error instanceof GodwitError && error.code === 'not-found') return null;
    throw error;
  });
  return { dir: above.fid, last, shown, found };
}

const shownPath = (path: readonly string[]): string => `/${path.join('/')}`;

/** Resolves when the folder keeps the volume, so that what is put there next is of it; or when that takes long, or there is no folder. */
async function show(daemon: SharingDaemon, dir: Fid, name: string, volume: string): Promise<void> {
  const { programs, access } = daemon;
  const { id } = await findVolume(programs, volume);
  await programs.mkdir(dir, name, { mode: MODE, mounts: id });
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { shares } = await access.shares();
    const share = shares.find((each) => each.volume === volume);
    if (!shares.some(({ isFolder }) => isFolder) || share === undefined || !isNowhere(share)) {
      return;
    }
    await daemon.changed(daemon.snapshot().revision, LOOK_MS);
  }
}
