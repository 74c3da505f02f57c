/** The commands about access lists and teams of people. */
import { z } from 'zod';
import { MAX_ACCESS_ENTRIES, USUAL_SETS } from '../model/access-list.ts';
import { path, volume } from './arguments.ts';
import { answer } from './command.ts';
import type { AccessReport, ShareLook, SharesReport, TeamsReport } from './access.ts';

/** The handler judges names, so that its error has the reason. */
const name = z.string().min(1).max(4096);
const kind = z.enum(['person', 'team']);
const rights = z.number().int().min(0).max(USUAL_SETS.admin);

export const ACCESS_COMMANDS = {
  access: {
    says: 'Who may do what in a volume. Rights are a sum: lookup 1, read 2, insert 4, delete 8, write 16, lock 32, administer 64.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume }),
    answer: answer<AccessReport>(),
    isLong: true,
  },
  'set-access': {
    says: 'A row of that list becomes this; with rights 0 it goes. `negative`: these rights are denied. Answered when it is in force at laptops that are connected.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, kind, name, negative: z.boolean(), rights }),
    answer: answer<null>(),
    isLong: true,
  },
  teams: {
    says: 'The teams that this person has made or is in; or one of them (`team`), with its members.',
    callers: ['cli'],
    args: z.strictObject({ team: name.nullable() }),
    answer: answer<TeamsReport>(),
    isLong: true,
  },
  shares: {
    says: 'The volumes that this person may see, who gave them, and where they are shown in the folder. Rights are a sum as in `access`.',
    callers: ['cli', 'window'],
    args: z.strictObject({}),
    answer: answer<SharesReport>(),
    isLong: true,
  },
  'share-look': {
    says: 'What sharing the folder at `path` would do: `volume` if it is shared already, else the files that go along. Refused as `share-folder` would be; nothing is changed.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, path }),
    answer: answer<ShareLook>(),
    isLong: true,
  },
  'share-folder': {
    says: 'Shares a folder: it becomes a volume of its own with all that is in it, shown where the folder was, and the `guests` get rights there. One that is shared already is not made anew; asked again after an interruption, it goes on. `makes`: a folder that is not there is made. The answer names the volume.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      volume,
      path,
      guests: z
        .array(z.strictObject({ kind, name, rights: rights.min(1) }))
        .min(1)
        .max(MAX_ACCESS_ENTRIES),
      makes: z.boolean().optional(),
    }),
    answer: answer<{ readonly volume: string }>(),
    isLong: true,
  },
  'accept-share': {
    says: 'Shows a volume that was offered (`share`) at a new place.',
    callers: ['cli', 'window'],
    args: z.strictObject({ share: volume, volume, path }),
    answer: answer<null>(),
    isLong: true,
  },
  'leave-share': {
    says: 'Gives up what this person was given in a volume (`share`), and takes it out of the folder. `stays`: a team that the person is in lets them see it still.',
    callers: ['cli', 'window'],
    args: z.strictObject({ share: volume }),
    answer: answer<{ readonly stays: boolean }>(),
    isLong: true,
  },
  'change-team': {
    says: 'Makes a team, ends it, switches it off and on, or changes who is in it.',
    callers: ['cli'],
    args: z.union([
      z.strictObject({ ask: z.literal('make-team'), team: name }),
      z.strictObject({ ask: z.literal('end-team'), team: name }),
      z.strictObject({ ask: z.literal('switch-team'), team: name, isOff: z.boolean() }),
      z.strictObject({ ask: z.literal('member'), team: name, kind, name, isIn: z.boolean() }),
    ]),
    answer: answer<null>(),
    isLong: true,
  },
} as const;
