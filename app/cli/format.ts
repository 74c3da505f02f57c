/** Counts, modes, times and tables for people. */
import type { VnodeKind } from '../../shared/model/vnode.ts';

/** Writes a count with its noun, which is in the plural unless the count is 1. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** A whole number in groups of three digits: `1,593`. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

const KIND_LETTERS: Record<VnodeKind, string> = { file: '-', directory: 'd', symlink: 'l' };

/** As `ls -l` writes it: `drwxr-xr-x`. */
export function formatMode(kind: VnodeKind, mode: number): string {
  let text = KIND_LETTERS[kind];
  for (const shift of [6, 3, 0]) {
    const bits = mode >> shift;
    text += (bits & 4 ? 'r' : '-') + (bits & 2 ? 'w' : '-') + (bits & 1 ? 'x' : '-');
  }
  return text;
}

/** Local time of day to the minute of an ISO 8601 time, with its date where that is another day than `now`. */
export function formatClock(iso: string, now: number): string {
  const [day, time = iso] = formatMtime(`${Date.parse(iso)}000000`).split(' ');
  const [today] = formatMtime(`${now}000000`).split(' ');
  return day === today ? time : `${day} ${time}`;
}

/** Local time to the minute. */
export function formatMtime(nanoseconds: string): string {
  const ms = Number(BigInt(nanoseconds) / 1_000_000n);
  return Number.isNaN(new Date(ms).getTime()) ? nanoseconds : formatLocal(ms).slice(0, -3);
}

/** Local time to the second, in milliseconds since 1970: flags that take a time take it so. */
export function formatLocal(when: number): string {
  const date = new Date(when);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The one form of times in lists: local time, and of the last day how long ago that is. Both in milliseconds since 1970. */
export function formatWhen(when: number, now: number): string {
  const age = now - when;
  const isRecent = age >= 0 && age < DAY_MS;
  return isRecent ? `${formatLocal(when)} (${formatAgo(age)})` : formatLocal(when);
}

/** The same for an ISO 8601 time; another text (`never`) as it is. */
export function formatIso(text: string, now = Date.now()): string {
  const when = Date.parse(text);
  return Number.isNaN(when) ? text : formatWhen(when, now);
}

/** How long ago, in one unit, of milliseconds: nobody wants the seconds of hours. */
export function formatAgo(age: number): string {
  const minutes = Math.floor(age / MINUTE_MS);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}

/** Columns as wide as their widest cell, two spaces apart; those named in `right` are flush right. */
export function formatTable(
  rows: ReadonlyArray<readonly string[]>,
  right: readonly number[] = [],
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Contents that are listed by their digests. */
const MOST_LISTED = 10;

/** A count of contents with the digests of the first ones; no line if there are none. */
export function listedContents(what: string, digests: readonly string[]): string[] {
  if (digests.length === 0) return [];
  const shown = digests.slice(0, MOST_LISTED).map((digest) => `  ${digest}`);
  const more = digests.length - shown.length;
  const rest = more > 0 ? [`  and ${more} more (--json lists them all)`] : [];
  return [`${formatCount(digests.length, 'content')} ${what}:`, ...shown, ...rest];
}
