/** An update of a client's log, and what it names. A directory's content is what it holds: name to fid. */
export type Names = Record<string, string>;
/** Of a file: the number of the save; null is "no contents yet". */
export type Content = number | Names | null;

export interface Mark {
  x: string;
  device: number;
  seq: number;
}

export interface Update {
  /** One for each thing that an application did; a ghost of the checks. */
  uid: number;
  seq: number;
  /** `copy` makes a conflict copy: a new fid and its contents in one. */
  op: 'store' | 'copy' | 'create' | 'remove' | 'rename' | 'link';
  file: string;
  dir: string;
  name: string;
  to: string;
  /** The version that a store replaces. */
  base: number;
  content: number;
  /** Sequence numbers that must be applied first. */
  deps: number[];
  sent: boolean;
  /** While it is under way: the highest break seen for what it changes. */
  broken: number;
  /** For a conflict copy: of which file. */
  of: string;
}

export function isStore(update: Pick<Update, 'op'>): boolean {
  return update.op === 'store' || update.op === 'copy';
}

/** The one vnode whose version an update changes. */
export function touched(update: Pick<Update, 'op' | 'file' | 'dir'>): string {
  return isStore(update) ? update.file : update.dir;
}

/** The names of a directory after an update of it. */
export function namesAfter(names: Names, update: Update): Names {
  const next = { ...names };
  switch (update.op) {
    case 'create':
      next[update.name] = update.file;
      break;
    case 'remove':
      if (next[update.name] === update.file) delete next[update.name];
      break;
    case 'link':
      next[update.to] = update.file;
      break;
    case 'rename':
      if (next[update.name] === update.file) delete next[update.name];
      next[update.to] = update.file;
      break;
    case 'store':
    case 'copy':
      break;
  }
  const keys = Object.keys(next).sort();
  return Object.fromEntries(keys.map((key) => [key, next[key] as string]));
}
