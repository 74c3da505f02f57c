/** What real runs have shown, for people. */
import { figureLines } from '../figures.ts';
import type { Outcome } from './experiment.ts';

export function outcomeLines(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome, index) => {
    const { name, title, shaper, load, figures } = outcome;
    const head = `${name}, ${title}, ${shaper}; load ${load[0]} before, ${load[1]} after`;
    return [...(index > 0 ? [''] : []), head, ...figureLines(figures)];
  });
}

/** A rate for a title, such as `256 KiB/s`. */
export const rateName = (bytesPerSecond: number): string =>
  `${Math.round(bytesPerSecond / 102.4) / 10} KiB/s`;
