/** Links between the documents: where each one goes, and which lead nowhere. */
import { posix } from 'node:path';
import { anchorsOf, textsOf } from './markdown.ts';
import type { SourceFile } from './repository.ts';

export interface Link {
  readonly from: string;
  /** At which its paragraph begins: what is shown of it may go over two lines. */
  readonly line: number;
  /** From the root of the repository, without an anchor. */
  readonly path: string;
  /** null: to the page as a whole. */
  readonly anchor: string | null;
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** Those within the repository; code has none. */
export function linksOf({ path, text }: SourceFile): readonly Link[] {
  return textsOf(text)
    .flatMap(({ number, text: told }) =>
      [...told.replace(/`[^`]*`/g, '``').matchAll(LINK)].map((match) => ({
        line: number,
        target: match[1] ?? '',
      })),
    )
    .filter(({ target }) => !/^[a-z]+:/.test(target))
    .map(({ line, target }) => {
      const [file = '', anchor = null] = target.split('#');
      const whole = file === '' ? path : posix.join(posix.dirname(path), file);
      return { from: path, line, path: whole, anchor };
    });
}

/** `pages` are those whose anchors are known; `exists` says whether anything else is there. */
export function broken(
  files: readonly SourceFile[],
  exists: (path: string) => boolean,
): readonly string[] {
  const anchors = new Map(files.map(({ path, text }) => [path, anchorsOf(text)]));
  return files.flatMap(linksOf).flatMap(({ from, line, path, anchor }) => {
    const known = anchors.get(path);
    const told = `${from}:${line} ${path}${anchor === null ? '' : `#${anchor}`}`;
    if (known === undefined) return exists(path) ? [] : [told];
    return anchor === null || known.has(anchor) ? [] : [told];
  });
}

/** Pages that no other page leads to, beginning with `first`. */
export function unreachable(files: readonly SourceFile[], first: string): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const ahead = [first];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    ahead.push(...linksOf(file).map((link) => link.path));
  }
  return [...byPath.keys()].filter((path) => !reached.has(path));
}
