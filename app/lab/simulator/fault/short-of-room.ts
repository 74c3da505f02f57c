/**
 * The server's disk is so full that only its reserve is left: contents are refused before they come, the larger ones or all, and what
 * lies there of begun streams gives way. Metadata are committed still.
 *
 * It weighs nothing, so that the seeds of the default mix keep their meaning.
 */
import type { FaultFamily } from './fault.ts';

const MOST_BYTES = 2_000;
const LONGEST_MS = 60_000;

export const shortOfRoom: FaultFamily = {
  name: 'short-of-room',
  weight: 0,
  draw: (random) => ({
    family: 'short-of-room',
    mostBytes: random.pick([0, random.below(MOST_BYTES)]),
    lastsMs: 1 + random.below(random.pick([2_000, LONGEST_MS])),
  }),
  begin: ({ mostBytes }, { cluster: { server } }) => {
    server.mostBytes = Number(mostBytes);
    return () => {
      server.mostBytes = Number.POSITIVE_INFINITY;
    };
  },
};
