/** Errors of the simulated kernel, in the form in which Node gives those of the real one. */

/** Linux's numbers and words. ESILENT is ours: the call would never return, and whoever made it hangs. */
const ERRORS = {
  E2BIG: [7, 'argument list too long'],
  EACCES: [13, 'permission denied'],
  EAGAIN: [11, 'resource temporarily unavailable'],
  EBADF: [9, 'bad file descriptor'],
  EBUSY: [16, 'resource busy or locked'],
  EDQUOT: [122, 'disk quota exceeded'],
  EEXIST: [17, 'file already exists'],
  EFAULT: [14, 'bad address in system call argument'],
  EFBIG: [27, 'file too large'],
  EILSEQ: [84, 'illegal byte sequence'],
  EINVAL: [22, 'invalid argument'],
  EIO: [5, 'i/o error'],
  EISDIR: [21, 'illegal operation on a directory'],
  ELOOP: [40, 'too many symbolic links encountered'],
  EMFILE: [24, 'too many open files'],
  EMLINK: [31, 'too many links'],
  ENAMETOOLONG: [36, 'name too long'],
  ENODATA: [61, 'no data available'],
  ENOENT: [2, 'no such file or directory'],
  ENOLCK: [37, 'no locks available'],
  ENOSPC: [28, 'no space left on device'],
  ENOSYS: [38, 'function not implemented'],
  ENOTCONN: [107, 'socket is not connected'],
  ENOTDIR: [20, 'not a directory'],
  ENOTEMPTY: [39, 'directory not empty'],
  ENOTSUP: [95, 'operation not supported on socket'],
  ENXIO: [6, 'no such device or address'],
  EOVERFLOW: [75, 'value too large for defined data type'],
  EPERM: [1, 'operation not permitted'],
  ERANGE: [34, 'result too large'],
  EROFS: [30, 'read-only file system'],
  ESILENT: [110, 'the disk does not answer, and whoever asks it hangs'],
  ESTALE: [116, 'stale file handle'],
  EXDEV: [18, 'cross-device link not permitted'],
} as const;

export type ErrorName = keyof typeof ERRORS;

/** What a call was made with, for the text of its error. */
export interface CallNames {
  readonly syscall: string;
  readonly path?: string | undefined;
  readonly dest?: string | undefined;
}

/** An error of a call of the simulated kernel. */
export class KernelError extends Error {
  readonly code: ErrorName;
  readonly errno: number;
  syscall: string | undefined;
  path: string | undefined;
  dest: string | undefined;

  constructor(code: ErrorName) {
    super(code);
    this.name = 'Error';
    this.code = code;
    this.errno = -ERRORS[code][0];
  }

  /** The first name that it is given stays: that of the call that was asked for. */
  named({ syscall, path, dest }: CallNames): this {
    if (this.syscall !== undefined) return this;
    const from = path === undefined ? '' : ` '${path}'`;
    const to = dest === undefined ? '' : ` -> '${dest}'`;
    this.message = `${this.code}: ${ERRORS[this.code][1]}, ${syscall}${from}${to}`;
    this.syscall = syscall;
    if (path !== undefined) this.path = path;
    if (dest !== undefined) this.dest = dest;
    return this;
  }
}

export function fail(code: ErrorName): never {
  throw new KernelError(code);
}
