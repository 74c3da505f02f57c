/** What a server did between two looks at it, for people and for programs. */
import type {
  DeviceStatistics,
  ServerStatistics,
  VolumeStatistics,
} from '../../shared/control/server-statistics.ts';
import { stepOf, type CallStats } from '../../shared/control/stats.ts';
import { durationText, lengthText, sizeText } from '../../shared/util/amounts.ts';
import { withinText } from './call-table.ts';
import { formatCount, formatNumber, formatTable } from './format.ts';
import { printable } from './printable.ts';

/** Of each list, since a screen holds no more. */
const MOST_ROWS = 10;

interface CallRate {
  readonly rpc: string;
  readonly side: CallStats['side'];
  readonly perSecond: number;
  readonly failures: number;
  /** Milliseconds of those in this time; null: there was none. */
  readonly averageMs: number | null;
  /** The step in which nearly all had ended; null: there was none, or they took longer than all steps. */
  readonly nearlyAllMs: number | null;
}

interface DeviceRate extends DeviceStatistics {
  readonly sentPerSecond: number;
  readonly receivedPerSecond: number;
}

interface VolumeRate extends VolumeStatistics {
  readonly callsPerSecond: number;
  readonly averageMs: number | null;
}

export interface Picture {
  /** The time that rates are of, milliseconds. */
  readonly overMs: number;
  readonly server: Omit<ServerStatistics, 'calls' | 'devices' | 'volumes'>;
  readonly cpuShare: number;
  readonly commitsPerSecond: number;
  readonly sentPerSecond: number;
  readonly receivedPerSecond: number;
  /** The most frequent first. */
  readonly calls: readonly CallRate[];
  /** Who moves most first. */
  readonly devices: readonly DeviceRate[];
  /** The slowest first. */
  readonly volumes: readonly VolumeRate[];
}

const NEARLY_ALL = 0.99;

/** The rates between two answers of one server. Counters that are less than before are of a server that began anew, and count from zero. */
export function pictureOf(before: ServerStatistics, after: ServerStatistics): Picture {
  const isSame = after.uptimeMs >= before.uptimeMs;
  const then = isSame ? before : null;
  const overMs = Math.max(1, isSame ? after.atMs - before.atMs : after.uptimeMs);
  const rate = (now: number, was = 0): number => (Math.max(0, now - was) * 1000) / overMs;
  const { calls, devices, volumes, ...server } = after;
  const devicesThen = new Map(then?.devices.map((device) => [device.id, device]));
  const volumesThen = new Map(then?.volumes.map((volume) => [volume.id, volume]));
  const commits = (of: ServerStatistics | null): number =>
    of?.volumes.reduce((sum, { head }) => sum + head, 0) ?? 0;
  return {
    overMs,
    server,
    cpuShare: Math.max(0, after.cpuMs - (then?.cpuMs ?? 0)) / overMs,
    commitsPerSecond: then === null ? 0 : rate(commits(after), commits(then)),
    sentPerSecond: rate(after.sentBytes, then?.sentBytes),
    receivedPerSecond: rate(after.receivedBytes, then?.receivedBytes),
    calls: calls
      .map((call) => callRate(call, then?.calls ?? [], { rate, bounds: after.stepsMs }))
      .filter(({ perSecond, failures }) => perSecond + failures > 0)
      .sort((a, b) => b.perSecond - a.perSecond),
    devices: devices
      .map((device) => {
        const was = devicesThen.get(device.id);
        const sentPerSecond = rate(device.sentBytes, was?.sentBytes);
        return {
          ...device,
          sentPerSecond,
          receivedPerSecond: rate(device.receivedBytes, was?.receivedBytes),
        };
      })
      .sort((a, b) => moved(b) - moved(a) || a.id - b.id),
    volumes: volumes
      .map((volume) => {
        const was = volumesThen.get(volume.id);
        const answered = volume.calls - (was?.calls ?? 0);
        const averageMs = answered > 0 ? (volume.ms - (was?.ms ?? 0)) / answered : null;
        return { ...volume, callsPerSecond: rate(volume.calls, was?.calls), averageMs };
      })
      .sort((a, b) => (b.averageMs ?? -1) - (a.averageMs ?? -1) || a.id - b.id),
  };
}

const moved = ({ sentPerSecond, receivedPerSecond }: DeviceRate): number =>
  sentPerSecond + receivedPerSecond;

