/**
 * The settings of a daemon by name: what `godwit config` reads and sets. All of them are durable in the daemon's database, or in its
 * DATA/config.json, which `godwit up` writes first; the commands that set them otherwise (`writeback`, `network`, `up`) set the same ones.
 *
 * A value is shown as it can be given again.
 */
import { resolve } from 'node:path';
import { parseAddress } from '../../shared/control/addresses.ts';
import type { CommandArguments } from '../../shared/control/commands.ts';
import { DEFAULT_CACHE, type CacheSettings } from '../../shared/model/cache.ts';
import type { DaemonConfig } from '../../shared/control/config.ts';
import type { NetworkRow } from '../../shared/control/network.ts';
import {
  METERED_RULE,
  METERED_RULES,
  NO_RULE,
  wrongNetworkName,
  type NetworkRule,
} from '../../shared/model/network.ts';
import {
  AWAY_READS,
  DEFAULT_CONSISTENCY,
  INVALIDATIONS,
  STORE_PRIORITIES,
  VALIDATIONS,
  type ConsistencySettings,
} from '../../shared/model/consistency.ts';
import {
  DEFAULT_WRITEBACK,
  WRITEBACK_POLICIES,
  type WritebackSettings,
} from '../../shared/model/writeback.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { formatHostPort } from '../../shared/model/host-port.ts';
import { oneOf, parseBudget, parseDelay, parseSize, parseTrickle } from './arguments.ts';

/** What the daemon and its data folder tell. */
export interface Told {
  readonly writeback: WritebackSettings;
  readonly cache: CacheSettings;
  readonly consistency: ConsistencySettings;
  readonly networks: readonly NetworkRow[];
  /** null: there is none. */
  readonly config: DaemonConfig | null;
}

/** Where nobody has said anything. */
const USUAL: Told = {
  ...{ writeback: DEFAULT_WRITEBACK, cache: DEFAULT_CACHE, consistency: DEFAULT_CONSISTENCY },
  ...{ networks: [], config: null },
};

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly says: string;
}

/** What is asked of the daemon. */
export type Change =
  | { readonly command: 'writeback'; readonly args: CommandArguments<'writeback'> }
  | { readonly command: 'cache-settings'; readonly args: CommandArguments<'cache-settings'> }
  | { readonly command: 'consistency'; readonly args: CommandArguments<'consistency'> }
  | { readonly command: 'network-rule'; readonly args: CommandArguments<'network-rule'> }
  | { readonly command: 'server-address'; readonly args: CommandArguments<'server-address'> }
  | { readonly command: 'folder-place'; readonly args: CommandArguments<'folder-place'> };

const NETWORK = 'network.';
const RULES = {
  metered: 'whether data count on it: yes, no, auto',
  budget: 'of a day; then background contents wait: 200MB/day, none',
  trickle: 'of background contents, a second: 64KB/s, none',
  pause: 'background contents wait for another network: yes, no',
} as const;
type RulePart = keyof typeof RULES;

const CONSISTENCY = [
  {
    key: 'writer.invalidations',
    name: 'invalidations',
    words: INVALIDATIONS,
    says: 'how the server hears of updates that wait; with sync a close waits for that',
  },
  {
    key: 'writer.store-priorities',
    name: 'storePriorities',
    words: STORE_PRIORITIES,
    says: 'whether saves of shared files go before others',
  },
  {
    key: 'reader.away',
    name: 'awayReads',
    words: AWAY_READS,
    says: 'what a program reads whose newest version is on a laptop that is away',
  },
  {
    key: 'reader.validations',
    name: 'validations',
    words: VALIDATIONS,
    says: 'whether what may be old is asked for with the rest of its folder, or each by itself',
  },
] as const;

