/**
 * What a placeholder holds: a few lines for a person, and a last one by which the folder knows it again, wherever it turns up. That line has the
 * vnode, the version, and a check of all that is above: so an edited one is no placeholder any more, and a copy of one is told from a
 * file that a user happens to call so.
 */
import { createHash } from 'node:crypto';
import { parseFid, type Fid } from '../../../../shared/model/fid.ts';
import { MAX_NAME_BYTES, utf8Length } from '../../../../shared/model/names.ts';
import { PLACEHOLDER_SUFFIX } from '../../../../shared/model/placeholder-name.ts';
import type { DataVersion, Mtime } from '../../../../shared/model/vnode.ts';
import { shellWord } from '../../../../shared/util/shell-word.ts';

/** What is larger is none: so many bytes are read to find out. */
export const MOST_PLACEHOLDER_BYTES = 4096;
/** What is smaller is none either. */
export const LEAST_PLACEHOLDER_BYTES = 400;
/** A file of less would take as much of the disk as what stands for it. */
export const LEAST_REPLACED = 4096;

const CHECK_DIGITS = 16;
const LAST_LINE = /^godwit-placeholder (\d+\.\d+\.\d+) (\d+) ([0-9a-f]{16})\n$/;

export interface PlaceholderFacts {
  readonly fid: Fid;
  readonly name: string;
  readonly version: DataVersion;
  /** Bytes of the contents. */
  readonly size: number;
  readonly mtime: Mtime;
}

export interface PlaceholderMark {
  readonly fid: Fid;
  readonly version: DataVersion;
}

/** A disk takes the name that its placeholder would have. */
export function canHavePlaceholder(name: string): boolean {
  return utf8Length(name) + PLACEHOLDER_SUFFIX.length <= MAX_NAME_BYTES;
}

/** The whole text of a placeholder. `size` in bytes. */
export function placeholderText({ fid, name, version, size, mtime }: PlaceholderFacts): string {
  const changed = new Date(Number(BigInt(mtime) / 1_000_000n));
  const shown = Number.isNaN(changed.getTime())
    ? '-'
    : `${changed.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const word = shellWord(printed(name));
  const lines = [
    'The contents of this file are not on this computer; Godwit has them on its server.',
    '',
    `name:     ${printed(name)}`,
    `size:     ${size} bytes`,
    `changed:  ${shown}`,
    '',
    'To have them here, say in this folder:',
    `  godwit prefetch ${word}   (once)`,
    `  godwit pin ${word}   (always)`,
    'This text may be renamed, moved and removed as the file may; what is written into it is kept beside it.',
    '',
  ];
  const told = lines.join('\n');
  const about = `${fid} ${version}`;
  return `${told}godwit-placeholder ${about} ${checkOf(told, about)}\n`;
}

/** The mark of an unchanged placeholder; null: this is none. */
export function readPlaceholder(text: string): PlaceholderMark | null {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  const found = LAST_LINE.exec(text.slice(start));
  const [, fid = '', version = '', check] = found ?? [];
  if (found === null || parseFid(fid) === null) return null;
  if (checkOf(text.slice(0, start), `${fid} ${version}`) !== check) return null;
  return { fid: fid as Fid, version: Number(version) as DataVersion };
}

function checkOf(told: string, about: string): string {
  return createHash('sha256').update(`${told}\0${about}`).digest('hex').slice(0, CHECK_DIGITS);
}

/** On one line, whatever characters the name has. */
function printed(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
