import { describe, expect, it } from '@jest/globals';
import type { StepResult } from './demo-step.ts';
import { comparedHead, comparedRow, dayHead, dayRow } from './demo-table.ts';

const result = (more: Partial<StepResult> = {}): StepResult => {
  const step = { title: 'ann locks a file', compared: 'bob is refused', seen: 'after 0.2 s' };
  return { ...step, items: 3, ms: 3600, faults: [], ...more };
};
/** Where each word of a line begins. */
const columns = (line: string, ...words: readonly string[]): number[] =>
  words.map((word) => line.indexOf(word));

describe('a line of the table of the day', () => {
  it('has what must hold and what was seen below the words that say so', () => {
    const line = dayRow(result());
    expect(columns(line, 'bob is refused', 'after', 'holds')).toEqual(
      columns(dayHead, 'what must hold', 'seen', 'result'),
    );
    expect(line).toContain('3.6 s');
  });

  it('names a step that does not hold', () => {
    expect(dayRow(result({ faults: ['bob locks it too'] }))).toMatch(/ DOES NOT HOLD$/);
  });

  it('keeps its words apart where one of them is wider than its column', () => {
    const compared = 'it holds '.repeat(9).trim();
    expect(dayRow(result({ compared }))).toContain(`${compared} after 0.2 s`);
  });
});

describe('a line of the table of two laptops', () => {
  it('has what was compared, how much, and whether it is the same, below the words that say so', () => {
    const line = comparedRow(result());
    expect(columns(line, 'bob is refused', 'same')).toEqual(
      columns(comparedHead, 'compared', 'result'),
    );
    expect(comparedRow(result({ faults: ['x'] }))).toMatch(/ DIFFERENT$/);
  });
});
