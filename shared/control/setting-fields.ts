/**
 * The settings as a form shows them: label, unit, bounds, and words with what they mean. The table of settings (settings.ts) makes its schemas of these
 * bounds. They stand apart from it since the window does without zod.
 */
import { DEFAULT_CACHE } from '../model/cache.ts';
import type {
  AwayReads,
  Invalidations,
  StorePriorities,
  Validations,
} from '../model/consistency.ts';
import type { NetworkRule } from '../model/network.ts';
import { LEAST_LIMIT, MOST_LIMIT } from '../model/transfer-limits.ts';
import type { WritebackPolicy } from '../model/writeback.ts';
import { LEAST_BOUND, LONGEST_DELAY_MS } from './limits.ts';

/** A number. The daemon counts milliseconds and bytes; a form has it in `unit`. */
export interface AmountField {
  readonly label: string;
  readonly unit: 's' | 'MB' | 'KB/s';
  /** How many of what the daemon counts make one of the unit. */
  readonly per: number;
  /** The bounds, as the daemon counts. */
  readonly least: number;
  readonly most: number;
  /** What an empty field means. */
  readonly empty: string;
}

/** One word of a list, each with what it means. */
export interface ChoiceField<W extends string> {
  readonly label: string;
  readonly words: Readonly<Record<W, string>>;
}

export interface SwitchField {
  readonly label: string;
}

const MB = 1_000_000;
const IN_SECONDS = { unit: 's', per: 1000, least: 0 } as const;
const SIZE = { unit: 'MB', per: MB, least: 0, most: Number.MAX_SAFE_INTEGER } as const;
const LIMIT = {
  ...({ unit: 'KB/s', per: 1000, empty: 'no limit' } as const),
  ...{ least: LEAST_LIMIT, most: MOST_LIMIT },
} as const;
const RATE = { unit: 'KB/s', per: 1000, least: 0, most: Number.MAX_SAFE_INTEGER } as const;

const POLICY: ChoiceField<WritebackPolicy> = {
  label: 'Order',
  words: {
    async: 'Programs go on at once; names and contents side by side',
    logging: 'Programs go on at once; everything in its order',
    sync: 'Programs wait until the server has it',
  },
};

const INVALIDATIONS: ChoiceField<Invalidations> = {
  label: 'When others use a file that you have changed',
  words: {
    async: 'The server is told at once of what waits; programs go on',
    sync: 'A program that closes a file waits until the server has been told',
    no: 'The server is not told before the save itself arrives',
  },
};

const PRIORITIES: ChoiceField<StorePriorities> = {
  label: 'Which saves go first',
  words: {
    differentiated: 'Saves of files that others use go first',
    uniform: 'All saves go alike',
  },
};

const AWAY_READS: ChoiceField<AwayReads> = {
  label: 'When the newest version is on a laptop that is away',
  words: {
    committed: 'Show the last version that the server has, marked as behind',
    'try-again': 'Refuse to open it, and say so',
  },
};

const VALIDATIONS: ChoiceField<Validations> = {
  label: 'How files are checked that may be old',
  words: {
    together: 'A file together with the rest of its folder',
    each: 'Each file by itself',
  },
};

const METERED: ChoiceField<NetworkRule['metered']> = {
  label: 'Metered',
  words: { auto: 'as the system says', yes: 'yes', no: 'no' },
};

const inUnit = (bytes: number): string => `${bytes / MB} (default)`;

export const SETTING_FIELDS = {
  'writeback.policy': POLICY,
  'writeback.delay': {
    ...IN_SECONDS,
    ...{ label: 'Wait after the last write', most: LONGEST_DELAY_MS, empty: '0' },
  },
  'writeback.dirty-limit': {
    ...SIZE,
    ...{ label: 'Most that may wait to be sent', least: 1, empty: 'by the disk' },
  },
  'cache.minimum': { ...SIZE, label: 'At least', empty: inUnit(DEFAULT_CACHE.minimum) },
  'cache.maximum': { ...SIZE, label: 'At most', least: LEAST_BOUND, empty: 'no bound' },
  'cache.reserve': { ...SIZE, label: 'Leave free on the disk', empty: 'by the disk' },
  prefetch: { label: 'Fetch the files of a group before they are asked for' },
  'limit.upload': { ...LIMIT, label: 'Send at most' },
  'limit.download': { ...LIMIT, label: 'Receive at most' },
  'writer.invalidations': INVALIDATIONS,
  'writer.store-priorities': PRIORITIES,
  'reader.away': AWAY_READS,
  'reader.validations': VALIDATIONS,
} as const satisfies Readonly<Record<string, AmountField | ChoiceField<string> | SwitchField>>;

export const NETWORK_FIELDS = {
  metered: METERED,
  budget: { ...SIZE, label: 'Budget a day', empty: 'auto' },
  trickle: { ...RATE, label: 'Trickle', empty: 'auto' },
  pause: { label: 'Contents wait for another network' },
} as const satisfies Readonly<Record<string, AmountField | ChoiceField<string> | SwitchField>>;
