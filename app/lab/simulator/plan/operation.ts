/**
 * What a person's programs do to a folder, as data: one entry of a plan. Paths are inside the laptop's volume and begin
 * with a slash.
 *
 * Contents are not in the plan: they follow from the number of the operation (`contentOf`), so that every
 * content written in a run is different and a digest names one write.
 */
import type { ContentsAct } from '../../../../shared/model/cache.ts';
import type { SharingOrder } from '../../../../shared/model/sharing.ts';

export type FileOperation =
  /** Writes a file anew, or makes it. */
  | { readonly do: 'write'; readonly path: string; readonly bytes: number }
  /** An editor's safe save: writes beside, then renames over. */
  | { readonly do: 'safe-save'; readonly path: string; readonly bytes: number }
  /** Adds to the end of a file that is there. */
  | { readonly do: 'append'; readonly path: string; readonly bytes: number }
  /** Writes over the beginning of a file that is there and leaves the rest, as a database does. */
  | { readonly do: 'patch'; readonly path: string; readonly bytes: number }
  /** Opens a file, writes, and closes it without wanting that. */
  | { readonly do: 'abandon'; readonly path: string; readonly bytes: number }
  /** Finds a file that is there, opens it so much later, and saves it as much later. */
  | { readonly do: 'late-save'; readonly path: string; readonly bytes: number; readonly ms: number }
  /** Makes a file beside, and removes it at once. */
  | { readonly do: 'scratch'; readonly path: string; readonly bytes: number }
  | { readonly do: 'read'; readonly path: string }
  /** Holds a file open, `count` times over, and reads it first and last. */
  | { readonly do: 'hold'; readonly path: string; readonly ms: number; readonly count: number }
  /** Reads the files of a folder one after the other, by names as people count or as they were made. */
  | { readonly do: 'read-through'; readonly path: string; readonly by: ReadOrder }
  /** Lists a folder. */
  | { readonly do: 'list'; readonly path: string }
  | { readonly do: 'readlink'; readonly path: string }
  /** Over a file or an empty folder it replaces that. */
  | { readonly do: 'rename'; readonly path: string; readonly to: string }
  /** Two names change places by way of a third. */
  | { readonly do: 'exchange'; readonly path: string; readonly to: string }
  | { readonly do: 'remove'; readonly path: string }
  /** Removes a folder with everything in it. */
  | { readonly do: 'remove-tree'; readonly path: string }
  | { readonly do: 'mkdir'; readonly path: string }
  | { readonly do: 'rmdir'; readonly path: string }
  | { readonly do: 'link'; readonly path: string; readonly to: string }
  | { readonly do: 'chmod'; readonly path: string; readonly mode: number }
  | { readonly do: 'utimes'; readonly path: string; readonly ms: number }
  | { readonly do: 'xattr'; readonly path: string; readonly value: string }
  | { readonly do: 'symlink'; readonly path: string; readonly target: string }
  /** What is to be here of a file or folder, and what not. */
  | { readonly do: 'cache'; readonly path: string; readonly act: ContentsAct }
  /** Sets the bounds of the cache in bytes, and whether it looks ahead; null: the default. `path` is not used. */
  | {
      readonly do: 'bounds';
      readonly path: string;
      readonly minimum: number | null;
      readonly maximum: number | null;
      readonly reserve: number | null;
      readonly prefetch: boolean;
    }
  /** Adds a file to the file group whose list is at `to`. */
  | { readonly do: 'group'; readonly path: string; readonly to: string }
  /** Says who uses a file or folder; `auto`: nothing any more. */
  | { readonly do: 'sharing'; readonly path: string; readonly order: SharingOrder | 'auto' }
  /** Asks the daemon what it is at, and what it thinks of a file or folder. */
  | { readonly do: 'ask'; readonly path: string }
  /** Asks for everything to be synced, for at most so long. */
  | { readonly do: 'flush'; readonly path: string; readonly ms: number };

export const READ_ORDERS = ['names', 'made'] as const;
export type ReadOrder = (typeof READ_ORDERS)[number];

export type OperationKind = FileOperation['do'];

const LOOKS: ReadonlySet<OperationKind> = new Set([
  ...(['read', 'read-through', 'hold', 'list', 'readlink', 'ask'] as const),
  ...(['flush', 'cache', 'bounds', 'sharing'] as const),
]);

/** Changes nothing: what it has in view, it does not end. */
export function onlyLooks({ do: what }: FileOperation): boolean {
  return LOOKS.has(what);
}

/** One line for people and for the trace. */
export function describe(operation: FileOperation): string {
  const { do: what, path } = operation;
  if ('to' in operation) return `${what} ${path} ${operation.to}`;
  if ('order' in operation) return `${what} ${path} ${operation.order}`;
  if ('by' in operation) return `${what} ${path} by ${operation.by}`;
  if ('act' in operation) return `${operation.act} ${path}`;
  if ('bytes' in operation) return `${what} ${path} (${operation.bytes} bytes)`;
  return `${what} ${path}`;
}

const UTF8 = new TextEncoder();

/** What operation `number` of a run writes: text that no other operation writes. */
export function contentOf(number: number, bytes: number): Uint8Array {
  return UTF8.encode(`written by operation ${number} `.padEnd(bytes, '.'));
}
