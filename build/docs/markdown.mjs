/** Pieces of a page in Markdown. */

/**
 * A table as one block; none at all where it has no rows.
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @returns {string[]}
 */
export function table(head, rows) {
  if (rows.length === 0) return [];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')];
}

/** @param {string} text */
export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
