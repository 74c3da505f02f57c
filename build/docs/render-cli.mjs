/** The page docs/reference/cli.md: each command with its arguments and flags, as the CLI itself defines them. */
import { EXAMPLES } from '../../app/cli/examples.ts';
import { cell, table, wrap } from './markdown.mjs';

/** The options of nearly every command, described once. */
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

/** A table of so many flags that an earlier command has shown is not shown again. */
const LEAST_SHARED = 3;

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
  const page = new Commands(program);
  const sections = [...groups].flatMap(([heading, commands]) => [
    `## ${heading}`,
    ...commands.flatMap((command) => page.render(command, 'godwit')),
  ]);
  const help = simulatorHelp
    .trim()
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line)));
  const simulator = ['```text', ...help, '```'].join('\n');
  return `${[OPENING, ...sections, '## The simulator', simulator].join('\n\n')}\n`;
}

class Commands {
  #top;
  /** By their tables of flags, the commands that have shown them. */
  #shown = new Map();

  /** @param {import('commander').Command} program */
  constructor(program) {
    this.#top = program.commands;
  }

  /**
   * @param {import('commander').Command} command
   * @param {string} parent
   * @returns {string[]}
   */
  render(command, parent) {
    const name = `${parent} ${command.name()}`;
    return [
      `### ${name}`,
      wrap(`\`${usageOf(name, command)}\`: ${command.description()}.`),
      ...argumentsOf(command),
      ...this.#flagsOf(name, command),
      ...examplesOf(name),
      ...this.#inner(name, command),
    ];
  }

  #flagsOf(name, command) {
    const own = ownFlags(command);
    const flags = table(['flag', 'what it does', 'environment'], own.map(flagRow));
    const [key = ''] = flags;
    const before = this.#shown.get(key);
    if (before !== undefined && own.length >= LEAST_SHARED)
      return [`Its flags are those of \`${before}\`.`];
    if (before === undefined) this.#shown.set(key, name);
    return flags;
  }

  /** A command that is also inside another one is described once. */
  #inner(name, command) {
    return command.commands.flatMap((inner) => {
      const same = this.#top.some(
        (each) => each.name() === inner.name() && each.description() === inner.description(),
      );
      const alias = `\`${name} ${inner.name()}\` is \`godwit ${inner.name()}\`.`;
      return same ? [alias] : this.render(inner, name);
    });
  }
}

/** A block of its own, so that it can be copied. */
function examplesOf(name) {
  const examples = EXAMPLES[name.replace(/^godwit /, '')] ?? [];
  return examples.length === 0 ? [] : [['```sh', ...examples, '```'].join('\n')];
}

const ownFlags = (command) =>
  command.options.filter((option) => !option.hidden && !COMMON.has(option.attributeName()));

function usageOf(name, command) {
  const flags = ownFlags(command).length > 0 ? ['[flags]'] : [];
  return [name, ...flags, ...command.registeredArguments.map(argumentText)].join(' ');
}

function argumentText(argument) {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentsOf(command) {
  const described = command.registeredArguments.filter(({ description }) => description);
  const rows = described.map((each) => [`\`${each.name()}\``, cell(each.description)]);
  return table(['argument', 'what it is'], rows);
}

function flagRow(option) {
  const twin = option.envVar === undefined ? '' : `\`${option.envVar}\``;
  return [`\`${option.flags}\``, cell(option.description + defaultText(option)), twin];
}

function defaultText({ defaultValue, defaultValueDescription }) {
  const value = defaultValueDescription ?? defaultValue;
  const isObvious = value === undefined || value === false;
  return isObvious ? '' : ` (default: ${String(value)})`;
}
