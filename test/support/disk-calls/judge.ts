/** What must hold at the end of a story, whatever fault there was: one sentence for each thing that does not. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees } from '../../../app/lab/demo/compare-trees.ts';
import { readTree, type Tree } from '../../../app/lab/demo/read-tree.ts';
import { parseStartupFailure } from '../../../shared/control/startup-failure.ts';
import { godwit } from '../run-cli.ts';
import { isCrash } from './disk-calls.ts';
import type { Program } from './program.ts';
import { AT_THE_END, MET, type Story, type StoryLaptop } from './story.ts';

const STACK = /^\s+at .*[:)]/m;
const SHOWN_CHARACTERS = 600;

/** Checks a story whose programs have all ended. Returns a sentence for each fault. */
export async function judge(story: Story): Promise<string[]> {
  const laptops = [story.ann, story.bob];
  const found = laptops.flatMap((laptop) => [...wrongIn(laptop), ...leftOver(laptop)]);
  const [first, second] = laptops.map(treeOf) as [Tree, Tree];
  for (const { path, aspect, wanted, found: is } of compareTrees(first, second)) {
    found.push(`${path}: ${aspect}: ${wanted} at ann, ${is} at bob`);
  }
  for (const program of story.programs) found.push(...badEndings(program));
  for (const data of [story.serverData, story.ann.data, story.bob.data])
    found.push(...traces(data));
  const check = await godwit(['server', 'check', '--data', story.serverData]);
  if (check.code !== 0) found.push(`server check: ${check.code}: ${check.stdout}${check.stderr}`);
  return found;
}

const treeOf = ({ folder }: StoryLaptop): Tree => readTree(folder, (path) => path === '.godwit');

function wrongIn(laptop: StoryLaptop): string[] {
  const { name } = laptop.program;
  const faults: string[] = [];
  const tree = treeOf(laptop);
  const met: string[] = [];
  for (const [path, wanted] of AT_THE_END) {
    if (!tree.has(path)) faults.push(`${name}: ${path} is missing`);
    else if (
      wanted !== null &&
      !readFileSync(join(laptop.folder, path)).equals(Buffer.from(wanted))
    )
      faults.push(`${name}: ${path} has other contents`);
  }
  for (const [path, { kind }] of tree) {
    if (AT_THE_END.has(path)) continue;
    if (kind === 'file' && path.startsWith(MET.name)) {
      met.push(readFileSync(join(laptop.folder, path), 'utf8'));
    } else faults.push(`${name}: ${path} should not be there`);
  }
  const [found, wanted] = [met.sort().join(', '), MET.versions.join(', ')];
  if (found !== wanted) faults.push(`${name}: the versions that met: ${found}`);
  return faults;
}

function leftOver({ program, folder }: StoryLaptop): string[] {
  return ['tmp', 'parked', 'lost+found'].flatMap((room) => {
    const path = join(folder, '.godwit', room);
    const left = existsSync(path) ? readdirSync(path) : [];
    return left.length > 0 ? [`${program.name}: left in .godwit/${room}: ${left.join(', ')}`] : [];
  });
}

/** The endings of a program that no fault explains: only a crash or a coded error that is no bug is accepted. */
function badEndings(program: Program): string[] {
  const fired = program.calls.fired();
  const killed = program.calls.faults.some((fault, at) => fired[at] !== 0 && isCrash(fault));
  return program.endings.flatMap(({ code, signal, asked, said }) => {
    const how = `${program.name} ended with ${signal ?? code}: ${said.slice(-SHOWN_CHARACTERS)}`;
    if (STACK.test(said)) return [how];
    if (asked || killed) return [];
    const failure = parseStartupFailure(said);
    return failure === null || failure.code === 'internal' ? [how] : [];
  });
}

function traces(data: string): string[] {
  const folder = join(data, 'log');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const line = text.split('\n').find((each) => /\\n\s+at .*[:)]/.test(each) || STACK.test(each));
    return line === undefined
      ? []
      : [`a stack trace in ${name}: ${line.slice(0, SHOWN_CHARACTERS)}`];
  });
}
