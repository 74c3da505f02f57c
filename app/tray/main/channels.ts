/** The names under which the page and the main process speak: the same in both. */
export const CHANNELS = {
  status: 'godwit:status',
  command: 'godwit:command',
  isNew: 'godwit:is-new',
  chooseFolder: 'godwit:choose-folder',
  join: 'godwit:join',
  start: 'godwit:start',
  autostart: 'godwit:autostart',
} as const;

/** The other way: show this part of the window. */
export const SHOW_CHANNEL = 'godwit:show';
