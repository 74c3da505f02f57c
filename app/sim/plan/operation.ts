/**
 * What a person's programs do to a folder, as data: one entry of a plan. Paths are inside the laptop's volume and begin
 * with a slash.
 *
 * Contents are not in the plan: they follow from the number of the operation (`contentOf`), so that every
 * content written in a run is different and a digest names one write.
 */
export type FileOperation =
  /** Writes a file anew, or makes it. */
  | { readonly do: 'write'; readonly path: string; readonly bytes: number }
  /** An editor's safe save: writes beside, then renames over. */
  | { readonly do: 'safe-save'; readonly path: string; readonly bytes: number }
  | { readonly do: 'read'; readonly path: string }
  /** Lists a folder. */
  | { readonly do: 'list'; readonly path: string }
  | { readonly do: 'rename'; readonly path: string; readonly to: string }
  | { readonly do: 'remove'; readonly path: string }
  | { readonly do: 'mkdir'; readonly path: string }
  | { readonly do: 'rmdir'; readonly path: string }
  | { readonly do: 'link'; readonly path: string; readonly to: string }
  | { readonly do: 'chmod'; readonly path: string; readonly mode: number }
  | { readonly do: 'symlink'; readonly path: string; readonly target: string };

export type OperationKind = FileOperation['do'];

/** One line for people and for the trace. */
export function describe(operation: FileOperation): string {
  const { do: what, path } = operation;
  switch (operation.do) {
    case 'rename':
    case 'link':
      return `${what} ${path} ${operation.to}`;
    case 'write':
    case 'safe-save':
      return `${what} ${path} (${operation.bytes} bytes)`;
    default:
      return `${what} ${path}`;
  }
}

/** What operation `number` of a run writes: text that no other operation writes. */
export function contentOf(number: number, bytes: number): Uint8Array {
  return new TextEncoder().encode(`written by operation ${number} `.padEnd(bytes, '.'));
}
