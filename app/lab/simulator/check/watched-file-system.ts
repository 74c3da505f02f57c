/** The file-system port of a laptop as its programs have it: each call is heard when it begins and when it has ended. */
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import type { Laptop } from './laptop.ts';
import type { FileCall, Observe } from './observation.ts';

/** Wraps the file-system port of a laptop so that a checker hears each call and its end. */
export function watchedFileSystem(
  fileSystem: FileSystem,
  client: Laptop,
  hear: Observe,
): FileSystem {
  return new Proxy(fileSystem, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const call: FileCall = { client, method: key as keyof FileSystem, given };
        hear({ kind: 'asked', call });
        const answer = Reflect.apply(value, target, given) as Promise<unknown>;
        return answer.then(
          (result) => {
            hear({ kind: 'answered', call, value: result });
            return result;
          },
          (error: unknown) => {
            hear({ kind: 'denied', call, error });
            throw error;
          },
        );
      };
    },
  });
}
