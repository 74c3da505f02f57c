/** The page docs/reference/errors.md: every coded error, by severity and then by code. */
import { wrap } from './markdown.mjs';

const SEVERITIES = [
  ['transient', 'Trying again later may do. Programs retry these by themselves where they can.'],
  ['permanent', 'This request will never do; something has to change first.'],
  ['fatal', 'The program cannot go on, says why and ends with exit code 7.'],
];

const EXIT_CODES = `| exit code | meaning |
| --- | --- |
| 0 | fine |
| 1 | failed: what is there does not allow it, such as an invitation that was used |
| 2 | wrong usage: it can not be right, such as 0 for a number of a list, or half of an invitation |
| 3 | not found: nothing has that name or number, or not any more |
| 5 | try again later |
| 7 | the program cannot go on |

One rule holds for the numbers of \`godwit undo\`, \`queue\` and \`conflicts\`, for paths, volumes,
people and devices. What is so already is no failure: \`godwit down\` where no daemon runs says so,
with exit code 0.`;

/**
 * @param {Readonly<Record<string, { severity: string, summary: string, remedy: string }>>} codes
 * @returns {string}
 */
export function renderErrors(codes) {
  const sections = SEVERITIES.flatMap(([severity, meaning]) => {
    const entries = Object.entries(codes)
      .filter(([, entry]) => entry.severity === severity)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) return [];
    return [`## ${severity}`, meaning, ...entries.map(renderEntry)];
  });
  return [
    '# Errors',
    'Every error that Godwit reports has a code: in the command line, in logs and on the wire.\n' +
      'A code keeps its meaning for ever. With `--json` a command prints the code, the message and\n' +
      'the remedy as one object.',
    EXIT_CODES,
    'This page is made from the table in `shared/wire/error-codes.ts` (`npm run docs`).',
    ...sections,
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function renderEntry([code, { summary, remedy }]) {
  const parts = [sentence(summary), `What to do: ${sentence(remedy, false)}`];
  return [`### \`${code}\``, ...parts.map(wrap)].join('\n\n');
}

/** Summaries and remedies are clauses in the table, as logs want them. */
function sentence(text, capital = true) {
  const begun = capital ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
