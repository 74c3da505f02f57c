/**
 * The commands of a daemon, one row each: what it does, who of ours asks for it, its arguments and its answer. All else follows from the
 * row: what the control socket takes and refuses, what the page may ask for, the client's types, docs/reference/control-api.md. What a command does is in
 * daemon/adapters/control/command-handlers.ts, which has a handler for each.
 */
import { z } from 'zod';
import { CONTENTS_ACTS, type CacheSettings } from '../model/cache.ts';
import type { ConsistencySettings } from '../model/consistency.ts';
import { GROUP_KINDS, MOST_MEMBERS } from '../model/file-group.ts';
import type { WritebackSettings } from '../model/writeback.ts';
import { fid, path, volume } from './arguments.ts';
import { answer, type Answer, type Caller, type Command } from './command.ts';
import type { CachePreview, CacheReport, CacheUse } from './cache.ts';
import type { DaemonDiskUse } from './disk.ts';
import type { ExcludedHere, ExcludedReport } from './exclusions.ts';
import type { FolderReport, FoundReport } from './folder.ts';
import {
  GROUP_ACTS,
  type GroupContents,
  type GroupList,
  type NamedGroup,
  type SuggestedGroup,
} from './groups.ts';
import {
  LONGEST_PAUSE_MS,
  MAX_FOLDER_ENTRIES,
  MAX_FOUND,
  MAX_PREVIEW_BYTES,
  MAX_QUEUE_ENTRIES,
  MAX_WAIT_MS,
  SHORTEST_PAUSE_MS,
} from './limits.ts';
import { ACCESS_COMMANDS } from './access-commands.ts';
import { LOCK_COMMANDS } from './lock-commands.ts';
import { NETWORK_COMMANDS } from './network-commands.ts';
import { PAST_COMMANDS } from './past-commands.ts';
import type { FilePreview } from './preview.ts';
import {
  QUEUE_ACTS,
  QUEUE_NAMES,
  type FetchReport,
  type PathQueue,
  type QueueOutcome,
  type QueueReport,
} from './queue.ts';
import type { RecordedPart } from './recording.ts';
import { SIDES_TO_KEEP, type ResolutionReport } from './resolution.ts';
import { SETTINGS } from './settings.ts';
import { SHARING_WORDS, type SharingOf, type SharingReport } from './sharing.ts';
import { STATS_COMMANDS } from './stats.ts';

/** The handler judges the name, so that its error has the reason. */
const groupName = z.string().max(4096);
/** The handler judges addresses, so that its error has the reason. */
const MOST_ADDRESS = 1000;
/** More than any name that is taken, so that what is too long is told so. */
const MOST_DEVICE_NAME = 1000;
const MOST_PATH = 4096;
/** No name is longer. */
const MOST_SOUGHT = 255;

