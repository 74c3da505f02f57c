/** Rates, shares and names as people read them. */
import { sizeText } from '../../../shared/util/amounts.ts';
import { TEXT } from './text.ts';

/** Writes a rate, given in bytes a second. */
export const rateText = (bytes: number): string => TEXT.perSecond(sizeText(bytes));

/** A number and its unit stay in one line. */
export const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

/** From 0 to 1; null: there is nothing to have a part of. */
export function shareOf(part: number, whole: number): number | null {
  return whole <= 0 ? null : Math.min(1, Math.max(0, part / whole));
}

/** The name of a path, and the folder it is in. */
export function splitPath(path: string): { readonly name: string; readonly folder: string } {
  const at = path.lastIndexOf('/');
  return { name: path.slice(at + 1), folder: at < 0 ? '' : path.slice(0, at) };
}

/**
 * Text from outside, such as names of files, for one line: without characters that a person can't see or that turn the rest around
 * (controls, and the marks of writing direction).
 */
export function lineText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
