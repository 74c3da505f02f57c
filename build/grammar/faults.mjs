/**
 * What is wrong with the grammar of a document: two rules of retext (repeated words; `a` and `an`), and three of ours: names of products, doubled
 * spaces, and parentheses without a partner. Code is left out.
 */
import remarkParse from 'remark-parse';
import remarkRetext from 'remark-retext';
import retextEnglish from 'retext-english';
import retextIndefiniteArticle from 'retext-indefinite-article';
import retextRepeatedWords from 'retext-repeated-words';
import { unified } from 'unified';

/** Names as their makers write them, and the other ways that occur. */
const NAMES = {
  Debian: /\bdebian\b/g,
  Electron: /\belectron\b/g,
  GitHub: /\b(?:Github|github)\b/g,
  JavaScript: /\b(?:Javascript|javascript)\b/g,
  Linux: /\b(?:linux|LINUX)\b/g,
  macOS: /\b(?:MacOS|Mac OS|OSX)\b/g,
  MsQuic: /\b(?:MSQuic|Msquic|msquic|MsQUIC)\b/g,
  NetworkManager: /\b(?:Network Manager|Networkmanager)\b/g,
  'Node.js': /\b(?:NodeJS|Nodejs|nodejs|Node\.JS|node\.js)\b/g,
  SQLite: /\b(?:Sqlite|sqlite|SQLITE|SQLlite)\b/g,
  systemd: /\b(?:Systemd|SystemD)\b/g,
  TypeScript: /\b(?:Typescript|typescript)\b/g,
};

/** Words whose sound retext does not know. */
const SOUNDS = /before `(?:é|umask)`/;

const CODE = new Set(['code', 'inlineCode', 'html', 'link', 'definition']);

const processor = unified()
  .use(remarkParse)
  .use(ours)
  .use(
    remarkRetext,
    unified().use(retextEnglish).use(retextIndefiniteArticle).use(retextRepeatedWords),
  )
  .use(function () {
    this.compiler = () => '';
  });

/** The faults of a text in Markdown, in their order: `{ line, column, message }`, both counted from 1. */
export async function faultsOf(text) {
  const { messages } = await processor.process(text);
  return messages
    .filter(({ reason }) => !SOUNDS.test(reason))
    .map(({ line, column, reason }) => ({ line, column, message: reason }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Our rules, over each paragraph by itself. */
function ours() {
  return (tree, file) => {
    for (const block of paragraphsOf(tree)) {
      const text = plainText(block, String(file));
      const { line, column: first } = block.position.start;
      for (const [index, each] of text.split('\n').entries()) {
        const shift = index === 0 ? first : 1;
        const at = (place, reason) =>
          file.message(reason, { line: line + index, column: place + shift });
        for (const [name, others] of Object.entries(NAMES)) {
          for (const found of each.matchAll(others)) {
            at(found.index, `${found[0]}: its makers write ${name}`);
          }
        }
        if (each.trimStart().startsWith('|')) continue;
        for (const found of each.matchAll(/(?<=[^\s\0]) {2,}(?=[^\s\0])/g)) {
          at(found.index, 'more than one space between two words');
        }
      }
      const lone = lonePair(text);
      if (lone !== null) {
        const before = text.slice(0, lone).split('\n');
        const shift = before.length === 1 ? first : 1;
        const place = { line: line + before.length - 1, column: before.at(-1).length + shift };
        file.message(`${text[lone]} has no partner in its paragraph`, place);
      }
    }
  };
}

function paragraphsOf(node) {
  if (node.type === 'paragraph' || node.type === 'heading') return [node];
  return (node.children ?? []).flatMap(paragraphsOf);
}

/** The source of a paragraph, with NUL in the place of code and of addresses. */
function plainText({ position, children }, source) {
  const from = position.start.offset;
  const text = source.slice(from, position.end.offset).split('');
  const blank = (start, end) => {
    for (let at = start - from; at < end - from; at += 1) if (text[at] !== '\n') text[at] = '\0';
  };
  const visit = (node) => {
    const { start, end } = node.position;
    if (node.type === 'link' || node.type === 'image') {
      const last = node.children?.at(-1)?.position.end.offset ?? start.offset;
      blank(last, end.offset);
      blank(start.offset, start.offset + 1);
    } else if (CODE.has(node.type)) blank(start.offset, end.offset);
    for (const child of node.children ?? []) visit(child);
  };
  for (const child of children) visit(child);
  return text.join('');
}

/** The place of the first parenthesis without a partner; null: each has one. */
function lonePair(text) {
  const open = [];
  for (const [at, letter] of text.split('').entries()) {
    if (letter === '(') open.push(at);
    else if (letter === ')' && open.pop() === undefined) return at;
  }
  return open[0] ?? null;
}
