/** Which names a file system takes, as what it stores them, and which of them are one. */
import type { NameRules } from './directory-entries.ts';
import type { NameSwitches } from './file-system-switches.ts';
import { fail } from './kernel-error.ts';
import { byteLength } from './path-bytes.ts';

/** null: every text is a name of its own. */
export function nameRules(switches: NameSwitches): NameRules | null {
  const { ignoresCase, ignoresForms, stored, cutsEnds } = switches;
  if (!ignoresCase && !ignoresForms && stored === 'as written' && !cutsEnds) return null;
  const cut = (name: string): string => (cutsEnds ? name.replace(/[. ]+$/, '') || name : name);
  return {
    key: (name) => {
      const formed = ignoresForms ? cut(name).normalize('NFC') : cut(name);
      return ignoresCase ? [...formed].map(folded).join('') : formed;
    },
    stored: (name) => {
      if (stored === 'as written') return cut(name);
      return stored === 'small letters' ? cut(name).toLowerCase() : cut(name).normalize(stored);
    },
  };
}

/** Letter by letter: to a file system `ß` is not `ss`. */
function folded(letter: string): string {
  const upper = letter.toUpperCase();
  return [...upper].length === 1 ? upper.toLowerCase() : letter;
}

/** Throws ENAMETOOLONG. It is asked for each name that is looked up. */
export function requireLength({ most, unit }: NameSwitches, name: string): void {
  // No character takes more than three bytes for a unit.
  if (name.length * 3 <= most) return;
  if ((unit === 'bytes' ? byteLength(name) : name.length) > most) fail('ENAMETOOLONG');
}

/** Whether a new thing may have the name. Throws what the file system says to those that it does not take. */
export function requireTaken(switches: NameSwitches, name: string): void {
  const { forbidden, refusal, isText } = switches;
  if (isText && !name.isWellFormed()) fail('EILSEQ');
  if (forbidden === '') return;
  for (const character of name) {
    if (forbidden.includes(character) || character < ' ') fail(refusal);
  }
}
