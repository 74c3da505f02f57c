/**
 * Paths inside a volume, as `ls`, `cat` and `put` take them: `/a/b` or `a/b`, both from the volume's root.
 */
import { nameFault } from '../../shared/model/names.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

/** The names on the way from the root. `..` is refused: there is no folder that it could be relative to. */
export function parseVolumePath(text: string): string[] {
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  for (const name of names) {
    if (name === '..') {
      throw new GodwitError(
        'usage',
        `${text}: a path in a volume goes down from its root, without ..`,
      );
    }
    const fault = nameFault(name);
    if (fault !== null) throw new GodwitError('bad-name', `${text}: ${fault}`);
  }
  return names;
}

export function formatVolumePath(names: readonly string[]): string {
  return `/${names.join('/')}`;
}
