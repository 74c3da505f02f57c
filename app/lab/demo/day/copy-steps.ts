/** Evening: the folder is cloned, brought to another server, and all is compared once more. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizeText } from '../../../../shared/util/amounts.ts';
import type { StepOutcome } from '../demo-step.ts';
import {
  below,
  differences,
  inSeconds,
  laptopsOf,
  outcome,
  settle,
  shows,
  TRIP,
  until,
  wrongText,
  type Day,
} from './day.ts';

/** The folder as it was yesterday becomes a volume of Cat's own, in which she writes. */
export async function cloneVolume(day: Day): Promise<StepOutcome> {
  const { ann, cat, known, stage } = day;
  const began = performance.now();
  const from = `${known.trip}@yesterday`;
  await stage.server('volume', 'create', 'trial', '--from', from, '--owner', 'cat');
  const made = (performance.now() - began) / 1000;
  const sees = async (): Promise<boolean> =>
    (await cat.first.control.status()).volumes.some(({ name }) => name === 'trial');
  await until(day, 'cat sees the clone', sees);
  await cat.first.laptop.command('volume', 'mount', 'trial', '/trial');
  await until(day, "the clone is at cat's other laptop", () => shows(cat.second, 'trial/letters'));
  const hers = [cat.first, cat.second];
  await settle(day, hers);
  const places = hers.map((actor) => [actor, 'trial'] as const);
  const faults = differences(known.yesterday, places);
  writeFileSync(join(cat.first.laptop.folder, 'trial', 'empty file'), 'only in the clone\n');
  const before = below(ann.first, TRIP.ann);
  await settle(day);
  faults.push(...differences(before, [[ann.first, TRIP.ann]]));
  faults.push(...(await wrongText(cat.second, 'trial/empty file', 'only in the clone\n')));
  const seen = `made in ${inSeconds(made)}`;
  return outcome('cat has yesterday as her own, and ann sees nothing', seen, places.length, faults);
}

/** The folder is written to a file, and another server makes a volume of it. */
export async function bringElsewhere(day: Day): Promise<StepOutcome> {
  const { ann, known, stage, other } = day;
  const file = join(stage.folder('dumps'), 'trip.dump');
  const dumped = await stage.server('volume', 'dump', known.trip, file);
  await other.server('user', 'add', 'ann');
  await other.server('volume', 'load', file, '--as', 'trip', '--owner', 'ann');
  const there = await other.far('D', 'folder', other.shape, ['ann', '--volume', 'trip']);
  await settle(day, [there]);
  const wanted = below(ann.first, TRIP.ann);
  const faults = differences(wanted, [[there, '']]);
  await other.end(there);
  const seen = `${String(dumped['files'])} files, ${sizeText(Number(dumped['bytes']))}`;
  return outcome('a laptop at the other server has all of it', seen, wanted.size, faults);
}

/** All rest: each person's two laptops are the same, nothing is complained of, and both servers find themselves whole. */
export async function atRest(day: Day): Promise<StepOutcome> {
  const { ann, bob, cat, stage, other } = day;
  await settle(day);
  const faults: string[] = [];
  let items = 0;
  for (const { first, second } of [ann, bob, cat]) {
    const tree = below(first);
    items += tree.size;
    faults.push(...differences(tree, [[second, '']]));
  }
  for (const { laptop, control } of laptopsOf(day)) {
    for (const { message } of (await control.status()).errors) {
      faults.push(`laptop ${laptop.name}: ${message}`);
    }
  }
  for (const [name, server] of [
    ['the server', stage],
    ['the other server', other],
  ] as const) {
    if ((await server.server('check'))['fine'] !== true) faults.push(`${name} is not whole`);
  }
  const must = 'pairs are the same, no complaint, both servers whole';
  return outcome(must, `${items} paths`, items, faults);
}
