/** What a disk may say to which call: a fault that says anything else would be none that people meet. */
import type { ErrorName } from '../posix/kernel-error.ts';
import type { KernelCall } from '../posix/kernel.ts';

/** What needs room, and what needs to be allowed to change. */
const FILLS: readonly KernelCall[] = ['make', 'link', 'rename', 'write', 'xattr'];
const CHANGES: readonly KernelCall[] = [...FILLS, 'remove', 'resize', 'attributes'];

const SAID_TO: Readonly<Partial<Record<ErrorName, readonly KernelCall[]>>> = {
  ENOSPC: FILLS,
  EDQUOT: FILLS,
  EROFS: CHANGES,
  EACCES: ['walk', 'open', 'list', 'make', 'link', 'rename', 'remove', 'watch'],
};

/** Of any other error a disk says it to whatever it is asked. */
export function mayFail(code: ErrorName, call: KernelCall): boolean {
  return SAID_TO[code]?.includes(call) ?? true;
}

/** The calls of those that the error can be said to; all that it can where it is none of them. */
export function failingCalls(
  code: ErrorName,
  calls: readonly KernelCall[] | null,
): readonly KernelCall[] | null {
  const all = SAID_TO[code] ?? null;
  if (all === null) return calls;
  const some = (calls ?? []).filter((call) => all.includes(call));
  return some.length === 0 ? all : some;
}
