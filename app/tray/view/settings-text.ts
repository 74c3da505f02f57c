/** The words of the settings, apart from the others for their number. */
import type {
  AwayReads,
  Invalidations,
  StorePriorities,
} from '../../../shared/model/consistency.ts';
import type { WritebackPolicy } from '../../../shared/model/writeback.ts';

const POLICIES: Record<WritebackPolicy, string> = {
  async: 'Programs go on at once; names and contents side by side',
  logging: 'Programs go on at once; everything in its order',
  sync: 'Programs wait until the server has it',
};

const INVALIDATIONS: Record<Invalidations, string> = {
  async: 'The server is told at once of what waits; programs go on',
  sync: 'A program that closes a file waits until the server has been told',
  no: 'The server is not told before the save itself arrives',
};

const PRIORITIES: Record<StorePriorities, string> = {
  differentiated: 'Saves of files that others use go first',
  uniform: 'All saves go alike',
};

const AWAY: Record<AwayReads, string> = {
  committed: 'Show the last version that the server has, marked as behind',
  'try-again': 'Refuse to open it, and say so',
};

export const SETTINGS_TEXT = {
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
  allMetered: 'All metered networks',
  noNetworks: 'No network is known yet.',
  writeback: 'How changes are sent',
  policy: 'Order',
  policies: (policy: WritebackPolicy): string => POLICIES[policy],
  delay: 'Wait after the last write (s)',
  dirtyLimit: 'Most that may wait to be sent (MB)',
  byDisk: 'by the disk',
  cache: 'What is kept here',
  cacheIntro:
    'The cache follows the free disk between the two; what was used longest ago goes first. ' +
    'With a number in “At most” the folder keeps no more than that in full, and shows the rest as placeholders.',
  unbounded: 'no bound',
  minimum: 'At least (MB)',
  maximum: 'At most (MB)',
  reserve: 'Leave free on the disk (MB)',
  prefetch: 'Fetch the files of a group before they are asked for',
  consistency: 'With other laptops',
  invalidations: 'When others use a file that you have changed',
  invalidation: (word: Invalidations): string => INVALIDATIONS[word],
  priorities: 'Which saves go first',
  priority: (word: StorePriorities): string => PRIORITIES[word],
  awayReads: 'When the newest version is on a laptop that is away',
  away: (word: AwayReads): string => AWAY[word],
  app: 'This program',
  autostart: 'Start when I log in',
  wrongNumber: (label: string): string => `${label}: give a number that is not negative`,
  about: (version: string, device: string): string => `Godwit ${version} on ${device}`,
  places: 'Server and folder',
  serverPlace: 'Server',
  server: 'Address of the server',
  serverIntro: 'The same server at another address, as HOST:PORT. Another server is refused there.',
  folder: 'Place of the folder',
  folderIntro:
    'The folder goes to another place with all that is in it: one that is not there yet, or an empty folder. ' +
    'If you have moved it yourself, say where it is.',
} as const;
