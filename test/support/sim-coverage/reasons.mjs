/**
 * The reasons why branches are not reached by the simulator: a table of docs/internals/tables/simulator-coverage.md, kept by hand.
 *
 * A row names a file (a folder with a slash at its end, or `*`), a piece of the branch's text (`= text`: all of it; `*`: any),
 * and the reason. Lines move; the text of a branch does not. A row for a piece of text speaks of both ways of an `if`.
 */
const ROW = /^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$/;

/** @returns {{ file: string, text: string, why: string }[]} */
export function reasonsIn(page) {
  return page
    .split('\n')
    .map((line) => ROW.exec(line))
    .filter((match) => match !== null)
    .map(([, file, text, why]) => ({ file, text: text.replaceAll('\\|', '|'), why }));
}

/** The reason of a branch, or undefined: the first row that fits. */
export function reasonFor(reasons, file, branch) {
  return reasons.find(
    (reason) => fitsFile(reason.file, file) && fitsText(reason.text, branch.text),
  );
}

/** Some seeds reach it, others do not: it does no harm where nothing needs it. */
export function isSeldom({ why }) {
  return why.startsWith('seldom: ');
}

function fitsFile(pattern, file) {
  if (pattern === '*' || pattern === file) return true;
  return pattern.endsWith('/') && file.startsWith(pattern);
}

function fitsText(pattern, text) {
  if (pattern === '*') return true;
  return pattern.startsWith('= ') ? text === pattern.slice(2) : text.includes(pattern);
}
