/** The network that a machine is on, as far as data on it may cost money; and the rules that a person has set for it. */

export type NetworkKind = 'wired' | 'wifi' | 'mobile' | 'other';

/** What is known of the network that is used now. */
export interface NetworkFacts {
  /** As people know it, and the same each time this machine is on it: the name of a connection, or interface and gateway. */
  readonly name: string;
  readonly kind: NetworkKind;
  /** Whether it is metered; null: unknown. */
  readonly metered: boolean | null;
  /** The source that says whether it is metered, in a few words for people. */
  readonly why: string;
  readonly interface: string | null;
  /** The address of the way out. */
  readonly gateway: string | null;
  /** The addresses that are reached without it, such as `192.168.0.0/24`. Absent: unknown. */
  readonly subnet?: string | null;
}

export const METERED_RULES = ['yes', 'no', 'auto'] as const;

/** A person's rule for a network. Null fields follow the rule for all metered networks, or else the default. */
export interface NetworkRule {
  readonly metered: (typeof METERED_RULES)[number];
  /** Bytes that all of the daemon may move on it in a day before background contents wait. */
  readonly budget: number | null;
  /** Bytes a second of background contents. */
  readonly trickle: number | null;
  /** Background contents wait for another network. */
  readonly pause: boolean;
}

/** Bytes that a daemon may move in a day on a metered network without another rule: a fraction of what mobile plans have. */
export const METERED_BUDGET = 200_000_000;

/** Bytes a second of background contents there: hardly felt by others on the network, and a document takes seconds. */
export const METERED_TRICKLE = 64_000;

export const NO_RULE: NetworkRule = { metered: 'auto', budget: null, trickle: null, pause: false };

/** The rule of this name is for every metered network: it fills what their own rules leave open. */
export const METERED_RULE = 'metered';

/** A name, or by what else a rule tells networks: `gateway:10.0.0.1`, `subnet:192.168.43.0/24`, `interface:wwan0`. */
export const MOST_NETWORK_NAME = 200;

/** The rules' names that fit a network, the most particular first. */
export function rulesFor({
  name,
  gateway,
  subnet = null,
  interface: device,
}: NetworkFacts): string[] {
  return [
    name,
    ...(gateway === null ? [] : [`gateway:${gateway}`]),
    ...(subnet === null ? [] : [`subnet:${subnet}`]),
    ...(device === null ? [] : [`interface:${device}`]),
  ];
}

/** Null: it can be the name of a rule; else what is wrong with it. */
export function wrongNetworkName(name: string): string | null {
  if (name === '') return 'it is empty';
  if (name.length > MOST_NETWORK_NAME) return `it is longer than ${MOST_NETWORK_NAME} characters`;
  // eslint-disable-next-line no-control-regex -- those are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'it has control characters';
  if (name.startsWith('gateway:') && bytesOf(name.slice(8)) === null) {
    return 'it is no address such as gateway:10.0.0.1';
  }
  if (name.startsWith('subnet:') && !isSubnet(name.slice(7))) {
    return 'it is no subnet such as subnet:192.168.43.0/24';
  }
  return name === 'interface:' ? 'it names no interface' : null;
}

/** Four numbers, the first byte first; null: it is no address of IPv4. */
function bytesOf(address: string): readonly number[] | null {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(address)) return null;
  const bytes = address.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

/** The address of a subnet: the bits behind its length are zero. */
function isSubnet(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const bytes = bytesOf(address);
  if (bytes === null || more.length > 0 || !/^(0|[1-9]\d?)$/.test(bits)) return false;
  const length = Number(bits);
  if (length > 32) return false;
  const all = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return !all.slice(length).includes('1');
}