/** All of them, in a fixed order; of networks, those with a rule, and what holds on every metered one. */
export function settingsOf({ writeback, cache, consistency, networks, config }: Told): Setting[] {
  const { policy, delay, dirtyLimit } = writeback;
  const ruled = networks.filter(({ rule, network }) => rule !== null && network !== METERED_RULE);
  const all = networks.find(({ network }) => network === METERED_RULE)?.rule ?? NO_RULE;
  return [
    set('writeback.policy', policy, `how changes are sent: ${WRITEBACK_POLICIES.join(', ')}`),
    set(
      'writeback.delay',
      String(delay / 1000),
      'seconds that a file was not written for before it is sent',
    ),
    set(
      'writeback.dirty-limit',
      sizeOrNone(dirtyLimit),
      'no write begins while so much waits; none: by the disk',
    ),
    ...cacheSettings(cache),
    ...CONSISTENCY.map(({ key, name, says, words }) =>
      set(key, consistency[name], `${says}: ${words.join(', ')}`),
    ),
    ...rulesOf(METERED_RULE, all).filter(({ key }) => key !== keyOf(METERED_RULE, 'metered')),
    ...ruled.flatMap(({ network, rule }) => rulesOf(network, rule ?? NO_RULE)),
    ...(config === null ? [] : ofStart(config)),
  ];
}

function cacheSettings(settings: CacheSettings): Setting[] {
  const { minimum, maximum, reserve, prefetch, isBounded } = settings;
  return [
    set('cache.minimum', exactSize(minimum), 'the cache may be this large whatever else is there'),
    set(
      'cache.maximum',
      isBounded ? exactSize(maximum) : 'auto',
      `it is never larger; auto: ${exactSize(DEFAULT_CACHE.maximum)}, and a folder keeps all`,
    ),
    set(
      'cache.reserve',
      reserve === null ? 'auto' : exactSize(reserve),
      'what it leaves free of the disk; auto: a twentieth, 1 GiB at most',
    ),
    set(
      'prefetch',
      prefetch ? 'on' : 'off',
      'files of a group are fetched before they are asked for',
    ),
  ];
}

/** What `godwit up` has begun with. */
function ofStart(config: DaemonConfig): Setting[] {
  const { server, folder, frontEnd, deviceName, volume, scheduling } = config;
  const by = 'set by `godwit up`';
  return [
    set('server', formatHostPort(server), 'where it answers: HOST:PORT; its key stays the same'),
    set('folder', folder ?? 'none', folder === null ? by : 'where it is; another place moves it'),
    set('device', deviceName, by),
    set('volume', volume, by),
    set('front-end', frontEnd, by),
    set('scheduling', scheduling ?? 'priorities', by),
  ];
}

/** Without them nothing runs. */
const OF_THIS_DEVICE = new Set(['server', 'folder']);
const FIXED = new Set(['device', 'volume', 'front-end', 'scheduling']);

const set = (key: string, value: string, says: string): Setting => ({ key, value, says });

function rulesOf(network: string, { metered, budget, trickle, pause }: NetworkRule): Setting[] {
  const values: Record<RulePart, string> = {
    metered,
    budget: budget === null ? 'none' : `${exactSize(budget)}/day`,
    trickle: trickle === null ? 'none' : `${exactSize(trickle)}/s`,
    pause: pause ? 'yes' : 'no',
  };
  return Object.entries(RULES).map(([part, says]) =>
    set(keyOf(network, part), values[part as RulePart], says),
  );
}

const keyOf = (network: string, part: string): string => `${NETWORK}${network}.${part}`;

/** Throws GodwitError `usage`. */
export function changeOf(key: string, value: string): Change {
  switch (key) {
    case 'writeback.policy':
      return {
        command: 'writeback',
        args: { policy: checked(key, value, oneOf(...WRITEBACK_POLICIES)) },
      };
    case 'writeback.delay':
      return { command: 'writeback', args: { delayMs: checked(key, value, parseDelay) } };
    case 'writeback.dirty-limit':
      return { command: 'writeback', args: { dirtyLimit: checked(key, value, parseLimit) } };
    case 'server':
      return { command: 'server-address', args: { address: checked(key, value, addressOf) } };
    case 'folder':
      // The daemon may have been started elsewhere.
      return { command: 'folder-place', args: { path: resolve(value) } };
  }
  const cache = cacheChange(key, value);
  if (cache !== null) return { command: 'cache-settings', args: cache };
  for (const { key: known, name, words } of CONSISTENCY) {
    if (key !== known) continue;
    return {
      command: 'consistency',
      args: { [name]: checked(key, value, oneOf<string>(...words)) },
    };
  }
  if (FIXED.has(key)) {
    throw new GodwitError('usage', `${key} is set by \`godwit up\`; see \`godwit help up\``);
  }
  const part = networkPart(key);
  if (part === null) throw unknownKey(key);
  const rule = ruleOf(key, part.part, value);
  return { command: 'network-rule', args: { network: part.network, rule } };
}

