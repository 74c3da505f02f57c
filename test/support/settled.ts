/** Calls of fakes that end at once. */

/** A promise of the result of `work`, or of its error. */
export function settled<T>(work: () => T | Promise<T>): Promise<T> {
  return Promise.resolve().then(work);
}
