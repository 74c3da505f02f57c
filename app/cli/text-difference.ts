/** What differs between two texts, as a unified difference for a terminal: the form of `diff -u` and of git. */
import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { formatCount } from './format.ts';
import { brief } from './printable.ts';
import { painted, type Colour } from './style.ts';

/** Lines that are the same, around those that differ. */
const CONTEXT = 3;
/** With more changed lines a difference tells a person nothing, and to find it takes long. */
const MOST_CHANGED = 2000;
/** What is printed of it; the rest is counted. */
const MOST_LINES = 500;
/** Of a line. */
const MOST_CHARACTERS = 1000;

const COLOURS: Readonly<Record<string, Colour>> = { '-': 'red', '+': 'green', '@': 'blue' };

/** What is compared, and the line that says which one it is. */
export interface ComparedText {
  readonly head: string;
  readonly text: string;
}

/**
 * The lines of it, `before` with `-` and `after` with `+`, at most 500 of them and one that counts the rest. `isCut`: there is more of one of the texts,
 * so how they end tells nothing. Null: the two have so little in common that it would tell nothing.
 */
export function textDifference(
  before: ComparedText,
  after: ComparedText,
  colours: boolean,
  isCut = false,
): string[] | null {
  const paint = (line: string): string => {
    const colour = COLOURS[line[0] ?? ''];
    return colour === undefined ? line : painted(line, colour, colours);
  };
  const heads = [`--- ${before.head}`, `+++ ${after.head}`].map(paint);
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGED };
  const patch = structuredPatch('', '', before.text, after.text, undefined, undefined, options);
  if (patch === undefined) return null;
  const hunks = isCut ? withoutEnd(patch.hunks, linesIn(before.text)) : patch.hunks;
  if (hunks.length === 0)
    return [...heads, `(the two texts are the same${isCut ? ' so far' : ''})`];
  const lines = hunks.flatMap((hunk) => [
    `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines.map(shownLine),
  ]);
  const more = lines.length - MOST_LINES;
  const end = more > 0 ? [`... and ${formatCount(more, 'more line')}`] : [];
  return [...heads, ...lines.slice(0, MOST_LINES).map(paint), ...end];
}

/**
 * Of texts that were cut, the last lines differ wherever something was put in or taken out before: nothing in common follows them. `last`: how many
 * lines the first text has.
 */
function withoutEnd(hunks: readonly StructuredPatchHunk[], last: number): StructuredPatchHunk[] {
  const [end, ...others] = [...hunks].reverse();
  if (end === undefined || end.oldStart + end.oldLines <= last) return [...hunks];
  const common = end.lines.findLastIndex((line) => line.startsWith(' '));
  const lines = end.lines.slice(0, common + 1);
  const count = (sign: string): number => lines.filter((line) => !line.startsWith(sign)).length;
  const hasMore = lines.some((line) => !line.startsWith(' '));
  const kept = { ...end, lines, oldLines: count('+'), newLines: count('-') };
  // Without a line in common the texts differ as wholes.
  return [...others.reverse(), ...(common < 0 ? [end] : hasMore ? [kept] : [])];
}

const linesIn = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** Where it takes up no line, the one before it is named. */
function rangeOf(start: number, lines: number): string {
  if (lines === 1) return String(start);
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

/** A tab forges nothing, and code is full of them. */
const shownLine = (line: string): string =>
  line
    .split('\t')
    .map((part) => brief(part, MOST_CHARACTERS))
    .join('\t');