function cacheChange(key: string, value: string): CommandArguments<'cache-settings'> | null {
  switch (key) {
    case 'cache.minimum':
      return { minimum: checked(key, value, parseSize) };
    case 'cache.maximum':
      return { maximum: value === 'auto' ? null : checked(key, value, parseSize) };
    case 'cache.reserve':
      return { reserve: value === 'auto' ? null : checked(key, value, parseSize) };
    case 'prefetch':
      return { prefetch: checked(key, value, oneOf('on', 'off')) === 'on' };
    default:
      return null;
  }
}

const addressOf = (text: string): string => formatHostPort(parseAddress(text, null));

/** What takes back what somebody has said of it. Throws GodwitError `usage`. */
export function unsetOf(key: string): Change {
  if (OF_THIS_DEVICE.has(key)) {
    throw new GodwitError('usage', `${key} is never unset: say another one`);
  }
  if (key === 'cache.minimum') return { command: 'cache-settings', args: { minimum: null } };
  const usual = settingsOf(USUAL).find((setting) => setting.key === key)?.value;
  return changeOf(key, usual ?? ruleValue(key, NO_RULE) ?? '');
}

/** Of a network without a rule too: as usual. */
export function valueOf(key: string, told: Told): string {
  const known = settingsOf(told).find((setting) => setting.key === key);
  if (known !== undefined) return known.value;
  const usual = ruleValue(key, NO_RULE);
  if (usual === undefined) throw unknownKey(key);
  return usual;
}

/** What a rule says of the part of it that a key names. */
function ruleValue(key: string, rule: NetworkRule): string | undefined {
  const part = networkPart(key);
  if (part === null) return undefined;
  return rulesOf(part.network, rule).find((setting) => setting.key === key)?.value;
}

function unknownKey(key: string): GodwitError {
  return new GodwitError('usage', `${key}: no such setting; \`godwit config\` lists them`);
}

/** The name of a network may have dots in it. */
function networkPart(key: string): { network: string; part: RulePart } | null {
  const last = key.lastIndexOf('.');
  const [network, part] = [
    key.slice(NETWORK.length, Math.max(last, NETWORK.length)),
    key.slice(last + 1),
  ];
  if (!key.startsWith(NETWORK) || !Object.hasOwn(RULES, part)) return null;
  if (wrongNetworkName(network) !== null) return null;
  return network === METERED_RULE && part === 'metered'
    ? null
    : { network, part: part as RulePart };
}

function ruleOf(key: string, part: RulePart, value: string): Partial<NetworkRule> {
  switch (part) {
    case 'metered':
      return { metered: checked(key, value, oneOf(...METERED_RULES)) };
    case 'budget':
      return { budget: checked(key, value, (text) => numberOrNull(parseBudget(text))) };
    case 'trickle':
      return { trickle: checked(key, value, (text) => numberOrNull(parseTrickle(text))) };
    case 'pause':
      return { pause: checked(key, value, oneOf('yes', 'no')) === 'yes' };
  }
}

/** What is wrong is said with the name of the setting. */
function checked<T>(key: string, value: string, parse: (text: string) => T): T {
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
    throw new GodwitError(error.code, `${key}: ${error.message}`);
  }
}

const numberOrNull = (value: number | 'none'): number | null => (value === 'none' ? null : value);

function parseLimit(text: string): number | null {
  const bytes = text === 'none' ? 0 : parseSize(text);
  return bytes === 0 ? null : bytes;
}

const sizeOrNone = (bytes: number | null): string => (bytes === null ? 'none' : exactSize(bytes));

const UNITS = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
] as const;

/** No byte is lost by it. */
function exactSize(bytes: number): string {
  const unit = UNITS.find(([, each]) => bytes > 0 && bytes % each === 0);
  return unit === undefined ? String(bytes) : `${bytes / unit[1]}${unit[0]}`;
}
