/** The names under which the page and the main process speak: the same in both. */
export const CHANNELS = {
  status: 'godwit:status',
  command: 'godwit:command',
  isNew: 'godwit:is-new',
  chooseFolder: 'godwit:choose-folder',
  usualFolder: 'godwit:usual-folder',
  join: 'godwit:join',
  serve: 'godwit:serve',
  devices: 'godwit:devices',
  invite: 'godwit:invite',
  rename: 'godwit:rename',
  revoke: 'godwit:revoke',
  open: 'godwit:open',
  appearance: 'godwit:appearance',
  start: 'godwit:start',
  autostart: 'godwit:autostart',
} as const;

/** The other way: show this part of the window. */
export const SHOW_CHANNEL = 'godwit:show';
