/**
 * What happened to the names of a disk and was not synced: a power failure keeps any beginning of it, as a journalling file system does (ext4:
 * renames and removals reach the disk in their order, whole, whenever the journal is written).
 *
 * What was synced since is taken out: it stays when the rest is lost.
 */
export type NameChange<Node> =
  | { readonly kind: 'made'; readonly path: string; readonly node: Node }
  | { readonly kind: 'gone'; readonly path: string; readonly node: Node }
  | { readonly kind: 'moved'; readonly from: string; readonly path: string; readonly node: Node };

/** The kernel writes its journal by itself every few seconds: what is older than these is on the disk. */
const MOST_CHANGES = 64;

/** Keeps the changes of names that are not synced, in order. */
export class NameJournal<Node> {
  #changes: Array<NameChange<Node>> = [];

  /** Gives what is old enough to be durable by itself. */
  add(change: NameChange<Node>): NameChange<Node> | null {
    this.#changes.push(change);
    return this.#changes.length > MOST_CHANGES ? (this.#changes.shift() ?? null) : null;
  }

  /** These names are durable as they are now. */
  synced(isSynced: (path: string) => boolean): void {
    for (const change of this.#changes) {
      if (!isSynced(change.path) && !(change.kind === 'moved' && isSynced(change.from))) continue;
      this.#changes = this.#changes.flatMap((each) => remaining(each, isSynced));
      return;
    }
  }

  /** The first so many, at a power failure. Nothing is left. */
  take(count: number): Array<NameChange<Node>> {
    return this.#changes.splice(0).slice(0, count);
  }

  get length(): number {
    return this.#changes.length;
  }
}

/** Applies one change of a name to a map of names. */
export function applyChange<Node>(names: Map<string, Node>, change: NameChange<Node>): void {
  if (change.kind === 'made') names.set(change.path, change.node);
  else if (change.kind === 'gone') drop(names, change.path, change.node);
  else {
    drop(names, change.from, change.node);
    names.set(change.path, change.node);
  }
}

function drop<Node>(names: Map<string, Node>, path: string, node: Node): void {
  if (names.get(path) === node) names.delete(path);
}

function remaining<Node>(
  change: NameChange<Node>,
  isSynced: (path: string) => boolean,
): Array<NameChange<Node>> {
  const { kind, path, node } = change;
  if (kind !== 'moved') return isSynced(path) ? [] : [change];
  const source = isSynced(change.from) ? [] : [{ kind: 'gone', path: change.from, node } as const];
  const target = isSynced(path) ? [] : [{ kind: 'made', path, node } as const];
  return source.length + target.length === 2 ? [change] : [...source, ...target];
}
