/** The words around the settings; the settings themselves have theirs in shared/control/setting-fields.ts. */
import type { IconStyle, NoticeKind, Theme } from '../appearance.ts';

const THEMES: Record<Theme, string> = {
  automatic: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

const ICONS: Record<IconStyle, string> = {
  automatic: 'Automatic',
  light: 'For a light panel',
  dark: 'For a dark panel',
  colour: 'In colour, for any panel',
};

const NOTICES: Record<NoticeKind, string> = {
  conflicts: 'A new conflict',
  removals: 'Many files were removed',
  needs: 'Godwit needs you, or changes have waited for hours',
  laptops: 'A new laptop joined',
  updates: 'Godwit was updated',
};

export const SETTINGS_TEXT = {
  title: 'Settings',
  save: 'Save',
  discard: 'Discard',
  unsaved: 'What you have changed is not saved yet.',
  saved: 'Saved',

  general: 'General',
  autostart: 'Start when I log in',
  theme: 'Light or dark',
  themeWord: (theme: Theme): string => THEMES[theme],
  icon: 'Icon in the panel',
  iconWord: (style: IconStyle): string => ICONS[style],
  notices: 'Notifications on the desktop',
  noticesInTray: 'Notifications come from the icon in the panel, and are chosen in its window.',
  noticesOf: (kind: NoticeKind): string => NOTICES[kind],
  about: (version: string, device: string): string => `Godwit ${version} on ${device}`,

  places: 'Folder and server',
  serverPlace: 'Server',
  folder: 'Place of the folder',
  folderIntro:
    'The folder goes to another place with all that is in it: one that is not there yet, or an empty folder. ' +
    'If you have moved it yourself, say where it is.',
  moveFolder: 'Move the folder',
  server: 'Address of the server',
  serverIntro: 'The same server at another address, as HOST:PORT. Another server is refused there.',
  moveServer: 'Use this address',
  fingerprint: (text: string): string => `Its fingerprint: ${text}`,

  devices: 'Devices',
  thisDevice: 'This laptop',
  pairedAgo: (ago: string): string => `paired ${ago}`,
  otherDevices: (server: string): string =>
    `Laptops are invited, renamed and refused where the server runs (${server}): godwit server invite, rename, revoke.`,
  device: 'Laptop',
  deviceState: 'State',
  lastSeen: 'Last seen',
  never: 'never',
  rename: 'Rename',
  renameOf: (name: string): string => `Rename ${name}`,
  newName: (name: string): string => `New name of ${name}`,
  renamed: (name: string): string => `It is called ${name} now`,
  saveName: 'Save the name',
  keepName: 'Keep the old name',
  revoke: 'Refuse from now on',
  revokeOf: (name: string): string => `Refuse ${name} from now on`,
  revokeSure: (name: string): string =>
    `The server will admit ${name} no longer. What it has stays there.`,
  revoked: (name: string): string => `${name} is admitted no longer`,
  invite: 'Invite another laptop',
  inviteHow:
    'For one laptop, for a day. It has to reach this machine at the address in it, over UDP. Paste it there.',
  copy: 'Copy',
  yes: 'Refuse it',
  no: 'Not now',

  speed: 'Speed',
  speedIntro:
    'Without a limit Godwit uses what the connection gives, and what you wait for goes first. ' +
    'A limit holds on every network, for the files that you open, too.',
  limitIgnored:
    'The server does not hold the limit for what it sends: it needs a newer version of Godwit.',

  network: 'Networks',
  networkIntro:
    'Where data cost money, contents trickle within a budget; names and what you open go first. The same holds on a network that you call metered.',
  current: 'this one',
  usedToday: 'Today',
  forget: 'Forget the rule',
  allMetered: 'All metered networks',
  noNetworks: 'No network is known yet.',

  space: 'Space',
  cacheIntro:
    'What is kept here follows the free disk between the two; what was used longest ago goes first. ' +
    'With a number in “At most” the folder keeps no more than that in full, and shows the rest as placeholders.',
  leaves: (goes: string, has: string): string =>
    `About ${goes} of the ${has} here will be on the server alone, and shown as placeholders.`,

  advanced: 'Advanced',
  advancedFor: 'How changes are sent, groups, sharing, what is left out',
  writeback: 'How changes are sent',
  consistency: 'With other laptops',
  experiments: 'For experiments; one of these was changed by a command:',
} as const;
