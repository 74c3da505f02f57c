/** The words of what people share with one another. */
import { count } from './count.ts';

/** What the usual sets of rights let somebody do. */
const MAY = {
  read: 'may read',
  write: 'may change',
  admin: 'may change and share',
} as const;

/** The same of one folder. */
const MAY_IN = {
  read: 'may read what is in it',
  write: 'may change what is in it',
  admin: 'may change what is in it, and share it',
} as const;

export const SHARES_TEXT = {
  share: 'Share …',
  title: (name: string): string => `Share ${name}`,
  intro:
    'Whoever you add sees all that is in this folder, on their own laptops, until you take it back.',
  looking: 'Looking …',
  goAlong: (files: number, size: string): string =>
    `${count(files, 'file')} (${size}) ${files === 1 ? 'goes' : 'go'} along, and ${files === 1 ? 'stays' : 'stay'} where ${files === 1 ? 'it is' : 'they are'} on this laptop. Earlier versions stay with the folder around it.`,
  begun: 'It is half shared: an order before was interrupted. Say with whom, and it goes on.',
  moving: 'The files go over to the shared folder. You may close this; it goes on.',
  members: 'Who uses this folder',
  nobody: 'Nobody but you uses it yet.',
  you: 'you',
  team: (name: string): string => `@${name}`,
  may: (right: keyof typeof MAY): string => MAY[right],
  mayThese: (rights: string): string => `may ${rights}`,
  mayNot: (rights: string): string => `may not ${rights}`,
  rightOf: (who: string): string => `What ${who} may do`,
  right: 'What they may do',
  remove: 'Remove',
  removeOf: (who: string): string => `Remove ${who}`,
  who: 'Person or @team',
  whoHint: 'ann, or @crew',
  needWho: 'Name a person or a @team first',
  add: 'Share',
  added: (who: string, right: keyof typeof MAY): string => `${who} ${MAY_IN[right]}`,
  removed: (who: string): string => `${who} does not see it any more. Nothing of yours is deleted.`,
  notYours: 'Only who may share this folder changes who uses it.',
  by: (who: string): string => `shared by ${who}`,
  with: (who: string): string => `shared with ${who}`,
  withMany: (n: number): string => `shared with ${count(n, 'other')}`,
  and: (one: string, other: string): string => `${one} and ${other}`,
  volume: (name: string): string => `shows the volume ${name}`,
  readOnly: 'read-only',
  shut: 'not shown here',
  shutWhy: (why: string): string => `not shown here: ${why}`,
  leave: 'Leave …',
  leaveTitle: (name: string): string => `Leave ${name}?`,
  leaveSays: (by: string): string =>
    `The folder goes from all your laptops. Its files stay with ${by}, who can share it with you again.`,
  leaveKept: 'What you have not sent yet is kept in .godwit/lost+found of your folder.',
  leaveYes: 'Leave',
  leaveNo: 'Keep it',
  left: (name: string): string => `You have left ${name}`,
  leftStays: (name: string): string =>
    `You have left ${name}; a team that you are in lets you see it still`,
  offered: (by: string): string => `is shared with you by ${by}.`,
  offeredMay: {
    read: 'You may read what is in it.',
    write: 'You may change what is in it.',
    admin: 'You may change what is in it, and share it further.',
  },
  offeredThese: (rights: string): string => `You may: ${rights}.`,
  place: 'Where it is to be, in your folder',
  needPlace: 'Name a place in your folder first',
  accept: 'Accept',
  acceptOf: (name: string): string => `Accept ${name}`,
  later: 'Not now',
  laterOf: (name: string): string => `Not now: ${name}`,
  accepted: (name: string, at: string): string => `${name} is in your folder now, as ${at}`,
  again: (n: number): string => `${count(n, 'shared folder')} put off`,
} as const;
