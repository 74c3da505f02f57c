/**
 * Paths inside a volume: `/a/b` or `a/b`, both from the volume's root. What a person types is read by paths/resolve-path.ts.
 */
import { nameFault } from '../../shared/model/names.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

/**
 * The names on the way from the root. Throws GodwitError `usage` where `..` leads above it, and `bad-name`; `given`: what a person has typed.
 */
export function parseVolumePath(text: string, given = text): string[] {
  const names: string[] = [];
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (names.pop() !== undefined) continue;
      throw new GodwitError('usage', `${given}: that is above the root of the volume`);
    }
    const fault = nameFault(name);
    if (fault !== null) throw new GodwitError('bad-name', `${given}: ${fault}`);
    names.push(name);
  }
  return names;
}

export function formatVolumePath(names: readonly string[]): string {
  return `/${names.join('/')}`;
}
