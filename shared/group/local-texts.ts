/** Contents at paths of this machine. */
import { readFile, writeFile } from 'node:fs/promises';
import type { LocalTexts } from './group-files.ts';

export const LOCAL_TEXTS: LocalTexts = {
  read: (path) => readFile(path, 'utf8'),
  write: (path, text) => writeFile(path, text),
};
