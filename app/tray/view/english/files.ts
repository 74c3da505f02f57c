/** The words of the files, of their history, and of what can be done with them. */
import type { KeptBy } from '../../../../shared/control/cache.ts';
import type { TakenBackAs } from '../../../../shared/control/history.ts';
import type { CacheAct } from '../../../../shared/model/cache.ts';
import { count } from './count.ts';

const CACHE_ACTS: Record<
  CacheAct,
  { readonly does: string; readonly done: string; readonly nothing: string }
> = {
  pin: {
    does: 'Keep on this laptop',
    done: 'always here now',
    nothing: 'Nothing to keep in it yet',
  },
  unpin: { does: 'No longer keep', done: 'no longer kept', nothing: 'Nothing was kept' },
  evict: { does: 'Free up space', done: 'freed', nothing: 'Nothing to free' },
  prefetch: { does: 'Download', done: 'downloaded', nothing: 'Nothing to download' },
};

const TAKEN_BACK: Record<TakenBackAs, string> = {
  made: 'comes back',
  contents: 'gets its older contents',
  moved: 'gets its old name',
  linked: 'gets that name again',
  mode: 'gets its old rights',
  'given-up': "becomes the server's again",
};

const KEPT: Record<KeptBy, string> = {
  toSend: 'Still to be sent',
  open: 'In use',
  pinned: 'Always here',
  ahead: 'Fetched ahead',
  rest: 'Goes when there is no room',
};

export const FILES_TEXT = {
  title: 'Files',
  volume: 'Volume',
  path: 'Where you are',
  root: 'All files',
  table: 'What is in this folder',
  name: 'Name',
  modified: 'Modified',
  size: 'Size',
  state: 'State',
  sortBy: (column: string): string => `Sort by ${column.toLowerCase()}`,
  select: (name: string): string => `Select ${name}`,
  selectAll: 'Select all',
  menu: (name: string): string => `What to do with ${name}`,
  search: 'Search',
  searchHint: 'Search in this folder and below',
  searching: 'Searching …',
  found: (n: number): string => `${count(n, 'match', 'matches')}`,
  foundCut: (n: number): string =>
    `The first ${count(n, 'match', 'matches')}; say more of the name`,
  nothingFound: (text: string): string => `Nothing here has “${text}” in its name`,
  endSearch: 'End the search',
  open: 'Open',
  openFolder: 'Open it here',
  look: 'Look at it',
  show: 'Show in folder',
  noText: 'This is no text that can be shown here.',
  versions: 'Versions …',
  more: 'Groups and sharing …',
  undo: 'Undo …',
  deleted: 'Deleted files',
  synced: 'synced',
  toSend: 'to be sent',
  sending: (percent: string): string => `sending ${percent}`,
  inside: (n: number): string => `${count(n, 'change')} to send`,
  sendingInside: (n: number, percent: string): string => `${count(n, 'change')}, ${percent}`,
  conflict: 'conflict',
  conflictsInside: (n: number): string => `${count(n, 'conflict')} inside`,
  problem: 'not synced',
  online: 'online only',
  always: 'always here',
  link: 'link',
  behind: 'a newer version is on its way',
  folder: 'folder',
  empty: 'This folder is empty',
  emptyRoot: 'Nothing here yet. Put files into your folder, and they are on all your laptops.',
  loading: 'Looking …',
  showMore: (n: number): string => `Show ${count(n, 'more', 'more')}`,
  actsLabel: 'What to do with the selected files',
  selected: (n: number): string => `${n} selected`,
  unselect: 'Select nothing',
  act: (act: CacheAct): string => CACHE_ACTS[act].does,
  done: (act: CacheAct, n: number, size: string): string =>
    n === 0 ? CACHE_ACTS[act].nothing : `${count(n, 'file')} (${size}) ${CACHE_ACTS[act].done}`,
  unchanged: (n: number): string => `${count(n, 'file')} as before`,
  failed: (n: number): string => `${count(n, 'file')} not`,
  working: 'Working …',
} as const;

export const HISTORY_TEXT = {
  versionsOf: (name: string): string => `Versions of ${name}`,
  version: (when: string): string => `Version of ${when}`,
  by: (who: string): string => `from ${who}`,
  bySomebody: 'from a laptop that is not known any more',
  present: 'the present one',
  notKept: 'not kept any more',
  none: 'The server keeps no version of it.',
  restoreVersion: 'Bring back',
  restoreOf: (what: string): string => `Bring back ${what}`,
  restored: (path: string): string => `Brought back: ${path}`,
  restoredMany: (n: number): string => `${count(n, 'thing')} brought back`,
  restoredNothing: 'Nothing was brought back',
  failed: (n: number, first: string): string => `${count(n, 'thing')} not: ${first}`,
  deletedTitle: (folder: string): string => `Deleted from ${folder}`,
  noneDeleted:
    'Nothing was deleted from this folder in the time that the server keeps. Folders in it have lists of their own.',
  deleted: (when: string): string => `deleted ${when}`,
  retention: 'The server keeps what is deleted for 30 days, unless its owner says otherwise.',
  undoTitle: 'Undo what this laptop did',
  undoIntro:
    'Nothing happens before you say so. What another laptop has changed since is left alone.',
  extent: 'How much',
  extents: {
    last: 'the last change',
    five: 'the last five changes',
    hour: 'the last hour',
    day: 'the last day',
  },
  takenBack: (as: TakenBackAs, isLaidAside = true): string =>
    as === 'given-up' && isLaidAside
      ? `${TAKEN_BACK[as]}; what was written here is kept in lost+found`
      : TAKEN_BACK[as],
  undoNothing: 'There is nothing to undo.',
  undoThese: (n: number): string => `Undo ${count(n, 'change')}`,
  undone: (n: number): string => `${count(n, 'change')} undone`,
  looking: 'Looking …',
  more: (n: number): string => `and ${count(n, 'other')}`,
  close: 'Close',
} as const;

export const CACHE_TEXT = {
  title: 'Space on this laptop',
  barLabel: 'What takes space here, as parts of what it may take; the table has the same',
  table: 'What takes space here, by what keeps it',
  keptBy: (by: KeptBy): string => KEPT[by],
  bound: (bytes: string, limit: string): string => `${bytes} of the ${limit} it may have now.`,
  between: (least: string, most: string): string => `Between ${least} and ${most}`,
  reserve: (size: string): string => `${size} of the disk stay free`,
  free: (size: string): string => `${size} are free`,
  pins: 'Always here',
  noPins:
    'Nothing is kept here always. In Files, choose “Keep on this laptop” for a file or folder.',
  morePins: (n: number): string => `and ${count(n, 'other')}`,
  unpin: (name: string): string => `No longer keep ${name}`,
} as const;
