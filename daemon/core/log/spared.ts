/**
 * Counts what was logged and never had to be sent, with why. Contents count with their whole size, although a delta might have been shorter.
 * What was surely not sent counts, and nothing else: an update that was on its way when it was overtaken has been paid for.
 */

/** `overwritten`: the same file was saved anew before; `removed`: what was made, or saved, was removed before; `merged`: two changes of attributes became one. */
export const SPARED_BY = ['overwritten', 'removed', 'merged'] as const;
export type SparedBy = (typeof SPARED_BY)[number];

/** How many numbers there are. */
export const SPARED_VALUES = 2 * SPARED_BY.length;

export interface SparedCount {
  readonly by: SparedBy;
  readonly updates: number;
  readonly bytes: number;
}

/** Reads what was counted, or the difference of two such arrays, zeros included. */
export function sparedCounts(values: Float64Array): SparedCount[] {
  return SPARED_BY.map((by, index) => {
    return { by, updates: values[2 * index] ?? 0, bytes: values[2 * index + 1] ?? 0 };
  });
}

/** Counts updates and bytes that were spared. */
export class Spared {
  /** Only to be read. */
  readonly values = new Float64Array(SPARED_VALUES);

  /** An update goes unsent. `size`: bytes of its contents, where it has some. */
  add(by: SparedBy, update: { readonly op: string; readonly size?: number }): void {
    const at = 2 * SPARED_BY.indexOf(by);
    this.values[at] = (this.values[at] ?? 0) + 1;
    this.values[at + 1] = (this.values[at + 1] ?? 0) + (update.size ?? 0);
  }
}
