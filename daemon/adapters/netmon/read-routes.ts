/** Reads the default route of this machine from /proc/net/route, and guesses by the interface's name whether data on it cost. */
import type { NetworkFacts, NetworkKind } from '../../../shared/model/network.ts';

/** Flags of a route: it is up; it has a gateway. */
const UP = 1;
const GATEWAY = 2;

interface Route {
  readonly device: string;
  readonly gateway: string | null;
  readonly metric: number;
}

/** Of the text of /proc/net/route and the names of interfaces in /proc/net/wireless; null: there is no way out. */
export function networkOf(routes: string, wireless: string): NetworkFacts | null {
  const ways = routes.split('\n').slice(1).map(wayOf);
  const best = ways
    .filter((way) => way !== null)
    .sort((a, b) => a.metric - b.metric || (a.device < b.device ? -1 : 1))[0];
  if (best === undefined) return null;
  const { device, gateway } = best;
  const kind = kindOf(device, isWireless(device, wireless));
  const name = gateway === null ? device : `${device} via ${gateway}`;
  const isMobile = kind === 'mobile' ? true : null;
  const why = isMobile === null ? 'nobody says otherwise' : `${device} is a mobile interface`;
  const subnet = subnetOf(routes, best);
  return { name, kind, metered: isMobile, why, interface: device, gateway, subnet };
}

/** Of a line: a default route that is up. */
function wayOf(line: string): Route | null {
  const [device = '', destination, gateway = '', flags = '', , , metric = '', mask] =
    line.split('\t');
  const bits = Number.parseInt(flags, 16);
  if (destination !== '00000000' || mask !== '00000000' || (bits & UP) === 0) return null;
  const address = (bits & GATEWAY) === 0 ? null : addressOf(gateway);
  return { device: device.trim(), gateway: address, metric: Number(metric) };
}

/** What the way out's own device reaches without a gateway, and has that gateway in it. */
function subnetOf(routes: string, { device, gateway }: Route): string | null {
  if (gateway === null) return null;
  for (const line of routes.split('\n').slice(1)) {
    const [on = '', destination = '', via, flags = '', , , , mask = ''] = line.split('\t');
    const bits = Number.parseInt(flags, 16);
    if (on.trim() !== device || via !== '00000000' || (bits & (UP | GATEWAY)) !== UP) continue;
    const [first, covers] = [addressOf(destination), addressOf(mask.trim())];
    if (first === null || covers === null || covers === '0.0.0.0') continue;
    const isIn = masked(gateway, covers) === first;
    if (isIn) return `${first}/${bitsOf(covers)}`;
  }
  return null;
}

function masked(address: string, mask: string): string {
  const covers = mask.split('.').map(Number);
  return address
    .split('.')
    .map((byte, i) => Number(byte) & (covers[i] ?? 0))
    .join('.');
}

function bitsOf(mask: string): number {
  const bits = mask.split('.').map((byte) => Number(byte).toString(2));
  return bits.join('').replaceAll('0', '').length;
}

/** Eight hex digits, the last byte of the address first. */
function addressOf(hex: string): string | null {
  const bytes = /^[0-9A-F]{8}$/i.test(hex) ? hex.match(/../g) : null;
  return bytes === null
    ? null
    : bytes
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join('.');
}

function isWireless(device: string, wireless: string): boolean {
  return wireless.split('\n').some((line) => line.trim().startsWith(`${device}:`));
}

function kindOf(device: string, wireless: boolean): NetworkKind {
  if (wireless || /^wl/.test(device)) return 'wifi';
  if (/^(wwan|wwp|ppp|rmnet)/.test(device)) return 'mobile';
  return /^(en|eth)/.test(device) ? 'wired' : 'other';
}
