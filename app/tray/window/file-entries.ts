/** The menu of a file or folder in the files pane. */
import type { CacheReport } from '../../../shared/control/cache.ts';
import type { LockOutcome, UnlockOutcome } from '../../../shared/control/locks.ts';
import type { CacheAct } from '../../../shared/model/cache.ts';
import { cacheOutcome } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { lockAct, lockOutcome, unlockOutcome, type LockAct } from '../view/lock-view.ts';
import { givenBy, type KnownShares } from '../view/shares-view.ts';
import { TEXT } from '../view/text.ts';
import { keyOf } from './file-table.tsx';
import { copyText, openPlace } from './open-place.ts';
import type { PaneProps, PlacedRow } from './pane-props.ts';
import type { MenuEntry } from './popup-menu.tsx';

/** What stands before the list. */
export type Shown =
  | { readonly kind: 'versions' | 'look' | 'more' | 'share' | 'leave'; readonly row: PlacedRow }
  | { readonly kind: 'undo' };

export interface EntryParts {
  readonly row: PlacedRow;
  readonly place: string | null;
  readonly open: (row: PlacedRow) => void;
  readonly done: () => void;
  readonly volume: string;
  readonly show: (shown: Shown) => void;
  readonly api: PaneProps['api'];
  readonly tell: PaneProps['tell'];
  readonly known: KnownShares | null;
}

/** What can be done with a file or folder, in the order in which the menu has it. */
export function entriesOf(parts: EntryParts): MenuEntry[] {
  const { row, place, open, show, api, tell } = parts;
  const act = (which: CacheAct): MenuEntry => actEntry(parts, which);
  const words = TEXT.files;
  const isFile = row.kind === 'file';
  const path = keyOf(row);
  return [
    { label: isFile ? words.open : words.openFolder, run: () => open(row) },
    ...(isFile ? [{ label: words.look, run: () => show({ kind: 'look', row }) }] : []),
    ...(place === null
      ? []
      : [
          { label: words.show, run: () => openPlace(api, tell, path, true) },
          { label: TEXT.home.copyPath, run: () => copyText(tell, `${place}/${path}`) },
        ]),
    { ...act(row.pinned ? 'unpin' : 'pin'), begins: true },
    ...(isFile ? [lockEntry(parts)] : []),
    act('evict'),
    act('prefetch'),
    ...(isFile
      ? [{ label: words.versions, run: () => show({ kind: 'versions', row }), begins: true }]
      : []),
    ...shareEntries(parts),
    {
      label: words.more,
      run: () => show({ kind: 'more', row }),
      begins: row.mounted?.volume === null,
    },
  ];
}

function actEntry({ row, volume, api, tell, done }: EntryParts, act: CacheAct): MenuEntry {
  const run = (): void => {
    const call = api.command<CacheReport>('cache', { act, volume, path: row.path });
    void tell(call, (report) => cacheOutcome(act, [report])).then(done);
  };
  return { label: TEXT.files.act(act), run };
}

/** Of folders alone; one that shows nothing here is neither shared nor left. */
function shareEntries({ row, show, known }: EntryParts): MenuEntry[] {
  if (row.kind !== 'directory' || row.mounted?.volume === null) return [];
  const words = TEXT.shares;
  return [
    { label: words.share, run: () => show({ kind: 'share', row }), begins: true },
    ...(givenBy(row, known) === null
      ? []
      : [{ label: words.leave, run: () => show({ kind: 'leave', row }) }]),
  ];
}

/** Locks a file, unlocks it, or breaks the locks of others, and says what came of it. */
function setLock(
  api: PaneProps['api'],
  tell: PaneProps['tell'],
  which: LockAct,
  at: { readonly volume: string; readonly path: readonly string[] },
): Promise<unknown> {
  const name = lineText(at.path.at(-1) ?? '');
  if (which === 'lock') {
    const call = api.command<LockOutcome>('lock', { ...at, mode: 'exclusive' });
    return tell(call, (outcome) => lockOutcome(name, outcome));
  }
  const call = api.command<UnlockOutcome>('unlock', { ...at, breaks: which === 'break' });
  return tell(call, (outcome) => unlockOutcome(which, outcome));
}

function lockEntry({ row, volume, api, tell, done }: EntryParts): MenuEntry {
  const which = lockAct(row);
  const run = (): void => void setLock(api, tell, which, { volume, path: row.path }).then(done);
  return { label: TEXT.locks.act[which], run };
}
