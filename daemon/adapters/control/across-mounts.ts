/** Commands name files by their path in one tree; what the daemon does, it does in the volume in which a path ends (rule M2). */
import type { ControlledDaemon } from '../../../shared/ports/controlled.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

/**
 * The arguments of a command with its path in the volume where that ends. Throws GodwitError
 * `other-volume` if a second path (`to`) ends in another one.
 */
export function acrossMounts<A>(daemon: Pick<ControlledDaemon, 'acrossMounts'>, args: A): A {
  const { volume, path, to } = (args ?? {}) as Partial<Record<string, unknown>>;
  if (typeof volume !== 'string' || !isPath(path)) return args;
  const place = daemon.acrossMounts({ volume, path });
  if (!isPath(to)) return { ...args, ...place, path: [...place.path] };
  const other = daemon.acrossMounts({ volume, path: to });
  if (other.volume !== place.volume) {
    const [from, where] = [path, to].map((names) => `/${names.join('/')}`);
    throw new GodwitError('other-volume', `${where} is in another volume than ${from}`);
  }
  return { ...args, ...place, path: [...place.path], to: [...other.path] };
}

const isPath = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');
