/**
 * A laptop goes from commit to commit of a git repository in its synced folder, while another reads its copy of it all the time.
 *
 * The `.git` folder is synced as well: its index and refs are replaced by renames, its lock files come and go.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees } from '../../../app/lab/demo/compare-trees.ts';
import { readTree, type Tree } from '../../../app/lab/demo/read-tree.ts';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import type { Bench } from '../../support/bench.ts';
import { CopyReader } from './copy-reader.ts';
import { filesOf, git, makeHistory } from './history.ts';
import { faultOf, type Shown } from './sightings.ts';

const REPOSITORY = 'repo';
const EMPTY = new Set(['file e69de29bb2d1d6434b8b29ae775ad8c2e48c5391']);
/** The run waits for one checkout in this many; the others follow at once. */
const WAITED_FOR = 3;

export interface CheckoutsPlan {
  readonly files: number;
  readonly times: number;
  readonly seed: number;
}

export interface CheckoutsReport {
  /** The faults that the reader found and, at the end, the differences and the complaints of git. */
  readonly faults: readonly string[];
  readonly paths: number;
  readonly reads: number;
  readonly changesSeen: number;
  readonly seconds: { readonly first: number; readonly checkouts: number; readonly last: number };
}

type Laptop = { readonly data: string; readonly folder: string };

export async function runCheckouts(
  bench: Bench,
  { files, times, seed }: CheckoutsPlan,
): Promise<CheckoutsReport> {
  const server = await bench.server();
  const a = await bench.laptop('ann', await bench.invite(server));
  const b = await bench.laptop('bob', await bench.invite(server));
  const [here, there] = [join(a.folder, REPOSITORY), join(b.folder, REPOSITORY)];
  const watch = new Stopwatch();
  const commits = makeHistory(here, files, seed);
  const random = new SeededRandom(`checkouts ${seed}`);
  const states = [filesOf(here, commits[0] ?? '')];
  git(here, ['checkout', '-q', '--detach', commits[0] ?? '']);
  await bench.flush(a, b);
  const first = watch.lap();

  const paths = new Set(commits.flatMap((commit) => [...filesOf(here, commit).keys()]));
  const reader = await CopyReader.start(there, [...paths]);
  for (let time = 0; time < times; time++) {
    const commit = commits[random.below(commits.length)] ?? '';
    states.push(filesOf(here, commit));
    reader.begin();
    git(here, ['checkout', '-q', '--detach', commit]);
    if (random.below(WAITED_FOR) === 0) await bench.flush(a, b);
  }
  const checkouts = watch.lap();
  await bench.flush(a, b);
  const last = watch.lap();
  const { seen, reads, tornIndexes } = await reader.stop();
  const faults = [...paths].flatMap((path) => {
    const shown = states.map((state): Shown => state.get(path) ?? null);
    const fault = faultOf(shown, seen.get(path) ?? [], EMPTY);
    return fault === null ? [] : [`${path}: ${fault}`];
  });
  if (tornIndexes > 0) faults.push(`.git/index: torn ${tornIndexes} times`);
  faults.push(...(await faultsAtRest(bench, a, b)));
  const changesSeen = [...seen.values()].reduce((sum, each) => sum + each.length - 1, 0);
  return { faults, paths: paths.size, reads, changesSeen, seconds: { first, checkouts, last } };
}

async function faultsAtRest(bench: Bench, a: Laptop, b: Laptop): Promise<string[]> {
  const faults = differences(a, b);
  for (const [name, { data, folder }] of Object.entries({ ann: a, bob: b })) {
    const { state, queues, unsettled } = await bench.status(data);
    const left = queues.metadata.updates + queues.data.updates + unsettled.commits;
    if (left > 0) faults.push(`${name} says ${state} after a flush`);
    // What was brought may be looked at for another moment, as events of it come.
    await bench.until(data, (status) => status.state === 'idle');
    const repository = join(folder, REPOSITORY);
    for (const lock of locksIn(join(repository, '.git'))) faults.push(`${name} has ${lock}`);
    const said = [git(repository, ['fsck', '--no-progress']), git(repository, ['status', '-s'])];
    faults.push(...said.filter((each) => each !== '').map((each) => `${name}: git says ${each}`));
    const differs = git(repository, ['diff', '--summary', '--stat']);
    if (differs !== '') faults.push(`${name}: ${differs}`);
    // `git status` records facts about the files of this machine, and this change is synced like any other.
    await bench.flush({ data }, a, b);
  }
  return [...faults, ...differences(a, b)];
}

function differences(a: Laptop, b: Laptop): string[] {
  const treeOf = ({ folder }: Laptop): Tree => readTree(folder, (path) => path === '.godwit');
  return compareTrees(treeOf(a), treeOf(b)).map((each) => JSON.stringify(each));
}

function locksIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.lock'),
  );
}

class Stopwatch {
  #since = process.hrtime.bigint();

  lap(): number {
    const now = process.hrtime.bigint();
    const seconds = Number(now - this.#since) / 1e9;
    this.#since = now;
    return Math.round(seconds * 10) / 10;
  }
}
