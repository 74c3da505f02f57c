/** One story with faults, from its first process to the judge's word. */
import { Bench } from '../bench.ts';
import { judge } from './judge.ts';
import { faultsOf, type Pair, type Recorded } from './pairs.ts';
import type { Program } from './program.ts';
import { Story } from './story.ts';

export interface StoryOutcome {
  readonly pairs: readonly Pair[];
  /** A sentence for each finding. */
  readonly found: readonly string[];
  /** How many calls each fault affected. */
  readonly fired: readonly number[];
  readonly recorded: Recorded;
  readonly seconds: number;
  /** The folder that was kept for a look, or null. */
  readonly kept: string | null;
}

const SHOWN_CHARACTERS = 400;
const underWay = new Map<Bench, Story>();

/** Ends the stories under way: their processes and folders go, and `runStory` rejects. */
export async function endStories(): Promise<void> {
  for (const story of underWay.values()) story.leave();
  for (const bench of underWay.keys()) await bench.close().catch(() => undefined);
}

function lastWords({ name, endings }: Program): string[] {
  const said = endings.at(-1)?.said.trim() ?? '';
  return said === '' ? [] : [`${name} said last: ${said.slice(-SHOWN_CHARACTERS)}`];
}

/** Runs one story with the given faults. `keep` leaves its folders on the disk when it has findings. */
export async function runStory(
  library: string,
  pairs: readonly Pair[],
  keep = false,
): Promise<StoryOutcome> {
  const began = performance.now();
  const bench = new Bench();
  const story = new Story(bench, library, faultsOf(pairs));
  underWay.set(bench, story);
  const found: string[] = [];
  try {
    await story.run();
  } catch (error) {
    found.push(`the story stopped: ${(error as Error).message}`);
  }
  found.push(...(await story.end()));
  // What a story that stopped has not done is no finding of its own.
  if (found.length === 0) found.push(...(await judge(story)));
  else found.push(...story.programs.flatMap(lastWords));
  const recorded = new Map(story.programs.map(({ name, calls }) => [name, calls.counts()]));
  const fired = pairs.map((pair) => {
    const { calls } = story.programOf(pair.program);
    return calls.fired()[calls.faults.indexOf(pair)] ?? 0;
  });
  const kept = keep && found.length > 0 ? bench.root : null;
  underWay.delete(bench);
  if (kept === null) await bench.close();
  const seconds = (performance.now() - began) / 1000;
  return { pairs, found, fired, recorded, seconds, kept };
}
