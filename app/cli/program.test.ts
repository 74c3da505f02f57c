/** The tree of commands, loaded in part or whole. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Cli } from './cli.ts';
import { Interruption } from './interruption.ts';
import { buildProgram, loadedProgram } from './program.ts';

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const load = async (...args: string[]) =>
  (await buildProgram(new Cli(streams, new Interruption()), args)).commands;
const whole = (await loadedProgram(new Cli(streams, new Interruption()))).commands;

describe('the tree of commands', () => {
  it.each(whole.map((command) => [command.name(), command.helpInformation()]))(
    'contains only `%s`, as in the whole tree, when that is named',
    async (name, help) => {
      const loaded = await load(name, '--json');
      const found = name === 'completion' ? loaded.filter((one) => one.name() === name) : loaded;
      expect(found.map((one) => [one.name(), one.helpInformation()])).toEqual([[name, help]]);
    },
  );

  it.each([['completion', 'bash'], ['--help'], ['toString'], ['no such command']])(
    'is whole for `%s`',
    async (...args) => {
      const names = (await load(...args)).map((command) => command.name());
      expect(names).toEqual(whole.map((command) => command.name()));
    },
  );

  it('contains only what help is asked for, by name', async () => {
    const [status, ...others] = await load('help', 'status');
    expect(others).toEqual([]);
    const asLoaded = whole.find((each) => each.name() === 'status')?.helpInformation();
    expect(status?.helpInformation()).toBe(asLoaded);
  });

  it('loads no command for the page of help', async () => {
    for (const args of [[], ['--help'], ['-h'], ['help']]) {
      expect((await load(...args)).flatMap(({ options }) => options)).toEqual([]);
    }
  });

  it('includes the laboratory in the script of completions', async () => {
    const [bench] = (await load('completion', 'bash')).filter((each) => each.name() === 'bench');
    expect(bench?.commands.map((each) => each.name())).toContain('ingest');
  });
});
