/** Noon: people work in what they share, lock a file, and take something back from yesterday. */
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../../bench/real/stage.ts';
import type { StepOutcome } from '../demo-step.ts';
import {
  below,
  differences,
  inSeconds,
  outcome,
  refusalOf,
  settle,
  shownAtAll,
  TRIP,
  until,
  type Day,
} from './day.ts';

const file = ({ laptop }: Actor, ...names: string[]): string => join(laptop.folder, ...names);

/** Ann and Bob edit, make, rename and remove at both their laptops at once. */
export async function editBothWays(day: Day): Promise<StepOutcome> {
  const { ann, bob } = day;
  const before = below(ann.first, TRIP.ann).size;
  appendFileSync(file(ann.first, TRIP.ann, 'letters/file 001.txt'), 'a line of ann\n');
  mkdirSync(file(ann.second, TRIP.ann, 'made by ann'));
  writeFileSync(file(ann.second, TRIP.ann, 'made by ann/list'), 'boots\n');
  renameSync(file(bob.first, TRIP.bob, 'src'), file(bob.first, TRIP.bob, 'source'));
  rmSync(file(bob.second, TRIP.bob, 'letters/file 002.txt'));
  writeFileSync(file(bob.second, TRIP.bob, 'letters/file 003.txt'), 'all new from bob\n');
  await settle(day);
  const wanted = below(ann.first, TRIP.ann);
  const faults = differences(wanted, shownAtAll(day));
  // A folder and a file more, and a file less.
  if (wanted.size !== before + 1) faults.push(`${before + 1} paths wanted, ${wanted.size} found`);
  for (const path of ['made by ann/list', 'source/lib/deep/deeper/file 001.txt']) {
    if (!wanted.has(path)) faults.push(`${path} is not there`);
  }
  return outcome('all six laptops have the work of all', '6 changes', wanted.size, faults);
}

/** Two people write one file while neither hears of the other. */
export async function writeOneFile(day: Day): Promise<StepOutcome> {
  const { ann, bob } = day;
  const both = [ann.second, bob.second];
  const own = [file(ann.second, TRIP.ann, 'empty file'), file(bob.second, TRIP.bob, 'empty file')];
  for (const { control } of both) await control.command('pause', {});
  writeFileSync(own[0] ?? '', 'what ann wrote\n');
  writeFileSync(own[1] ?? '', 'what bob wrote\n');
  for (const { control } of both) await control.command('resume', {});
  await settle(day);
  const wanted = below(ann.first, TRIP.ann);
  const faults = differences(wanted, shownAtAll(day));
  const versions = [...wanted].filter(([path]) => path.startsWith('empty file'));
  if (versions.length !== 2) faults.push(`2 versions wanted, ${versions.length} found`);
  let listed = 0;
  for (const { control } of both) {
    for (const { id } of (await control.status()).conflicts) {
      listed += 1;
      await control.command('dismiss', { id });
    }
  }
  if (listed === 0) faults.push('no laptop lists the conflict');
  return outcome('both versions are at all six, and one is listed', `${listed} listed`, 2, faults);
}

/** Ann locks a file; Bob sees it, and has it when she is done. */
export async function lockFile(day: Day): Promise<StepOutcome> {
  const { ann, bob } = day;
  const name = 'letters/file 010.txt';
  const [at, far] = [`/${TRIP.ann}/${name}`, `/${TRIP.bob}/${name}`];
  await ann.first.laptop.command('lock', at);
  const isListed = async (): Promise<boolean> => {
    const { locks } = await bob.first.control.command('locks', {});
    return locks.some(({ user, isOwn }) => user === 'ann' && !isOwn);
  };
  const heard = await until(day, 'the lock is listed at bob', isListed);
  const faults: string[] = [];
  const refused = await refusalOf(bob.first.laptop.command('lock', far));
  if (refused !== 'locked') faults.push(`bob locks it too: ${refused ?? 'he has it'}`);
  appendFileSync(file(ann.first, TRIP.ann, name), 'written under a lock\n');
  await ann.first.laptop.command('unlock', at);
  const left = async (): Promise<boolean> =>
    (await refusalOf(bob.first.laptop.command('lock', far))) === null;
  const gone = await until(day, 'bob has the lock', left);
  await settle(day, [bob.first]);
  const wanted = below(ann.first, TRIP.ann);
  faults.push(...differences(wanted, [[bob.first, TRIP.bob]]));
  await bob.first.laptop.command('unlock', far);
  const seen = `listed in ${inSeconds(heard)}, bob's in ${inSeconds(gone)}`;
  return outcome('bob is refused, and then has lock and last save', seen, 3, faults);
}

/** A snapshot is made, the folder is spoilt, and Bob takes it back from there. */
export async function backFromYesterday(day: Day): Promise<StepOutcome> {
  const { ann, bob, cat, known, stage } = day;
  await settle(day);
  known.yesterday = below(ann.first, TRIP.ann);
  await stage.server('snapshot', 'create', known.trip, 'yesterday');
  writeFileSync(file(ann.first, TRIP.ann, 'letters/file 004.txt'), 'spoilt\n');
  rmSync(file(ann.first, TRIP.ann, 'names'), { recursive: true });
  await settle(day);
  const faults: string[] = [];
  if (below(cat.first, TRIP.cat).has('names')) faults.push('cat has what was removed');
  const old = await cat.second.laptop.command('ls', `/${TRIP.cat}/names`, '--at', 'yesterday');
  const names = (old['entries'] as unknown[] | undefined)?.length ?? 0;
  const restore = (path: string) =>
    bob.first.laptop.command('restore', `/${TRIP.bob}/${path}`, '--at', 'yesterday');
  await restore('letters/file 004.txt');
  await restore('names');
  await settle(day);
  faults.push(...differences(known.yesterday, shownAtAll(day), 'mtime'));
  const seen = `${names} names as it was, read by cat`;
  return outcome('all six have the folder as it was', seen, known.yesterday.size, faults);
}
