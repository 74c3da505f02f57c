/** Each command that takes arguments has an example, which is a line that it takes. */
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { Cli } from './cli.ts';
import { EXAMPLES } from './examples.ts';
import { LABORATORY_NAMES } from './laboratory.ts';
import { Interruption } from './interruption.ts';
import { loadedProgram } from './program.ts';

const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const program = await loadedProgram(new Cli(io, new Interruption()));

function below(command: Command, above: string): Array<[words: string, command: Command]> {
  return command.commands.flatMap((child) => {
    const words = `${above} ${child.name()}`.trim();
    return [[words, child] as [string, Command], ...below(child, words)];
  });
}

const all = new Map(below(program, ''));
const isOfLab = (words: string): boolean =>
  LABORATORY_NAMES.some((name) => words.split(' ')[0] === name);

it('each command that takes arguments has an example, and no other word has one', () => {
  const wanting = [...all]
    .filter(([words, { registeredArguments: given }]) => given.length > 0 && !isOfLab(words))
    .map(([words]) => words);
  expect(wanting.filter((words) => EXAMPLES[words] === undefined)).toEqual([]);
  expect(Object.keys(EXAMPLES).filter((words) => !all.has(words))).toEqual([]);
});

it.each(Object.entries(EXAMPLES))('the examples of %s are lines that it takes', (words, lines) => {
  const command = all.get(words);
  for (const line of lines) {
    expect(line).toMatch(new RegExp(`^godwit ${words}( |$)`));
    const given = line.split(' ').slice(1 + words.split(' ').length);
    const { operands, unknown } = command?.parseOptions(given) ?? { operands: [], unknown: ['?'] };
    expect(unknown).toEqual([]);
    const wanted = command?.registeredArguments ?? [];
    expect(operands.length).toBeGreaterThanOrEqual(wanted.filter((each) => each.required).length);
    const isVariadic = wanted.at(-1)?.variadic === true;
    expect(isVariadic || operands.length <= wanted.length).toBe(true);
  }
});

it('the help of a command ends with its examples', () => {
  let text = '';
  const command = all.get('server revoke');
  command?.configureOutput({ writeOut: (said) => void (text += said) }).outputHelp();
  expect(text).toMatch(/Examples:\n {2}godwit server revoke 3\n$/);
});
