/** What every Random must do (shared/ports/random.ts), whether the system draws or a seed. */
import { describe, expect, it } from '@jest/globals';
import type { Random } from '../../shared/ports/random.ts';

/** `make` returns a fresh one. */
export function randomSuite(name: string, make: () => Random): void {
  describe(`a Random source (${name})`, () => {
    it.each([0, 1, 16, 33])('yields %d bytes as lower-case hex', (count) => {
      expect(make().hex(count)).toMatch(new RegExp(`^[0-9a-f]{${2 * count}}$`));
    });

    it('does not repeat itself', () => {
      const random = make();
      const drawn = new Set(Array.from({ length: 100 }, () => random.hex(8)));
      expect(drawn.size).toBe(100);
    });

    it('yields bytes of every value, leading zeros included', () => {
      const bytes = make().hex(8192).match(/../g);
      expect(new Set(bytes).size).toBe(256);
    });

    it('yields fractions all over [0, 1)', () => {
      const random = make();
      const drawn = Array.from({ length: 1000 }, () => random.fraction());
      for (const value of drawn) expect(value >= 0 && value < 1).toBe(true);
      for (let tenth = 0; tenth < 10; tenth++) {
        expect(drawn.some((value) => Math.floor(value * 10) === tenth)).toBe(true);
      }
    });

    it('yields fractions finer than a millionth, however many are drawn', () => {
      const random = make();
      const drawn = Array.from({ length: 2000 }, () => random.fraction());
      expect(new Set(drawn).size).toBe(drawn.length);
      expect(drawn.some((value) => !Number.isInteger(value * 2 ** 32))).toBe(true);
    });

    it('yields bytes and fractions that do not influence one another', () => {
      const random = make();
      const drawn = Array.from({ length: 600 }, () => [random.hex(8), random.fraction()]).flat();
      expect(new Set(drawn).size).toBe(drawn.length);
    });
  });
}
