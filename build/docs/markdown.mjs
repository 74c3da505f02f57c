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

const COLUMNS = 98;

/** Broken into lines at its blanks, but not within code. @param {string} text */
export function wrap(text) {
  const lines = [];
  let line = '';
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > COLUMNS && line !== '') lines.push(line);
    line = longer.length > COLUMNS ? word : longer;
  }
  return [...lines, line].join('\n');
}
