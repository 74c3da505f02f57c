/** The table that a demo prints, a line for each step when it is done. */
import type { StepResult } from './demo-step.ts';
import { durationText } from '../../../shared/util/amounts.ts';

const WIDTHS = { title: 32, compared: 60, items: 8, must: 54, seen: 46, time: 10 };

export type StepRow = (result: StepResult) => string;

/** Of the demo of two laptops: what was compared, of how many paths, and whether it is the same. */
export const comparedHead = comparedLine('step', 'compared', 'paths', 'time', 'result');

export const comparedRow: StepRow = ({ title, compared, items, ms, faults }) =>
  comparedLine(
    title,
    compared,
    String(items),
    durationText(ms),
    faults.length === 0 ? 'same' : 'DIFFERENT',
  );

function comparedLine(
  title: string,
  compared: string,
  items: string,
  time: string,
  result: string,
): string {
  const left = cell(title, WIDTHS.title) + cell(compared, WIDTHS.compared);
  return `${left}${items.padStart(WIDTHS.items)}${time.padStart(WIDTHS.time)}  ${result}`;
}

/** Of the day: what must hold, what was seen, and whether it holds. */
export const dayHead = dayLine('step', 'what must hold', 'seen', 'time', 'result');

export const dayRow: StepRow = ({ title, compared, seen = '', ms, faults }) =>
  dayLine(title, compared, seen, durationText(ms), faults.length === 0 ? 'holds' : 'DOES NOT HOLD');

function dayLine(title: string, must: string, seen: string, time: string, result: string): string {
  const left = cell(title, WIDTHS.title) + cell(must, WIDTHS.must) + cell(seen, WIDTHS.seen);
  return `${left}${time.padStart(WIDTHS.time)}  ${result}`;
}

/** Longer than its column: it goes on, and the next one begins a space later. */
function cell(text: string, width: number): string {
  return text.length < width ? text.padEnd(width) : `${text} `;
}
