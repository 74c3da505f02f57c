/** The pages of docs/reference by name, each made of what the programs themselves go by. */
import { PassThrough } from 'node:stream';
import { Cli } from '../../app/cli/cli.ts';
import { Interruption } from '../../app/cli/interruption.ts';
import { buildProgram, loadedProgram } from '../../app/cli/program.ts';
import { COMMANDS } from '../../shared/control/commands.ts';
import { FS_OPERATIONS } from '../../shared/control/file-operations.ts';
import { ERROR_CODES } from '../../shared/wire/error-codes.ts';
import { busyDaemon, busyServer } from '../../test/support/told-metrics.ts';
import { renderCli } from './render-cli.mjs';
import { renderControlApi } from './render-control-api.mjs';
import { renderErrors } from './render-errors.mjs';
import { renderMetrics } from './render-metrics.mjs';
import { renderSettings } from './render-settings.mjs';

/** @returns {Promise<Map<string, string>>} */
export async function referencePages() {
  return new Map([
    ['cli', renderCli(await program(), await simulatorHelp())],
    ['settings', renderSettings()],
    ['errors', renderErrors(ERROR_CODES)],
    ['metrics', renderMetrics(busyDaemon().figures() ?? [], busyServer().figures() ?? [])],
    ['control-api', renderControlApi(COMMANDS, FS_OPERATIONS)],
  ]);
}

/** All commands of `godwit`, without anything behind them. */
export function program() {
  const still = new PassThrough();
  const cli = new Cli({ stdin: still, stdout: still, stderr: still }, new Interruption());
  return loadedProgram(cli);
}

/** The text of app/cli/help-lines.ts: how each command stands in the page of help. */
export async function helpLines() {
  const whole = await program();
  const help = whole.createHelp();
  const rows = whole.commands.map((command) => {
    const line = [help.subcommandTerm(command), help.subcommandDescription(command)];
    return `  ${JSON.stringify(command.name())}: ${JSON.stringify(line)},`;
  });
  const head =
    '/** How each command stands in the page of help, so that this page loads none of them. Made by `npm run docs`. */';
  const type = 'Readonly<Record<string, readonly [term: string, says: string]>>';
  return `${head}\nexport const HELP_LINES: ${type} = {\n${rows.join('\n')}\n};\n`;
}

/** `godwit sim` reads its own arguments, and says its help itself. */
export async function simulatorHelp() {
  const output = new PassThrough();
  const cli = new Cli({ stdin: output, stdout: output, stderr: output }, new Interruption());
  await (await buildProgram(cli, ['sim'])).parseAsync(['sim', '--help'], { from: 'user' });
  return String(output.read());
}
