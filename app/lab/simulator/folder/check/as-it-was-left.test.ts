/** The checker of a folder that is left alone finds what has come back, gone, or changed by itself. */
import { beforeEach, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../../shared/util/seeded-random.ts';
import { EXT4 } from '../../posix/file-system-switches.ts';
import { Kernel } from '../../posix/kernel.ts';
import { writeFile } from '../../posix/program-calls.ts';
import { SimulatedProgramCalls } from '../../posix/simulated-program-calls.ts';
import type { FolderMachine } from '../folder-machine.ts';
import { makeLinkedPlan } from '../draw-linked-trees.ts';
import type { FolderPlan } from '../folder-plan.ts';
import { leftBy, lookAsLeft } from './as-it-was-left.ts';

const ROOT = '/folder';

let calls: SimulatedProgramCalls;
let machine: FolderMachine;
let plan: FolderPlan;
let found: string[];

beforeEach(() => {
  found = [];
  const random = new SeededRandom(1);
  const kernel = new Kernel({ wall: () => 1_000_000, random, root: EXT4 });
  calls = new SimulatedProgramCalls(kernel, { uid: 0, gid: 0, groups: [] }, '/');
  calls.mkdir(ROOT);
  for (const name of ['doc', 'other']) write(name, name);
  machine = { name: 'ada', observer: calls, root: ROOT } as unknown as FolderMachine;
  plan = makeLinkedPlan(random, { seed: 1, steps: 2, hasFaults: false });
});

const write = (name: string, text: string): void =>
  writeFile(calls, `${ROOT}/${name}`, new TextEncoder().encode(text));

function look(then: () => void): string[] {
  const left = leftBy({ plan, machines: [machine] });
  then();
  if (left !== null) lookAsLeft({ find: (_, text) => void found.push(text) }, machine, left);
  return found;
}

it.each<[string, () => void, string[]]>([
  ['nothing', () => undefined, []],
  ['what has come back', () => write('back', 'x'), ['ada: back has come back']],
  ['what has gone', () => calls.unlink(`${ROOT}/doc`), ['ada: doc has gone']],
  ['other bytes', () => write('doc', 'other'), ['ada: doc has other bytes']],
])('the checker of a folder that is left alone finds %s', (_what, then, told) => {
  expect(look(then)).toEqual(told);
});

it('the checker of a folder that is left alone says nothing where two laptops work', () => {
  plan = { ...plan, settings: { ...plan.settings, laptops: 2 } };
  expect(look(() => write('back', 'x'))).toEqual([]);
});

it('the checker of a folder that is left alone says nothing where the power was lost', () => {
  const power = { at: 1, laptop: 0, kind: 'fault', do: 'power', downMs: 1 } as const;
  plan = { ...plan, entries: [...plan.entries, power] };
  expect(look(() => write('back', 'x'))).toEqual([]);
});
