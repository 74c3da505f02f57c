/** How the disk says that a path is not as recorded, or that nothing can be asked there at all. */

/** The way to something is not what the records say: it is gone, or something else stands there. */
export class PathChanged extends Error {
  /** Components of the first place that is not what it should be. */
  readonly at: readonly string[];
  constructor(at: readonly string[]) {
    super(`not there any more: ${at.join('/')}`);
    this.name = 'PathChanged';
    this.at = at;
  }
}

/** What stands at a path is not as recorded, so nothing was done to it: it is to be looked at first. */
export class Blocked extends Error {
  /** Components of that path. */
  readonly path: readonly string[];
  constructor(path: readonly string[]) {
    super(`changed here: ${path.join('/')}`);
    this.name = 'Blocked';
    this.path = path;
  }
}

/** The error for a path on a disk that does not answer (code ETIMEDOUT): asking it would stop the whole program. */
export function silence(): Error {
  return Object.assign(new Error('ETIMEDOUT: its disk does not answer'), { code: 'ETIMEDOUT' });
}
