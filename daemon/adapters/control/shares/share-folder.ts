/**
 * `share-folder`, which the command and the window order alike: a folder becomes a volume of its own that is shown where it was (rule M2), and others get
 * rights in it. `share-look` tells before what would become of it.
 *
 * The volume of a folder with files is mounted beside it; everything in the folder is moved over on the disk (hand-over.ts), and the volume gets its name.
 * All steps are ordinary calls, so an order that was interrupted may be given again: what lies beside the folder, and is nobody else's yet, is of the
 * order before. Others get their rights last, when the server has all of it.
 *
 * Orders to one daemon are carried out one after the other: each finds what the one before it has made.
 */
import { randomBytes } from 'node:crypto';
import { Semaphore } from '../../../../shared/concurrency/semaphore.ts';
import type { ShareLook } from '../../../../shared/control/access.ts';
import { has, USUAL_SETS } from '../../../../shared/model/access-list.ts';
import { volumeOf } from '../../../../shared/model/fid.ts';
import { labelOf } from '../../../../shared/model/shared-name.ts';
import type { AskedRow } from '../../../../shared/ports/access-keeper.ts';
import type { VolumePath } from '../../../../shared/ports/controlled.ts';
import type { Attributes, FileSystem } from '../../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { findVolume } from '../find-path.ts';
import {
  entryOf,
  isNowhere,
  mount,
  placeOf,
  refuseLeftOut,
  type Place,
  type SharingDaemon,
} from './share-place.ts';

const NONCE_BYTES = 16;
/** Programs may put something into the folder while it is emptied. */
const MOST_ROUNDS = 5;
/** Who orders it in the window waits for it: what is not sent by then goes on being sent. */
const FLUSH_MS = 600_000;

const turns = new WeakMap<FileSystem, Semaphore>();

/** Who gets which rights. */
export type Guest = Pick<AskedRow, 'kind' | 'name' | 'rights'>;

/** What is asked for. */
export interface ShareOrder {
  readonly place: VolumePath;
  readonly guests: readonly Guest[];
  /** A folder that is not there is made. */
  readonly makes: boolean;
}

/** Changes nothing. Rejects as the order would before it has changed anything: `usage`, `not-empty`, `no-right`, `not-connected` ... */
export async function lookAtShare(daemon: SharingDaemon, place: VolumePath): Promise<ShareLook> {
  const mounted = await shownBy(daemon, place);
  if (mounted !== null) return sharedAlready(mounted);
  const at = await currentPlace(daemon, place);
  if (at.shows !== null) return sharedAlready(at.shows);
  await mayShareFrom(daemon, at);
  const isBegun = (await begunBeside(daemon, at, [])) !== null;
  if (!at.isFull || at.found === null) return { volume: null, files: 0, bytes: 0, isBegun };
  await mayGoAlong(daemon, place, at);
  return { volume: null, ...(await countIn(daemon, at.found)), isBegun };
}

/**
 * Shares a folder, after the orders before it, and gives the name of its volume. Nothing is changed in the folder if a guest is refused.
 * Rejects `usage`, `not-found`, `not-empty`, `not-a-directory`, `exists`, `no-right`, `not-administrator`, `not-connected`, `server-too-old`, `timed-out` ...
 */
export function shareFolder(daemon: SharingDaemon, order: ShareOrder): Promise<string> {
  const turn = turns.get(daemon.programs) ?? new Semaphore(1);
  turns.set(daemon.programs, turn);
  return turn.run(() => carryOut(daemon, order));
}

async function carryOut(daemon: SharingDaemon, order: ShareOrder): Promise<string> {
  const { guests } = order;
  // An order before it may have made a volume of the folder, or of one around it.
  const place = daemon.acrossMounts(order.place);
  const isShown = place.path.length === 0 && order.place.path.length > 0;
  const shown = isShown ? place.volume : await shownBy(daemon, place);
  const volume = shown ?? (await becomeVolume(daemon, { ...order, place }));
  for (const guest of guests) await daemon.access.set(volume, { ...guest, negative: false });
  return volume;
}

const sharedAlready = (volume: string): ShareLook => {
  return { volume, files: 0, bytes: 0, isBegun: false };
};

/** The volume itself where the path of a command has ended at its mount point (across-mounts.ts); null: a folder is meant. */
async function shownBy({ access }: SharingDaemon, { volume, path }: VolumePath) {
  if (path.length > 0) return null;
  const { shares } = await access.shares();
  const share = shares.find((each) => each.volume === volume);
  return share === undefined || share.isFolder || isNowhere(share) ? null : volume;
}

