/** The name of a conflict copy: `name (conflict, DEVICE, YYYY-MM-DD HH.MM.SS).ext`, within 255 bytes, free where it goes. */
import { MAX_NAME_BYTES, utf8Length } from '../../../shared/model/names.ts';
import type { WallTime } from '../../../shared/model/time.ts';
import { MOST_CONFLICT_NAMES } from '../../limits.ts';

/** Endings longer than this are part of the name, not a kind of file. */
const LONGEST_ENDING = 20;

/** `isTaken` judges a candidate; the time is shown in UTC, the same on every machine. */
export function conflictName(
  name: string,
  about: { device: string; wall: WallTime; isDirectory: boolean },
  isTaken: (name: string) => boolean,
): string {
  const label = `conflict, ${about.device}, ${shownTime(about.wall)}`;
  for (const candidate of namesBeside(name, label, about.isDirectory)) {
    if (!isTaken(candidate)) return candidate;
  }
  const [stem, ending] = about.isDirectory ? [name, ''] : split(name);
  return `${cut(stem, 100)} (${label}, one of many)${ending}`;
}

const COPY = / \(conflict, [^()]+, \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d(?: \d+|, one of many)?\)/;

/** The name that lost, of a name that a conflict copy has; null: it is not one. Names cut to their limit are not whole again. */
export function lostNameOf(name: string): string | null {
  const found = COPY.exec(name);
  if (found === null) return null;
  const [before, after] = [name.slice(0, found.index), name.slice(found.index + found[0].length)];
  const isEnding = after === '' || /^\.[^.]+$/.test(after);
  return before !== '' && isEnding ? before + after : null;
}

/** `name (LABEL).ext`, `name (LABEL 2).ext` ...: names for what can't have its own. */
export function* namesBeside(
  name: string,
  label: string,
  isDirectory: boolean,
): Generator<string, void, undefined> {
  const [stem, ending] = isDirectory ? [name, ''] : split(name);
  for (let number = 1; number < MOST_CONFLICT_NAMES; number++) {
    const mark = number === 1 ? ` (${label})` : ` (${label} ${number})`;
    const room = MAX_NAME_BYTES - utf8Length(mark) - utf8Length(ending);
    yield `${cut(stem, room)}${mark}${ending}`;
  }
}

function split(name: string): [string, string] {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || dot === name.length - 1) return [name, ''];
  const ending = name.slice(dot);
  return utf8Length(ending) > LONGEST_ENDING ? [name, ''] : [name.slice(0, dot), ending];
}

/** The longest beginning of a text that fits, whole characters only. */
function cut(text: string, bytes: number): string {
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += utf8Length(character);
    if (used > bytes) break;
    kept += character;
  }
  return kept;
}

const MS_PER_DAY = 86_400_000;

/** `YYYY-MM-DD HH.MM.SS` in UTC: names may hold no colon everywhere. */
export function shownTime(wall: WallTime): string {
  return inUtc(wall, ' ', '.');
}

/** `YYYY-MM-DDTHH:MM:SSZ`, as programs write a time. */
export function isoTime(wall: WallTime): string {
  return `${inUtc(wall, 'T', ':')}Z`;
}

/** Howard Hinnant's civil_from_days. */
function inUtc(wall: WallTime, between: string, mark: string): string {
  const days = Math.floor(wall / MS_PER_DAY);
  const [year, month, day] = civil(days);
  const secondsOfDay = Math.floor((wall - days * MS_PER_DAY) / 1000);
  const [h, m, s] = [
    Math.floor(secondsOfDay / 3600),
    Math.floor(secondsOfDay / 60) % 60,
    secondsOfDay % 60,
  ];
  return `${year}-${two(month)}-${two(day)}${between}${two(h)}${mark}${two(m)}${mark}${two(s)}`;
}

function civil(days: number): [number, number, number] {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) /
      365,
  );
  const ofYear =
    ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return [year, month, day];
}

const two = (value: number): string => String(value).padStart(2, '0');
