/**
 * What the house says of prose: short sentences and paragraphs, lines that fit, figures where figures stand, and nothing about the past.
 */
import { blocksOf, cellsOf, linesOf, spoken, type Line } from './markdown.ts';
import type { SourceFile } from './repository.ts';

export const MOST_WORDS = 22;
export const MOST_PARAGRAPH = 120;
export const MOST_COLUMNS = 100;

/** Cells of a table are names and numbers below this. */
const LEAST_CELL = 8;
/** With fewer sentences there is no average. */
const LEAST_SENTENCES = 3;

const wordsIn = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export function sentencesOf(page: string): readonly string[] {
  return blocksOf(page)
    .map(({ text }) => spoken(text))
    .flatMap((text) => text.split(/(?<=[.!?]["')*]*)\s+(?=["'(*]*[\p{Lu}\p{N}])|:\s*$/u))
    .filter((sentence) => wordsIn(sentence) > 0);
}

/** Words a sentence, on average. */
export function averageSentence(page: string): number {
  const counts = blocksOf(page).flatMap(({ text, number }) => {
    const isCell = page.split('\n')[number - 1]?.startsWith('|') === true;
    const isText = !isCell || wordsIn(spoken(text)) >= LEAST_CELL;
    return isText ? sentencesOf(text).map(wordsIn) : [];
  });
  if (counts.length < LEAST_SENTENCES) return 0;
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

export function longSentences({ path, text }: SourceFile): string[] {
  const average = averageSentence(text);
  return average > MOST_WORDS ? [`${path}: ${average.toFixed(1)} words a sentence`] : [];
}

export function longParagraphs({ path, text }: SourceFile): string[] {
  return blocksOf(text)
    .map((block) => ({ ...block, words: wordsIn(spoken(block.text)) }))
    .filter(({ words }) => words > MOST_PARAGRAPH)
    .map(({ number, words }) => `${path}:${number} a paragraph of ${words} words`);
}

/** Tables and pictures can't be broken. */
export function longLines({ path, text }: SourceFile): string[] {
  return linesOf(text)
    .filter((line) => line.kind !== 'table' && !line.text.startsWith('!['))
    .filter((line) => [...line.text].length > MOST_COLUMNS)
    .map(({ number, text: line }) => `${path}:${number} ${[...line].length} columns`);
}

const RATE = String.raw`(?:[KMGT]i?B|[KMG]bit|B|files|updates|calls)/s`;
const TIME = String.raw`(?:µs|ms|s|seconds|min|minutes|h|hours)`;
const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?`;

/**
 * A measured figure: a percentage; a number of milliseconds; a rate; a time or size with a decimal point; or a span of numbers with a unit
 * ("2.9 to 3.1 s"). Whole seconds, minutes, days and sizes are mostly limits, and may stand. A limit or a default of the other kinds
 * stands in code, as one would type it, or in a table that has a column called "default", "limit" or "target".
 */
const MEASURED = new RegExp(
  [
    String.raw`${NUMBER} ?%`,
    String.raw`${NUMBER} ?(?:µs|ms)\b`,
    String.raw`${NUMBER} ?${RATE}`,
    String.raw`\d[\d,]*\.\d+ ?(?:${TIME}|[KMGT]i?B)\b`,
    String.raw`${NUMBER} to ${NUMBER} ?(?:${TIME}|%|[KMGT]i?B)`,
  ].join('|'),
);

const LIMITS = /\b(?:default|limit|target)/i;

export function figures(
  { path, text }: SourceFile,
  mayStand: (line: Line) => boolean = () => false,
): string[] {
  const lines = linesOf(text);
  return lines
    .filter((line) => line.kind === 'text' || line.kind === 'table')
    .filter((line) => !mayStand(line) && !isTableOfLimits(lines, line))
    .flatMap((line) => {
      const [found] = MEASURED.exec(line.text.replace(/`[^`]*`/g, '')) ?? [];
      return found === undefined ? [] : [`${path}:${line.number} "${found}"`];
    });
}

function isTableOfLimits(lines: readonly Line[], { kind, number }: Line): boolean {
  if (kind !== 'table') return false;
  let first = number;
  while (lines[first - 2]?.kind === 'table') first -= 1;
  return cellsOf(lines[first - 1]?.text ?? '').some((cell) => LIMITS.test(cell));
}

/** Documents say what is. What was is in the changelog. */
const PAST =
  /\b(?:until now|up to now|before that|formerly|previously|as of today|(?:in an |an )?earlier versions? of (?:Godwit|the program)|where it took|it took .{0,20}\bbefore\b|(?<!\b(?:is|are|was|were|be|get|gets) )used to be|has (?:since )?been (?:mended|fixed))\b/i;

export function timeWords({ path, text }: SourceFile): string[] {
  return linesOf(text)
    .filter(({ kind }) => kind === 'text' || kind === 'table' || kind === 'heading')
    .flatMap((line) => {
      const [found] = PAST.exec(line.text.replace(/`[^`]*`/g, '')) ?? [];
      return found === undefined ? [] : [`${path}:${line.number} "${found}"`];
    });
}
