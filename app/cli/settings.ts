/**
 * The settings of a daemon by name: what `godwit config` reads and sets, by the table of shared/control/settings.ts. The commands that
 * set them otherwise (`writeback`, `network`, `up`) set the same ones.
 *
 * A value is shown as it can be given again.
 */
import { resolve } from 'node:path';
import { parseAddress } from '../../shared/control/addresses.ts';
import type { CommandArguments } from '../../shared/control/commands.ts';
import type { DaemonConfig } from '../../shared/control/config.ts';
import type { NetworkRow } from '../../shared/control/network.ts';
import {
  DEFAULT_SETTINGS,
  NETWORK_SETTINGS,
  SETTINGS,
  START_SETTINGS,
  type DaemonSettings,
  type SettingForm,
  type SettingRow,
} from '../../shared/control/settings.ts';
import { deviceNameFault } from '../../shared/model/device-name.ts';
import { formatHostPort } from '../../shared/model/host-port.ts';
import {
  METERED_BUDGET,
  METERED_RULE,
  METERED_TRICKLE,
  NO_RULE,
  wrongNetworkName,
  type NetworkRule,
} from '../../shared/model/network.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import {
  asUsage,
  parseBound,
  parseBudget,
  parseDelay,
  parseLimit,
  parseSize,
  parseTrickle,
} from './arguments.ts';
import { oneOf } from './fixed-values.ts';
import { nearestNames } from './paths/nearest-name.ts';

/** What the daemon and its data folder say. */
export interface KnownSettings extends DaemonSettings {
  readonly networks: readonly NetworkRow[];
  /** null: there is none. */
  readonly config: DaemonConfig | null;
}

export interface ShownSetting {
  readonly key: string;
  readonly value: string;
  /** The value is the one that holds when nobody sets another. */
  readonly isDefault: boolean;
  readonly says: string;
  /** For the comparisons of the laboratory. */
  readonly isExperiment: boolean;
}

/** A command to the daemon that changes one setting. */
export type Change =
  | { readonly command: 'writeback'; readonly args: CommandArguments<'writeback'> }
  | { readonly command: 'cache-settings'; readonly args: CommandArguments<'cache-settings'> }
  | { readonly command: 'limits'; readonly args: CommandArguments<'limits'> }
  | { readonly command: 'consistency'; readonly args: CommandArguments<'consistency'> }
  | { readonly command: 'network-rule'; readonly args: CommandArguments<'network-rule'> }
  | { readonly command: 'server-address'; readonly args: CommandArguments<'server-address'> }
  | { readonly command: 'folder-place'; readonly args: CommandArguments<'folder-place'> }
  | { readonly command: 'device-name'; readonly args: CommandArguments<'device-name'> };

type Value = string | number | boolean | null;

/** How a value is written and read. */
interface Form {
  /** Those that it takes; with `word` they are the setting's. */
  readonly words: readonly string[];
  readonly show: (value: Value) => string;
  /** Throws GodwitError `usage`. */
  readonly parse: (text: string, words: readonly string[]) => Value;
}

const sizeOr = (word: string, parse: (text: string) => Value): Form => ({
  words: [word],
  show: (value) => (value === null ? word : exactSize(Number(value))),
  parse: (text) => (text === word ? null : parse(text)),
});
const rate = (unit: string, parse: (text: string) => number | 'auto'): Form => ({
  words: ['auto'],
  show: (value) => (value === null ? 'auto' : `${exactSize(Number(value))}${unit}`),
  parse: (text) => {
    const value = parse(text);
    return value === 'auto' ? null : value;
  },
});
const either = (yes: string, no: string): Form => ({
  words: [yes, no],
  show: (value) => (value === true ? yes : no),
  parse: (text) => oneOf(yes, no)(text) === yes,
});

const FORMS: Readonly<Record<SettingForm, Form>> = {
  word: { words: [], show: String, parse: (text, words) => oneOf(...words)(text) },
  'on-off': either('on', 'off'),
  'yes-no': either('yes', 'no'),
  seconds: { words: [], show: (ms) => String(Number(ms) / 1000), parse: parseDelay },
  size: { words: [], show: (bytes) => exactSize(Number(bytes)), parse: parseSize },
  // Nothing at all may wait: that would be the end of writing.
  'size-or-none': sizeOr('none', (text) => parseSize(text) || null),
  'size-or-auto': sizeOr('auto', parseSize),
  'bound-or-auto': {
    words: ['auto'],
    show: (value) => (value === null ? 'auto' : exactSize(Number(value))),
    parse: (text) => (text === 'auto' ? null : parseBound(text)),
  },
  'size-a-day': rate('/day', parseBudget),
  'size-a-second': rate('/s', parseTrickle),
  'limit-or-none': {
    words: ['none'],
    show: (value) => (value === null ? 'none' : `${exactSize(Number(value))}/s`),
    parse: (text) => (text === 'none' ? null : parseLimit(text)),
  },
};

