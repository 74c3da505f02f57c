/** A file-system port at which each call begins late: as for a program that is another process than its daemon. */
import type { FileSystem } from '../../../../shared/ports/file-system.ts';

/** `later`: carries it out when the call is to begin. */
export function slowFileSystem(fs: FileSystem, later: (begin: () => void) => void): FileSystem {
  return new Proxy(fs, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) =>
        new Promise<void>(later).then((): unknown => Reflect.apply(value, target, args));
    },
  });
}
