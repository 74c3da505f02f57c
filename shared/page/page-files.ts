/**
 * The files of the page, read once and kept: what is not among them by its exact name is not served, so no path leads anywhere else.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { GodwitError } from '../wire/error-codes.ts';
import { MOST_FILE_BYTES } from './page-limits.ts';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** By the path of their address: `/`, `/page.js` ... Throws GodwitError `page-missing`. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of namesIn(folder)) {
    const type = TYPES[extname(name)];
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (type === undefined || found?.isFile() !== true || found.size > MOST_FILE_BYTES) continue;
    files.set(name === 'index.html' ? '/' : `/${name}`, { type, bytes: readFileSync(path) });
  }
  if (!files.has('/')) throw new GodwitError('page-missing', `${folder}: the page is not there`);
  return files;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
