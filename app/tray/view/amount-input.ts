/** Numbers as a person types them into a field, in its unit; an empty field means: none. */

export type AmountRead =
  { readonly ok: true; readonly value: number | null } | { readonly ok: false };

/** `unit`: how many of what the daemon counts make one of the field. Whole numbers come out. */
export function readAmount(text: string, unit: number): AmountRead {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return { ok: true, value: null };
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(trimmed)) return { ok: false };
  const value = Math.round(Number(trimmed) * unit);
  return Number.isSafeInteger(value) ? { ok: true, value } : { ok: false };
}

/** What such a field shows. */
export function amountInput(value: number | null, unit: number): string {
  return value === null ? '' : String(value / unit);
}
