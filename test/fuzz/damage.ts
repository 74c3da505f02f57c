/** Damages well-formed inputs: bytes are flipped, cut, repeated and swapped; values get an invalid part. */
import fc from 'fast-check';

export type Damage = ReadonlyArray<{
  readonly how: 'turn' | 'cut' | 'repeat' | 'swap' | 'insert';
  readonly at: number;
  readonly other: number;
}>;

export const damage: fc.Arbitrary<Damage> = fc.array(
  fc.record({
    how: fc.constantFrom('turn', 'turn', 'turn', 'cut', 'repeat', 'swap', 'insert'),
    at: fc.nat(),
    other: fc.nat(),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Applies damage to a copy of `bytes`. */
export function damaged(bytes: Uint8Array, steps: Damage): Buffer {
  let now = Buffer.from(bytes);
  for (const { how, at, other } of steps) {
    const place = at % Math.max(1, now.length);
    const second = other % Math.max(1, now.length);
    const [from, to] = [Math.min(place, second), Math.max(place, second)];
    if (how === 'turn' && now.length > 0) now[place] = other % 256;
    if (how === 'cut') now = now.subarray(0, place);
    if (how === 'repeat') now = Buffer.concat([now.subarray(0, to), now.subarray(from)]);
    if (how === 'insert') {
      const extra = Buffer.alloc(1 + (other % 9), at % 256);
      now = Buffer.concat([now.subarray(0, place), extra, now.subarray(place)]);
    }
    if (how === 'swap') {
      const middle = from + Math.floor((to - from) / 2);
      const parts = [now.subarray(0, from), now.subarray(middle, to), now.subarray(from, middle)];
      now = Buffer.concat([...parts, now.subarray(to)]);
    }
  }
  return now;
}

/** Values that nobody should send: extreme numbers, invalid texts, objects that look like others. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, undefined, true, -1, 0, 1.5, NaN, Infinity, -0, 2 ** 53, 2 ** 32, 1e308, 10n ** 18n],
    ...['', '.', '..', 'a/b', 'a\0b', '\ud800', 'x'.repeat(300), '\u202e', 'AB==', '__proto__'],
    ...['0', '-0', '00', '1.2.3', '1.2.4294967296', '9'.repeat(400), 'a'.repeat(64)],
    ...[[], {}, new Uint8Array(3), new Date(0), new Map([[1, 2]]), new Set([1]), /x/],
  ),
  fc.anything({ maxDepth: 2, maxKeys: 4 }),
  fc.array(fc.constant('0'), { minLength: 300, maxLength: 300 }),
);

/** A copy of a value with one place replaced, left out or extended. */
export function spoilt(value: unknown, at: number, by: unknown): unknown {
  const copy: unknown = structuredClone(value);
  const places: Array<{ readonly holder: Record<string, unknown>; readonly key: string }> = [];
  const collect = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    const fields = holder as Record<string, unknown>;
    places.push({ holder: fields, key: 'more' });
    for (const key of Object.keys(fields)) {
      places.push({ holder: fields, key });
      collect(fields[key]);
    }
  };
  collect(copy);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return by;
  if (at % 5 === 0) Reflect.deleteProperty(place.holder, place.key);
  else Object.defineProperty(place.holder, place.key, { value: by, enumerable: true });
  return copy;
}