const ROWS: ReadonlyArray<readonly [key: string, row: SettingRow]> = Object.entries(SETTINGS);
const NETWORK = 'network.';
type RulePart = keyof typeof NETWORK_SETTINGS;
const RULE_PARTS = Object.keys(NETWORK_SETTINGS) as RulePart[];

/** All of them, in a fixed order; of networks, those with a rule, and what holds on every metered one. */
export function settingsOf(known: KnownSettings): ShownSetting[] {
  const { networks, config } = known;
  const ruled = networks.filter(({ rule, network }) => rule !== null && network !== METERED_RULE);
  return [
    ...ROWS.map(([key, row]) => {
      const { show } = FORMS[row.form];
      const value = show(row.now(known));
      const isDefault = value === show(row.now(DEFAULT_SETTINGS));
      return {
        key,
        value,
        isDefault,
        says: withWords(row),
        isExperiment: row.isExperiment === true,
      };
    }),
    ...forMetered(networks),
    ...ruled.flatMap(({ network, rule }) => rulesOf(network, rule ?? NO_RULE)),
    ...(config === null ? [] : ofStart(config)),
  ];
}

/** The rule for all metered networks, with what holds in place of its open parts. */
function forMetered(networks: readonly NetworkRow[]): ShownSetting[] {
  const rule = networks.find(({ network }) => network === METERED_RULE)?.rule ?? NO_RULE;
  const inForce = (each: NetworkRule): NetworkRule => ({
    ...each,
    budget: each.budget ?? METERED_BUDGET,
    trickle: each.trickle ?? METERED_TRICKLE,
  });
  const usual = rulesOf(METERED_RULE, inForce(NO_RULE));
  return rulesOf(METERED_RULE, inForce(rule))
    .map((shown, index) => ({ ...shown, isDefault: shown.value === usual[index]?.value }))
    .filter(({ key }) => key !== keyOf(METERED_RULE, 'metered'));
}

/** The words of a list come after what it is. */
function withWords({ form, says, schema }: Pick<SettingRow, 'form' | 'says' | 'schema'>): string {
  return form === 'word' ? `${says}: ${wordsOf(schema).join(', ')}` : says;
}

function wordsOf(schema: SettingRow['schema']): readonly string[] {
  return (schema as { readonly options?: readonly string[] }).options ?? [];
}

function ofStart(config: DaemonConfig): ShownSetting[] {
  return Object.entries(START_SETTINGS).map(([key, { now, says, isExperiment = false }]) => {
    const isDefault = isExperiment && config.scheduling === undefined;
    return { key, value: now(config), isDefault, says: says(config), isExperiment };
  });
}

function rulesOf(network: string, rule: NetworkRule): ShownSetting[] {
  return RULE_PARTS.map((part) => {
    const row = NETWORK_SETTINGS[part];
    const { show } = FORMS[row.form];
    const value = show(rule[part]);
    const isDefault = value === show(NO_RULE[part]);
    const says = withWords(row);
    return { key: keyOf(network, part), value, isDefault, says, isExperiment: false };
  });
}

/** All keys that are known before any network is, each with the words that it takes beside a size or a time. */
export function wordsOfSettings(): Record<string, readonly string[]> {
  const metered = RULE_PARTS.filter((part) => part !== 'metered').map(
    (part) => [keyOf(METERED_RULE, part), NETWORK_SETTINGS[part]] as const,
  );
  return Object.fromEntries([
    ...[...ROWS, ...metered].map(([key, { form, schema }]) => [
      key,
      form === 'word' ? wordsOf(schema) : FORMS[form].words,
    ]),
    ...Object.keys(START_SETTINGS).map((key) => [key, []]),
  ]) as Record<string, readonly string[]>;
}

const keyOf = (network: string, part: string): string => `${NETWORK}${network}.${part}`;

