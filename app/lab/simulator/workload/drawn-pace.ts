/**
 * When the operations of a run come: evenly, in bursts with rests between, or as a person thinks. Now and then nothing comes
 * for longer than a lease lasts, and in a few runs for hours: a laptop may sleep meanwhile.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

const STYLES = ['even', 'even', 'rush', 'bursts', 'person'] as const;
const BURST = 20;
const LONGEST_REST_MS = 8_000;
const THINKING_MS = [0, 0, 5, 50, 300, 2_000, 10_000];
/** One pause in so many is long. */
const LONG_PAUSES = [0, 0, 1 / 400, 1 / 100];
const LONG_PAUSE_MS = { least: 31_000, more: 90_000 };
/** Nobody works, and every lease is renewed every ten seconds all the same: dear, so one run in so many has them. */
const RUNS_WITH_NIGHTS = 1 / 16;
const NIGHTS = 1 / 700;
const NIGHT_MS = { least: 3_600_000, more: 3_600_000 };

/** Milliseconds from one operation to the next, one after the other. */
export function drawnPace(random: SeededRandom): () => number {
  const [style, longPauses] = [random.pick(STYLES), random.pick(LONG_PAUSES)];
  const nights = random.fork('nights');
  const hasNights = nights.chance(RUNS_WITH_NIGHTS);
  let count = 0;
  const usual = (): number => {
    count += 1;
    switch (style) {
      case 'even':
        return random.below(400);
      case 'rush':
        return random.below(30);
      case 'bursts':
        return count % BURST === 0 ? random.below(LONGEST_REST_MS) : 0;
      case 'person':
        return random.below(1 + random.pick(THINKING_MS));
    }
  };
  return () => {
    if (hasNights && nights.chance(NIGHTS)) return NIGHT_MS.least + nights.below(NIGHT_MS.more);
    if (random.chance(longPauses)) return LONG_PAUSE_MS.least + random.below(LONG_PAUSE_MS.more);
    return usual();
  };
}
