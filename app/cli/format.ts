/** Counts, modes, times and tables for people. */
import type { VnodeKind } from '../../shared/model/vnode.ts';

/** Writes a count with its noun, which is in the plural unless the count is 1. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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
  const date = new Date(Number(BigInt(nanoseconds) / 1_000_000n));
  if (Number.isNaN(date.getTime())) return nanoseconds;
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
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
