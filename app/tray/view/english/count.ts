/** Numbers of things, in English. */

/** `1 file`, `1,234 files`. */
export const count = (n: number, one: string, many = `${one}s`): string =>
  `${String(n).replace(/\B(?=(\d{3})+$)/g, ',')} ${n === 1 ? one : many}`;
