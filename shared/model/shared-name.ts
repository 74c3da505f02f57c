/** Names of volumes that people make at their laptops: what they call it, and a part that is drawn. So no name tells whether somebody else has one like it. */
import { deviceNameFault, withSuffix } from './device-name.ts';
import type { VolumeId } from './fid.ts';

/** Usual, and where many of those are taken. */
const DRAWN_DIGITS = 4;
const MORE_DIGITS = 8;

/** Why a volume can not be called so, as the end of a sentence; null: it can. */
export function sharedNameFault(label: string): string | null {
  if (label === '.' || label === '..') return 'it means a folder';
  if (label.includes(':')) return 'it has a colon';
  if (label.startsWith('-')) return 'it begins with a dash';
  return deviceNameFault(label);
}

/** The name of a volume with that number, which was drawn. `isLong`: with the whole number, for a label that very many have. */
export function sharedName(label: string, drawn: VolumeId, isLong = false): string {
  const length = isLong ? MORE_DIGITS : DRAWN_DIGITS;
  const digits = (drawn % 16 ** length).toString(16).padStart(length, '0');
  return withSuffix(label, `-${digits}`);
}

/** What a person called it. */
export function labelOf(name: string): string {
  return name.replace(/-(?:[0-9a-f]{4}|[0-9a-f]{8})$/u, '');
}
