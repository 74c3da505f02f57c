/**
 * The times that Process Monitor and spreadsheets write, as microseconds since the trace began.
 *
 * `18:40:23.1038915`, `18:40:23,1038915`, `18.40.23,1038915`, `6:40:23.1038915 PM` (before or after, in several languages),
 * `10/04/2019 18:40:23`, and `47:57.9`, of which a spreadsheet has cut the hour. A clock that jumps back by more than half its
 * round has begun a new one: after midnight, or after the hour where there are only minutes.
 */

const US = 1_000_000;
const DAY_US = 24 * 3600 * US;
const HOUR_US = 3600 * US;
/** Rows of different threads may stand in another order than they happened; rows sorted by something else are far apart. */
const MOST_DISORDER_US = US;

const AM = '[Aa]\\.? ?[Mm]\\.?|上午|午前|오전';
const PM = '[Pp]\\.? ?[Mm]\\.?|下午|午後|오후';
const CLOCK = new RegExp(
  `^(?:(?<date>\\S*\\d\\S*) )?(?<before>(?:${AM}|${PM}) )?(?<clock>\\d[\\d:.,]*)(?<after> ?(?:${AM}|${PM}))?$`,
);
const COLONS = /^(?:(\d{1,2}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?$/;
const DOTS = /^(\d{1,2})\.(\d{2})\.(\d{2})(?:,(\d{1,9}))?$/;
const IS_PM = new RegExp(PM);

export interface ClockReading {
  /** Microseconds since midnight, or since the full hour. */
  readonly us: number;
  /** How far the clock goes before it begins again. */
  readonly roundUs: number;
  /** As it stands there; null: there is none. */
  readonly date: string | null;
}

/** null: not a time. */
export function readClock(text: string): ClockReading | null {
  const { date, before, clock = '', after } = CLOCK.exec(plainSpaces(text))?.groups ?? {};
  const match = COLONS.exec(clock) ?? DOTS.exec(clock);
  if (match === null) return null;
  const [, first, minutes = '', seconds = '', fraction = ''] = match;
  // Two numbers alone could be hours and minutes.
  if (first === undefined && (fraction === '' || date !== undefined)) return null;
  const half = before ?? after;
  const hours = hoursOf(first, half);
  if (hours === null || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const us = Number(fraction.padEnd(6, '0').slice(0, 6));
  return {
    us: ((hours * 60 + Number(minutes)) * 60 + Number(seconds)) * US + us,
    roundUs: first === undefined ? HOUR_US : DAY_US,
    date: date ?? null,
  };
}

function hoursOf(text: string | undefined, half: string | undefined): number | null {
  if (text === undefined) return half === undefined ? 0 : null;
  const hours = Number(text);
  if (half === undefined) return hours > 23 ? null : hours;
  if (hours < 1 || hours > 12) return null;
  return (hours % 12) + (IS_PM.test(half) ? 12 : 0);
}

/** Newer systems put narrow and unbreakable spaces into times. */
const plainSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Readings of one trace, in the order of its rows, as one time that never goes back. */
export class ProcmonClock {
  #rounds = 0;
  #began: number | null = null;
  #before: ClockReading | null = null;
  #last = 0;

  /** Microseconds since the first; or what was expected. */
  read(text: string): number | string {
    const reading = readClock(text);
    if (reading === null) return 'expected a time such as 18:40:23.1038915';
    const before = this.#before;
    if (before !== null && before.roundUs !== reading.roundUs) {
      return 'expected a time with hours, or without, as in the rows before';
    }
    const rounds = this.#rounds + (hasBegunAnew(before, reading) ? reading.roundUs : 0);
    const began = this.#began ?? reading.us;
    const at = rounds + reading.us - began;
    if (at < this.#last - MOST_DISORDER_US) return 'expected rows in the order of their times';
    this.#rounds = rounds;
    this.#began = began;
    this.#before = reading;
    this.#last = Math.max(this.#last, at);
    return this.#last;
  }
}

function hasBegunAnew(before: ClockReading | null, now: ClockReading): boolean {
  if (before === null || now.us >= before.us) return false;
  return before.us - now.us > now.roundUs / 2;
}
