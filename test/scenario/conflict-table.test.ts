/** Every pair of concurrent changes of two laptops, in both orders of arrival: the result, who is notified, and that no byte is lost. */
import { describe, expect, it } from '@jest/globals';
import { Cluster } from '../../app/lab/simulator/cluster/cluster.ts';
import type { ClientNode } from '../../app/lab/simulator/cluster/client-node.ts';
import type { UserFiles } from '../../app/lab/simulator/cluster/user-files.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agreed } from './agreed.ts';
import { BEFORE, CHANGES, OUTCOMES, WRITES, type Outcome } from './conflict-table.ts';

const NAMES = Object.keys(CHANGES);
const MARK = /\(conflict, ada, \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\)/g;

type Shown = Readonly<Record<string, string | null>>;

async function prepare(files: UserFiles): Promise<void> {
  for (const [path, text] of Object.entries(BEFORE)) {
    await (text === null ? files.mkdir(path) : files.write(path, text));
  }
}

async function change(name: string, files: UserFiles, by: 'ada' | 'bob'): Promise<void> {
  await CHANGES[name]?.(files, by);
}

/** Makes both changes while the laptops are disconnected; bob's laptop reconnects first. */
async function concurrently(first: string, second: string) {
  const cluster = await Cluster.start({ seed: 1 });
  const [ada, bob] = cluster.clients as [ClientNode, ClientNode];
  await cluster.at(ada, prepare);
  await cluster.settled();
  for (const laptop of [ada, bob]) cluster.cut(laptop);
  await cluster.at(bob, (files) => change(first, files, 'bob'));
  await cluster.at(ada, (files) => change(second, files, 'ada'));
  cluster.heal(bob);
  await cluster.settled([bob]);
  cluster.heal(ada);
  const shown = await agreed(cluster);
  return { shown, ada: toldAt(ada), bob: toldAt(bob) };
}

interface ConflictPaths {
  readonly kind: string;
  readonly path: string;
  readonly copy: string;
}

/** The notices of conflicts, oldest first. */
function toldAt({ daemon }: ClientNode): ConflictPaths[] {
  return daemon.inside.conflict.list.newest(Number.MAX_SAFE_INTEGER, () => undefined).reverse();
}

/** Makes both changes on one laptop, as far as they are possible. */
async function oneAfterTheOther(first: string, second: string): Promise<Shown> {
  const cluster = await Cluster.start({ seed: 1, clients: 1 });
  const [ada] = cluster.clients as [ClientNode];
  await cluster.at(ada, prepare);
  await cluster.at(ada, (files) => asFarAsItGoes(change(first, files, 'bob')));
  await cluster.at(ada, (files) => asFarAsItGoes(change(second, files, 'ada')));
  return agreed(cluster);
}

async function asFarAsItGoes(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
  }
}

/** The differences from the state before, in the notation of the table. */
function inShort(shown: Shown): string {
  const words: string[] = [];
  for (const path of Object.keys(BEFORE)) if (!(path in shown)) words.push(`-${path.slice(1)}`);
  for (const [path, text] of Object.entries(shown)) {
    if (path in BEFORE && BEFORE[path] === text) continue;
    const name = short(path.slice(1));
    words.push(text === null ? name : `${name}=${text}`);
  }
  return words.sort().join(' ');
}

function short(path: string): string {
  return path.replaceAll(MARK, '*').replaceAll(' *', '*');
}

describe.each(NAMES)('a first change "%s"', (first) => {
  it.each(NAMES)(
    'has the outcome of the table when the change "%s" arrives after it',
    async (second) => {
      const { shown, ada, bob } = await concurrently(first, second);
      const wanted: Outcome = OUTCOMES.get(`${first} | ${second}`) ?? {
        shown: inShort(await oneAfterTheOther(first, second)),
        told: '',
      };
      const told = ada
        .map(({ kind, path, copy }) => `${kind} ${short(path)} > ${short(copy)}`)
        .join('; ');
      expect({ shown: inShort(shown), told }).toEqual(wanted);
      // What is in a kept folder has its own name there.
      const copies = ada.filter(({ path, copy }) => path !== copy && short(copy).includes('*'));
      expect(bob).toMatchObject(
        copies.map(({ path, copy }) => ({ kind: 'elsewhere', path, copy })),
      );
      const texts = Object.values(shown);
      if (WRITES.has(first)) expect(texts).toContain('bob');
      if (WRITES.has(second)) expect(texts).toContain('ada');
    },
  );
});

it('each row of the table names two changes of the list', () => {
  const pairs = NAMES.flatMap((first) => NAMES.map((second) => `${first} | ${second}`));
  expect(pairs).toEqual(expect.arrayContaining([...OUTCOMES.keys()]));
});
