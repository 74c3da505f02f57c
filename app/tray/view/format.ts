/** Sizes, lengths of time and shares as people read them. */
import { TEXT } from './text.ts';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** Units of 1,000, as the CLI writes them. */
export function sizeText(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // What would be rounded up to 1000.0 is of the next unit.
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export const rateText = (bytes: number): string => TEXT.perSecond(sizeText(bytes));

/** The two largest units that say something. */
export function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [days, hours] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24];
  const [minutes, rest] = [Math.floor(whole / 60) % 60, whole % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return minutes < 10 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

export function millisecondsText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

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
