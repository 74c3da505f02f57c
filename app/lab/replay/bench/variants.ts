/** The experiments of a paper once more: far from the server, or against a baseline that the product has no setting for. */
import { baselineText, type Baseline } from '../engine/baseline.ts';
import type { Cell } from './cell.ts';
import type { PaperExperiment } from './paper-experiment.ts';

/** What `uniform` is: all take turns, as the product has it; or first in, first out, as MFS had it. */
export const UNIFORMS = ['turns', 'fifo'] as const;
export type Uniform = (typeof UNIFORMS)[number];

export interface Variant {
  /** Of the path without a queue. */
  readonly roundTripMs: number;
  readonly baseline: Baseline;
}

export interface VariantFlags {
  readonly rtt?: readonly number[];
  readonly uniform?: readonly Uniform[];
  readonly validations?: 'always';
  readonly readAhead?: 'off';
}

/** Each round trip with each meaning of `uniform`; without flags the one of the paper. */
export function variantsOf(flags: VariantFlags): readonly Variant[] {
  const { rtt = [0], uniform = ['turns'], validations, readAhead } = flags;
  return rtt.flatMap((roundTripMs) =>
    uniform.map((one) => {
      const baseline: Baseline = {
        ...(one === 'fifo' ? { uniform: one } : {}),
        ...(validations === undefined ? {} : { validations }),
        ...(readAhead === undefined ? {} : { readAhead }),
      };
      return { roundTripMs, baseline };
    }),
  );
}

/** Says what is other than in the paper; null: nothing. */
export function variantText({ roundTripMs, baseline }: Variant): string | null {
  const words = [
    roundTripMs === 0 ? null : `round trip ${roundTripMs} ms`,
    baselineText(baseline),
  ].filter((word) => word !== null);
  return words.length === 0 ? null : words.join(', ');
}

/** A run with classes is the same one whatever `uniform` means; and promises are believed by who is no other system. */
function varied(cell: Cell, { roundTripMs, baseline }: Variant, isOther: boolean): Cell {
  const { uniform, validations, readAhead } = baseline;
  const own: Baseline = {
    ...(uniform === undefined || cell.scheduling !== 'uniform' ? {} : { uniform }),
    ...(validations === undefined || !isOther ? {} : { validations }),
    ...(readAhead === undefined ? {} : { readAhead }),
  };
  return {
    ...cell,
    ...(roundTripMs === 0 ? {} : { roundTripMs }),
    ...(Object.keys(own).length === 0 ? {} : { baseline: own }),
  };
}

/**
 * Makes an experiment whose runs are all varied so. Its tables say how. What ours must show is
 * judged against the paper's, so it is left out of every other one.
 */
export function varying(experiment: PaperExperiment, variant: Variant): PaperExperiment {
  const text = variantText(variant);
  if (text === null) return experiment;
  const { isOther = () => true } = experiment;
  const vary = (cell: Cell): Cell => varied(cell, variant, isOther(cell));
  return {
    ...experiment,
    cells: (options) => experiment.cells(options).map(vary),
    report: (options, results) => {
      const { sections } = experiment.report(options, (cell) => results(vary(cell)));
      const told = sections.map((section) => ({
        ...section,
        heading: `${section.heading} (${text})`,
      }));
      return { sections: told, checks: [] };
    },
  };
}
