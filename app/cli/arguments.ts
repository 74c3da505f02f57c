/** Parsers that turn arguments into values. Each throws GodwitError `usage` for any other text. */
import {
  LEAST_BOUND,
  LONGEST_DELAY_MS,
  LONGEST_PAUSE_MS,
  SHORTEST_PAUSE_MS,
} from '../../shared/control/limits.ts';
import { isSnapshotName } from '../../shared/model/snapshots.ts';
import { LEAST_LIMIT, MOST_LIMIT } from '../../shared/model/transfer-limits.ts';
import { sizeText } from '../../shared/util/amounts.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

/** Reads seconds, whole or with a fraction, and gives milliseconds. */
export function parseSeconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(seconds)) throw new GodwitError('usage', `${text}: not a number of seconds`);
  return Math.round(seconds * 1000);
}

/** How long a file must not have been written, in seconds; the same as the daemon takes. As milliseconds. */
export function parseDelay(text: string): number {
  const ms = parseSeconds(text);
  if (ms <= LONGEST_DELAY_MS) return ms;
  throw new GodwitError('usage', `${text}: a delay lasts a day at most`, 'see `godwit pause`');
}

/** Nine digits are more than anything has that is counted. */
const MOST_COUNT = 999_999_999;

/** Makes a parser of whole numbers, with at most nine digits, that throws GodwitError `usage`. */
const countFrom =
  (least: number, most = MOST_COUNT) =>
  (text: string): number => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (count >= least && count <= most) return count;
    throw new GodwitError('usage', `${text}: not a whole number from ${least} to ${most}`);
  };

/** Reads a whole number from 1 to 999,999,999. Throws GodwitError `usage`. */
export const parseCount = countFrom(1);

/** Reads a whole number from 0 to 999,999,999, such as days. Throws GodwitError `usage`. */
export const parseCountOrNone = countFrom(0);

