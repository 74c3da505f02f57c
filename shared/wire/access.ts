/**
 * The RPCs about access lists and teams of people (rules A1 to A5). The list of a volume is seen by all who see the volume, and changed by who may
 * administer it; a team is changed by its owner. A server that is older than they are answers `bad-message`.
 */
import { z } from 'zod';
import {
  MAX_ACCESS_ENTRIES,
  MAX_TEAM_MEMBERS,
  MAX_TEAMS,
  MAX_VOLUMES_SEEN,
  USUAL_SETS,
} from '../model/access-list.ts';
import * as f from './fields.ts';

/** A sum: lookup 1, read 2, insert 4, delete 8, write 16, lock 32, administer 64. */
const rights = z.number().int().min(0).max(USUAL_SETS.admin);

const principal = { kind: z.enum(['person', 'team']), name: f.label } as const;

const fetchClass = { from: 'client', priorityClass: 'FETCH', content: 'none' } as const;

export const ACCESS_RPCS = {
  /** The list of a volume, and what who asks may do there. */
  AccessList: {
    ordinal: 44,
    ...fetchClass,
    request: z.strictObject({ volume: f.volumeId }),
    reply: z.strictObject({
      own: rights,
      entries: z
        .array(z.strictObject({ ...principal, negative: f.flag, rights }))
        .max(MAX_ACCESS_ENTRIES),
    }),
  },
  /** A row of the list becomes this; no rights: it goes. Answered when it is in force at devices that are connected. */
  SetAccess: {
    ordinal: 45,
    ...fetchClass,
    request: z.strictObject({ volume: f.volumeId, ...principal, negative: f.flag, rights }),
    reply: z.strictObject({}),
  },
  /** Teams that who asks has made or is in; or one of them, with its members. */
  Teams: {
    ordinal: 46,
    ...fetchClass,
    request: z.strictObject({ team: f.label.nullable() }),
    reply: z.strictObject({
      teams: z
        .array(
          z.strictObject({
            name: f.label,
            owner: f.label.nullable(),
            isOff: f.flag,
            size: f.howMany,
            members: z.array(z.strictObject(principal)).max(MAX_TEAM_MEMBERS).optional(),
          }),
        )
        .max(MAX_TEAMS),
    }),
  },
  /** Makes a team, ends it, switches it off and on, or changes who is in it. Answered as SetAccess is. */
  ChangeTeam: {
    ordinal: 47,
    ...fetchClass,
    request: z.strictObject({
      change: z.union([
        z.strictObject({ ask: z.literal('make-team'), team: f.label }),
        z.strictObject({ ask: z.literal('end-team'), team: f.label }),
        z.strictObject({ ask: z.literal('switch-team'), team: f.label, isOff: f.flag }),
        z.strictObject({ ask: z.literal('member'), team: f.label, ...principal, isIn: f.flag }),
      ]),
    }),
    reply: z.strictObject({}),
  },
  /** The volumes that who asks may see, and who gave them (null: nobody at a laptop); and the name of who asks. */
  Shares: {
    ordinal: 48,
    ...fetchClass,
    request: z.strictObject({}),
    reply: z.strictObject({
      person: f.label,
      shares: z
        .array(z.strictObject({ volume: f.volumeId, own: rights, by: f.label.nullable() }))
        .max(MAX_VOLUMES_SEEN),
    }),
  },
  /** Makes a volume for a folder of this one. Asked again with the same `nonce` it is the same volume. Answered as SetAccess is. */
  MakeVolume: {
    ordinal: 49,
    ...fetchClass,
    request: z.strictObject({ volume: f.volumeId, label: f.label, nonce: f.token }),
    reply: z.strictObject({ volume: f.volumeId, name: f.label }),
  },
  /** Gives up what the own row gives. Answered as SetAccess is, if the volume may still be seen then. */
  LeaveVolume: {
    ordinal: 50,
    ...fetchClass,
    request: z.strictObject({ volume: f.volumeId }),
    reply: z.strictObject({}),
  },
} as const;
