/** The columns of an export, wherever they stand. What is not needed may be there or not. */

const NEEDED = ['Operation', 'Path', 'Detail'] as const;
/** The first of them that is there. `Time of Day` has fractions of a second, `Date & Time` has none. */
const TIMES = ['Time of Day', 'Relative Time', 'Date & Time'] as const;
const OTHERS = ['Process Name', 'PID', 'Result', 'Event Class'] as const;
const ALIASES: ReadonlyMap<string, string> = new Map([['process id', 'pid']]);

export interface ProcmonRow {
  readonly time: string;
  readonly program: string;
  readonly pid: string;
  readonly eventClass: string;
  readonly operation: string;
  readonly path: string;
  readonly result: string;
  readonly detail: string;
}

/** Finds the columns of an export by its header, and reads rows by them. */
export class ProcmonColumns {
  readonly #places: ReadonlyMap<string, number>;
  readonly #count: number;
  readonly #time: string;

  private constructor(names: readonly string[], time: string) {
    this.#places = new Map(names.map((name, place) => [name, place]));
    this.#count = names.length;
    this.#time = time;
  }

  /** Of a header; or what was expected of it. */
  static of(header: readonly string[]): ProcmonColumns | string {
    const cells = header.map((cell) => cell.trim().toLowerCase());
    // A sheet gives every row as many cells as its longest one, also the header.
    const names = cells
      .slice(0, cells.findLastIndex((name) => name !== '') + 1)
      .map((name) => ALIASES.get(name) ?? name);
    const has = (column: string): boolean => names.includes(column.toLowerCase());
    const missing: string[] = NEEDED.filter((column) => !has(column));
    const time = TIMES.find(has);
    if (time === undefined) missing.push(TIMES[0]);
    if (!has('PID') && !has('Process Name')) missing.push('PID');
    if (time === undefined || missing.length > 0) {
      return `expected a header with the column ${missing.join(' and ')}`;
    }
    return new ProcmonColumns(names, time);
  }

  /** One row; or what was expected of it. Where nothing is quoted, commas have cut Detail into more cells than there are columns. */
  row(cells: readonly string[]): ProcmonRow | string {
    const more = cells.length - this.#count;
    if (more < 0) return `expected ${this.#count} columns`;
    const detail = this.#places.get('detail') ?? 0;
    const whole =
      more === 0
        ? cells
        : [
            ...cells.slice(0, detail),
            cells.slice(detail, detail + more + 1).join(','),
            ...cells.slice(detail + more + 1),
          ];
    const cell = (name: string): string => {
      const place = this.#places.get(name.toLowerCase());
      return place === undefined ? '' : (whole[place] ?? '');
    };
    const [program, pid, result, eventClass] = OTHERS.map(cell) as [string, string, string, string];
    const [operation, path] = [cell('Operation').trim(), cell('Path')];
    return {
      ...{
        program,
        pid,
        eventClass,
        operation,
        path,
        detail: cell('Detail'),
        time: cell(this.#time),
      },
      result: this.#places.has('result') ? result.trim().toUpperCase() : 'SUCCESS',
    };
  }
}
