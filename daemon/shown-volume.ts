/**
 * Which volume the folder of a daemon shows. It is named by `godwit up --volume`; else the server says which is usual for this person. Once the folder
 * was open it is that volume for good, by its number: an administrator may give it another name, and the settings follow.
 */
import type { VolumeInfo } from '../shared/model/change.ts';
import { compareNames } from '../shared/model/names.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';

export interface Choice {
  /** Those that this device knows, and of these the ones that it may see now. */
  readonly known: readonly VolumeInfo[];
  readonly seen: readonly VolumeInfo[];
  /** The names of volumes that were removed on the server. */
  readonly removed: readonly string[];
  /** The number of the one that is usual for this person; null: the server has named none. */
  readonly usual: number | null;
  /** The name in the settings; undefined: nobody has said which. */
  readonly named: string | undefined;
  /** The number of the one that the folder shows already; null: it was never open. */
  readonly shown: number | null;
}

/** What a server makes first, and what older servers alone have. */
const FIRST_NAME = 'home';

/** Throws GodwitError `no-such-volume`, `volume-removed`. */
export function chooseVolume({ known, seen, removed, usual, named, shown }: Choice): VolumeInfo {
  const before = shown === null ? undefined : known.find(({ id }) => id === shown);
  if (before !== undefined) return before;
  const said =
    named === undefined
      ? (seen.find(({ id }) => id === usual) ?? seen.find(({ name }) => name === FIRST_NAME))
      : (seen.find(({ name }) => name === named) ?? known.find(({ name }) => name === named));
  if (said !== undefined) return said;
  const [only, ...others] = seen;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  throw notSeen(named, seen, removed);
}

/** That this device does not see the volume that it is to show. `named` undefined: nobody has said which. */
export function notSeen(
  named: string | undefined,
  seen: ReadonlyArray<{ readonly name: string }>,
  removed: readonly string[] = [],
): GodwitError {
  if (named !== undefined && removed.includes(named)) {
    return new GodwitError('volume-removed', `the volume ${named} was removed on the server`);
  }
  const names = seen
    .map(({ name }) => name)
    .sort(compareNames)
    .join(', ');
  const ask = 'ask who runs the server for an invitation to one';
  if (names === '') {
    const what = named === undefined ? 'no volume' : `no volume ${named}, and no other`;
    return new GodwitError('no-such-volume', `this device sees ${what}`, ask);
  }
  const what =
    named === undefined ? `several volumes: ${names}` : `no volume ${named}, only ${names}`;
  const choose = 'say which the folder shows: `godwit up --volume NAME`';
  return new GodwitError('no-such-volume', `this device sees ${what}`, choose);
}
