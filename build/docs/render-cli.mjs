/** The page docs/reference/cli.md: each command with its arguments and flags, as the CLI itself defines them. */
import { cell, table, wrap } from './markdown.mjs';

/** What nearly every command has; told once. */
const COMMON = new Set(['json', 'quiet', 'verbose', 'data']);

const OPENING = `# Command line

Every command of \`godwit\`, with its arguments and flags. The program prints the same with
\`godwit help COMMAND\`. This page is made from the definitions of the commands (\`npm run docs\`).

| flag | what it does | environment |
| --- | --- | --- |
| \`--json [file]\` | print one JSON object; some commands can write it to a file | \`GODWIT_JSON\` |
| \`-q\`, \`--quiet\` | print nothing but errors | \`GODWIT_QUIET\` |
| \`-v\`, \`--verbose\` | write what happens to the log of the command | \`GODWIT_VERBOSE\` |
| \`--data DIR\` | the data folder of the daemon, or of the server | \`GODWIT_DATA\`, \`GODWIT_SERVER_DATA\` |

Nearly all commands take these four, so they are left out below. Each flag can also be set in
the environment. The [page on errors](errors.md) lists the exit codes.`;

/**
 * @param {import('commander').Command} program
 * @param {string} simulatorHelp
 * @returns {string}
 */
export function renderCli(program, simulatorHelp) {
  const groups = new Map();
  for (const command of program.commands) {
    const heading = command.helpGroup().replace(/:$/, '');
    groups.set(heading, [...(groups.get(heading) ?? []), command]);
  }
  const sections = [...groups].flatMap(([heading, commands]) => [
    `## ${heading}`,
    ...commands.flatMap((command) => renderCommand(command, 'godwit')),
  ]);
  const help = simulatorHelp
    .trim()
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line)));
  const simulator = ['```text', ...help, '```'].join('\n');
  return `${[OPENING, ...sections, '## The simulator', simulator].join('\n\n')}\n`;
}

/**
 * @param {import('commander').Command} command
 * @param {string} parent
 * @returns {string[]}
 */
function renderCommand(command, parent) {
  const name = `${parent} ${command.name()}`;
  const args = command.registeredArguments;
  const own = command.options.filter((option) => !COMMON.has(option.attributeName()));
  const usage = [name, ...(own.length > 0 ? ['[flags]'] : []), ...args.map(argumentText)].join(' ');
  return [
    `### ${name}`,
    wrap(`\`${usage}\`: ${command.description()}.`),
    ...table(
      ['argument', 'what it is'],
      args
        .filter(({ description }) => description)
        .map((each) => [`\`${each.name()}\``, cell(each.description)]),
    ),
    ...table(
      ['flag', 'what it does', 'environment'],
      own.map((option) => [
        `\`${option.flags}\``,
        cell(option.description + defaultText(option)),
        option.envVar === undefined ? '' : `\`${option.envVar}\``,
      ]),
    ),
    ...command.commands.flatMap((inner) => renderCommand(inner, name)),
  ];
}

function argumentText(argument) {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${name}>` : `[${name}]`;
}

function defaultText({ defaultValue, defaultValueDescription }) {
  const told = defaultValueDescription ?? defaultValue;
  const isTold = told === undefined || told === false;
  return isTold ? '' : ` (default: ${String(told)})`;
}
