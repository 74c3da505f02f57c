/** Afternoon: a right is taken from somebody who is offline with edits, and given again. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../../bench/real/stage.ts';
import type { StepOutcome } from '../demo-step.ts';
import { readTree } from '../read-tree.ts';
import {
  below,
  differences,
  inSeconds,
  outcome,
  settle,
  shownAtAll,
  shows,
  textAt,
  TRIP,
  until,
  wrongText,
  type Day,
} from './day.ts';

/** What Bob writes while he is offline: by path, in the shared folder. */
const OFFLINE = {
  'letters/file 020.txt': 'bob, far from any network\n',
  'of bob, from the train': 'a new file, far from any network\n',
} as const;
const REMOVED = 'letters/file 021.txt';
const MOVED = ['bin/run.sh', 'letters/run.sh'] as const;

/** Bob's first laptop is offline with edits when Ann takes his right: nothing is lost there, nor removed elsewhere. */
export async function withdraw(day: Day): Promise<StepOutcome> {
  const { ann, bob, cat } = day;
  await settle(day);
  bob.first.line.cut();
  await until(day, 'bob is offline', async () => !(await bob.first.control.status()).connected);
  editOffline(bob.first);
  await until(day, "bob's edits wait", () => hasLogged(bob.first));
  const before = below(ann.first, TRIP.ann);
  await ann.first.laptop.command('unshare', `/${TRIP.ann}`, '--with', 'bob');
  const gone = () => !shows(bob.second, `${TRIP.bob}/letters`);
  const left = await until(day, 'the files leave the connected laptop', gone);
  const faults = await offlineFaults(bob.first);
  bob.first.line.restore();
  const goneToo = () => !shows(bob.first, `${TRIP.bob}/letters`);
  await until(day, 'the files leave the laptop that was offline', goneToo);
  faults.push(...(await asideFaults(bob.first)));
  const others = [ann.first, ann.second, cat.first, cat.second];
  await settle(day, others);
  const places = shownAtAll(day).filter(([actor]) => others.includes(actor));
  faults.push(...differences(before, places));
  const seen = `it left his connected one in ${inSeconds(left)}`;
  return outcome('his edits are kept aside and named, others keep all', seen, before.size, faults);
}

function editOffline({ laptop }: Actor): void {
  const at = (path: string): string => join(laptop.folder, TRIP.bob, path);
  for (const [path, text] of Object.entries(OFFLINE)) writeFileSync(at(path), text);
  rmSync(at(REMOVED));
  renameSync(at(MOVED[0]), at(MOVED[1]));
}

/** What was edited is in the update log, and nothing of the folder is looked at any more. */
async function hasLogged({ control }: Actor): Promise<boolean> {
  await control.command('scan', {});
  const { queues, unsettled } = await control.status();
  return queues.metadata.updates > 0 && queues.data.updates >= 2 && unsettled.paths === 0;
}

async function offlineFaults(actor: Actor): Promise<string[]> {
  const faults: string[] = [];
  for (const [path, text] of Object.entries(OFFLINE)) {
    faults.push(...(await wrongText(actor, `${TRIP.bob}/${path}`, text)));
  }
  return faults;
}

/** What he wrote lies in the folder for what could not stay, and the status says where. */
async function asideFaults({ laptop, control }: Actor): Promise<string[]> {
  const aside = join(laptop.folder, '.godwit', 'lost+found');
  mkdirSync(aside, { recursive: true });
  const paths = [...readTree(aside).keys()];
  const faults: string[] = [];
  for (const [path, text] of Object.entries(OFFLINE)) {
    const name = path.split('/').at(-1) ?? '';
    const found = paths.filter((kept) => kept.endsWith(name));
    const texts = await Promise.all(
      found.map((kept) => textAt({ laptop } as Actor, `.godwit/lost+found/${kept}`)),
    );
    if (!texts.includes(text)) faults.push(`laptop ${laptop.name}: ${path} is not kept aside`);
  }
  const { errors } = await control.status();
  if (!JSON.stringify(errors).includes('lost+found')) {
    faults.push(`laptop ${laptop.name}: the status does not name where it is`);
  }
  return faults;
}

/** Ann shares the folder with Bob again: he has it back, and what he did offline is everywhere. */
export async function shareAgain(day: Day): Promise<StepOutcome> {
  const { ann } = day;
  const before = below(ann.first, TRIP.ann).size;
  const began = performance.now();
  await ann.first.laptop.command('share', `/${TRIP.ann}`, '--with', 'bob');
  const name = Object.keys(OFFLINE)[1] ?? '';
  await until(day, "bob's work is at ann", () => shows(ann.second, `${TRIP.ann}/${name}`));
  await settle(day);
  const took = (performance.now() - began) / 1000;
  const wanted = below(ann.first, TRIP.ann);
  const faults = differences(wanted, shownAtAll(day));
  for (const [path, text] of Object.entries(OFFLINE)) {
    faults.push(...(await wrongText(ann.first, `${TRIP.ann}/${path}`, text)));
  }
  for (const path of [REMOVED, MOVED[0]]) if (wanted.has(path)) faults.push(`${path} is there`);
  if (!wanted.has(MOVED[1])) faults.push(`${MOVED[1]} is not there`);
  // One made, one removed, one moved.
  if (wanted.size !== before) faults.push(`${before} paths wanted, ${wanted.size} found`);
  await tidyUp(day, faults);
  const must = 'bob has it back, and what he did offline is at all';
  return outcome(must, `after ${inSeconds(took)}`, wanted.size, faults);
}

/** All of it has been sent: Bob removes what was put aside, as the status says, and nothing is complained of any more. */
async function tidyUp(day: Day, faults: string[]): Promise<void> {
  const { laptop, control } = day.bob.first;
  const { errors } = await control.status();
  const aside = errors.find(({ code }) => code === 'put-aside')?.path ?? null;
  if (aside === null) return void faults.push(`laptop ${laptop.name} does not list what is aside`);
  rmSync(join(laptop.folder, aside), { recursive: true });
  const isWell = async (): Promise<boolean> => (await control.status()).errors.length === 0;
  await until(day, 'the complaint goes with what was aside', isWell);
}

/** Ann moves the shared folder in her own: it goes along at her other laptop, and stays where it is at the others. */
export async function moveFolder(day: Day): Promise<StepOutcome> {
  const { ann } = day;
  const wanted = below(ann.first, TRIP.ann);
  const at = (path: string): string => join(ann.second.laptop.folder, path);
  mkdirSync(at('holidays'));
  renameSync(at(TRIP.ann), at('holidays/trip'));
  await settle(day);
  const others = shownAtAll(day).filter(([actor]) => actor !== ann.first && actor !== ann.second);
  const faults = differences(wanted, [
    [ann.first, 'holidays/trip'],
    [ann.second, 'holidays/trip'],
    ...others,
  ]);
  if (shows(ann.first, TRIP.ann)) faults.push("the folder is at its old place, at ann's other one");
  renameSync(at('holidays/trip'), at(TRIP.ann));
  await settle(day);
  faults.push(...differences(wanted, shownAtAll(day)));
  return outcome("it goes along at ann's, and stays at others", 'there and back', 6, faults);
}
