/**
 * The name of a conflict copy: `name (conflict, DEVICE, YYYY-MM-DD HH.MM.SS).ext`, within MAX_NAME_BYTES, free where it goes.
 */
import { cutToBytes, MAX_NAME_BYTES, utf8Length } from './names.ts';
import type { WallTime } from './time.ts';

/** Endings longer than this are part of the name, not a kind of file. In bytes. */
const LONGEST_ENDING = 20;

export interface ConflictCopy {
  /** The device whose version lost. */
  readonly device: string;
  readonly wall: WallTime;
  readonly isDirectory: boolean;
  /** Bytes of the name that stay unused, for an ending that the caller adds. Default 0. */
  readonly keptBytes?: number;
}

/**
 * `isTaken` judges a candidate. The time is shown in UTC, so that every machine finds the same name. A copy of this device that has lost again gets
 * the new mark in place of its own one: a name has one mark of a device.
 */
export function conflictName(
  name: string,
  about: ConflictCopy,
  isTaken: (name: string) => boolean,
): string {
  const device = about.device.replaceAll(/[/\0]/g, '-');
  const label = `conflict, ${device}, ${shownTime(about.wall)}`;
  const lost = lostBy(name, device) ?? name;
  const beside = namesBeside(lost, label, about.isDirectory, about.keptBytes);
  let candidate = beside.next().value;
  while (isTaken(candidate)) candidate = beside.next().value;
  return candidate;
}

/** Older versions ended a name with `one of many` when they had tried enough numbers. */
const COPY = / \(conflict, ([^()]+), \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d(?: \d+|, one of many)?\)/;

/** The name that lost, of the name of a conflict copy; null: it is no such name. A name that was cut to its limit stays cut. */
export function lostNameOf(name: string): string | null {
  return lostBy(name, null);
}

/** The same of a copy of this device; null: of any. */
function lostBy(name: string, device: string | null): string | null {
  const found = COPY.exec(name);
  if (found === null || (device !== null && found[1] !== device)) return null;
  const [before, after] = [name.slice(0, found.index), name.slice(found.index + found[0].length)];
  const isEnding = after === '' || /^\.[^.]+$/.test(after);
  return before !== '' && isEnding ? before + after : null;
}

/** `name (LABEL).ext`, `name (LABEL 2).ext` and so on without an end: names for what can't have its own. */
export function* namesBeside(
  name: string,
  label: string,
  isDirectory: boolean,
  keptBytes = 0,
): Generator<string, never, undefined> {
  const [stem, ending] = isDirectory ? [name, ''] : split(name);
  for (let number = 1; ; number++) {
    const mark = number === 1 ? ` (${label})` : ` (${label} ${number})`;
    const room = MAX_NAME_BYTES - keptBytes - utf8Length(mark) - utf8Length(ending);
    yield `${cutToBytes(stem, room)}${mark}${ending}`;
  }
}

function split(name: string): [string, string] {
  const dot = name.lastIndexOf('.');
  // The dots of a mark at the end begin no ending.
  if (lostNameOf(name) !== null && name.endsWith(')')) return [name, ''];
  if (dot <= 0 || dot === name.length - 1) return [name, ''];
  const ending = name.slice(dot);
  return utf8Length(ending) > LONGEST_ENDING ? [name, ''] : [name.slice(0, dot), ending];
}

/** `YYYY-MM-DD HH.MM.SS` in UTC: some systems allow no colon in a name. */
function shownTime(wall: WallTime): string {
  return isoTime(wall).slice(0, -1).replace('T', ' ').replaceAll(':', '.');
}

/** `YYYY-MM-DDTHH:MM:SSZ`, without parts of a second. */
export function isoTime(wall: WallTime): string {
  return `${new Date(wall).toISOString().slice(0, -'.000Z'.length)}Z`;
}
