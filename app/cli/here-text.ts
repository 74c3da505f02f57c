/**
 * What is here of the volumes, in words: the one meaning of the cache. It is the files of the folder that are there in full, and what was fetched
 * beside it; `cache.maximum` bounds both.
 */
import type { FolderUse } from '../../shared/control/cache.ts';
import type { FileUse } from '../../shared/control/disk.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { sizeText } from '../../shared/util/amounts.ts';
import { formatCount } from './format.ts';

/** `1,593 files, 18.2 MB` */
export const useText = ({ files, bytes }: FileUse): string =>
  `${formatCount(files, 'file')}, ${sizeText(bytes)}`;

/** `12 placeholders (29.0 MB)`; empty: there are none. */
export function awayText({ away }: FolderUse): string {
  if (away.files === 0) return '';
  return `${formatCount(away.files, 'placeholder')} (${sizeText(away.bytes)})`;
}

/** For a line of the status. An older daemon tells how many placeholders there are. */
export function hereText({
  files,
  bytes,
  folder,
  placeholders = 0,
}: StatusSnapshot['cache']): string {
  if (folder === undefined) {
    const away = placeholders === 0 ? '' : formatCount(placeholders, 'placeholder');
    const here = files === 0 ? '' : `${useText({ files, bytes })} here`;
    return [here, away].filter((text) => text !== '').join('; ');
  }
  const away = awayText(folder);
  return `${useText(folder.here)} here${away === '' ? '' : `; ${away}`}`;
}
