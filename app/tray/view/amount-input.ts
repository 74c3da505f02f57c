/** Numbers as a person types them into a field, in its unit; an empty field means: none. */

import type { AmountField } from '../../../shared/control/setting-fields.ts';

export type AmountRead =
  { readonly ok: true; readonly value: number | null } | { readonly ok: false };

/** Reads a number in the unit of the field as a whole number of what the daemon counts; it is refused outside of the bounds. */
export function readAmount(text: string, { per, least, most }: AmountField): AmountRead {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return { ok: true, value: null };
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(trimmed)) return { ok: false };
  const value = Math.round(Number(trimmed) * per);
  return Number.isSafeInteger(value) && value >= least && value <= most
    ? { ok: true, value }
    : { ok: false };
}

/** What such a field shows. */
export function amountInput(value: number | null, { per }: AmountField): string {
  return value === null ? '' : String(value / per);
}

/** The label of such a field, with its unit. */
export const amountLabel = ({ label, unit }: AmountField): string => `${label} (${unit})`;

/** What is wrong with an amount that `readAmount` refuses. */
export function wrongAmount(field: AmountField): string {
  const { least, most, per } = field;
  const isBounded = most < Number.MAX_SAFE_INTEGER;
  const to = isBounded ? `from ${least / per} to ${most / per}` : 'that is not negative';
  return `${amountLabel(field)}: give a number ${to}`;
}
