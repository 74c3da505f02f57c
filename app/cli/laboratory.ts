/**
 * The way to the laboratory (app/lab): the one file outside of it that imports it. A package may leave it out, and then its commands say
 * where it is to be had.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Cli } from './cli.ts';
import { PROGRAM_ROOT } from './folders.ts';

/** What it has, also where it is not here: a name that is typed is known. */
export const LABORATORY_NAMES = ['lab', 'replay', 'trace', 'link', 'bench', 'demo', 'sim'] as const;

/** Whether it is installed. */
export const hasLaboratory = (): boolean =>
  existsSync(join(PROGRAM_ROOT, 'app', 'lab', 'laboratory.ts'));

/** null: it is not installed. */
export async function laboratory() {
  if (!hasLaboratory()) return null;
  return import('../lab/laboratory.ts');
}

/** The commands of the laboratory if it is not installed: each throws an error that says so. */
export function missingCommands(): Readonly<Record<string, (cli: Cli) => Promise<Command>>> {
  return Object.fromEntries(
    LABORATORY_NAMES.map((name) => [name, () => Promise.resolve(missing(name))]),
  );
}

/** Of a thing that takes the laboratory. */
export function notInstalled(what: string): GodwitError {
  return new GodwitError('no-laboratory', `${what}: the laboratory is not installed`);
}

function missing(name: string): Command {
  return new Command(name)
    .description('in the package godwit-lab, which is not installed')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument('[arguments...]')
    .action(() => {
      throw notInstalled(name);
    });
}
