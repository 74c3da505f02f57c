/** `npm run checkouts -- [--files N] [--times N] [--seed N]`: as test/process/checkouts.test.ts, as large as one likes. */
import { parseArgs } from 'node:util';
import { Bench } from '../../support/bench.ts';
import { runCheckouts } from './checkouts.ts';

const MOST_FAULTS = 20;

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '5000' },
    times: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});

const bench = new Bench();
try {
  const [files, times, seed] = [values.files, values.times, values.seed].map(Number);
  const report = await runCheckouts(bench, {
    files: files ?? 0,
    times: times ?? 0,
    seed: seed ?? 0,
  });
  const { faults, ...figures } = report;
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  for (const fault of faults.slice(0, MOST_FAULTS)) process.stdout.write(`FOUND ${fault}\n`);
  process.stdout.write(faults.length === 0 ? 'nothing found\n' : `${faults.length} found\n`);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await bench.close();
}
