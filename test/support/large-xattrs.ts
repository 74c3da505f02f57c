/** Extended attributes of a file that take as much of a message as they may. */
import type { Xattr } from '../../shared/model/vnode.ts';
import { MAX_XATTR_VALUE_BYTES, MAX_XATTRS } from '../../shared/wire/limits.ts';

const value = Buffer.alloc(MAX_XATTR_VALUE_BYTES, 'x').toString('base64');

/** The largest attributes that one file may have. */
export const LARGE_XATTRS: readonly Xattr[] = Array.from({ length: MAX_XATTRS }, (_, index) => ({
  name: `user.${100 + index}`,
  value,
}));