const PERIODS_MS = { '': 1000, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `60s`, `1.5m`, `1h`; seconds where no unit is given. As milliseconds. */
export function parsePeriod(text: string): number {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([smh]?)$/.exec(text);
  if (match === null) throw new GodwitError('usage', `${text}: not a time such as 60s or 2m`);
  return Math.round(Number(match[1]) * PERIODS_MS[match[2] as keyof typeof PERIODS_MS]);
}

/** `90s`, `30m`, `2h`, `3d`: how long a pause lasts, with its unit, as milliseconds. */
export function parsePauseLength(text: string): number {
  const match = /^\d{1,9}(?:\.\d{1,3})?[smhd]$/.test(text) ? text : null;
  if (match === null) throw new GodwitError('usage', `${text}: not a time such as 90s, 2h or 3d`);
  const unit = match.slice(-1) as 's' | 'm' | 'h' | 'd';
  const ms = Math.round(Number(match.slice(0, -1)) * UNITS_MS[unit]);
  if (ms < SHORTEST_PAUSE_MS || ms > LONGEST_PAUSE_MS) {
    throw new GodwitError('usage', `${text}: a pause lasts from 1s to 30d; without --for no end`);
  }
  return ms;
}

const SIZE_UNITS = ['', 'K', 'M', 'G', 'T'];

/** `10MB` or `1.5GB` (by the thousand), `1GiB` (by 1,024), `4096B`; of 0 alone no unit is wanted. As bytes. */
export function parseSize(text: string): number {
  const bytes = sizeOf(text);
  if (bytes === null) throw new GodwitError('usage', `${text}: not a size such as 10MB or 1GiB`);
  if (!hasUnit(text)) throw unitless(text, '');
  return bytes;
}

/** A size as of `parseSize`, or a bare number of bytes: for experiments, where files of some bytes are meant. */
export function parseBytes(text: string): number {
  const bytes = sizeOf(text);
  if (bytes !== null) return bytes;
  throw new GodwitError('usage', `${text}: not a size such as 4096, 10MB or 1GiB`);
}

/** A size with its unit that some of the files may be taken away for: not less than `LEAST_BOUND`. As bytes. */
export function parseBound(text: string): number {
  const bytes = parseSize(text);
  if (bytes >= LEAST_BOUND) return bytes;
  const least = sizeText(LEAST_BOUND);
  throw new GodwitError('usage', `${text}: less than ${least}`, `give ${least} or more, or auto`);
}

/** Who leaves the unit out hardly means bytes. */
const hasUnit = (text: string): boolean => !/^\d+$/.test(text) || Number(text) === 0;

function unitless(number: string, per: string): GodwitError {
  const remedy = `say which unit: ${number}MB${per}, ${number}GB${per} or ${number}GiB${per}`;
  return new GodwitError('usage', `${number}${per}: a size without a unit`, remedy);
}

function sizeOf(text: string): number | null {
  const match = /^(\d{1,12}(?:\.\d{1,3})?)(?:([KMGT]?)(i?)B)?$/i.exec(text) ?? [];
  const [, count, unit = '', binary = ''] = match;
  const power = SIZE_UNITS.indexOf(unit.toUpperCase());
  const exact = Number(count) * (binary === '' ? 1000 : 1024) ** power;
  // Of bytes there are no halves.
  const bytes = power > 0 ? Math.round(exact) : exact;
  const isSize = Number.isSafeInteger(bytes) && (binary === '' || power > 0);
  return isSize ? bytes : null;
}

/** `200MB/day`, also without the day, as bytes of a day; `auto` (also typed `none`): the rule leaves it open. */
export const parseBudget = rateParser('/day', 'budget such as 200MB/day or auto');

/** `64KB` or `64KB/s`, as bytes a second; `auto` as for a budget. */
export const parseTrickle = rateParser('/s', 'rate such as 64KB/s or auto');

/** `500KB/s` or `1.5MB/s`, by the second and with a unit of bytes, within the bounds of a limit. As bytes a second. */
export function parseLimit(text: string): number {
  const size = text.replace(/\/s$/i, '');
  const bytes = sizeOf(size);
  if (bytes === null) {
    throw new GodwitError('usage', `${text}: not a rate such as 500KB/s, 2MB/s or none`);
  }
  if (!hasUnit(size)) {
    const remedy = `say which unit: ${size}KB/s or ${size}MB/s`;
    throw new GodwitError('usage', `${text}: a rate without a unit`, remedy);
  }
  if (bytes < LEAST_LIMIT) {
    const remedy = 'give more, or see `godwit pause`';
    throw new GodwitError('usage', `${text}: less than ${sizeText(LEAST_LIMIT)}/s`, remedy);
  }
  if (bytes <= MOST_LIMIT) return bytes;
  const remedy = '`none` takes the limit away';
  throw new GodwitError('usage', `${text}: more than ${sizeText(MOST_LIMIT)}/s`, remedy);
}

function rateParser(unit: string, what: string): (text: string) => number | 'auto' {
  return (text) => {
    if (text === 'auto' || text === 'none') return 'auto';
    const size = text.endsWith(unit) ? text.slice(0, -unit.length) : text;
    const bytes = sizeOf(size);
    if (bytes === null) throw new GodwitError('usage', `${text}: not a ${what}`);
    if (!hasUnit(size)) throw unitless(size, unit);
    return bytes;
  };
}

/** The same parser with GodwitError `usage` in place of `bad-address`: the text that was typed is wrong, and no address in use. */
export function asUsage<A extends unknown[], T>(parse: (...args: A) => T): (...args: A) => T {
  return (...args) => {
    try {
      return parse(...args);
    } catch (error) {
      if (!(error instanceof GodwitError) || error.code !== 'bad-address') throw error;
      throw new GodwitError('usage', error.message, error.remedy);
    }
  };
}

/** A port to listen on; 0 is any free one. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 0xffff)) throw new GodwitError('usage', `${text}: not a port from 0 to 65535`);
  return port;
}

/** As the control API has it. */
const MAX_VOLUME_BYTES = 255;

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `30m`, `2h`, `3d` (so long ago), or a date with or without a time of day; without a zone it is that of this machine. */
export function parseTime(text: string, now: number): number {
  const ago = /^(\d{1,6})([smhdw])$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  const date =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(
      text,
    );
  const time = date === null ? NaN : Date.parse(`${date[1]}T${date[2] ?? '00:00'}`);
  if (!Number.isFinite(time) || !isDay(date?.[1] ?? '')) {
    throw new GodwitError('usage', `${text}: not a time such as 30m, 2h, 3d or 2026-01-31 18:30`);
  }
  return time;
}

/** A time as of `parseTime` that is not to come: there are no versions of the future. */
export function parsePastTime(text: string, now: number): number {
  const time = parseTime(text, now);
  if (time <= now) return time;
  throw new GodwitError('usage', `${text}: lies in the future; give a time that is past`);
}

/** What `--at` says: a time that is past, or the name of a snapshot. */
export interface PastPointArgument {
  readonly at: number | null;
  readonly snapshot?: string;
}

/** A time as of `parsePastTime`, or whatever a snapshot may be called: none is called like a time. */
export function parsePastPoint(text: string, now: number): PastPointArgument {
  return isSnapshotName(text) ? { at: null, snapshot: text } : { at: parsePastTime(text, now) };
}

/** Without this check JavaScript reads the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  return new Date(`${text}T00:00Z`).toISOString().startsWith(text);
}

/** A name that no volume can have is one that there is none of. */
export function parseVolumeName(text: string): string {
  if (Buffer.byteLength(text) <= MAX_VOLUME_BYTES) return text;
  throw new GodwitError('no-such-volume', `${text}: there is no such volume`);
}
