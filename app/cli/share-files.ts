/**
 * Shares a folder with files in it: a new volume is mounted beside it, the daemon moves everything over on the disk, and the volume gets the name of
 * the folder. Said again, it goes on where it was interrupted: what is beside the folder, and nobody else's yet, is the order before.
 */
import type { Fid } from '../../shared/model/fid.ts';
import { USUAL_SETS } from '../../shared/model/access-list.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { labelOf } from '../../shared/model/shared-name.ts';
import type { Attributes } from '../../shared/ports/file-system.ts';
import { sizeText } from '../../shared/util/amounts.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agrees, canAsk } from './ask.ts';
import type { Context } from './context.ts';
import { flushAndShow } from './flush-and-show.ts';
import { formatCount } from './format.ts';
import { printable } from './printable.ts';
import { stillAtIt } from './still-at-it.ts';

/** Programs may put something into the folder while it is emptied. */
const MOST_ROUNDS = 5;

/** What is shared, and where. */
export interface FullFolder {
  readonly dir: Fid;
  readonly last: string;
  /** Below the root of `volume`. */
  readonly names: readonly string[];
  readonly volume: string;
  readonly shown: string;
  /** Nobody is asked. */
  readonly yes: boolean;
  /** The folder; null: its files are in the new volume already, which has not got its name yet. */
  readonly found: Attributes | null;
}

/** How a volume for the folder is made, and waited for in the folder of this laptop. */
export interface MakesVolume {
  readonly make: () => Promise<string>;
  readonly mount: (volume: string, name: string) => Promise<void>;
  readonly kept: (volume: string) => Promise<void>;
}

/** What the volume is called until it has the name of the folder. */
export const besideName = (last: string): string => `${last} (being shared)`;

/** The volume of an order that was interrupted; null: there was none. Rejects `exists` if something else has that name. */
export async function begunBeside(
  { daemon }: Context,
  { dir, last }: { readonly dir: Fid; readonly last: string },
): Promise<string | null> {
  const name = besideName(last);
  const found = await daemon.fileSystem.lookup(dir, name).catch((error: unknown) => {
    if (error instanceof GodwitError && error.code === 'not-found') return null;
    throw error;
  });
  if (found === null) return null;
  const volume = found.mounted?.volume ?? null;
  if (volume !== null && labelOf(volume) === last) {
    const { own, entries } = await daemon.command('access', { volume });
    if (own === USUAL_SETS.admin && entries.length === 1) return volume;
  }
  throw new GodwitError('exists', `${name}: something is called so`, 'rename it first');
}

/** Makes the folder a volume with all that is in it; null: the person has thought better of it. Rejects as the daemon does. */
export async function shareFiles(
  context: Context,
  folder: FullFolder,
  begun: string | null,
  { make, mount, kept }: MakesVolume,
): Promise<string | null> {
  const { names, volume, shown, last, found } = folder;
  refuseConflicts(context, folder, await context.daemon.status());
  if (found !== null && begun === null) {
    await tellSize(context, shown, found);
    if (!folder.yes && canAsk(context) && !(await agrees(context, 'Share them?'))) return null;
  }
  // What is saved, and what others have saved, is in place and sent.
  await flushAndShow(context, null, false);
  const asked = { volume, path: [...names] };
  const looking = context.daemon.command('hand-over', { ...asked, shared: null });
  await stillAtIt(context, 'looking at the files', looking);
  const shared = begun ?? (await make());
  if (begun === null) await mount(shared, besideName(last));
  await kept(shared);
  for (let rounds = 1; ; rounds++) {
    const handing = context.daemon.command('hand-over', { ...asked, shared });
    await stillAtIt(context, 'moving the files over', handing);
    if (await takesName(context, folder, rounds < MOST_ROUNDS)) break;
  }
  context.note(`${shown} is the volume ${printable(shared)} now; its files are being told`);
  await flushAndShow(context, null, false);
  return shared;
}

/** The folder is empty: it goes, and the volume gets its name. False: a program has put something into it, which is to go over first. */
async function takesName(
  { daemon }: Context,
  { dir, last: name }: Pick<FullFolder, 'dir' | 'last'>,
  isAgain: boolean,
): Promise<boolean> {
  const { fileSystem } = daemon;
  try {
    await fileSystem.rmdir({ dir, name });
  } catch (error) {
    const { code } = error as Partial<GodwitError>;
    if (code === 'not-empty' && isAgain) return false;
    if (code !== 'not-found') throw error;
  }
  await fileSystem.rename({ dir, name: besideName(name) }, { dir, name });
  return true;
}

function refuseConflicts(
  context: Context,
  { names, shown, volume }: FullFolder,
  { conflicts }: Pick<StatusSnapshot, 'conflicts'>,
): void {
  const inside = conflicts.find(
    ({ copy, volume: of = volume }) => of === volume && copy.startsWith(`${names.join('/')}/`),
  );
  if (inside === undefined) return;
  const why = `${shown}: there is a conflict in it, ${context.shown(inside.copy, volume)}`;
  throw new GodwitError('not-empty', why, 'see `godwit conflicts`, then say it again');
}

async function tellSize(context: Context, shown: string, folder: Attributes): Promise<void> {
  const { files, bytes } = await stillAtIt(context, 'counting the files', countIn(context, folder));
  context.note(
    `${shown} has ${formatCount(files, 'file')} (${sizeText(bytes)}), which stay where they are on this laptop`,
  );
  context.note('earlier versions of them stay with the volume around it');
}

async function countIn(
  { daemon }: Context,
  { fid }: Pick<Attributes, 'fid'>,
): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0];
  const left = [fid];
  for (let dir = left.pop(); dir !== undefined; dir = left.pop()) {
    for (const { attributes } of await daemon.fileSystem.readdir(dir)) {
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
