/**
 * The name of a conflict copy that the folder makes itself: `name (conflict, DEVICE, DATE TIME).ext`, within what a name may
 * have, and free where it goes.
 */
import { MAX_NAME_BYTES, utf8Length } from '../../../shared/model/names.ts';

/** Endings longer than this are part of the name, not a kind of file. */
const LONGEST_ENDING = 20;
/** As many in one second for one name: more only after the clock has gone on. */
const MOST_NUMBERS = 1000;

export function conflictName(
  name: string,
  device: string,
  wall: number,
  isTaken: (name: string) => boolean,
): string {
  const when = new Date(wall).toISOString();
  const date = `${when.slice(0, 10)} ${when.slice(11, 19).replaceAll(':', '.')}`;
  const label = `conflict, ${device.replaceAll(/[/\0]/g, '-')}, ${date}`;
  const dot = name.lastIndexOf('.');
  const isEnding = dot > 0 && utf8Length(name.slice(dot)) <= LONGEST_ENDING;
  const [stem, ending] = isEnding ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let candidate = '';
  for (let number = 1; number <= MOST_NUMBERS; number++) {
    const mark = number === 1 ? ` (${label})` : ` (${label} ${number})`;
    const room = MAX_NAME_BYTES - utf8Length(mark) - utf8Length(ending);
    candidate = `${cut(stem, room)}${mark}${ending}`;
    if (!isTaken(candidate)) break;
  }
  return candidate;
}

/** The longest beginning that fits, whole characters only. */
function cut(text: string, bytes: number): string {
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += utf8Length(character);
    if (used > bytes) break;
    kept += character;
  }
  return kept;
}
