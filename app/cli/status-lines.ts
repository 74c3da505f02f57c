/** The status snapshot in words: in one line, and all of it. For people: status-block.ts. */
import type {
  QueueStatus,
  StatusSnapshot,
  VolumeStatus,
  WaitingStatus,
} from '../../shared/control/snapshot.ts';
import type { NetworkStatus } from '../../shared/control/network.ts';
import { shownWaiting } from '../../shared/control/waiting.ts';
import { PRIORITY_CLASSES } from '../../shared/model/priority-class.ts';
import { NOTES } from '../../shared/wire/error-codes.ts';
import { formatClock, formatCount, formatTable } from './format.ts';
import { awayText, hereText, useText } from './here-text.ts';
import { durationText, sizeText } from '../../shared/util/amounts.ts';
import { excludedText, unstoredText } from './path-state.ts';
import { brief, printable } from './printable.ts';

/** One line: how it is and, where something moves, how much. The summary has the state in words. */
export function statusLine(status: StatusSnapshot): string {
  const parts = [headline(status)];
  const bytes = bytesLeft(status.queues.data);
  if (bytes > 0) parts.push(`${sizeText(bytes)} to send`);
  const { commits } = status.unsettled;
  if (commits > 0) parts.push(`${formatCount(commits, 'commit')} to bring in`);
  return parts.join('; ');
}

function headline(status: StatusSnapshot): string {
  const { state, summary } = status;
  const end = pauseEnd(status);
  if (state === 'paused' && end !== null) {
    return brief(summary.replace(/^Paused/, `Paused until ${end}`));
  }
  if (state === 'idle' && status.unstored !== undefined) {
    return `Synced but for ${formatCount(status.unstored.files, 'file')} without contents`;
  }
  return brief(state === 'error' ? `Error: ${summary}` : summary);
}

/** When a pause ends by itself; null: it does not. */
export function pauseEnd({
  pausedUntil = null,
  pausedUntilNetworkChanges,
}: StatusSnapshot): string | null {
  if (pausedUntilNetworkChanges === true) return 'the network changes';
  return pausedUntil === null ? null : formatClock(pausedUntil, Date.now());
}

/** Where it is shown, and how. */
function placeText({ folder, frontEnd, frontEndWhy }: StatusSnapshot): string {
  if (folder === null) return 'none';
  const kind = frontEnd === 'mount' ? ' (mounted)' : '';
  const why =
    frontEndWhy === undefined ? '' : `; auto took the ${frontEnd}: ${printable(frontEndWhy)}`;
  return `${printable(folder)}${kind}${why}`;
}

/** Everything, a line for each, after the headline. */
export function statusLines(status: StatusSnapshot): string[] {
  const { metadata, data } = status.queues;
  const connection = status.connected ? `connected${roundTrip(status)}` : 'not connected';
  const rows: string[][] = [
    ['server', `${status.server.address} (${connection})`],
    ['device', deviceText(status)],
    ['folder', placeText(status)],
    [
      'to send',
      `${formatCount(metadata.updates, 'metadata update')}, ${storesText(data)}${leftText(status)}`,
    ],
    ['to bring in', bringInText(status)],
    ...ratesRow(status),
    ...limitsRow(status),
    ...networkRow(status),
    ['here', cacheText(status)],
    ...status.volumes.map((volume) => ['volume', volumeText(volume)]),
  ];
  if (status.scheduling === 'uniform') {
    rows.push(['scheduling', 'uniform: no class goes before another']);
  }
  if (status.metrics !== undefined) rows.push(['metrics', status.metrics]);
  if (status.paused) {
    rows.push(['paused', `until ${pauseEnd(status) ?? '`godwit resume`'}`]);
  }
  if (status.conflicts.length > 0) {
    rows.push(['conflicts', `${status.conflicts.length}: see \`godwit conflicts\``]);
  }
  for (const error of status.errors) {
    const { path, volume } = error;
    const at = volume === undefined ? path : `${volume}:/${path}`;
    const place = path === null || at === null ? '' : `${brief(at)}: `;
    rows.push([
      NOTES.has(error.code) ? 'note' : 'error',
      `${place}${brief(error.message)}; ${printable(error.remedy)}`,
    ]);
  }
  rows.push(...waitingRows(status));
  if (status.unstored !== undefined) {
    rows.push(['not synced', unstoredText(status.unstored, (path) => path)]);
  }
  if (status.excluded !== undefined) {
    rows.push(['not here', excludedText(status.excluded, (path) => path)]);
  }
  return [headline(status), ...formatTable(rows)];
}

/** `--json` has all of it. */
function waitingRows(status: StatusSnapshot): string[][] {
  const { rows, more } = shownWaiting(status);
  const shown = rows.map((row) => ['waiting', waitingText(row)]);
  return more > 0 ? [...shown, ['waiting', `and ${more} more`]] : shown;
}

function volumeText(volume: VolumeStatus): string {
  const { name, rights, applied, head, shut } = volume;
  if (shut === true) return `${printable(name)}: you may not see it now`;
  return `${printable(name)} (${rights}), commit ${applied} of ${head}${quotaText(volume)}`;
}

export function waitingText({ path, reason }: WaitingStatus): string {
  return path === null ? brief(reason) : `${brief(path)}: ${brief(reason)}`;
}

/** The round trip, and what it is without a queue where that is another. */
function roundTrip({ link: { rttMs, baseRttMs = null } }: StatusSnapshot): string {
  if (rttMs === null) return '';
  const base = baseRttMs === null ? '' : durationText(baseRttMs);
  const now = durationText(rttMs);
  return `, ${now} away${base === '' || base === now ? '' : ` (${base} at best)`}`;
}