export const COMMANDS = {
  down: {
    says: 'Ends the daemon in good order, after the answer.',
    callers: ['cli'],
    args: z.strictObject({}),
    answer: answer<null>(),
  },
  pause: {
    says: 'Pauses syncing: until `resume`, for so many milliseconds, or until the machine is on another network. The answer says when it goes on by itself: `{"pausedUntil": ISO | null}`.',
    callers: ['cli', 'window'],
    args: z.union([
      z.strictObject({
        forMs: z.number().int().min(SHORTEST_PAUSE_MS).max(LONGEST_PAUSE_MS).optional(),
      }),
      z.strictObject({ untilNetworkChanges: z.literal(true) }),
    ]),
    answer: answer<{ readonly pausedUntil: string | null }>(),
  },
  resume: {
    says: 'Ends a pause.',
    callers: ['cli', 'window'],
    args: z.strictObject({}),
    answer: answer<null>(),
  },
  queue: {
    says: 'What waits to be sent: a page of one queue or of both. `listing`: a later page of the same picture.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      most: z.number().int().min(1).max(MAX_QUEUE_ENTRIES),
      from: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      of: z.enum(QUEUE_NAMES).optional(),
      listing: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
    }),
    answer: answer<QueueReport>(),
  },
  'queue-at': {
    says: 'What waits to be sent of one file, or of a folder with all that is in it.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, path }),
    answer: answer<PathQueue>(),
  },
  fetches: {
    says: 'What is being fetched: so many entries of it.',
    callers: ['cli', 'window'],
    args: z.strictObject({ most: z.number().int().min(1).max(MAX_QUEUE_ENTRIES) }),
    answer: answer<FetchReport>(),
  },
  'queue-order': {
    says: 'Sends queued updates now or later, or takes them out; with all that depends on them, or not.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      act: z.enum(QUEUE_ACTS),
      target: z.union([
        z.strictObject({ number: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
        z.strictObject({ volume, path }),
      ]),
      withDependents: z.boolean(),
    }),
    answer: answer<QueueOutcome>(),
  },
  writeback: {
    says: 'How changes are sent. What is left out stays; the answer is what holds now.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      policy: SETTINGS['writeback.policy'].schema.optional(),
      delayMs: SETTINGS['writeback.delay'].schema.optional(),
      dirtyLimit: SETTINGS['writeback.dirty-limit'].schema.optional(),
    }),
    answer: answer<WritebackSettings>(),
  },
  consistency: {
    says: 'How others are kept from reading what is old. What is left out stays; the answer is what holds now.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      invalidations: SETTINGS['writer.invalidations'].schema.optional(),
      storePriorities: SETTINGS['writer.store-priorities'].schema.optional(),
      awayReads: SETTINGS['reader.away'].schema.optional(),
      validations: SETTINGS['reader.validations'].schema.optional(),
    }),
    answer: answer<ConsistencySettings>(),
  },
  sharing: {
    says: 'What users have said of sharing, and with `fid` what holds for that file or folder.',
    callers: ['cli', 'window'],
    args: z.strictObject({ fid: fid.optional() }),
    answer: answer<SharingReport>(),
  },
  'sharing-order': {
    says: 'Says that several laptops use a file or folder, that one does, or nothing any more (`auto`).',
    callers: ['cli', 'window'],
    args: z.strictObject({ fid, order: z.enum(SHARING_WORDS) }),
    answer: answer<SharingOf>(),
    isLong: true,
  },
  'cache-settings': {
    says: 'How large the file cache may be, and whether it looks ahead. What is left out stays, null takes it back; the answer is what holds now.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      minimum: SETTINGS['cache.minimum'].schema.optional(),
      maximum: SETTINGS['cache.maximum'].schema.optional(),
      reserve: SETTINGS['cache.reserve'].schema.optional(),
      prefetch: SETTINGS.prefetch.schema.optional(),
    }),
    answer: answer<CacheSettings>(),
  },
  'cache-preview': {
    says: 'What of the files here would go if the settings of the cache were changed so. Nothing is changed.',
    callers: ['cli'],
    args: z.strictObject({
      minimum: SETTINGS['cache.minimum'].schema.optional(),
      maximum: SETTINGS['cache.maximum'].schema.optional(),
      reserve: SETTINGS['cache.reserve'].schema.optional(),
    }),
    answer: answer<CachePreview>(),
    isLong: true,
  },
  'server-address': {
    says: 'The same server is at another address from now on: HOST:PORT.',
    callers: ['cli', 'window'],
    args: z.strictObject({ address: z.string().max(MOST_ADDRESS) }),
    answer: answer<null>(),
  },
  'device-name': {
    says: 'This laptop is called so from now on, in what others see too.',
    callers: ['cli', 'window'],
    args: z.strictObject({ name: z.string().max(MOST_DEVICE_NAME) }),
    answer: answer<null>(),
    isLong: true,
  },
  'folder-place': {
    says: 'The folder is to be there, or was moved there: a whole path of this machine.',
    callers: ['cli', 'window'],
    args: z.strictObject({ path: z.string().max(MOST_PATH) }),
    answer: answer<null>(),
    isLong: true,
  },
  cache: {
    says: 'What is to be here, and what not; of a folder: all that is in it.',
    callers: ['cli', 'window'],
    args: z.strictObject({ act: z.enum(CONTENTS_ACTS), volume, path }),
    answer: answer<CacheReport>(),
    isLong: true,
  },
  exclude: {
    says: 'A folder is not to be on the disk of this laptop: what is as the volume has it goes. The answer says what of it stays for now. `folder`: its path, from the root.',
    callers: ['cli'],
    args: z.strictObject({ volume, folder: path }),
    answer: answer<ExcludedHere>(),
    isLong: true,
  },
  include: {
    says: 'The folder is to be on this disk again, and comes by and by.',
    callers: ['cli'],
    args: z.strictObject({ volume, folder: path }),
    answer: answer<ExcludedHere>(),
    isLong: true,
  },
  excluded: {
    says: 'Folders that are not kept on this laptop, with what of them is on its disk still.',
    callers: ['cli'],
    args: z.strictObject({}),
    answer: answer<ExcludedReport>(),
  },
  'cache-use': {
    says: 'What the file cache has, how large it may be, and what is pinned.',
    callers: ['cli', 'window'],
    args: z.strictObject({}),
    answer: answer<CacheUse>(),
  },
  folder: {
    says: 'A part of what is in a folder: so many entries, from one on.',
    callers: ['window'],
    args: z.strictObject({
      volume,
      path,
      from: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      most: z.number().int().min(1).max(MAX_FOLDER_ENTRIES),
    }),
    answer: answer<FolderReport>(),
    isLong: true,
  },
  find: {
    says: 'Files and folders in a folder, or below it, whose name has a text in it: so many at most.',
    callers: ['window'],
    args: z.strictObject({
      volume,
      path,
      text: z.string().min(1).max(MOST_SOUGHT),
      most: z.number().int().min(1).max(MAX_FOUND),
    }),
    answer: answer<FoundReport>(),
    isLong: true,
  },
  open: {
    says: 'Opens what is in the synced folder with its program on the desktop of this machine; `reveal`: opens the folder that it lies in. A file is fetched first where it is not here.',
    callers: ['window'],
    args: z.strictObject({ path, reveal: z.boolean() }),
    answer: answer<null>(),
    isLong: true,
  },
  groups: {
    says: 'The file groups of a volume.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume }),
    answer: answer<GroupList>(),
    isLong: true,
  },
  group: {
    says: 'The files of one file group.',
    callers: ['cli', 'window'],
    args: z.strictObject({ volume, name: groupName }),
    answer: answer<GroupContents>(),
    isLong: true,
  },
  'group-order': {
    says: 'Makes or ends a file group, or adds or removes files of it.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      act: z.enum(GROUP_ACTS),
      volume,
      name: groupName,
      kind: z.enum(GROUP_KINDS).optional(),
      files: z.array(fid).max(MOST_MEMBERS),
    }),
    answer: answer<NamedGroup>(),
    isLong: true,
  },
  'group-suggestions': {
    says: 'Files that were opened together more than once.',
    callers: ['cli', 'window'],
    args: z.strictObject({}),
    answer: answer<SuggestedGroup[]>(),
  },
  scan: {
    says: 'Looks for changes in the folder; what is queued is sent without a delay.',
    callers: ['cli', 'window'],
    args: z.strictObject({}),
    answer: answer<null>(),
    isLong: true,
  },
  'left-out': {
    says: 'Why a path of the folder is not synced: `{"reason": TEXT | null}`.',
    callers: ['cli'],
    args: z.strictObject({ volume, path }),
    answer: answer<{ readonly reason: string | null }>(),
  },
  flush: {
    says: 'Sends all that waits, and answers when the server has it. `now`: also what its network holds back.',
    callers: ['cli'],
    args: z.strictObject({
      timeoutMs: z.number().min(0).nullable(),
      now: z.boolean().optional(),
    }),
    answer: answer<null>(),
    isLong: true,
  },
  confirm: {
    says: 'Removals that are held back are meant; the answer says how many: `{"paths": N}`. `path`: those there and beneath it; left out: all.',
    callers: ['cli', 'window'],
    args: z.strictObject({ path: path.optional() }),
    answer: answer<{ readonly paths: number }>(),
  },
  reject: {
    says: 'Removals that are held back are not meant: the files come back. Otherwise as for `confirm`.',
    callers: ['cli', 'window'],
    args: z.strictObject({ path: path.optional() }),
    answer: answer<{ readonly paths: number }>(),
  },
  disk: {
    says: 'What the daemon takes of the disk.',
    callers: ['cli'],
    args: z.strictObject({}),
    answer: answer<DaemonDiskUse>(),
    isLong: true,
  },
  metrics: {
    says: 'What it tells a Prometheus: `{"text": ...}`. No port has to be open.',
    callers: ['cli'],
    args: z.strictObject({}),
    answer: answer<{ readonly text: string }>(),
  },
  record: {
    says: 'Records of what the front ends do. `recording` null begins one; each call says how many have arrived, and waits for more; `end` ends it and gives the rest.',
    callers: ['program'],
    args: z.strictObject({
      recording: z.number().int().min(1).nullable(),
      received: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      waitMs: z.number().int().min(0).max(MAX_WAIT_MS),
      end: z.boolean(),
    }),
    answer: answer<RecordedPart>(),
    isLong: true,
  },
  log: {
    says: "The newest lines of the daemon's log.",
    callers: ['program'],
    args: z.strictObject({ lines: z.number().int().min(1).max(10_000) }),
    answer: answer<string[]>(),
  },
  ...STATS_COMMANDS,
  ...PAST_COMMANDS,
  ...LOCK_COMMANDS,
  ...ACCESS_COMMANDS,
  ...NETWORK_COMMANDS,
  preview: {
    says: 'The beginning of a file, for people. It is fetched where it is not here.',
    callers: ['cli', 'window'],
    args: z.strictObject({
      volume,
      path,
      most: z.number().int().min(1).max(MAX_PREVIEW_BYTES),
    }),
    answer: answer<FilePreview>(),
    isLong: true,
  },
  ui: {
    says: 'Serves the page on loopback until the daemon ends; the answer opens it, once and within a minute: `{"url": ...}`.',
    callers: ['cli'],
    args: z.strictObject({}),
    answer: answer<{ readonly url: string }>(),
  },
  dismiss: {
    says: 'Forgets a conflict that a person has dealt with.',
    callers: ['cli'],
    args: z.strictObject({ id: z.number().int().min(1) }),
    answer: answer<null>(),
  },
  resolve: {
    says: 'Keeps one side of a conflict, and removes the other.',
    callers: ['cli', 'window'],
    args: z.strictObject({ id: z.number().int().min(1), keep: z.enum(SIDES_TO_KEEP) }),
    answer: answer<ResolutionReport>(),
    isLong: true,
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;
export type CommandArguments<N extends CommandName> = z.output<(typeof COMMANDS)[N]['args']>;
export type CommandAnswer<N extends CommandName> =
  (typeof COMMANDS)[N]['answer'] extends Answer<infer T> ? T : never;

/** What the page of the tray, and of `godwit ui`, may ask for. */
export type PageCommand = {
  [N in CommandName]: 'window' extends (typeof COMMANDS)[N]['callers'][number] ? N : never;
}[CommandName];

export function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(COMMANDS, name);
}

/**
 * Whether the page may give this command. The carriers of its calls (the daemon's page endpoint, the main process of the tray) let no other through.
 */
export function isPageCommand(name: unknown): name is PageCommand {
  return isCommand(name) && callersOf(name).includes('window');
}

function callersOf(name: CommandName): readonly Caller[] {
  return COMMANDS[name].callers;
}

/** It answers when something is done. */
export function isLong(name: CommandName): boolean {
  const row: Command = COMMANDS[name];
  return row.isLong === true;
}
