/** The morning: people have laptops of their own, one shares folders, and others accept them. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepOutcome } from '../demo-step.ts';
import { makeSourceTree } from '../source-tree.ts';
import {
  below,
  differences,
  inSeconds,
  laptopsOf,
  outcome,
  refusalOf,
  settle,
  shownAtAll,
  shows,
  TRIP,
  until,
  wrongText,
  type Day,
} from './day.ts';

/** Each person has a file of their own: at both laptops of theirs, and at no other. */
export async function eachForThemselves(day: Day): Promise<StepOutcome> {
  const people = [day.ann, day.bob, day.cat];
  for (const { name, first } of people) {
    writeFileSync(join(first.laptop.folder, `diary of ${name}`), `what ${name} did\n`);
  }
  await settle(day);
  const faults: string[] = [];
  for (const { name, first, second } of people) {
    faults.push(...differences(below(first), [[second, '']]));
    for (const { laptop, control } of [first, second]) {
      const names = (await control.status()).volumes.map((volume) => volume.name);
      if (names.join() !== name) faults.push(`laptop ${laptop.name} sees ${names.join(', ')}`);
    }
  }
  const must = 'a laptop shows what is of its person, and no more';
  return outcome(must, `${laptopsOf(day).length} laptops, ${people.length} volumes`, 6, faults);
}

/** Ann shares a folder that is new with Bob, who hears of it and is changed nothing. */
export async function shareNew(day: Day): Promise<StepOutcome> {
  const { ann, bob, cat } = day;
  const before = below(bob.first);
  await ann.first.laptop.command('share', '/plans', '--with', 'bob');
  const heard = await until(day, 'an offer is at bob', () => offers(bob.first));
  const faults = differences(before, [[bob.first, '']]);
  const { shares } = await cat.first.control.command('shares', {});
  if (shares.some(({ isFolder }) => !isFolder)) faults.push('cat sees what is not offered to her');
  const must = 'bob hears of it, not cat; no folder of theirs changes';
  return outcome(must, `heard ${inSeconds(heard)} after the command`, before.size, faults);
}

async function offers({ control }: Day['bob']['first']): Promise<boolean> {
  const { shares } = await control.command('shares', {});
  return shares.some(({ isFolder, path }) => !isFolder && path === null);
}

/** Bob accepts the new folder, and both write there at once. */
export async function acceptNew(day: Day): Promise<StepOutcome> {
  const { ann, bob } = day;
  await bob.first.laptop.command('accept', 'plans');
  const there = await until(day, 'the folder is at bob', () => shows(bob.second, 'plans'));
  writeFileSync(join(ann.first.laptop.folder, 'plans', 'of ann'), 'go north\n');
  writeFileSync(join(bob.second.laptop.folder, 'plans', 'of bob'), 'go south\n');
  const both = [ann.first, ann.second, bob.first, bob.second];
  await settle(day, both);
  const wanted = below(ann.first, 'plans');
  const faults = differences(
    wanted,
    both.map((actor) => [actor, 'plans'] as const),
  );
  if (wanted.size !== 2) faults.push(`2 files wanted, ${wanted.size} found`);
  const seen = `at bob's other laptop in ${inSeconds(there)}`;
  return outcome('both people have what both wrote there', seen, wanted.size, faults);
}

/** Ann shares a folder that has files: they stay the same files on her disk. */
export async function shareFull(day: Day): Promise<StepOutcome> {
  const { ann, known } = day;
  const folder = join(ann.first.laptop.folder, TRIP.ann);
  mkdirSync(folder);
  makeSourceTree(folder);
  await settle(day, [ann.first, ann.second]);
  const before = below(ann.first, TRIP.ann);
  const { ino } = statSync(join(folder, 'large.bin'));
  const began = performance.now();
  const shared = await ann.first.laptop.command(
    ...(['share', `/${TRIP.ann}`, '--yes'] as const),
    ...['--with', 'bob', '--with', 'cat:read'],
  );
  const took = (performance.now() - began) / 1000;
  known.trip = shared['volume'] as string;
  await settle(day, [ann.first, ann.second]);
  const faults = differences(before, [
    [ann.first, TRIP.ann],
    [ann.second, TRIP.ann],
  ]);
  if (statSync(join(folder, 'large.bin')).ino !== ino) faults.push('the files were made anew');
  const seen = `${before.size} paths, shared in ${inSeconds(took)}`;
  return outcome("ann's laptops have all of it, in the same files", seen, before.size, faults);
}

/** Bob and Cat accept the folder with files, each where they like. */
export async function acceptFull(day: Day): Promise<StepOutcome> {
  const { ann, bob, cat, known } = day;
  const began = performance.now();
  await bob.first.laptop.command('accept', known.trip, `/${TRIP.bob}`);
  await cat.first.laptop.command('accept', known.trip);
  await settle(day);
  const took = (performance.now() - began) / 1000;
  const wanted = below(ann.first, TRIP.ann);
  const faults = differences(wanted, shownAtAll(day));
  return outcome('all six laptops have all of it', `after ${inSeconds(took)}`, wanted.size, faults);
}

/** Cat may read and writes all the same: it stays with her, is named, and is given up. */
export async function readerWrites(day: Day): Promise<StepOutcome> {
  const { ann, cat } = day;
  const name = `${TRIP.cat}/remark of cat`;
  const path = join(cat.first.laptop.folder, name);
  writeFileSync(path, 'a remark\n');
  const timeoutMs = day.flushMs;
  const refused = await refusalOf(cat.first.control.command('flush', { timeoutMs }, day.signal));
  const faults = await wrongText(cat.first, name, 'a remark\n');
  if (refused === null) faults.push('it was called synced');
  await settle(day, [ann.first, cat.second]);
  for (const actor of [ann.first, cat.second]) faults.push(...(await wrongText(actor, name, null)));
  rmSync(path);
  await settle(day, [cat.first]);
  return outcome(
    'what cat writes stays with her, and is named',
    `flush says ${refused ?? 'fine'}`,
    3,
    faults,
  );
}