/** Rejects as the server will when the volume is made. */
async function mayShareFrom(daemon: SharingDaemon, place: Place): Promise<void> {
  const { own } = await daemon.access.list(await volumeAround(daemon, place));
  if (has(own, 'administer')) return;
  throw new GodwitError('not-administrator', 'you may not share a folder of this volume');
}

async function volumeAround({ programs }: SharingDaemon, { dir }: Place): Promise<string> {
  const around = (await programs.volumes()).find(({ id }) => id === volumeOf(dir));
  return around?.name ?? '';
}

interface CurrentPlace extends Place {
  /** The volume that it shows. */
  readonly shows: string | null;
  /** A folder with something in it. */
  readonly isFull: boolean;
}

/** After what a program has just put on the disk was seen: a folder that is new or empty may have files by now. */
async function currentPlace(daemon: SharingDaemon, place: VolumePath): Promise<CurrentPlace> {
  const before = judged(await placeOf(daemon, place));
  if (before.shows !== null) return { ...before, isFull: false };
  // Without the server it ends here, with that as the reason.
  await daemon.access.shares();
  await daemon.scan();
  await refuseLeftOut(daemon, place, before.shown);
  const now = judged(await placeOf(daemon, place));
  const { found, shows } = now;
  const isFull =
    found !== null && shows === null && (await daemon.programs.readdir(found.fid)).length > 0;
  return { ...now, isFull };
}

/** Throws GodwitError `no-right`, `not-a-directory`. */
function judged(place: Place): Omit<CurrentPlace, 'isFull'> {
  const { found, shown } = place;
  if (found === null) return { ...place, shows: null };
  if (found.mounted !== undefined) {
    const { volume, why } = found.mounted;
    if (volume !== null) return { ...place, shows: volume };
    throw new GodwitError('no-right', `${shown}: ${why ?? 'it shows a volume that is not yours'}`);
  }
  if (found.kind === 'directory') return { ...place, shows: null };
  throw new GodwitError('not-a-directory', `${shown}: folders are shared, and this is none`);
}

/** What the volume is called until it has the name of the folder. */
const besideName = (last: string): string => `${last} (being shared)`;

/** The volume of an order that was interrupted; null: there was none. Rejects `exists` if something else has that name. */
async function begunBeside(
  daemon: SharingDaemon,
  { dir, last }: Place,
  guests: readonly Guest[],
): Promise<string | null> {
  const name = besideName(last);
  const found = await entryOf(daemon.programs, dir, name);
  if (found === null) return null;
  const volume = found.mounted?.volume ?? null;
  const isOurs =
    volume !== null &&
    labelOf(volume) === last &&
    (await isNobodyElses(daemon, volume, guests)) &&
    (await daemon.access.list(volume)).own === USUAL_SETS.admin;
  if (isOurs) return volume;
  throw new GodwitError('exists', `${name}: something is called so`, 'rename it first');
}

/** Makes the volume, or takes the one of an order that was interrupted, and shows it at the place with all that is in the folder. */
async function becomeVolume(
  daemon: SharingDaemon,
  { place, guests, makes }: ShareOrder,
): Promise<string> {
  const at = await currentPlace(daemon, place);
  if (at.shows !== null) return at.shows;
  const { dir, last, found, shown, isFull } = at;
  const begun = await begunBeside(daemon, at, guests);
  if (found === null && begun === null && !makes) {
    throw new GodwitError('not-found', `${shown}: there is no such folder`);
  }
  if (!isFull && begun === null) {
    const volume = await newVolume(daemon, at, guests);
    if (found !== null) await daemon.programs.rmdir({ dir, name: last });
    await mount(daemon, { dir, name: last, mode: found?.mode }, volume);
    return volume;
  }
  if (isFull) await mayGoAlong(daemon, place, at);
  // What is saved, and what others have saved, is in place and sent.
  await sent(daemon, shown, () => mayGoAlong(daemon, place, at));
  const volume = begun ?? (await newVolume(daemon, at, guests));
  const beside = { dir, name: besideName(last), mode: found?.mode };
  if (begun === null) await mount(daemon, beside, volume);
  for (let rounds = 1; ; rounds++) {
    await daemon.access.handOver(place.volume, place.path, volume);
    if (await takesName(daemon, at, rounds < MOST_ROUNDS)) break;
  }
  await sent(daemon, shown, async () => {
    const { id } = await findVolume(daemon.programs, volume);
    await daemon.programs.flush(id, FLUSH_MS);
  });
  return volume;
}

