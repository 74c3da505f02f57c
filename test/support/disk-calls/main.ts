/**
 * The door of the crash runs: `npm run crash -- [options]`, a line for each fault.
 *
 *   --all                 every label with every kind, at its first call and at a later one
 *   --count N             only so many of them (default: 20)
 *   --seed N              draws which come first, and which later call is meant
 *   --minutes M           ends after so long
 *   --label TEXT          only labels, or kinds, that hold the text: "sync pack", "server: write", "EIO"
 *   --skip-tried LOG      leaves out what LOG, the output of an earlier run, tells of; labels not tried yet come first
 *   --one "A: B: C at call N"   this fault, as a line of the table names it; may be given again
 *   --each N              so many faults for each program of a story (default: 1); more tell more in less time
 *   --apart               each fault in a story of its own; without it three share one, each in another program
 *   --at-once N           so many stories side by side (default: 2)
 *   --keep                leaves the folders of a story in which something was found
 *
 * What is found with several faults is looked for again with those of each program, and then with each alone.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { buildDiskCalls } from './disk-calls.ts';
import { apart, nameOf, pairOf, pairsOf, together, untried, type Pair } from './pairs.ts';
import { endStories, runStory, type StoryOutcome } from './run-story.ts';
import { flagsOf } from '../flags.ts';

const values = flagsOf('npm run crash', {
  all: { type: 'boolean', default: false },
  apart: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  count: { type: 'string', default: '20' },
  each: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  minutes: { type: 'string' },
  label: { type: 'string', default: '' },
  'skip-tried': { type: 'string', multiple: true, default: [] },
  one: { type: 'string', multiple: true, default: [] },
  'at-once': { type: 'string', default: '2' },
});

const folder = mkdtempSync(join(tmpdir(), 'godwit-crash-'));
const library = buildDiskCalls(folder);
const until = performance.now() + Number(values.minutes ?? Infinity) * 60_000;
let [tried, missed, bad] = [0, 0, 0];

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true;
    void endStories();
  });
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function tell({ pairs, fired, found, seconds, kept }: StoryOutcome): void {
  pairs.forEach((pair, index) => {
    tried += 1;
    if (fired[index] === 0) missed += 1;
    const how = found.length > 0 ? 'FOUND' : fired[index] === 0 ? 'not met' : 'fine';
    say(`${how.padEnd(8)} ${seconds.toFixed(1).padStart(5)} s  ${nameOf(pair)}`);
  });
  for (const line of found) say(`         ${line}`);
  if (kept !== null) say(`         ${kept}`);
}

async function tryStory(pairs: readonly Pair[]): Promise<void> {
  process.stderr.write(`trying   ${pairs.map(nameOf).join('; ')}\n`);
  const outcome = await runStory(library, pairs, values.keep && pairs.length === 1).catch(
    (error: unknown) => {
      if (!isStopping) throw error;
    },
  );
  if (isStopping || outcome === undefined) return;
  if (outcome.found.length === 0) return tell(outcome);
  if (pairs.length > 1) {
    say(`         found together: ${pairs.map(nameOf).join('; ')}: ${outcome.found.join('; ')}`);
    const badBefore = bad;
    for (const fewer of apart(pairs)) await tryStory(fewer);
    if (bad > badBefore || isStopping) return;
    say(`         only together: ${pairs.map(nameOf).join('; ')}`);
  } else tell(outcome);
  bad += 1;
}

async function drawn(): Promise<Pair[]> {
  if (values.one.length > 0) return values.one.map(pairOf);
  const { recorded, found, seconds } = await runStory(library, []);
  const labels = [...recorded.values()].reduce((sum, counts) => sum + counts.size, 0);
  say(`${labels} labels in a story of ${seconds.toFixed(1)} s without a fault`);
  for (const line of found) say(`FOUND    ${line}`);
  const all = pairsOf(recorded, new SeededRandom(`crash ${values.seed}`));
  const wanted = all.filter((pair) => nameOf(pair).includes(values.label));
  const logs = values['skip-tried'].map((path) => readFileSync(path, 'utf8'));
  const left = logs.length > 0 ? untried(wanted, logs.join('\n')) : wanted;
  return values.all ? left : left.slice(0, Number(values.count));
}

const pairs = await drawn();
const stories = values.apart ? pairs.map((pair) => [pair]) : together(pairs, Number(values.each));
say(`${pairs.length} faults in ${stories.length} stories (seed ${values.seed})`);
const worker = async (): Promise<void> => {
  for (let next = stories.shift(); next !== undefined; next = stories.shift()) {
    if (isStopping || performance.now() > until) return;
    await tryStory(next);
  }
};
await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
rmSync(folder, { recursive: true });
say(`${tried} faults tried (${missed} not met), ${bad} with something found`);
process.exit(bad > 0 ? 1 : 0);
