/** A page of Markdown in the parts that the rules on prose look at. */

export interface Line {
  /** From 1 on. */
  readonly number: number;
  readonly text: string;
  readonly kind: 'heading' | 'table' | 'text' | 'blank' | 'code' | 'fence';
  /** The heading that it stands under, as it is written; empty above the first one. */
  readonly heading: string;
  /** Of code: what its fence says it is. */
  readonly language: string;
}

export interface Block {
  /** Where it begins. */
  readonly number: number;
  readonly text: string;
}

export function linesOf(page: string): readonly Line[] {
  let fence: string | null = null;
  let heading = '';
  return page.split('\n').map((text, index) => {
    const number = index + 1;
    const mark = /^\s*```(.*)$/.exec(text);
    if (mark !== null) {
      const language = fence ?? (mark[1] ?? '').trim();
      fence = fence === null ? language : null;
      return { number, text, kind: 'fence', heading, language };
    }
    if (fence !== null) return { number, text, kind: 'code', heading, language: fence };
    if (/^#{1,6} /.test(text)) heading = text.replace(/^#+ /, '');
    return { number, text, kind: kindOf(text), heading, language: '' };
  });
}

function kindOf(text: string): Line['kind'] {
  if (text.trim() === '') return 'blank';
  if (/^#{1,6} /.test(text)) return 'heading';
  return text.startsWith('|') ? 'table' : 'text';
}

/** Paragraphs, items of lists, and cells of tables. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { number: number; lines: string[] } | null = null;
  const close = (): void => {
    if (open !== null) blocks.push({ number: open.number, text: open.lines.join(' ') });
    open = null;
  };
  for (const { number, text, kind } of linesOf(page)) {
    if (kind !== 'text' || /^\s*([-*]|\d+\.) /.test(text)) close();
    if (kind === 'text') {
      open ??= { number, lines: [] };
      open.lines.push(text.trim().replace(/^([-*]|\d+\.) /, ''));
    }
    if (kind === 'table') blocks.push(...cellsOf(text).map((cell) => ({ number, text: cell })));
  }
  close();
  return blocks;
}

/** Blocks and headings. */
export function textsOf(page: string): readonly Block[] {
  const headings = linesOf(page).filter(({ kind }) => kind === 'heading');
  return [...blocksOf(page), ...headings].sort((a, b) => a.number - b.number);
}

export function cellsOf(row: string): readonly string[] {
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return cells.filter((cell) => cell !== '' && !/^:?-+:?$/.test(cell));
}

/** Without what is no word: code counts as one, a link as what is shown of it. */
export function spoken(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/``[^`]+``|`[^`]+`/g, 'code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, 'link');
}

/** Code as it stands between backticks. */
export function codeSpans(text: string): readonly string[] {
  return [...text.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map((match) => match[1] ?? '');
}

/** What headings are called in addresses, as GitHub makes it. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const { kind, text } of linesOf(page)) {
    if (kind !== 'heading') continue;
    const name = text
      .replace(/^#+ /, '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    anchors.add(before === 0 ? name : `${name}-${before}`);
  }
  return anchors;
}
