/** What stands in a folder for a file whose contents are not kept there has the file's name and an ending. */
export const PLACEHOLDER_SUFFIX = '.godwit';

/** The name without the ending; null: it has another one, or nothing else. */
export function nameBehind(name: string): string | null {
  if (!name.endsWith(PLACEHOLDER_SUFFIX) || name.length === PLACEHOLDER_SUFFIX.length) return null;
  return name.slice(0, -PLACEHOLDER_SUFFIX.length);
}
