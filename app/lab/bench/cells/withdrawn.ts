/** A person's right to a volume is taken while their laptop sends a large file over a slow line: when is that in force there? */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { USUAL_SETS, type RightSet } from '../../../../shared/model/access-list.ts';
import { figure, isolatedFigure, type Figure } from '../figures.ts';
import { makeLargeFile } from '../make-files.ts';
import { middleOf } from '../real/middle-of.ts';
import { secondsOf } from '../real/seconds-of.ts';
import type { Actor, Stage } from '../real/stage.ts';

export interface WithdrawSettings {
  readonly upload: number;
  readonly times: number;
}

const MOST_SECONDS = 1;
const VOLUME = 'team';
const LOOK_MS = 5;

/** Measures how long a connected laptop shows a volume after its right was taken, beside its upload. */
export async function withdrawn(
  stage: Stage,
  { upload, times }: WithdrawSettings,
): Promise<Figure[]> {
  await stage.server('user', 'add', 'ann');
  await stage.server('volume', 'create', VOLUME, '--owner', 'ann');
  const ann = await stage.far('ann', 'folder', stage.shape, ['ann']);
  const bob = await stage.far('bob', 'folder', stage.shape, ['bob']);
  await ann.laptop.command('volume', 'mount', VOLUME, `/${VOLUME}`);
  await access(ann, USUAL_SETS.write);
  await until(stage, async () => (await volumesOf(bob)).includes(VOLUME));
  await bob.laptop.command('accept', VOLUME);
  await until(stage, () => existsSync(join(ann.laptop.folder, VOLUME)));
  await writeFile(join(ann.laptop.folder, VOLUME, 'plan'), 'the plan');
  await ann.flush();
  await until(stage, () => isInFolder(bob));
  stage.onStep('an upload begins');
  await makeLargeFile(join(bob.laptop.folder, 'large'), upload, stage.signal);
  await bob.laptop.until(({ queues }) => queues.data.sentBytes > 0, 60_000);

  const [shut, gone, answered]: [number[], number[], number[]] = [[], [], []];
  while (shut.length < times && (shut.length === 0 || (await sends(bob)))) {
    stage.onStep(`the right is taken, time ${shut.length + 1}`);
    const taken = await take(stage, ann, bob);
    shut.push(taken.shut);
    gone.push(taken.gone);
    answered.push(taken.answered);
    await access(ann, USUAL_SETS.write);
    await until(stage, () => isInFolder(bob));
  }
  return [
    figure(
      'shut',
      "in force at bob's daemon, the longest",
      Math.max(...shut),
      's',
      MOST_SECONDS,
      'most',
    ),
    isolatedFigure('shutMiddle', 'the middle of them', middleOf(shut), 's'),
    figure(
      'gone',
      'its file has left the folder, the longest',
      Math.max(...gone),
      's',
      MOST_SECONDS,
      'most',
    ),
    isolatedFigure(
      'answered',
      "ann's command has returned, the longest",
      Math.max(...answered),
      's',
    ),
    isolatedFigure('times', 'times that it was taken beside the upload', shut.length, 'times'),
  ];
}

/** Bob's row in the list of the volume becomes this; with 0 it goes. */
async function access({ control }: Actor, rights: RightSet): Promise<void> {
  const row = { kind: 'person', name: 'bob', negative: false, rights } as const;
  await control.command('set-access', { volume: VOLUME, ...row });
}

interface Taken {
  /** Seconds from the command on: until Bob's daemon has it in force, until the file is gone, until Ann was answered. */
  readonly shut: number;
  readonly gone: number;
  readonly answered: number;
}

async function take(stage: Stage, ann: Actor, bob: Actor): Promise<Taken> {
  const [answered, shut, gone] = await Promise.all([
    secondsOf(() => access(ann, 0)),
    secondsOf(() => until(stage, () => isShut(bob))),
    secondsOf(() => until(stage, () => !isInFolder(bob))),
  ]);
  return { shut, gone, answered };
}

/** The daemon says that the volume may not be seen: what it holds of it stays, and it asks for nothing more. */
async function isShut({ control }: Actor): Promise<boolean> {
  const { volumes } = await control.status();
  return volumes.every(({ name, shut }) => name !== VOLUME || shut === true);
}

const volumesOf = async ({ control }: Actor): Promise<string[]> =>
  (await control.status()).volumes.map(({ name }) => name);

const isInFolder = ({ laptop }: Actor): boolean => existsSync(join(laptop.folder, VOLUME, 'plan'));

const sends = async ({ control }: Actor): Promise<boolean> =>
  (await control.status()).queues.data.updates > 0;

/** Looks again and again; the run has a limit of its own. */
async function until({ signal }: Stage, holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(LOOK_MS, undefined, { signal });
}
