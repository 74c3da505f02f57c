/** Names like those of conflict copies that programs of a run give, beside the files that they seem to be copies of. */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import type { FileOperation } from '../plan/operation.ts';

/** No laptop of a run is called so. */
const NOBODY = 'nobody';
const MINUTES = 3;
/** How often a run's programs give such a name. */
const CHANCES = [0, 0, 0.02, 0.1];

/** Whether a program gave this name: what is a copy of such a file has a label of its own behind. */
export function isCalledByPrograms(name: string): boolean {
  return name.lastIndexOf(`(conflict, ${NOBODY}, `) > name.lastIndexOf(')', name.length - 2);
}

/** `/a (conflict, nobody, 2001-02-03 04.MM.06)` beside `/a`: one of a few, so that they are met again. */
export function calledLikeCopy(path: string, random: SeededRandom): string {
  return `${path} (conflict, ${NOBODY}, 2001-02-03 04.0${random.below(MINUTES)}.06)`;
}

/** Gives some of a run's operations such a name, in the place of what is made, moved, written, read or removed. */
export function namesLikeCopies(random: SeededRandom): (operation: FileOperation) => FileOperation {
  const chance = random.pick(CHANCES);
  return (operation) => {
    if (chance === 0 || !random.chance(chance)) return operation;
    switch (operation.do) {
      case 'rename':
      case 'link':
        return { ...operation, to: calledLikeCopy(operation.to, random) };
      case 'write':
      case 'safe-save':
      case 'symlink':
      case 'mkdir':
      case 'remove':
      case 'read':
        return { ...operation, path: calledLikeCopy(operation.path, random) };
      default:
        return operation;
    }
  };
}
