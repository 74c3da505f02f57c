/**
 * The settings of a daemon, one row each: its key, what judges a value, what holds if nobody has set it, what it is, and the command that
 * applies it. What a form shows of a setting, and its bounds, are in setting-fields.ts. From the rows follow the arguments of these commands (commands.ts), `godwit config` (app/cli/settings.ts) and
 * docs/reference/settings.md. The daemon keeps all of them, and they hold over restarts.
 */
import { z } from 'zod';
import { DEFAULT_CACHE, type CacheSettings } from '../model/cache.ts';
import {
  AWAY_READS,
  DEFAULT_CONSISTENCY,
  INVALIDATIONS,
  STORE_PRIORITIES,
  VALIDATIONS,
  type ConsistencySettings,
} from '../model/consistency.ts';
import { formatHostPort, type HostPort } from '../model/host-port.ts';
import { METERED_RULES, NO_RULE } from '../model/network.ts';
import { NO_LIMITS, type TransferLimits } from '../model/transfer-limits.ts';
import {
  DEFAULT_WRITEBACK,
  WRITEBACK_POLICIES,
  type WritebackSettings,
} from '../model/writeback.ts';
import { NETWORK_FIELDS, SETTING_FIELDS, type AmountField } from './setting-fields.ts';

/** How people write a value: a word of a list, on or off, yes or no, seconds, a size that may be nothing at all, or by itself, or one that takes away what is over it. */
export type SettingForm =
  | 'word'
  | 'on-off'
  | 'yes-no'
  | 'seconds'
  | 'size'
  | 'size-or-none'
  | 'size-or-auto'
  | 'bound-or-auto'
  | 'size-a-day'
  | 'size-a-second'
  | 'limit-or-none';

/** What holds now: the answers of the four commands when nothing is changed. */
export interface DaemonSettings {
  readonly writeback: WritebackSettings;
  readonly cache: CacheSettings;
  readonly consistency: ConsistencySettings;
  readonly limits: TransferLimits;
}

export const DEFAULT_SETTINGS: DaemonSettings = {
  writeback: DEFAULT_WRITEBACK,
  cache: DEFAULT_CACHE,
  consistency: DEFAULT_CONSISTENCY,
  limits: NO_LIMITS,
};

const within = ({ least, most }: AmountField) => z.number().int().min(least).max(most);

interface Value {
  /** Judges a value as the command takes it: milliseconds, bytes, a word. */
  readonly schema: z.ZodType;
  readonly form: SettingForm;
  /** What it is, for people. The words of a list come after it by themselves. */
  readonly says: string;
}

export interface SettingRow extends Value {
  /** The command that applies it, and the argument that it is there. */
  readonly command: 'writeback' | 'cache-settings' | 'consistency' | 'limits';
  readonly argument: string;
  /** The present value, as the command would take it; null: nobody has set it. */
  readonly now: (settings: DaemonSettings) => string | number | boolean | null;
  /** The argument that returns it to its default, if that is not the default itself. */
  readonly unset?: null;
  /** For the comparisons of the laboratory: nobody else needs to see it. */
  readonly isExperiment?: true;
}

