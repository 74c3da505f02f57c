/** What of an npm package runs. The rest (sources, types, maps, tests, pages, builds for other systems) takes room on every machine. */
import { basename, sep } from 'node:path';

const UNUSED_FILES =
  /\.(map|md|markdown|ts|mts|cts|h|hh|hpp|c|cc|cpp|gypi?|flow|coffee|bc\.js|tsbuildinfo|html|yml|min\.js)$|^\.|^(Makefile|CHANGES|AUTHORS)$/;
const UNUSED_FOLDERS =
  /^(\..*|test|tests|__tests__|doc|docs|example|examples|benchmark|benchmarks|man)$/;
/** Of these packages, what is for building, or for browsers. */
const FOR_OTHERS = {
  'better-sqlite3': /^(deps|src)(\/|$)/,
  'csv-parse': /^dist\/(iife|umd)(\/|$)/,
  'dbus-native': /^bin(\/|$)/,
  msgpackr: /^dist\/test\.js$/,
  'msgpackr-extract': /^bin(\/|$)/,
  'node-addon-api': /^tools(\/|$)/,
  'node-gyp-build-optional-packages': /^(bin|build-test|optional)\.js$/,
};
/** Of the addons in a package, those for another C library, and for another Node than ours where one is for all. */
const OTHER_ADDON = /\.musl\.node$|\.abi\d+\.(glibc\.)?node$/;
const NODE = /^node-[a-z]+-[a-z0-9]+$/;
/** Of the Node that comes along: the program. */
const OF_NODE = new Set(['bin', 'node', 'package.json', 'LICENSE']);

/**
 * Whether a path of a package is copied. `inside`: from the folder of the package, '' for itself; `name`: of the package; `target`: such as
 * `linux-x64`.
 */
export function runs(name, inside, target) {
  if (inside === '') return true;
  const words = inside.split(sep);
  if (NODE.test(name)) return words.every((word) => OF_NODE.has(word));
  const file = basename(inside);
  if (UNUSED_FILES.test(file) || words.some((word) => UNUSED_FOLDERS.test(word))) return false;
  if (FOR_OTHERS[name]?.test(words.join('/')) === true || OTHER_ADDON.test(file)) return false;
  return words[0] !== 'prebuilds' || words.length < 2 || isFor(file, words[1], target);
}

/** `prebuilds/linux-x64.node`, or `prebuilds/linux-x64/x.node`. */
function isFor(file, folder, target) {
  return folder === target || file === `${target}.node`;
}
