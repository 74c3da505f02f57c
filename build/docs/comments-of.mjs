/** What the comment above each entry of a table in TypeScript says, by the name of the entry. */

const ENTRY = /^ {2}'?([\w-]+)'?: z\b/;

/**
 * @param {string} source
 * @returns {Map<string, string>}
 */
export function commentsOf(source) {
  const found = new Map();
  let comment = null;
  for (const line of source.split('\n')) {
    const text = /^ {2}(?:\/\*\*| \*(?!\/))(.*?)(?:\*\/)?$/.exec(line);
    if (text !== null) comment = `${line.includes('/**') ? '' : (comment ?? '')} ${text[1].trim()}`;
    const [, name] = ENTRY.exec(line) ?? [];
    if (name !== undefined && comment !== null) found.set(name, comment.trim());
    if (text === null && line.trim() !== '*/') comment = null;
  }
  return found;
}
