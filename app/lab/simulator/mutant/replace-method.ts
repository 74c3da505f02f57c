/**
 * Puts another method in the place of one, for as long as a broken build is wanted. It is how canaries come into being: the code of
 * the product holds no switch that could break it.
 */

/** Gives how to put the old one back. */
export function replaceMethod<T extends object, K extends keyof T>(
  prototype: T,
  name: K,
  made: (original: T[K]) => T[K],
): () => void {
  const original = prototype[name];
  prototype[name] = made(original);
  return () => {
    prototype[name] = original;
  };
}
