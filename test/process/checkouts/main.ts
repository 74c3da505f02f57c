/** `npm run checkouts -- [--files N] [--times N] [--seed N]`: test/process/checkouts.test.ts with any size. */
import { Bench } from '../../support/bench.ts';
import { countOf, flagsOf } from '../../support/flags.ts';
import { runCheckouts } from './checkouts.ts';

const MOST_FAULTS = 20;

const values = flagsOf('npm run checkouts', {
  files: { type: 'string', default: '5000' },
  times: { type: 'string', default: '50' },
  seed: { type: 'string', default: '1' },
});
const size = {
  files: countOf('files', values.files),
  times: countOf('times', values.times),
  seed: countOf('seed', values.seed),
};

const bench = new Bench();
try {
  const { faults, ...figures } = await runCheckouts(bench, size);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  for (const fault of faults.slice(0, MOST_FAULTS)) process.stdout.write(`FOUND ${fault}\n`);
  process.stdout.write(faults.length === 0 ? 'nothing found\n' : `${faults.length} found\n`);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await bench.close();
}