export const SETTINGS = {
  'writeback.policy': {
    ...{ command: 'writeback', argument: 'policy', form: 'word' },
    schema: z.enum(WRITEBACK_POLICIES),
    now: ({ writeback }) => writeback.policy,
    says: 'how changes are sent',
  },
  'writeback.delay': {
    ...{ command: 'writeback', argument: 'delayMs', form: 'seconds' },
    schema: within(SETTING_FIELDS['writeback.delay']),
    now: ({ writeback }) => writeback.delay,
    says: 'seconds that a file was not written for before it is sent',
  },
  'writeback.dirty-limit': {
    ...{ command: 'writeback', argument: 'dirtyLimit', form: 'size-or-none' },
    schema: within(SETTING_FIELDS['writeback.dirty-limit']).nullable(),
    now: ({ writeback }) => writeback.dirtyLimit,
    says: 'no write begins while so much waits; none: by the disk',
  },
  'cache.minimum': {
    ...{ command: 'cache-settings', argument: 'minimum', form: 'size', unset: null },
    schema: within(SETTING_FIELDS['cache.minimum']).nullable(),
    now: ({ cache }) => cache.minimum,
    says: 'the cache may be this large whatever else is there',
  },
  'cache.maximum': {
    ...{ command: 'cache-settings', argument: 'maximum', form: 'bound-or-auto' },
    // A program may bound it tighter than a person can mean to.
    schema: within({ ...SETTING_FIELDS['cache.maximum'], least: 0 }).nullable(),
    now: ({ cache }) => (cache.isBounded ? cache.maximum : null),
    says: `it is never larger; auto: ${DEFAULT_CACHE.maximum / 1e9}GB, and a folder keeps all`,
  },
  'cache.reserve': {
    ...{ command: 'cache-settings', argument: 'reserve', form: 'size-or-auto' },
    schema: within(SETTING_FIELDS['cache.reserve']).nullable(),
    now: ({ cache }) => cache.reserve,
    says: 'what it leaves free of the disk; auto: a twentieth, 1 GiB at most',
  },
  prefetch: {
    ...{ command: 'cache-settings', argument: 'prefetch', form: 'on-off' },
    schema: z.boolean(),
    now: ({ cache }) => cache.prefetch,
    says: 'files of a group are fetched before they are asked for',
  },
  'limit.upload': {
    ...{ command: 'limits', argument: 'upload', form: 'limit-or-none' },
    schema: within(SETTING_FIELDS['limit.upload']).nullable(),
    now: ({ limits }) => limits.upload,
    says: 'contents are sent no faster, on any network, such as 500KB/s or 2MB/s; none: as fast as it goes',
  },
  'limit.download': {
    ...{ command: 'limits', argument: 'download', form: 'limit-or-none' },
    schema: within(SETTING_FIELDS['limit.download']).nullable(),
    now: ({ limits }) => limits.download,
    says: 'contents are received no faster, the files that you open included; none: as fast as it goes',
  },
  'writer.invalidations': {
    ...{ command: 'consistency', argument: 'invalidations', form: 'word', isExperiment: true },
    schema: z.enum(INVALIDATIONS),
    now: ({ consistency }) => consistency.invalidations,
    says: 'how the server hears of updates that wait; with sync a close waits for that',
  },
  'writer.store-priorities': {
    ...{ command: 'consistency', argument: 'storePriorities', form: 'word', isExperiment: true },
    schema: z.enum(STORE_PRIORITIES),
    now: ({ consistency }) => consistency.storePriorities,
    says: 'whether saves of shared files go before others',
  },
  'reader.away': {
    ...{ command: 'consistency', argument: 'awayReads', form: 'word' },
    schema: z.enum(AWAY_READS),
    now: ({ consistency }) => consistency.awayReads,
    says: 'what a program reads whose newest version is on a laptop that is away',
  },
  'reader.validations': {
    ...{ command: 'consistency', argument: 'validations', form: 'word', isExperiment: true },
    schema: z.enum(VALIDATIONS),
    now: ({ consistency }) => consistency.validations,
    says: 'whether what may be old is asked for with the rest of its folder, or each by itself',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

/** The parts of a rule for a network, each the end of a key: `network.NAME.PART`. The command `network-rule` applies them. */
export const NETWORK_SETTINGS = {
  metered: {
    ...{ schema: z.enum(METERED_RULES), form: 'word', usual: NO_RULE.metered },
    says: 'whether data count on it',
  },
  budget: {
    ...{
      schema: within(NETWORK_FIELDS.budget).nullable(),
      form: 'size-a-day',
      usual: NO_RULE.budget,
    },
    says: 'bytes a day before background contents wait, such as 500MB/day; auto: no bound, or that of metered networks',
  },
  trickle: {
    ...{
      schema: within(NETWORK_FIELDS.trickle).nullable(),
      form: 'size-a-second',
      usual: NO_RULE.trickle,
    },
    says: 'rate of background contents, such as 100KB/s; auto: no bound, or that of metered networks',
  },
  pause: {
    ...{ schema: z.boolean(), form: 'yes-no', usual: NO_RULE.pause },
    says: 'background contents wait for another network: yes, no',
  },
} as const satisfies Readonly<
  Record<string, Value & { readonly usual: string | number | boolean | null }>
>;

/** What `godwit up` has begun with, as it lies in DATA/config.json (config.ts, which the window does without). */
export interface StartConfig {
  readonly server: HostPort;
  readonly folder: string | null;
  readonly frontEnd: string;
  readonly deviceName: string;
  readonly volume?: string | undefined;
  readonly scheduling?: string | undefined;
}

export interface StartSetting {
  readonly now: (config: StartConfig) => string;
  readonly says: (config: StartConfig) => string;
  /** What changes it while the daemon runs; null: another `godwit up` does. */
  readonly command: 'server-address' | 'folder-place' | 'device-name' | null;
  readonly isExperiment?: true;
}

const BY_UP = 'set by `godwit up`';
const byUp = (now: StartSetting['now']): StartSetting => ({
  ...{ now, command: null },
  says: () => BY_UP,
});

export const START_SETTINGS: Readonly<Record<string, StartSetting>> = {
  server: {
    now: ({ server }) => formatHostPort(server),
    says: () => 'where it answers: HOST:PORT; its key stays the same',
    command: 'server-address',
  },
  folder: {
    now: ({ folder }) => folder ?? 'none',
    says: ({ folder }) => (folder === null ? BY_UP : 'where it is; another place moves it'),
    command: 'folder-place',
  },
  device: {
    now: ({ deviceName }) => deviceName,
    says: () => 'what this laptop is called, for others too',
    command: 'device-name',
  },
  volume: byUp(({ volume }) => volume ?? 'not known yet'),
  'front-end': byUp(({ frontEnd }) => frontEnd),
  scheduling: { ...byUp(({ scheduling }) => scheduling ?? 'priorities'), isExperiment: true },
};
