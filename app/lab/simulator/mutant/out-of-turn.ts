/** Canary: a replica puts a commit in place when its contents are here, also before an earlier one of the same file (rule P4). */
import { neverBackwards } from '../check/never-backwards.ts';
import { SideBySide } from '../replica/side-by-side.ts';
import type { Mutant } from './mutant.ts';
import { replaceMethod } from './replace-method.ts';

export const outOfTurn: Mutant = {
  name: 'out-of-turn',
  rule: 'P4',
  caughtBy: neverBackwards.name,
  begin: () => replaceMethod(SideBySide.prototype, 'add', () => (_, work) => work()),
};
