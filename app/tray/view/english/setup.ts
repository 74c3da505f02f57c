/** The words of the first run, and of a page without its daemon. */
export const SETUP_TEXT = {
  title: 'Welcome to Godwit',
  what: 'A folder that is the same on all your laptops, also when they are offline. Your own server keeps it.',
  choice: 'How to begin',
  haveInvitation: 'I have an invitation',
  haveInvitationHow:
    'A text that begins with godwit://. Whoever runs the server makes one for each laptop: godwit server invite.',
  haveNothing: 'I have no server yet',
  haveNothingHow:
    'This laptop can be the server for the others. It has to be on while they sync, and keeps all versions on its disk.',
  invitation: 'Invitation',
  invitationHint: 'godwit://…',
  invitationFor: (server: string): string => `An invitation of the server ${server}`,
  wrongStart: 'An invitation begins with godwit://',
  wrongText: 'It is not whole, or was changed on its way. Copy all of it, in one piece.',
  folder: 'Folder',
  folderHow: 'It is made if it is not there. What is in it already is synced, too.',
  name: 'Name of this laptop',
  nameHow: 'Your other laptops call it so. Left empty, it is the name of the machine.',
  join: 'Start syncing',
  joining: 'Pairing with the server …',
  serve: 'Run a server here and start syncing',
  serving: 'Starting the server …',
  needInvitation: 'Paste the invitation first.',
  needFolder: 'Choose a folder first.',
  done: 'Your folder is set up',
  doneHow: (folder: string): string =>
    `What you put into ${folder} is on the server a moment later. What is there already is on its way.`,
  doneServer:
    'Add another laptop in Settings, under Devices: it needs an invitation of this server.',
  doneServerHere:
    'Another laptop needs an invitation of this server. This command makes one: godwit server invite.',
  atLogin: 'Start when I log in',
  atLoginHow: 'Otherwise nothing syncs until you start Godwit.',
  atLoginServer: 'The server starts with it.',
  finish: 'Done',
  startTitle: 'Godwit is not running',
  startBody: 'Your files are safe. Start it to go on syncing.',
  ended:
    'The daemon has ended. Your changes are kept. This page goes on when it runs again; should it not, run godwit ui for a new one.',
  firstRunEnded: 'The set-up has ended. Run godwit ui to go on.',
  lastKnown: 'What is below is how it was.',
  signedOut: 'This page has been opened before, or its address is too old.',
  signedOutHow: 'Run godwit ui for a new one.',
  connecting: 'Looking for the daemon …',
} as const;
