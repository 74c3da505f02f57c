/**
 * What V8 counted in a file, as branches of its source: both ways of an `if` and of `?:`, each operand of `&&`, `||` and `??`,
 * each case of a switch, each default of a parameter.
 *
 * Node strips types in place, so a position in what ran is the same position in the source.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { convert } from 'ast-v8-to-istanbul';

/**
 * @typedef {object} Branch
 * @property {number} line counted from 1
 * @property {string} kind
 * @property {string} text what is taken or not, on one line
 * @property {boolean} reached
 */

/**
 * @param {{ url: string, functions: object[] }} coverage of one script
 * @param {string} source what the script was when it was loaded
 * @returns {Promise<Branch[]>} in the order of the source
 */
export async function branchesOf(
  coverage,
  source = readFileSync(fileURLToPath(coverage.url), 'utf8'),
) {
  const code = withoutTypes(source);
  const ast = parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  const passed = passedBy(ast, coverage);
  const files = await convert({ code, ast, coverage, wrapperLength: 0 });
  const [file] = Object.values(files);
  const lines = source.split('\n');
  return Object.entries(file?.branchMap ?? {})
    .flatMap(([id, branch]) => ways(branch, corrected(branch, file.b[id], passed), lines))
    .sort((a, b) => a.line - b.line);
}

/**
 * How often an `if` that leaves (with `return`, for one) was passed by: what V8 counted behind it. As the difference of two counts, which
 * it is otherwise, it may come out below 0: behind an operand with an `await` V8 goes on with the count of that operand.
 */
function passedBy(ast, { functions }) {
  const ranges = functions.flatMap((each) => each.ranges);
  const passed = new Map();
  // Behind an `else if` comes who took an earlier way, too.
  const ifs = [...nodesOf(ast)].filter(({ type }) => type === 'IfStatement');
  const elseIfs = new Set(ifs.map(({ alternate }) => alternate));
  for (const node of ifs) {
    if (node.alternate !== null || elseIfs.has(node) || !leaves(node.consequent)) continue;
    passed.set(keyOf(node.loc.start), countAt(ranges, node.end));
  }
  return passed;
}

function corrected(branch, counts, passed) {
  const count = branch.type === 'if' ? passed.get(keyOf(branch.loc.start)) : undefined;
  return count === undefined ? counts : [counts[0], count];
}

function* nodesOf(node) {
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) {
    if (child !== null && typeof child === 'object') yield* nodesOf(child);
  }
}

const LEAVES = ['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'];

function leaves(statement) {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement;
  return last !== undefined && LEAVES.includes(last.type);
}

const keyOf = ({ line, column }) => `${line}:${column}`;

/** Of the innermost range. */
function countAt(ranges, offset) {
  let [count, shortest] = [0, Number.POSITIVE_INFINITY];
  for (const { startOffset, endOffset, count: counted } of ranges) {
    const length = endOffset - startOffset;
    if (startOffset > offset || offset >= endOffset || length > shortest) continue;
    [count, shortest] = [counted, length];
  }
  return count;
}

function withoutTypes(source) {
  // Node says once that this function is young.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function ways(branch, counts, lines) {
  return counts.map((count, index) => {
    // The other way of an `if` without an `else` has no place of its own.
    const at = branch.type === 'if' ? branch.loc : branch.locations[index];
    const kind = branch.type === 'if' && index > 0 ? 'else' : branch.type;
    return { line: at.start.line, kind, text: textOf(at, lines), reached: count > 0 };
  });
}

const LONGEST_TEXT = 100;

function textOf({ start, end }, lines) {
  const last = end.line === start.line ? end.column : undefined;
  const text = lines[start.line - 1].slice(start.column, last).trim();
  return text.slice(0, LONGEST_TEXT);
}
