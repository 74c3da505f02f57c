/** Where the laboratory is not installed. That of a package is looked at in test/process/package-deb.test.ts. */
import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { Cli } from './cli.ts';
import { Interruption } from './interruption.ts';
import { laboratory, missingCommands } from './laboratory.ts';

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const cli = new Cli(streams, new Interruption());
const missing = missingCommands();

describe('a laboratory that is not installed', () => {
  it('has the same command names as an installed one', async () => {
    expect(Object.keys(missing)).toEqual(Object.keys((await laboratory())?.COMMANDS ?? {}));
  });

  it.each(
    Object.entries(missing).flatMap(([name, load]) =>
      [[], ['--help'], ['one', '--more', '2']].map((args) => [name, args, load] as const),
    ),
  )('is reported by `godwit %s %j`', async (name, args, load) => {
    const program = new Command('godwit').enablePositionalOptions().addCommand(await load(cli));
    await expect(program.parseAsync([name, ...args], { from: 'user' })).rejects.toMatchObject({
      code: 'no-laboratory',
      message: `${name}: the laboratory is not installed`,
      remedy: 'install godwit-lab',
    });
  });
});
