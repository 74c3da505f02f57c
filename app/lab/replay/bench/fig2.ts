/**
 * Figure 2 of MFS: how much of a bandwidth that changes each second is used in 300 s. The heavy load is replayed, whose 41 applications always
 * have something to fetch.
 *
 * The paper's bandwidth trace is not public, and the modal client is another paper's. Ours are: a walk between 0 and 750 KB/s from a seed,
 * which carries less than half as much as the paper's; and a client with four modes, of which each sends at its rate and no faster. It takes the mode that the
 * mean bandwidth of its last 5 s would carry, so it is computed and not run: what it sends is the least of that and of the bandwidth.
 */
import { bytesBetween } from '../../shaper/rate-trace.ts';
import type { RateStep } from '../../shaper/conditions.ts';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { KB, type Cell } from './cell.ts';
import { atLeast, meanOf, type PaperExperiment } from './paper-experiment.ts';

const SECONDS = 300;
const MOST = 750;
/** KB/s: the walk stays about as long at each, and not at one that nothing gets through. */
const LEVELS = [0, 20, 60, 100, 150, 220, 300, 450, MOST];
const STAY = 0.85;
const MODES = [0, 64, 128, 256, 512];
const SEEN_SECONDS = 5;
const LEAST_SHARE = 97;
const PAPER = { modeless: 48.5, modal: 41.5 };

/** A level up or down now and then, and each second a little off it. */
export function walk(seed: number): readonly RateStep[] {
  const random = new SeededRandom(seed).fork('bandwidth');
  let level = LEVELS.length >> 1;
  return Array.from({ length: SECONDS }, (_, second) => {
    if (!random.chance(STAY)) level += random.chance(0.5) ? 1 : -1;
    level = Math.min(LEVELS.length - 1, Math.max(0, level));
    const kilobytes = Math.min(MOST, (LEVELS[level] ?? 0) * (0.8 + 0.4 * random.fraction()));
    return { atMs: second * 1000, bytesPerSecond: Math.round(kilobytes * KB) };
  });
}

/** Bytes that the client with modes sends. */
export function modalBytes(rates: readonly RateStep[]): number {
  return rates.reduce((sum, { bytesPerSecond }, second) => {
    const seen = rates.slice(Math.max(0, second - SEEN_SECONDS), second);
    const mean = meanOf(seen.map((step) => step.bytesPerSecond));
    const mode = MODES.findLast((kilobytes) => kilobytes * KB <= mean) ?? 0;
    // Nobody learns of a bandwidth by sending nothing.
    const rate = Math.max(mode, MODES[1] ?? 0) * KB;
    return sum + Math.min(rate, bytesPerSecond);
  }, 0);
}

const RATES = walk(1);

const CELL: Cell = {
  ...{ workload: 'heavy-load', policy: 'async', scheduling: 'priorities' },
  ...{ rate: RATES, warm: [], expired: false, stopAtMs: SECONDS * 1000 },
};

export const FIG2: PaperExperiment = {
  name: 'fig2',
  about: 'how much of a changing bandwidth is used (MFS, figure 2)',
  cells: () => [CELL],
  report: (_, results) => {
    const whole = bytesBetween(RATES, 0, SECONDS * 1000);
    const modeless = meanOf(results(CELL).map(({ byLaptop }) => byLaptop[0]?.crossed.down ?? 0));
    const modal = modalBytes(RATES);
    const row = (name: string, bytes: number, paper: string): string[] => [
      name,
      (bytes / KB ** 2).toFixed(1),
      `${((bytes / whole) * 100).toFixed(1)} %`,
      paper,
    ];
    return {
      sections: [
        {
          heading: 'Figure 2',
          text: [
            'A bandwidth trace of our own; the modal client, computed, has modes of 64, 128, 256 and 512 KB/s, chosen by the mean of its last 5 s.',
          ],
          lines: [
            {
              x: 's',
              y: 'bandwidth, KB/s',
              series: [
                {
                  name: 'bandwidth',
                  points: RATES.map(({ atMs, bytesPerSecond }) => {
                    return [atMs / 1000, bytesPerSecond / KB] as const;
                  }),
                },
              ],
            },
          ],
          table: [
            ['', 'MB in 300 s', 'of the line', "the paper's MB"],
            row('the line', whole, ''),
            row('modeless (run)', modeless, String(PAPER.modeless)),
            row('modal (computed)', modal, String(PAPER.modal)),
          ],
        },
      ],
      checks: [
        atLeast('modeless, of what the line carries', (modeless / whole) * 100, LEAST_SHARE),
        atLeast(
          "modeless ahead of modal, of the paper's lead",
          (modeless / modal - 1) * 100,
          (PAPER.modeless / PAPER.modal - 1) * 100,
        ),
      ],
    };
  },
};
