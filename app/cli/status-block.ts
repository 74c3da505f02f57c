/**
 * The status for people: how it is with whom, where, what moves and how long that takes, and what needs somebody, each with its file first and
 * what to do. What is as usual is left out; `--verbose` has all of it (status-lines.ts).
 */
import type { FetchReport, QueueReport } from '../../shared/control/queue.ts';
import type { ErrorStatus, OwnDevice, StatusSnapshot } from '../../shared/control/snapshot.ts';
import { shownWaiting } from '../../shared/control/waiting.ts';
import { isAllSent, UNANSWERED } from '../../shared/model/all-sent.ts';
import { lengthText, sizeText } from '../../shared/util/amounts.ts';
import { NOTES } from '../../shared/wire/error-codes.ts';
import { formatAgo, formatCount } from './format.ts';
import { hereText } from './here-text.ts';
import { excludedText, unstoredText } from './path-state.ts';
import { brief, printable } from './printable.ts';
import { painted, type Colour } from './style.ts';
import { bytesLeft, limitText, networkText, pauseEnd } from './status-lines.ts';

/** Of those that move at once; more are not read. */
export const MOST_MOVING = 3;
/** A status stays on a screen. */
const MOST_PROBLEMS = 10;
/** Of files with the same problem so many are named: `--verbose` names all. */
const MOST_ALIKE = 3;

/** Of laptops that have joined so many are named. */
const MOST_JOINED = 5;

export interface Moving {
  /** The first entries of the queue, and of what is fetched; null: nothing is. */
  readonly queue: Pick<QueueReport, 'entries'> | null;
  readonly fetches: Pick<FetchReport, 'entries'> | null;
}

export interface BlockStyle {
  /** The terminal shows colours, and somebody wants them. */
  readonly colours: boolean;
  /** A path as a person can give it to a command. */
  readonly shown: (path: string, volume?: string) => string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The daemon is the one that `godwit use` has chosen. */
  readonly isChosen?: boolean;
  /** For what is below it `~` is written; null: nobody knows one. */
  readonly home: string | null;
}

/** The lines of it, without what moves where that is not known. */
export function statusBlock(status: StatusSnapshot, moving: Moving, style: BlockStyle): string[] {
  const { state } = status;
  const sign = state === 'error' ? '✗' : state === 'offline' ? '○' : '●';
  const head = `${inColour(sign, colourOf(status), style)} ${headline(status)}${lastChange(status, style.now)}`;
  return [
    head,
    ...placeLines(status, style),
    ...sendLines(status, moving, style),
    ...fetchLines(status, moving, style),
    ...problemLines(status, style),
  ];
}

const inColour = (text: string, colour: Colour, { colours }: Pick<BlockStyle, 'colours'>): string =>
  painted(text, colour, colours);

function colourOf({ state }: StatusSnapshot): Colour {
  switch (state) {
    case 'idle':
      return 'green';
    case 'syncing':
    case 'trickling':
      return 'blue';
    case 'incomplete':
    case 'conflict':
      return 'amber';
    case 'error':
      return 'red';
    default:
      return 'grey';
  }
}

/** Whether it is connected, and whether something moves: what needs somebody is below. */
function headline(status: StatusSnapshot): string {
  const { connected, paused, server, link, errors } = status;
  const address = printable(server.address);
  const isRefused = errors.some(({ code }) => !NOTES.has(code));
  if (paused) {
    const end = pauseEnd(status);
    const until = end === null ? '; `godwit resume` goes on' : ` until ${end}`;
    return connected ? `Paused${until}` : `Paused${until}, and not connected to ${address}`;
  }
  if (!connected) {
    return isRefused ? `Not connected to ${address}` : `Offline: ${address} does not answer`;
  }
  const away = link.rttMs === null ? '' : ` (${Math.max(1, Math.round(link.rttMs))} ms)`;
  const slow = status.state === 'trickling' ? ' slowly' : '';
  if (isBusy(status)) return `Syncing${slow} with ${address}${away}`;
  const isAll = status.state === 'idle' && status.unstored === undefined;
  return isAll ? `Everything is synced with ${address}${away}` : `Connected to ${address}${away}`;
}

/** When a file moved last, where nothing does now. */
function lastChange({ state, connected, recent = [] }: StatusSnapshot, now: number): string {
  const when = Date.parse(recent[0]?.when ?? '');
  if (state !== 'idle' || !connected || Number.isNaN(when)) return '';
  return `, last change ${formatAgo(now - when)}`;
}

function isBusy({ queues, fetches, unsettled }: StatusSnapshot): boolean {
  const { metadata, data } = queues;
  const open = metadata.updates + data.updates - metadata.cancelled - data.cancelled;
  return open + fetches.running + unsettled.commits > 0;
}

