/**
 * Every word that the tray and its page say, in one place, so that another language is another file of this shape. What the daemon says
 * (the messages of errors, the names of networks) comes through as it is.
 */
import { IGNORE_FILE } from '../../../shared/control/default-ignores.ts';
import type { KeptBy } from '../../../shared/control/cache.ts';
import type { FolderRow } from '../../../shared/control/folder.ts';
import type { ConflictKind } from '../../../shared/control/resolution.ts';
import type { QueueAct, QueueEntry, QueueEntryState } from '../../../shared/control/queue.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { SharingWord } from '../../../shared/control/sharing.ts';
import type { CacheAct } from '../../../shared/model/cache.ts';
import { SETTINGS_TEXT } from './settings-text.ts';

const count = (n: number, one: string, many = `${one}s`): string =>
  `${String(n).replace(/\B(?=(\d{3})+$)/g, ',')} ${n === 1 ? one : many}`;

const STATES: Record<DaemonState, string> = {
  idle: 'Synced',
  incomplete: 'Synced in part',
  syncing: 'Syncing',
  trickling: 'Trickling',
  paused: 'Paused',
  offline: 'Offline',
  conflict: 'Conflict',
  error: 'Needs attention',
};

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

const KEPT: Record<KeptBy, string> = {
  toSend: 'Still to be sent',
  open: 'In use',
  pinned: 'Always here',
  ahead: 'Fetched ahead',
  rest: 'Goes when there is no room',
};

const CACHE_ACTS: Record<
  CacheAct,
  { readonly does: string; readonly done: string; readonly nothing: string }
> = {
  pin: { does: 'Keep here', done: 'always here now', nothing: 'Nothing to keep in it yet' },
  unpin: { does: 'No longer keep', done: 'no longer kept', nothing: 'Nothing was kept' },
  evict: { does: 'Free up', done: 'freed', nothing: 'Nothing to free' },
  prefetch: { does: 'Fetch', done: 'fetched', nothing: 'Nothing to fetch' },
};

const SHARING: Record<SharingWord, string> = {
  shared: 'Several laptops use it',
  unshared: 'One laptop uses it',
  auto: 'By who uses it',
};

const SYNC: Record<FolderRow['sync'], string> = {
  committed: 'synced',
  queued: 'to be sent',
  conflict: 'conflict',
};

