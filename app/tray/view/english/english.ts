/**
 * Every word that the tray and its page say, in English.
 */
import { IGNORE_FILE } from '../../../../shared/control/default-ignores.ts';
import type { ConflictKind } from '../../../../shared/control/resolution.ts';
import type { QueueAct, QueueEntry, QueueEntryState } from '../../../../shared/control/queue.ts';
import type { PriorityClass } from '../../../../shared/model/priority-class.ts';
import type { SharingWord } from '../../../../shared/control/sharing.ts';
import { count } from './count.ts';
import { CACHE_TEXT, FILES_TEXT, HISTORY_TEXT } from './files.ts';
import { HOME_TEXT } from './home.ts';
import { LOCKS_TEXT } from './locks.ts';
import { SETTINGS_TEXT } from './settings.ts';
import { SETUP_TEXT } from './setup.ts';
import { SHARES_TEXT } from './shares.ts';

const CLASSES: Record<PriorityClass, { readonly name: string; readonly means: string }> = {
  VALIDATE: { name: 'Questions', means: 'is what is here still current' },
  FETCH: { name: 'Fetches', means: 'files that somebody waits for' },
  STORE_ATTR: { name: 'Names', means: 'names and attributes that are sent' },
  STORE_FAST: { name: 'Shared files', means: 'contents that others work on too' },
  STORE_DATA: { name: 'Contents', means: 'contents that are sent' },
  PREFETCH: { name: 'Ahead', means: 'files fetched before anybody asks' },
};

const QUEUE_STATES: Record<QueueEntryState, string> = {
  'on its way': 'on its way',
  ready: 'ready',
  waiting: 'waits for others',
  delayed: 'delayed',
  'held back': 'held back: no room in the quota',
  blocked: 'blocked',
  cancelled: 'not sent',
};

const KINDS: Record<QueueEntry['kind'], string> = {
  create: 'new file',
  mkdir: 'new folder',
  symlink: 'new link',
  link: 'new name',
  remove: 'removal',
  rmdir: 'removal',
  rename: 'new name',
  setattr: 'attributes',
  store: 'contents',
};

const ACTS: Record<QueueAct, string> = {
  now: 'Sync now',
  later: 'Later',
  cancel: 'Don’t send',
};

const CONFLICTS: Record<ConflictKind, string> = {
  contents: 'Both sides changed the contents',
  name: 'Both sides used the same name',
  removed: 'They removed what you changed',
  'directory-gone': 'The folder you put it into was removed',
  'contents-lost': 'Nobody has the contents any more',
  elsewhere: 'Another laptop met a conflict here',
  'rename-undone': 'They renamed what you renamed',
  'removal-undone': 'They changed what you removed',
  'renamed-removed': 'They removed what you renamed',
  'too-deep': 'It lay in too many folders, and is further up',
};

const SHARING: Record<SharingWord, string> = {
  shared: 'Several laptops use it',
  unshared: 'One laptop uses it',
  auto: 'By who uses it',
};

