/**
 * The reasons why branches are not reached by the simulator: a table of docs/simulator-coverage.md, kept by hand.
 *
 * A row names a file, a piece of the branch's text (with `else` before it for the way not taken), and the reason. Lines move;
 * the text of a branch does not.
 */
const ROW = /^\| `([^`]+)` \| (.+?) \| (.+) \|$/;

/** @returns {{ file: string, kind: 'else' | null, text: string, why: string }[]} */
export function reasonsIn(page) {
  return page
    .split('\n')
    .map((line) => ROW.exec(line))
    .filter((match) => match !== null)
    .map(([, file, branch, why]) => {
      const text = branch.replaceAll('`', '').replaceAll('\\|', '|').trim();
      const otherwise = text.startsWith('else of ');
      return { file, kind: otherwise ? 'else' : null, text: text.replace('else of ', ''), why };
    });
}

/** The reason of a branch, or undefined. */
export function reasonFor(reasons, file, branch) {
  return reasons.find(
    (reason) =>
      reason.file === file &&
      (reason.kind === 'else') === (branch.kind === 'else') &&
      branch.text.includes(reason.text),
  );
}
