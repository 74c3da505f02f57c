/**
 * Every word that the tray and its page say, in one place, so that another language is another file of this shape. What the daemon says
 * (the messages of errors, the names of networks) comes through as it is.
 */
import type { ConflictKind } from '../../../shared/control/resolution.ts';
import type { QueueAct, QueueEntryState } from '../../../shared/control/queue.ts';
import type { DaemonState } from '../../../shared/model/daemon-state.ts';
import type { PriorityClass } from '../../../shared/model/priority-class.ts';
import type { WritebackPolicy } from '../../../shared/model/writeback.ts';

const count = (n: number, one: string, many = `${one}s`): string =>
  `${String(n).replace(/\B(?=(\d{3})+$)/g, ',')} ${n === 1 ? one : many}`;

const STATES: Record<DaemonState, string> = {
  idle: 'Synced',
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
};

const POLICIES: Record<WritebackPolicy, string> = {
  async: 'Programs go on at once; names and contents side by side',
  logging: 'Programs go on at once; everything in its order',
  sync: 'Programs wait until the server has it',
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
  offline: 'Offline: work goes on',

  nav: {
    label: 'Parts of the window',
    activity: 'Activity',
    conflicts: 'Conflicts',
    problems: 'Problems',
    settings: 'Settings',
    skip: 'Skip to what is shown',
  },

  actions: {
    resume: 'Resume',
    pause: 'Pause',
    pauseFor: 'Pause for',
    pauseHours: (n: number): string => count(n, 'hour'),
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
    data: 'Contents to send',
    metadata: 'Names and attributes to send',
    fetches: 'Being fetched',
    empty: 'Nothing waits',
    emptyFetches: 'Nothing is being fetched',
    summary: (updates: number, size: string): string => `${count(updates, 'update')}, ${size}`,
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
    nameless: 'a file without a name here',
    loading: 'Loading',
    act: (act: QueueAct): string => ACTS[act],
    actsLabel: 'What to do with the selected update',
    keys: 'Arrows select, Enter syncs now, L later, Delete takes it out of the queue.',
    selected: (name: string): string => `Selected: ${name}`,
    noneSelected: 'Select an update to change its place',
  },

  conflict: {
    title: 'Conflicts',
    none: 'No conflicts',
    intro: 'Both sides are kept. Look at them, and say which one has the name.',
    kind: (kind: string): string => CONFLICTS[kind as ConflictKind] ?? kind,
    found: (time: string): string => `Found ${time}`,
    theirs: 'Theirs',
    mine: 'Mine',
    atItsPlace: 'at its place',
    keptBeside: 'kept beside',
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

  settings: {
    title: 'Settings',
    network: 'Networks',
    networkIntro:
      'Where data cost money, contents trickle within a budget; names and what you open go first.',
    networkName: 'Network',
    current: 'this one',
    usedToday: 'Today',
    metered: 'Metered',
    meteredAuto: 'as the system says',
    meteredYes: 'yes',
    meteredNo: 'no',
    budget: 'Budget a day (MB)',
    trickle: 'Trickle (KB/s)',
    noLimit: 'as usual',
    wait: 'Contents wait for another network',
    save: 'Save',
    forget: 'Forget the rule',
    saved: 'Saved',
    allMetered: 'all metered networks',
    noNetworks: 'No network is known yet.',
    writeback: 'How changes are sent',
    policy: 'Order',
    policies: (policy: WritebackPolicy): string => POLICIES[policy],
    delay: 'Wait after the last write (s)',
    dirtyLimit: 'Most that may wait to be sent (MB)',
    byDisk: 'by the disk',
    app: 'This program',
    autostart: 'Start when I log in',
    wrongNumber: (label: string): string => `${label}: give a number that is not negative`,
    about: (version: string, device: string): string => `Godwit ${version} on ${device}`,
    server: (address: string): string => `Server ${address}`,
    folder: (path: string): string => `Folder ${path}`,
  },

  welcome: {
    title: 'Welcome to Godwit',
    intro: 'Paste the invitation that your server gave you, and choose a folder to keep in sync.',
    invitation: 'Invitation',
    invitationHint: 'godwit://…',
    folder: 'Folder',
    choose: 'Choose …',
    join: 'Start syncing',
    joining: 'Pairing with the server …',
    needInvitation: 'Paste the invitation first.',
    needFolder: 'Choose a folder first.',
    startTitle: 'Godwit is not running',
    startBody: 'Your files are safe. Start it to go on syncing.',
    ended: 'The daemon has ended. Your changes are kept; this page goes on when it is back.',
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