export const ENGLISH = {
  product: 'Godwit',
  count,
  nothing: '–',
  of: (part: string, whole: string): string => `${part} of ${whole}`,
  percent: (share: number): string => `${Math.floor(share * 100)} %`,
  perSecond: (size: string): string => `${size}/s`,
  slowOn: (network: string): string => `slowly on ${network}`,
  waiting: 'Waiting',
  moreWaiting: (n: number): string => `and ${count(n, 'more', 'more')}`,
  waitingForOther: (network: string): string => `Contents wait for another network than ${network}`,
  waitingUntil: (network: string, time: string): string =>
    `Contents wait on ${network} until ${time}: its budget is used up`,
  syncedBut: (n: number): string => `Synced but for ${count(n, 'change')} taken out of the queue`,

  home: HOME_TEXT,
  shares: SHARES_TEXT,

  nav: {
    label: 'Parts of the window',
    home: 'Home',
    files: 'Files',
    conflicts: 'Conflicts',
    settings: 'Settings',
    skip: 'Skip to what is shown',
  },

  actions: {
    chooseFolder: 'Choose …',
    resume: 'Resume',
    pause: 'Pause',
    pauseFor: 'For how long',
    pauseHours: (n: number): string => `For ${count(n, 'hour')}`,
    pauseNetwork: 'Until the network changes',
    pauseOpen: 'Until you resume',
    syncNow: 'Look for changes now',
    dismissMessage: 'Close this message',
    start: 'Start it',
    undo: 'Undo',
    more: 'More',
    close: 'Close',
  },

  class: (name: PriorityClass): string => CLASSES[name].name,
  classMeans: (name: PriorityClass): string => CLASSES[name].means,

  traffic: {
    title: 'Moving now',
    graphLabel: (way: string): string =>
      `${way}, the last five minutes by class; the table has the same`,
    up: 'Up',
    down: 'Down',
    class: 'Class',
    total: 'All',
    table: 'Bytes a second by class',
    now: 'now',
    ago: (minutes: number): string => `${minutes} min ago`,
  },

  facts: {
    toSend: 'To send',
    toBringIn: 'To bring in',
    roundTrip: 'Round trip',
    atBest: (time: string): string => `${time} at best`,
    linkRate: 'Line',
    notMeasured: 'not measured yet',
    network: 'Data here today',
    ofBudget: (left: string): string => `${left} left today`,
    metered: 'metered',
    notMetered: 'not metered',
    noNetwork: 'no network known',
    cache: 'Cache',
    files: (n: number): string => count(n, 'file'),
    quota: 'Quota',
    commits: (n: number): string => count(n, 'commit'),
  },

  counts: {
    fromHere: 'Answered from here',
    ofLooks: (n: number, time: string): string => `of ${count(n, 'look')} in ${time}`,
    calls: 'Calls of the server',
    took: (time: string, failed: number): string =>
      `${time} on average${failed === 0 ? '' : `, ${failed} failed`}`,
    spared: 'Never had to be sent',
  },

  queue: {
    kind: (kind: QueueEntry['kind']): string => KINDS[kind],
    data: 'Contents to send',
    metadata: 'Names and attributes to send',
    fetches: 'Being fetched',
    empty: 'Nothing waits',
    emptyFetches: 'Nothing is being fetched',
    takenOut: (n: number): string => count(n, 'taken out', 'taken out'),
    updates: (n: number): string => count(n, 'update'),
    fetchCount: (n: number): string => count(n, 'fetch', 'fetches'),
    left: (time: string): string => `${time} left`,
    noEstimate: (why: string): string => `no estimate: ${why}`,
    state: (state: QueueEntryState): string => QUEUE_STATES[state],
    blocked: (why: string): string => `blocked: ${why}`,
    waitsFor: (n: number): string => `waits for ${count(n, 'other')}`,
    first: 'goes first',
    last: 'goes last',
    delayedUntil: (time: string): string => `delayed until ${time}`,
    demanded: 'wanted now',
    forFolder: 'for the folder',
    ahead: 'ahead, before anybody asks',
    nameless: 'a file without a name here',
    loading: 'Loading',
    moreActs: 'What to do with this change',
    done: (act: QueueAct, name: string): string =>
      ({ now: `${name} goes first`, later: `${name} goes last`, cancel: `${name} is not sent` })[
        act
      ],
    putBack: (name: string): string => `${name} is sent again`,
    act: (act: QueueAct): string => ACTS[act],
    actsLabel: 'What to do with the selected update',
    keys: 'Arrows select, Enter syncs now, L later, Delete takes it out of the queue.',
    selected: (name: string): string => `Selected: ${name}`,
    noneSelected: 'Select an update to change its place',
  },

  files: FILES_TEXT,
  history: HISTORY_TEXT,
  locks: LOCKS_TEXT,

  cache: CACHE_TEXT,

  groups: {
    title: 'File groups',
    intro: 'When one file of a group is opened, the others are fetched while the line is idle.',
    none: 'No groups yet. In Files, select some, choose “Groups and sharing”, and give them a name.',
    name: 'Name of the group',
    make: 'Make a group',
    made: (name: string): string => `${name} is a group now`,
    needName: 'Give the group a name first.',
    inferred: 'inferred',
    files: 'Its files',
    filesOf: (name: string): string => `Files of ${name}`,
    gone: 'gone',
    hide: 'Hide',
    end: 'Ungroup',
    endOf: (name: string): string => `Ungroup ${name}; its files stay`,
    ended: (name: string): string => `${name} is no group any more; its files stay`,
    suggested: 'Used together',
    accept: 'Make it a group',
    more: (n: number): string => ` and ${count(n, 'other')}`,
    together: (files: string, times: number): string => `${files}: ${count(times, 'time')}`,
  },

  sharing: {
    title: 'Who uses what',
    intro: 'Saves of what several laptops use go before others. The server sees it by itself.',
    label: 'Who uses the selected files',
    word: (word: SharingWord): string => SHARING[word],
    none: 'Nobody has said anything.',
    notSeen: 'not looked at here',
    set: 'Set',
    said: (n: number): string => `Said of ${count(n, 'thing')}`,
    takeBack: 'Take back',
    takeBackOf: (name: string): string => `Take back what was said of ${name}`,
  },

  leftOut: {
    title: 'Not synced',
    own:
      `A file named ${IGNORE_FILE}, in any folder, names what is left out there; it takes patterns as .gitignore does. ` +
      'In the topmost one, a line with ! before a default rule takes that rule back.',
    which: 'godwit status PATH says by which rule a file is left out.',
    defaults: 'Default rules',
    rule: 'Rule',
    why: 'Why',
  },

  conflict: {
    title: 'Conflicts',
    none: 'No conflicts',
    intro: 'Both sides are kept. Look at them, and choose which one keeps the name.',
    kind: (kind: string): string => CONFLICTS[kind as ConflictKind] ?? kind,
    found: (time: string): string => `Found ${time}`,
    inVolume: (volume: string): string => `In the volume ${volume}.`,
    theirs: 'The other laptop’s',
    theirsOf: (device: string): string => `From ${device}`,
    mine: 'This laptop’s',
    atItsPlace: 'at its place',
    keptBeside: 'kept beside',
    noLongerThere: 'is no longer there',
    keepTheirs: 'Keep theirs',
    keepTheirsOf: (device: string): string => `Keep that of ${device}`,
    keepMine: 'Keep mine',
    keepBoth: 'Keep both',
    openSide: 'Open',
    noText: 'This is no text that can be shown. Open both to compare them.',
    isCut: 'There is more of it.',
    linkTo: (target: string) => `A link to ${target}`,
    sameAsOther: 'same',
    differs: 'differs',
    loading: 'Looking …',
    resolved: (side: string, path: string): string => `Resolved: ${side} is at ${path}`,
    resolvedBoth: 'Both are kept',
    resolvedNothing: 'Resolved: it is removed',
    otherBack: 'Bring the other one back',
    otherIsBack: (path: string): string => `The other one is at ${path}`,
  },

  problems: {
    notes: 'Worth knowing',
    noNotes: 'Nothing.',
    guardTitle: 'Removals wait for your word',
    guardBody:
      'Much of the folder is gone at once. Nothing is removed on the server before you say that it is meant.',
    confirm: 'They are meant: remove them',
    reject: 'Bring them back',
    confirmSure: 'Remove them on the server, too?',
    confirmed: (n: number): string => `${count(n, 'removal')} confirmed`,
    rejected: (n: number): string => `${count(n, 'path')} brought back`,
    yes: 'Remove them',
    no: 'Not yet',
  },

  settings: SETTINGS_TEXT,

  welcome: SETUP_TEXT,

  menu: {
    openFolder: 'Open folder',
    open: 'Open Godwit',
    recent: 'Recent files',
    noRecent: 'No files yet',
    item: (name: string, what: string): string => `${name}  –  ${what}`,
    needs: (what: string): string => `${what} …`,
    settings: 'Settings …',
    quit: 'Quit (syncing goes on)',
    quitAll: 'Stop syncing and quit',
    setUp: 'Set up …',
  },

  notice: {
    conflict: (path: string): string => `Both sides of ${path} were kept`,
    conflicts: (n: number): string => `Godwit: ${count(n, 'new conflict')}`,
    error: 'Godwit needs you',
    quota: 'Godwit: the quota is used up',
    removed: (n: number): string => `Godwit: ${count(n, 'file was', 'files were')} removed`,
    removedBy: (n: number, by: string | null): string =>
      `Godwit: ${count(n, 'file was', 'files were')} removed on ${by ?? 'another laptop'}`,
    removedBody: 'Was that meant? They can be brought back.',
    joined: (n: number): string =>
      n === 1 ? 'Godwit: a new laptop joined' : `Godwit: ${n} new laptops joined`,
    joinedBody: (names: string, n: number): string =>
      n === 1
        ? `${names} sees your files now. Was that not you? The window says how to refuse it.`
        : `${names} see your files now. Was one not you? The window says how to refuse it.`,
    updated: 'Godwit was updated',
    notStarted: 'Godwit could not be started',
    notStopped: 'Godwit could not be stopped',
    waiting: 'Godwit: changes have been waiting for a long time',
    waitingBody: (n: number, hours: number): string =>
      `${count(n, 'change')} not sent for ${count(hours, 'hour')}`,
  },
} as const;
