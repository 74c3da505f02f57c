/** The rows of docs/papers.md: what there is of each paper, with its state and what shows it. */
import { cellsOf, linesOf } from './markdown.ts';

export const STATES = ['DONE', 'PARTIAL', 'MISSING'] as const;

/** Rows of each paper, by the letter that their numbers begin with. */
export const ROWS: Readonly<Record<string, number>> = { M: 70, A: 57, S: 42, N: 35, C: 36 };

export interface PaperRow {
  readonly id: string;
  readonly state: string;
  /** What shows it, and what lacks. */
  readonly shown: string;
}

const cellsIn = (page: string): ReadonlyArray<readonly string[]> =>
  linesOf(page)
    .filter(({ kind }) => kind === 'table')
    .map(({ text }) => cellsOf(text).map((cell) => cell.trim()));

/** The rows of all papers, in the order of the page. */
export function paperRows(page: string): readonly PaperRow[] {
  return cellsIn(page)
    .filter(([id = '']) => /^[A-Z]\d+$/.test(id))
    .map(([id = '', , state = '', shown = '']) => ({ id, state, shown }));
}

/** Files that are named in a text: code that begins with a folder of the repository. */
export const filesNamed = (text: string): string[] =>
  [...text.matchAll(/`((?:app|daemon|docs|server|shared|test)\/[^`\s]+)`/g)].map(
    ([, path = '']) => path,
  );

/** What is wrong with the page; `exists`: whether there is a file or folder of that path. */
export function paperFaults(page: string, exists: (path: string) => boolean): string[] {
  const rows = paperRows(page);
  const wanted = Object.entries(ROWS).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  );
  const found = rows.map(({ id }) => id);
  return [
    ...(found.join() === wanted.join() ? [] : ['the rows are not all there, once and in order']),
    ...rows.flatMap((row) => rowFaults(row, exists)),
    ...countFaults(page, rows),
  ];
}

function rowFaults({ id, state, shown }: PaperRow, exists: (path: string) => boolean): string[] {
  const files = filesNamed(shown);
  const commands = /`godwit [a-z]/.test(shown);
  return [
    ...((STATES as readonly string[]).includes(state) ? [] : [`${id}: ${state} is no state`]),
    ...(shown === '' ? [`${id}: it says nothing`] : []),
    ...(state === 'DONE' && files.length === 0 && !commands ? [`${id}: nothing shows it`] : []),
    ...files.filter((path) => !exists(path)).map((path) => `${id}: there is no ${path}`),
  ];
}

/** The table of counts is that of the rows. */
function countFaults(page: string, rows: readonly PaperRow[]): string[] {
  const counted = (some: readonly PaperRow[]): string =>
    [
      some.length,
      ...STATES.map((state) => some.filter((row) => row.state === state).length),
    ].join();
  const told = cellsIn(page)
    .filter((cells) => cells.length === 5 && cells.slice(1).every((cell) => /^\d+$/.test(cell)))
    .map((cells) => cells.slice(1).join());
  const wanted = [
    ...Object.keys(ROWS).map((letter) => counted(rows.filter(({ id }) => id.startsWith(letter)))),
    counted(rows),
  ];
  return told.join(' ') === wanted.join(' ') ? [] : [`the counts are ${wanted.join(' ')}`];
}
