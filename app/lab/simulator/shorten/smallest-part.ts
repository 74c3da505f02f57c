/**
 * Which part of a list is enough? Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input", 2002), after a search for the shortest beginning that is enough: what comes after a failure is most of a run.
 *
 * What it finds cannot do without any single one of its items, where the test was never out of patience.
 */

/** Whether a part is enough; false as well when there is no patience left. */
export type Enough<T> = (part: readonly T[]) => Promise<boolean>;

/** `items` are enough themselves. */
export async function smallestPart<T>(
  items: readonly T[],
  enough: Enough<T>,
): Promise<readonly T[]> {
  return withoutParts(await shortestBeginning(items, enough), enough);
}

async function shortestBeginning<T>(items: readonly T[], enough: Enough<T>): Promise<readonly T[]> {
  let [tooShort, sufficient] = [-1, items.length];
  while (sufficient - tooShort > 1) {
    const middle = Math.floor((tooShort + sufficient) / 2);
    if (await enough(items.slice(0, middle))) sufficient = middle;
    else tooShort = middle;
  }
  return items.slice(0, sufficient);
}

async function withoutParts<T>(items: readonly T[], enough: Enough<T>): Promise<readonly T[]> {
  let left = items;
  for (let parts = 2; left.length > 0;) {
    const size = Math.ceil(left.length / parts);
    const shorter = await withoutOnePart(left, size, enough);
    if (shorter !== null) {
      left = shorter;
      parts = Math.max(parts - 1, 2);
    } else if (size === 1) {
      return left;
    } else {
      parts = Math.min(parts * 2, left.length);
    }
  }
  return left;
}

/** The last parts first: what is early is more often needed. */
async function withoutOnePart<T>(
  items: readonly T[],
  size: number,
  enough: Enough<T>,
): Promise<readonly T[] | null> {
  for (let end = items.length; end > 0; end -= size) {
    const rest = [...items.slice(0, Math.max(end - size, 0)), ...items.slice(end)];
    if (await enough(rest)) return rest;
  }
  return null;
}