function callRate(
  call: CallStats,
  before: readonly CallStats[],
  { rate, bounds }: { rate: (now: number, was?: number) => number; bounds: readonly number[] },
): CallRate {
  const was = before.find(({ rpc, side }) => rpc === call.rpc && side === call.side);
  const answered = call.calls - (was?.calls ?? 0);
  const steps = call.steps.map((count, index) => count - (was?.steps[index] ?? 0));
  const step = stepOf(steps, bounds, NEARLY_ALL);
  return {
    ...{ rpc: call.rpc, side: call.side, perSecond: rate(call.calls, was?.calls) },
    failures: call.failures - (was?.failures ?? 0),
    averageMs: answered > 0 ? (call.ms - (was?.ms ?? 0)) / answered : null,
    nearlyAllMs: step === Infinity ? null : step,
  };
}

/** The picture in lines: the server, who is active, calls, devices and volumes. */
export function topLines(picture: Picture): string[] {
  const { server, cpuShare, commitsPerSecond, sentPerSecond, receivedPerSecond } = picture;
  const { openCalls, receivingStores, waitingUpdates, unacknowledgedBreaks } = server;
  const full = server.takesContents ? '' : '; THE DISK IS FULL, contents are refused';
  return [
    `${printable(server.software)}, up ${lengthText(server.uptimeMs / 1000)}; ${Math.round(100 * cpuShare)} % of a core, ${sizeText(server.memoryBytes)} of memory, ${sizeText(server.diskFreeBytes)} free on the disk${full}`,
    `${formatCount(server.connections, 'connection')}, ${formatCount(server.sessions, 'device')}; active: ${activeText(server.active)}`,
    `waiting: ${formatCount(openCalls, 'call')}, ${formatCount(receivingStores, 'store')}, ${formatCount(waitingUpdates, 'update')}, ${formatCount(unacknowledgedBreaks, 'break')}; ${rateOf(commitsPerSecond)} commits/s; ${sizeText(sentPerSecond)}/s sent, ${sizeText(receivedPerSecond)}/s received`,
    '',
    ...callLines(picture),
    ...deviceLines(picture),
    ...volumeLines(picture),
  ];
}

function activeText(active: ServerStatistics['active']): string {
  const any = active.find(({ kind }) => kind === null);
  const kinds = active.flatMap(({ kind, users }) =>
    kind === null || users === 0 ? [] : [`${kind} ${users}`],
  );
  const by = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  const users = any?.users ?? 0;
  return `${users} ${users === 1 ? 'person' : 'people'} on ${formatCount(any?.devices ?? 0, 'device')}${by}`;
}

const rateOf = (perSecond: number): string =>
  perSecond >= 10 || perSecond === 0 ? formatNumber(Math.round(perSecond)) : perSecond.toFixed(1);

const timeOf = (ms: number | null): string => (ms === null ? '-' : durationText(ms));

function callLines({ calls, server }: Picture): string[] {
  if (calls.length === 0) return ['no calls'];
  const rows = calls.slice(0, MOST_ROWS).map((call) => {
    const name = call.side === 'received' ? call.rpc : `${call.rpc} (of the server)`;
    const within = call.averageMs === null ? null : (call.nearlyAllMs ?? Infinity);
    const step = withinText(within, server.stepsMs);
    return [
      name,
      rateOf(call.perSecond),
      formatNumber(call.failures),
      timeOf(call.averageMs),
      step,
    ];
  });
  return formatTable(
    [['calls', 'a second', 'failed', 'average', '99 % within'], ...rows],
    [1, 2, 3, 4],
  );
}

function deviceLines({ devices }: Picture): string[] {
  if (devices.length === 0) return [];
  const rows = devices
    .slice(0, MOST_ROWS)
    .map((device) => [
      printable(device.name),
      printable(device.user),
      formatNumber(device.openCalls),
      `${sizeText(device.sentPerSecond)}/s`,
      `${sizeText(device.receivedPerSecond)}/s`,
      device.usedMs === null ? 'idle' : `${lengthText(device.usedMs / 1000)} ago`,
    ]);
  const head = ['device', 'of', 'open calls', 'sent to it', 'received', 'used'];
  return ['', ...formatTable([head, ...rows], [2, 3, 4]), ...rest(devices.length)];
}

function volumeLines({ volumes }: Picture): string[] {
  if (volumes.length === 0) return [];
  const rows = volumes
    .slice(0, MOST_ROWS)
    .map((volume) => [
      printable(volume.name),
      volume.kind,
      rateOf(volume.callsPerSecond),
      timeOf(volume.averageMs),
      sizeText(volume.usedBytes),
    ]);
  const head = ['volume', 'kind', 'calls a second', 'average', 'used'];
  return ['', ...formatTable([head, ...rows], [2, 3, 4]), ...rest(volumes.length)];
}

const rest = (count: number): string[] =>
  count > MOST_ROWS ? [`and ${formatNumber(count - MOST_ROWS)} more (--json lists them all)`] : [];