function placeLines(status: StatusSnapshot, style: BlockStyle): string[] {
  const { folder, volumes, network = null } = status;
  const place = folder === null ? 'none' : printable(inHome(folder, style.home));
  return [
    `  ${status.frontEnd === 'mount' ? 'Mount ' : 'Folder'}   ${place}  ${hereText(status.cache)}`.trimEnd(),
    ...frontEndLine(status),
    ...(style.isChosen === true ? ['  Daemon   the one that `godwit use` has chosen'] : []),
    ...volumes.flatMap(({ name, quota }) => {
      if (quota === null) return [];
      const of = volumes.length === 1 ? '' : ` in ${printable(name)}`;
      return [`  Quota    ${sizeText(quota.used)} of ${sizeText(quota.limit)} used${of}`];
    }),
    ...locksLine(status),
    ...(network === null ? [] : [`  Network  ${networkText(network, false)}`]),
  ];
}

/** Which front end `auto` took, and why. */
function frontEndLine({ frontEnd, frontEndWhy }: StatusSnapshot): string[] {
  if (frontEndWhy === undefined) return [];
  return [`  Auto     a ${frontEnd}: ${printable(frontEndWhy)}`];
}

/** Files that somebody edits, and locks of this laptop that it has no more. */
function locksLine({ locks }: StatusSnapshot): string[] {
  if (locks === undefined) return [];
  const { own, others, lost } = locks;
  const parts = [
    ...(own > 0 ? [`${own} by this laptop`] : []),
    ...(others > 0 ? [`${others} by others`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
  ];
  return [`  Locks    ${parts.join(', ')}: see \`godwit locks\``];
}

function inHome(folder: string, home: string | null): string {
  if (home === null || home === '/') return folder;
  return folder === home || folder.startsWith(`${home}/`)
    ? `~${folder.slice(home.length)}`
    : folder;
}

/** `↑ 12 changes, 3.0 MB to send, about 2 min at 25.0 KB/s`, and the files that are on their way. */
export function sendLines(
  status: StatusSnapshot,
  { queue }: Moving,
  style: Pick<BlockStyle, 'colours' | 'shown'>,
): string[] {
  const { metadata, data } = status.queues;
  const cancelled = metadata.cancelled + data.cancelled;
  const open = metadata.updates + data.updates - cancelled;
  if (open <= 0) return [];
  if (isAllSent(status.queues) && status.connected) {
    return [`${inColour('↑', 'blue', style)} ${formatCount(open, 'change')} ${UNANSWERED}`];
  }
  const bytes = bytesLeft(data);
  const parts = [`${formatCount(open, 'change')} to send`];
  if (bytes > 0) parts.push(`${sizeText(bytes)} left`);
  parts.push(...timeLeft(status));
  const rows = (queue?.entries ?? [])
    .filter(({ state, kind }) => state === 'on its way' && kind === 'store')
    .slice(0, MOST_MOVING)
    .map(({ path, volume, bytes: all, sentBytes }) =>
      moved(style.shown(path, volume), sentBytes, all),
    );
  return [`${inColour('↑', 'blue', style)} ${parts.join(', ')}`, ...rows];
}

function timeLeft(status: StatusSnapshot): string[] {
  const {
    connected,
    paused,
    queues: { metadata, data },
  } = status;
  if (!connected || paused) return [];
  const open = [metadata, data].filter(({ updates }) => updates > 0);
  const rate = data.estimate.bytesPerSecond;
  const limit = data.updates === 0 ? '' : limitText(status, 'upload');
  const at = rate === null || data.updates === 0 ? '' : ` at ${sizeText(rate)}/s`;
  const unknown = open.find(({ estimate }) => estimate.seconds === null);
  if (unknown !== undefined) {
    return [`no estimate: ${printable(unknown.estimate.why ?? 'unknown')}${limit}`];
  }
  const seconds = Math.max(...open.map(({ estimate }) => estimate.seconds ?? 0));
  return [`about ${lengthText(Math.max(1, seconds))}${at}${limit}`];
}

function fetchLines(status: StatusSnapshot, { fetches }: Moving, style: BlockStyle): string[] {
  const { running, bytes, receivedBytes } = status.fetches;
  const { commits } = status.unsettled;
  if (running + commits === 0) return [];
  const parts: string[] = [];
  if (running > 0) parts.push(`${formatCount(running, 'file')} to fetch`);
  if (bytes > receivedBytes) parts.push(`${sizeText(bytes - receivedBytes)} left`);
  if (commits > 0) parts.push(`${formatCount(commits, 'change')} of others to bring in`);
  const down = status.link.rates?.down ?? 0;
  const limit = limitText(status, 'download');
  if (down > 0 && running > 0) parts.push(`at ${sizeText(down)}/s${limit}`);
  else if (limit !== '' && running > 0) parts.push(limit.trim());
  const rows = (fetches?.entries ?? [])
    .filter(({ state, path }) => state === 'on its way' && path !== null)
    .slice(0, MOST_MOVING)
    .map(({ path, volume, bytes: all, receivedBytes: came }) =>
      moved(style.shown(path ?? '', volume), came, all ?? 0),
    );
  return [`${inColour('↓', 'blue', style)} ${parts.join(', ')}`, ...rows];
}

function moved(path: string, part: number, all: number): string {
  const share =
    all === 0 ? '' : `  ${Math.min(100, Math.floor((100 * part) / all))} % of ${sizeText(all)}`;
  return `    ${path}${share}`;
}

/** What other laptops removed, many files at once. */
function othersRemovedLines({ othersRemoved = [] }: StatusSnapshot, style: BlockStyle): string[] {
  return othersRemoved.map(({ files, by, device, since, volume }) => {
    const who = by === null ? 'another laptop' : printable(by);
    const ago = formatAgo(style.now - Date.parse(since));
    const undo = `godwit restore ${style.shown('', volume)} --removed-by ${device}`;
    const were = files === 1 ? 'was' : 'were';
    return `${inColour('!', 'amber', style)} ${formatCount(files, 'file')} ${were} removed on ${who}, ${ago}: \`${undo}\` brings them back`;
  });
}

/** Laptops of this person that this one has heard of lately. */
function joinedLines({ devices = [] }: StatusSnapshot, style: BlockStyle): string[] {
  const joined = devices.filter((each) => each.joined !== undefined);
  const [first, ...others] = joined;
  if (first === undefined) return [];
  const sign = inColour('!', 'amber', style);
  const ago = ({ since }: OwnDevice): string =>
    `paired ${formatAgo(style.now - Date.parse(since))}`;
  if (others.length === 0) {
    const what = `a new laptop joined: ${printable(first.name)}, ${ago(first)}`;
    const revoke = `\`godwit server revoke ${first.device}\` on the server`;
    return [`${sign} ${what}; if that was not you: ${revoke}`];
  }
  const named = joined
    .slice(0, MOST_JOINED)
    .map((each) => `${brief(each.name)} (number ${each.device}, ${ago(each)})`);
  const more = joined.length - named.length;
  const all = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const revoke = '`godwit server revoke NUMBER` on the server';
  return [`${sign} ${joined.length} new laptops joined: ${all}; if one was not you: ${revoke}`];
}

function problemLines(status: StatusSnapshot, style: BlockStyle): string[] {
  const { errors, conflicts, queues } = status;
  const graver = (error: ErrorStatus): number => (NOTES.has(error.code) ? 1 : 0);
  const problems = alike(errors.toSorted((a, b) => graver(a) - graver(b))).map((each) =>
    problem(each, style),
  );
  const { rows, more } = shownWaiting(status);
  // Updates of the queue are told above.
  const waiting = rows
    .filter(({ path, stands }) => path !== null || stands === true)
    .map(({ path, reason }) => {
      const place = path === null ? '' : `${style.shown(path)}: `;
      return `${inColour('·', 'grey', style)} ${place}${brief(reason)}`;
    });
  const cancelled = queues.metadata.cancelled + queues.data.cancelled;
  const lines = [
    ...problems,
    ...(conflicts.length === 0
      ? []
      : [
          `${inColour('!', 'amber', style)} ${formatCount(conflicts.length, 'conflict')}: see \`godwit conflicts\``,
        ]),
    ...othersRemovedLines(status, style),
    ...joinedLines(status, style),
    ...waiting,
    ...unstoredLines(status, style),
    ...excludedLines(status, style),
  ];
  const left = lines.length - MOST_PROBLEMS + more;
  return [
    ...lines.slice(0, MOST_PROBLEMS),
    ...(left > 0 ? [`  and ${left} more: \`godwit status --verbose\``] : []),
    ...(cancelled === 0
      ? []
      : [
          `${inColour('·', 'grey', style)} ${formatCount(cancelled, 'change')} cancelled: see \`godwit queue\``,
        ]),
  ];
}

/** Nothing that this laptop could do something about. */
function unstoredLines({ unstored }: StatusSnapshot, style: BlockStyle): string[] {
  if (unstored === undefined) return [];
  return [`${inColour('·', 'grey', style)} ${unstoredText(unstored, style.shown)}`];
}

function excludedLines({ excluded }: StatusSnapshot, style: BlockStyle): string[] {
  if (excluded === undefined) return [];
  return [`${inColour('·', 'grey', style)} ${excludedText(excluded, style.shown)}`];
}

type Alike = [first: ErrorStatus, ...others: ErrorStatus[]];

/** Errors that say the same of several files are one: in the order in which their first ones come. */
function alike(errors: readonly ErrorStatus[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const error of errors) {
    const { code, message, remedy } = error;
    const key = JSON.stringify([code, message, remedy]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [error]);
    else group.push(error);
  }
  return [...groups.values()];
}

/** Its files first, and what to do last. */
function problem(group: Alike, style: BlockStyle): string {
  const [{ code, message, remedy }] = group;
  const isNote = NOTES.has(code);
  const sign = isNote ? inColour('!', 'amber', style) : inColour('✗', 'red', style);
  const paths = group.flatMap(({ path, volume }) =>
    path === null ? [] : [style.shown(path, volume)],
  );
  const more = paths.length - MOST_ALIKE;
  const named = paths.slice(0, MOST_ALIKE).join(', ');
  const place = paths.length === 0 ? '' : `${named}${more > 0 ? ` and ${more} more` : ''}: `;
  return `${sign} ${place}${brief(message)}; ${printable(remedy)}`;
}
