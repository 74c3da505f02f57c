/** `npm run kills -- [--kills N] [--names N] [--ways a,b] [--seed N]`: test/process/kills.test.ts with any number of kills. */
import { Bench } from '../../support/bench.ts';
import { countOf, flagsOf, wrongFlag } from '../../support/flags.ts';
import { runKills, WAYS } from './kills.ts';

const MOST_FAULTS = 20;

const values = flagsOf('npm run kills', {
  kills: { type: 'string', default: '200' },
  names: { type: 'string', default: '300' },
  ways: { type: 'string', default: WAYS.join(',') },
  seed: { type: 'string', default: '1' },
});
const ways = values.ways.split(',').map((given) => {
  const way = WAYS.find((each) => each === given);
  return way ?? wrongFlag(`--ways ${given}: give some of ${WAYS.join(', ')}`);
});
const plan = {
  kills: countOf('kills', values.kills),
  names: countOf('names', values.names),
  seed: countOf('seed', values.seed),
  ways,
};

const bench = new Bench();
try {
  const { faults, ...figures } = await runKills(bench, plan);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  for (const fault of faults.slice(0, MOST_FAULTS)) process.stdout.write(`FOUND ${fault}\n`);
  process.stdout.write(faults.length === 0 ? 'nothing found\n' : `${faults.length} found\n`);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await bench.close();
}