/** Rejects `not-empty` where something in the folder can not go into a volume. */
async function mayGoAlong(
  daemon: SharingDaemon,
  { volume, path }: VolumePath,
  { shown }: Place,
): Promise<void> {
  const inside = daemon
    .snapshot()
    .conflicts.find(
      ({ copy, volume: of = volume }) => of === volume && copy.startsWith(`${path.join('/')}/`),
    );
  if (inside !== undefined) {
    const why = `${shown}: there is a conflict in it, /${inside.copy}`;
    throw new GodwitError('not-empty', why, 'see `godwit conflicts`, then say it again');
  }
  await daemon.access.handOver(volume, path, null);
}

/** `isMeant`: what counts where something can not be synced, which may lie elsewhere. */
async function sent(
  daemon: SharingDaemon,
  shown: string,
  isMeant: () => Promise<void>,
): Promise<void> {
  const flushed = daemon.flush(FLUSH_MS).catch((error: unknown) => {
    if (error instanceof GodwitError && error.code !== 'timed-out') return isMeant();
    throw error;
  });
  await flushed.catch((error: unknown) => {
    if (!(error instanceof GodwitError) || error.code !== 'timed-out') throw error;
    const why = `${shown}: what is in it is still being sent`;
    throw new GodwitError('timed-out', why, 'say it again when all is synced; it goes on there');
  });
}

/** The folder is empty: it goes, and the volume gets its name. False: a program has put something into it, which is to go over first. */
async function takesName(
  { programs }: SharingDaemon,
  { dir, last: name }: Place,
  isAgain: boolean,
): Promise<boolean> {
  try {
    await programs.rmdir({ dir, name });
  } catch (error) {
    const { code } = error as Partial<GodwitError>;
    if (code === 'not-empty' && isAgain) return false;
    if (code !== 'not-found') throw error;
  }
  await programs.rename({ dir, name: besideName(name) }, { dir, name });
  return true;
}

async function countIn(
  { programs }: SharingDaemon,
  { fid }: Attributes,
): Promise<Pick<ShareLook, 'files' | 'bytes'>> {
  let [files, bytes] = [0, 0];
  const left = [fid];
  for (let dir = left.pop(); dir !== undefined; dir = left.pop()) {
    for (const { attributes } of await programs.readdir(dir)) {
      if (attributes.kind === 'directory') {
        if (attributes.mounted === undefined) left.push(attributes.fid);
        continue;
      }
      files += 1;
      bytes += attributes.size;
    }
  }
  return { files, bytes };
}

/** One in which each guest may be let in: whoever is refused is refused here. */
async function newVolume(
  daemon: SharingDaemon,
  place: Place,
  guests: readonly Guest[],
): Promise<string> {
  const { access } = daemon;
  const { last } = place;
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const made =
    (await unfinished(daemon, last, guests)) ??
    (await access.makeVolume(await volumeAround(daemon, place), last, nonce));
  for (const guest of guests) {
    // A row that takes rights away offers nothing to anybody, and goes at once.
    await access.set(made, { ...guest, negative: true });
    await access.set(made, { ...guest, negative: true, rights: 0 });
  }
  return made;
}

/** A volume of that name that an order before has made and not shown: empty, shown nowhere, and for nobody but this person and the guests. */
async function unfinished(
  daemon: SharingDaemon,
  label: string,
  guests: readonly Guest[],
): Promise<string | null> {
  const { access, programs } = daemon;
  const { shares } = await access.shares();
  const own = shares.filter(
    (share) =>
      isNowhere(share) &&
      has(share.own, 'administer') &&
      share.volume !== label &&
      labelOf(share.volume) === label,
  );
  for (const { volume } of own) {
    const { root } = await findVolume(programs, volume);
    const isEmpty = (await programs.readdir(root)).length === 0;
    if (isEmpty && (await isNobodyElses(daemon, volume, guests))) return volume;
  }
  return null;
}

/** Nobody but this person and the guests is in the list of the volume. */
async function isNobodyElses(
  { access }: SharingDaemon,
  volume: string,
  guests: readonly Guest[],
): Promise<boolean> {
  const { person } = await access.shares();
  const { entries } = await access.list(volume);
  return entries.every(
    ({ kind, name }) =>
      (kind === 'person' && name === person) ||
      guests.some((guest) => guest.kind === kind && guest.name === name),
  );
}
