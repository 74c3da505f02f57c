/** Names of devices: what people see of a laptop. The server keeps them, and lets no laptop take the name of another one of its user. */
import { utf8Length } from './names.ts';

export const MAX_DEVICE_NAME_BYTES = 64;

/** What no server takes: it would not answer. */
const IN_NO_NAME = /[\p{C}/\\]/u;

/** Why a device can not be called so, as the end of a sentence; null: it can. Blanks around it are the caller's to remove. */
export function deviceNameFault(name: string): string | null {
  if (name.trim() === '') return 'it is empty';
  if (name !== name.trim()) return 'it begins or ends with a blank';
  if (!name.isWellFormed() || IN_NO_NAME.test(name)) {
    return 'it has a slash, a backslash or a control character';
  }
  if (utf8Length(name) > MAX_DEVICE_NAME_BYTES) {
    return `it is longer than ${MAX_DEVICE_NAME_BYTES} bytes`;
  }
  return null;
}

/** Whether people would take one for the other. */
export function isSameDeviceName(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/** The name, or with the first number behind it, from 2 on, that makes it another one than all `taken`. */
export function freeDeviceName(name: string, taken: readonly string[]): string {
  const isFree = (asked: string): boolean => !taken.some((each) => isSameDeviceName(each, asked));
  if (isFree(name)) return name;
  for (let number = 2; ; number++) {
    const numbered = withSuffix(name, ` ${number}`);
    if (isFree(numbered)) return numbered;
  }
}

const NUMBERED = / (\d{1,9})$/;

/** Whether one may be called so for the other: the same name with a later number behind it, as a laptop has that is paired again. */
export function isNumberedAfter(name: string, earlier: string): boolean {
  const parts = (each: string): [string, number] => {
    const number = NUMBERED.exec(each);
    return number === null ? [each, 1] : [each.slice(0, number.index), Number(number[1])];
  };
  const [[root, number], [rootBefore, numberBefore]] = [parts(name), parts(earlier)];
  return isSameDeviceName(root, rootBefore) && number > numberBefore;
}

/** The suffix behind as much of the name as fits before it, cut between two characters. */
export function withSuffix(name: string, suffix: string): string {
  const characters = [...name];
  while (utf8Length(characters.join('') + suffix) > MAX_DEVICE_NAME_BYTES) characters.pop();
  return characters.join('').trimEnd() + suffix;
}

const plain = (name: string): string => name.normalize('NFC').toLowerCase();