/** Throws GodwitError `usage`. */
export function changeOf(key: string, value: string): Change {
  const row = rowOf(key);
  if (row !== undefined) {
    const parsed = checked(key, value, (text) => FORMS[row.form].parse(text, wordsOf(row.schema)));
    return changeBy(row, parsed);
  }
  const start = startOf(key);
  if (start !== undefined) {
    if (start.command === 'server-address') {
      return { command: 'server-address', args: { address: checked(key, value, addressOf) } };
    }
    // The daemon may have been started elsewhere.
    if (start.command === 'folder-place') {
      return { command: 'folder-place', args: { path: resolve(value) } };
    }
    if (start.command === 'device-name') {
      return { command: 'device-name', args: { name: checked(key, value.trim(), deviceNameOf) } };
    }
    throw new GodwitError('usage', `${key} is set by \`godwit up\``, 'see `godwit help up`');
  }
  const part = networkPart(key);
  if (part === null) throw unknownKey(key);
  const { form, schema } = NETWORK_SETTINGS[part.part];
  const parsed = checked(key, value, (text) => FORMS[form].parse(text, wordsOf(schema)));
  const rule = { [part.part]: parsed };
  return { command: 'network-rule', args: { network: part.network, rule } };
}

function rowOf(key: string): SettingRow | undefined {
  return Object.hasOwn(SETTINGS, key) ? SETTINGS[key as keyof typeof SETTINGS] : undefined;
}

function startOf(key: string) {
  return Object.hasOwn(START_SETTINGS, key) ? START_SETTINGS[key] : undefined;
}

/** The daemon judges the argument by the schema of the row. */
function changeBy({ command, argument }: SettingRow, value: Value): Change {
  return { command, args: { [argument]: value } };
}

function deviceNameOf(name: string): string {
  const fault = deviceNameFault(name);
  if (fault === null) return name;
  throw new GodwitError('usage', `a laptop can not be called so: ${fault}`, 'give another name');
}

const addressOf = (text: string): string => formatHostPort(asUsage(parseAddress)(text, null));

/** The command that returns a setting to its default. Throws GodwitError `usage`. */
export function unsetOf(key: string): Change {
  const start = startOf(key);
  if (start !== undefined && start.command !== null) {
    throw new GodwitError('usage', `${key} is never unset: say another one`);
  }
  const row = rowOf(key);
  if (row !== undefined) {
    return changeBy(row, row.unset === null ? null : row.now(DEFAULT_SETTINGS));
  }
  return changeOf(key, openRule(key)?.value ?? '');
}

/** The setting of a key; a network without a rule has the defaults. Throws GodwitError `usage` if there is none. */
export function settingOf(key: string, known: KnownSettings): ShownSetting {
  const found = settingsOf(known).find((setting) => setting.key === key) ?? openRule(key);
  if (found === undefined) throw unknownKey(key);
  return found;
}

/** The part of a network's rule that a key names, of a network without a rule. */
function openRule(key: string): ShownSetting | undefined {
  const part = networkPart(key);
  if (part === null) return undefined;
  return rulesOf(part.network, NO_RULE).find((setting) => setting.key === key);
}

function unknownKey(key: string): GodwitError {
  const keys = Object.keys({ ...SETTINGS, ...START_SETTINGS });
  const [nearest] = nearestNames(key, keys);
  const meant = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return new GodwitError('usage', `${key}: no such setting${meant}`, '`godwit config` lists them');
}

/** The name of a network may have dots in it. */
function networkPart(key: string): { network: string; part: RulePart } | null {
  const last = key.lastIndexOf('.');
  const [network, end] = [
    key.slice(NETWORK.length, Math.max(last, NETWORK.length)),
    key.slice(last + 1),
  ];
  const part = RULE_PARTS.find((each) => each === end);
  if (!key.startsWith(NETWORK) || part === undefined) return null;
  if (wrongNetworkName(network) !== null) return null;
  return network === METERED_RULE && part === 'metered' ? null : { network, part };
}

/** Parses a value; an error names the setting. */
function checked<T>(key: string, value: string, parse: (text: string) => T): T {
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
    throw new GodwitError(error.code, `${key}: ${error.message}`, error.remedy);
  }
}

const UNITS = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
] as const;

/** No byte is lost by it; a bare number would be refused, but for 0. */
function exactSize(bytes: number): string {
  const unit = UNITS.find(([, each]) => bytes > 0 && bytes % each === 0);
  if (unit !== undefined) return `${bytes / unit[1]}${unit[0]}`;
  return bytes === 0 ? '0' : `${bytes}B`;
}
