/**
 * Judges one import against the table of layers: null where it is allowed, else the message.
 *
 * Paths are relative to the repository, with forward slashes.
 */
import { posix } from 'node:path';
import { ANY } from '../layer-rows.mjs';
import { LAYERS, TEST_EXTRAS } from '../layers.mjs';

export const isTest = (file) => file.endsWith('.test.ts');

/**
 * The row that judges a file, or null where no row does.
 *
 * @returns {import('../layers.mjs').Layer | null}
 */
export function layerOf(file, layers = LAYERS) {
  const rows = layers.filter((row) => covers(row, file));
  return rows.sort((a, b) => b.path.length - a.path.length)[0] ?? null;
}

/** The repository path that a relative import means, or null for a package. */
export function targetOf(file, specifier) {
  if (!specifier.startsWith('.')) return null;
  return posix.normalize(posix.join(posix.dirname(file), specifier));
}

/** Null if `file` may import `specifier`, else the message for the developer. */
export function judgeImport(file, specifier, { typeOnly = false, layers = LAYERS } = {}) {
  const from = layerOf(file, layers);
  if (from === null)
    return `${file} is in no room of build/layers.mjs: give its folder a row first`;
  const target = targetOf(file, specifier);
  if (target === null) return judgePackage(from, file, specifier);
  if (target.startsWith('..')) return `${specifier} leads out of the repository`;
  return judgeFile(from, file, target, typeOnly, layers);
}

function judgePackage(from, file, specifier) {
  const isNode = specifier.startsWith('node:');
  if (isNode && isTest(file)) return null;
  const allowed = isNode ? from.node : from.packages;
  const name = isNode ? specifier : packageName(specifier);
  if (allowed === ANY || allowed.includes(name)) return null;
  if (isTest(file) && TEST_EXTRAS.packages.includes(name)) return null;
  return `${from.path} may not import ${name}: ${from.why}`;
}

function judgeFile(from, file, target, typeOnly, layers) {
  if (from.code === ANY) return null;
  const to = layerOf(target, layers);
  if (to === null) return `${target} is in no room of build/layers.mjs`;
  if (to === from) return null;
  const listed = (list) => list.some((path) => path === to.path || path === target);
  if (listed(from.code)) return null;
  if (isTest(file) && TEST_EXTRAS.code.some((path) => target.startsWith(`${path}/`))) return null;
  if (listed(from.types)) {
    if (typeOnly || isTest(file)) return null;
    return `${from.path} may import only types from ${to.path} (import type): ${from.why}`;
  }
  return `${from.path} may not import ${to.path === '' ? target : to.path}: ${from.why}`;
}

function covers(row, file) {
  if (row.path === file) return true;
  if (!file.startsWith(`${row.path}/`)) return false;
  return !row.direct || posix.dirname(file) === row.path;
}

function packageName(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}
