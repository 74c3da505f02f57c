/** What real runs have shown, for people. */
import type { Check, ExperimentReport } from '../../replay/bench/paper-experiment.ts';
import type { Section } from '../../replay/report/html-report.ts';
import { figureLines, figureTable } from '../figures.ts';
import type { Outcome } from './experiment.ts';

/**
 * Writes the figures of all runs for people, each with its shaper and the load before and after.
 */
export function outcomeLines(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome, index) => {
    const { name, title, shaper, load, figures } = outcome;
    const head = `${name}, ${title}, ${shaper}; load ${load[0]} before, ${load[1]} after`;
    return [...(index > 0 ? [''] : []), head, ...figureLines(figures)];
  });
}

/** The same as that of any other experiment. */
export function outcomeReport(outcomes: readonly Outcome[]): ExperimentReport {
  const sections = outcomes.map((outcome): Section => {
    const { name, title, shaper, load, figures } = outcome;
    return {
      heading: `${name}, ${title}`,
      text: [`Over ${shaper}; load ${load[0]} before, ${load[1]} after.`],
      table: figureTable(figures),
    };
  });
  const checks = outcomes.flatMap(({ name, title, figures }) =>
    figures.flatMap(({ what, value, target, wanted, unit }): Check[] =>
      target === null
        ? []
        : [{ what: `${name}, ${title}: ${what}`, value, wanted, bound: target, unit }],
    ),
  );
  return { sections, checks };
}

/** A rate for a title, such as `256 KiB/s`. */
export const rateName = (bytesPerSecond: number): string =>
  `${Math.round(bytesPerSecond / 102.4) / 10} KiB/s`;
