/**
 * What an experiment runs without, to say what it is worth: the baselines of the papers. They are the laboratory's, in simulated worlds
 * alone, and no settings of the product.
 */
export interface Baseline {
  /** Where no class goes before another: one queue, first in first out, and no bulk window, as in MFS. Left out: all take turns. */
  readonly uniform?: 'fifo';
  /** Each use of what is cached is asked for: no promise is believed, as in the prototype of AFS. */
  readonly validations?: 'always';
  /** Only file groups are prefetched, as in MFS. */
  readonly readAhead?: 'off';
}

/** Says a baseline in words; null: there is nothing in it. */
export function baselineText({ uniform, validations, readAhead }: Baseline): string | null {
  const words = [
    uniform === undefined ? '' : 'uniform is first in, first out without a window',
    validations === undefined ? '' : 'no promise is believed',
    readAhead === undefined ? '' : 'no read-ahead',
  ].filter((word) => word !== '');
  return words.length === 0 ? null : words.join(', ');
}