export const TEXT = {
  product: 'Godwit',
  count,
  state: (state: DaemonState): string => STATES[state],
  unknownState: 'Not running',
  notRunning: 'The daemon does not run',
  starting: 'Starting',
  nothing: '–',
  of: (part: string, whole: string): string => `${part} of ${whole}`,
  percent: (share: number): string => `${Math.floor(share * 100)} %`,
  perSecond: (size: string): string => `${size}/s`,
  changesWaiting: (n: number): string => count(n, 'change waiting', 'changes waiting'),
  conflicts: (n: number): string => count(n, 'conflict'),
  pausedUntil: (time: string): string => `Paused until ${time}`,
  pausedUntilNetwork: 'Paused until the network changes',
  tricklingOn: (network: string): string => `Trickling on ${network}`,
  waiting: 'Waiting',
  moreWaiting: (n: number): string => `and ${count(n, 'more', 'more')}`,
  waitingForOther: (network: string): string => `Contents wait for another network than ${network}`,
  waitingUntil: (network: string, time: string): string =>
    `Contents wait on ${network} until ${time}: its budget is used up`,
  syncedInPart: 'Synced in part',
  syncedBut: (n: number): string => `Synced but for ${count(n, 'change')} taken out of the queue`,
  offline: 'Offline: work goes on',

  nav: {
    label: 'Parts of the window',
    activity: 'Activity',
    files: 'Files',
    conflicts: 'Conflicts',
    problems: 'Problems',
    settings: 'Settings',
    skip: 'Skip to what is shown',
  },

  actions: {
    chooseFolder: 'Choose …',
    resume: 'Resume',
    pause: 'Pause',
    pauseFor: 'For how long',
    pauseHours: (n: number): string => count(n, 'hour'),
    forHours: (n: number): string => `for ${count(n, 'hour')}`,
    pauseNetwork: 'Until the network changes',
    pauseOpen: 'Until you resume',
    syncNow: 'Sync now',
    dismissMessage: 'Close this message',
    start: 'Start it',
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
    left: (time: string): string => `about ${time} left`,
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
    act: (act: QueueAct): string => ACTS[act],
    actsLabel: 'What to do with the selected update',
    keys: 'Arrows select, Enter syncs now, L later, Delete takes it out of the queue.',
    selected: (name: string): string => `Selected: ${name}`,
    noneSelected: 'Select an update to change its place',
  },

  files: {
    title: 'Files',
    volume: 'Volume',
    path: 'Where you are',
    root: 'All files',
    table: 'What is in this folder',
    name: 'Name',
    size: 'Size',
    state: 'State',
    select: (name: string): string => `Select ${name}`,
    here: 'here',
    away: 'on the server',
    link: 'link',
    always: 'always here',
    behind: 'behind: a newer version is on its way',
    sync: (sync: FolderRow['sync']): string => SYNC[sync],
    empty: 'This folder is empty',
    loading: 'Looking …',
    more: (n: number): string => `Show ${count(n, 'more', 'more')}`,
    actsLabel: 'What to do with the selected files',
    selected: (n: number): string =>
      n === 0 ? 'Select files or folders first' : `${count(n, 'thing')} selected`,
    act: (act: CacheAct): string => CACHE_ACTS[act].does,
    done: (act: CacheAct, n: number, size: string): string =>
      n === 0 ? CACHE_ACTS[act].nothing : `${count(n, 'file')} (${size}) ${CACHE_ACTS[act].done}`,
    unchanged: (n: number): string => `${count(n, 'file')} as before`,
    failed: (n: number): string => `${count(n, 'file')} not`,
    working: 'Working …',
  },

  cache: {
    title: 'Cache',
    barLabel: 'What the cache has, as parts of what it may have; the table has the same',
    table: 'What the cache has, by what keeps it',
    keptBy: (by: KeptBy): string => KEPT[by],
    bound: (bytes: string, limit: string): string => `${bytes} of the ${limit} it may have now.`,
    between: (least: string, most: string): string => `Between ${least} and ${most}`,
    reserve: (size: string): string => `${size} of the disk stay free`,
    free: (size: string): string => `${size} are free`,
    change: 'Change the bound',
    pins: 'Always here',
    noPins: 'Nothing is kept here always. Select files above and choose “Keep here”.',
    morePins: (n: number): string => `and ${count(n, 'other')}`,
    unpin: (name: string): string => `No longer keep ${name}`,
  },

  groups: {
    title: 'File groups',
    intro: 'When one file of a group is opened, the others are fetched while the line is idle.',
    none: 'No groups yet. Select files above, give a name, and choose “Make a group”.',
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
    intro: 'Both sides are kept. Look at them, and say which one has the name.',
    kind: (kind: string): string => CONFLICTS[kind as ConflictKind] ?? kind,
    found: (time: string): string => `Found ${time}`,
    inVolume: (volume: string): string => `In the volume ${volume}.`,
    theirs: 'Theirs',
    mine: 'Mine',
    atItsPlace: 'at its place',
    keptBeside: 'kept beside',
    noLongerThere: 'is no longer there',
    keepTheirs: 'Keep theirs',
    keepMine: 'Keep mine',
    keepBoth: 'Keep both',
    noText: 'This is no text that can be shown.',
    isCut: 'There is more of it.',
    sameAsOther: 'same',
    differs: 'differs',
    loading: 'Looking …',
    resolved: (keep: string, path: string): string => `Resolved: ${keep} is at ${path}`,
    resolvedBoth: 'Both are kept',
    resolvedNothing: 'Resolved: it is removed',
    restore: (command: string): string => `To have the other one back: ${command}`,
  },

  problems: {
    title: 'Problems',
    none: 'Nothing is wrong',
    notes: 'Worth knowing',
    remedy: 'What to do',
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

  welcome: {
    title: 'Welcome to Godwit',
    intro: 'Paste the invitation that your server gave you, and choose a folder to keep in sync.',
    invitation: 'Invitation',
    invitationHint: 'godwit://…',
    folder: 'Folder',
    join: 'Start syncing',
    joining: 'Pairing with the server …',
    needInvitation: 'Paste the invitation first.',
    needFolder: 'Choose a folder first.',
    startTitle: 'Godwit is not running',
    startBody: 'Your files are safe. Start it to go on syncing.',
    ended: 'The daemon has ended. Your changes are kept; run godwit ui again for a new page.',
    signedOut: 'This page has been opened before, or its address is too old.',
    signedOutHow: 'Run godwit ui for a new one.',
    connecting: 'Looking for the daemon …',
  },

  menu: {
    openFolder: 'Open folder',
    open: 'Open Godwit',
    recent: 'Recent files',
    noRecent: 'No files yet',
    sent: 'sent',
    received: 'received',
    limits: 'Limits …',
    settings: 'Settings …',
    conflicts: (n: number): string => (n === 0 ? 'Conflicts' : `Conflicts (${n}) …`),
    quit: 'Quit',
    quitAll: 'Quit, and stop syncing',
    setUp: 'Set up …',
  },

  notice: {
    conflict: (path: string): string => `Both sides of ${path} were kept`,
    conflicts: (n: number): string => `${count(n, 'new conflict')}`,
    error: 'Godwit needs your attention',
    quota: 'The quota is used up',
    waiting: 'Changes have been waiting for a long time',
    waitingBody: (n: number, hours: number): string =>
      `${count(n, 'change')} not sent for ${count(hours, 'hour')}`,
  },
} as const;
