/** The middle of values in any order; of an even number, the higher one. 0 where there are none. */
export function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