/** What moves now; nothing where nothing does. */
function ratesRow({ link: { rates } }: StatusSnapshot): string[][] {
  if (rates === undefined || rates.up + rates.down === 0) return [];
  const classes = PRIORITY_CLASSES.flatMap((name) => {
    const { up, down } = rates.classes[name];
    return up + down === 0 ? [] : [`${name} ${sizeText(up)} up, ${sizeText(down)} down`];
  });
  const all = `${sizeText(rates.up)}/s up, ${sizeText(rates.down)}/s down`;
  return [['moving', classes.length === 0 ? all : `${all} (${classes.join('; ')})`]];
}

/** ` (limit 500.0 KB/s)` behind the rate of a direction; nothing where there is no limit. */
export function limitText(
  { limits }: Pick<StatusSnapshot, 'limits'>,
  direction: 'upload' | 'download',
): string {
  const rate = limits?.[direction] ?? null;
  if (limits === undefined || rate === null) return '';
  const text = `limit ${sizeText(rate)}/s`;
  const { server } = limits;
  if (direction === 'upload' || server === 'paces' || server === 'soon') return ` (${text})`;
  const why = server === 'too-old' ? 'is too old for that' : 'refuses that';
  return ` (${text}, not kept: the server ${why})`;
}

function limitsRow(status: StatusSnapshot): string[][] {
  const [up, down] = [limitText(status, 'upload'), limitText(status, 'download')];
  const parts = [up === '' ? '' : `up${up}`, down === '' ? '' : `down${down}`].filter(Boolean);
  return parts.length === 0 ? [] : [['limits', parts.join(', ')]];
}

const clockOf = (wall: number): string => formatClock(new Date(wall).toISOString(), Date.now());

function networkRow({ network = null }: StatusSnapshot): string[][] {
  return network === null ? [] : [['network', networkText(network, true)]];
}

/** The row of the network: its name, whether data count there and which source says so, today's data, and what waits. `usual`: also that data do not count. */
export function networkText(network: NetworkStatus, usual: boolean): string {
  const { name, metered, why, used, budget, trickle, background, until } = network;
  const parts = [
    metered || usual
      ? `${printable(name)} (${metered ? 'metered' : 'not metered'}: ${printable(why)})`
      : printable(name),
    budget === null
      ? `${sizeText(used)} today`
      : `${sizeText(used)} of ${sizeText(budget.bytes)} used today`,
  ];
  if (background === 'trickles' && trickle !== null) {
    parts.push(`background contents trickle at ${sizeText(trickle)}/s`);
  }
  if (background === 'waits') {
    const end = until === null ? 'for another network' : `until ${clockOf(until)}`;
    parts.push(`background contents wait ${end}`);
  }
  const { stores, fetches } = network.waiting;
  if (background !== 'free' && stores + fetches > 0) {
    parts.push(`${formatCount(stores, 'store')} and ${formatCount(fetches, 'fetch', 'fetches')}`);
  }
  return parts.join(', ');
}

function quotaText({ quota }: VolumeStatus): string {
  return quota === null ? '' : `, ${sizeText(quota.used)} of ${sizeText(quota.limit)} used`;
}

function deviceText({ device }: StatusSnapshot): string {
  const name = printable(device.name);
  if (device.id === null) return `${name} (not paired yet)`;
  return device.user === null ? name : `${name} of ${printable(device.user)}`;
}

function storesText(data: QueueStatus): string {
  return `${formatCount(data.updates, 'store')} (${sizeText(bytesLeft(data))})`;
}

/** When both queues will be empty, or why that is unknown. */
function leftText({ queues: { metadata, data } }: StatusSnapshot): string {
  const open = [metadata, data].filter(({ updates }) => updates > 0);
  if (open.length === 0) return '';
  const cancelled = metadata.cancelled + data.cancelled;
  const told = cancelled === 0 ? '' : `; ${formatCount(cancelled, 'change')} cancelled`;
  const unknown = open.find(({ estimate }) => estimate.seconds === null);
  if (unknown !== undefined) return `, no estimate: ${unknown.estimate.why ?? 'unknown'}${told}`;
  const seconds = Math.max(...open.map(({ estimate }) => estimate.seconds ?? 0));
  const rate = data.estimate.bytesPerSecond;
  const at = rate === null || data.updates === 0 ? '' : ` at ${sizeText(rate)}/s`;
  return `, about ${durationText(seconds * 1000)} left${at}${told}`;
}

function bringInText({ unsettled, fetches }: StatusSnapshot): string {
  const commits = formatCount(unsettled.commits, 'commit');
  if (fetches.running === 0) return commits;
  const left = sizeText(Math.max(0, fetches.bytes - fetches.receivedBytes));
  return `${commits}, ${formatCount(fetches.running, 'fetch', 'fetches')} under way (${left})`;
}

/** Bytes of contents still to be sent, without what a person has taken out. */
export function bytesLeft({ bytes, cancelledBytes = 0, sentBytes }: QueueStatus): number {
  return Math.max(0, bytes - cancelledBytes - sentBytes);
}

function cacheText({ cache }: StatusSnapshot): string {
  const { files, bytes, folder } = cache;
  if (folder === undefined) return hereText(cache);
  const away = awayText(folder);
  const beside = `in the folder ${useText(folder.here)}; beside it ${useText({ files, bytes })}`;
  return away === '' ? beside : `${beside}; ${away}`;
}
