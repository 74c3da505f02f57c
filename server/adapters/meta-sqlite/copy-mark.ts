/** What is said of the name that a commit sets (rule C4), as the column `copy_of` of `commit_log` has it. */
import type { CopyMark } from '../../../shared/model/update.ts';

/** No name is empty. */
const NO_COPY = '';

export function columnOf(mark: CopyMark | undefined): string | null {
  return mark === undefined ? null : (mark ?? NO_COPY);
}

/** As a field of a change. */
export function markIn(column: string | null): { copyOf?: CopyMark } {
  return column === null ? {} : { copyOf: column === NO_COPY ? null : column };
}
