/** Manual pages (section 1): one of `godwit`, and one of each command with all that is in it, as the CLI itself defines them. */
import { EXAMPLES } from '../../app/cli/examples.ts';

/**
 * What the pages name beside the commands. `helps`: of commands that read their own arguments, what they say themselves.
 * @typedef {{ version: string, date: string, helps: Readonly<Record<string, string>> }} About
 */

/** Exit codes and files: the same for all commands. */
const CODES = [
  ['0', 'fine'],
  ['1', 'it failed, and one line says why'],
  ['2', 'it was called wrongly'],
  ['3', 'what it is about was not found'],
  ['5', 'not now: try again'],
  ['7', 'fatal: it does not pass by itself'],
];

const FILES = [
  ['~/.local/state/godwit/default', 'settings, key, database and log of the daemon of this user'],
  ['~/.local/state/godwit/server', 'data of a server that was started without --data'],
  ['.godwitignore', 'in the folder: what is not synced'],
];

/**
 * Pages by their file names. `isIn`: of which headings of the help there are pages.
 * @param {import('commander').Command} program
 * @param {About} about
 * @param {(heading: string) => boolean} isIn
 * @returns {Map<string, string>}
 */
export function renderManPages(program, about, isIn = () => true) {
  const commands = program.commands.filter((each) => isIn(each.helpGroup()));
  return new Map([
    ['godwit.1', mainPage(program, about)],
    ...commands.map((each) => [`godwit-${each.name()}.1`, commandPage(each, about)]),
  ]);
}

/** @param {import('commander').Command} program @param {About} about */
function mainPage(program, about) {
  const headings = [...new Set(program.commands.map((each) => each.helpGroup()))];
  const groups = headings.flatMap((heading) => [
    `.SS ${text(heading.replace(/:$/, ''))}`,
    ...program.commands
      .filter((each) => each.helpGroup() === heading)
      .flatMap((each) => item(`${bold(`godwit ${each.name()}`)}`, each.description())),
  ]);
  return page([
    header('GODWIT', 1, about),
    ...named('godwit', program.description()),
    '.SH SYNOPSIS',
    `${bold('godwit')} ${italic('COMMAND')} [${italic('flags')}] [${italic('arguments')}]`,
    '.SH DESCRIPTION',
    text(
      'A daemon keeps a folder the same on all laptops of a person, through a server of their own. These commands start it, tell what it does, and maintain the server.',
    ),
    text('Each command has a page of its own, such as godwit-up(1).'),
    '.SH COMMANDS',
    ...groups,
    '.SH OPTIONS',
    ...program.options.flatMap(flagItem),
    ...item(bold('-h, --help'), 'say what a command does'),
    ...closing(['godwit-up(1)', 'godwit-server(1)', 'godwit-status(1)']),
  ]);
}

/** @param {import('commander').Command} command @param {About} about */
function commandPage(command, about) {
  const name = `godwit-${command.name()}`;
  const all = withInner(command, 'godwit');
  return page([
    header(name.toUpperCase(), 1, about),
    ...named(name, command.description()),
    '.SH SYNOPSIS',
    ...all.flatMap(({ words, each }, index) => [...(index > 0 ? ['.br'] : []), usage(words, each)]),
    '.SH DESCRIPTION',
    ...describe(command, command.name()),
    ...(Object.hasOwn(about.helps, command.name()) ? verbatim(about.helps[command.name()]) : []),
    ...(all.length > 1 ? ['.SH COMMANDS'] : []),
    ...all
      .slice(1)
      .flatMap(({ words, each }) => [
        `.SS ${text(words)}`,
        ...describe(each, words.replace(/^godwit /, '')),
      ]),
    ...closing(['godwit(1)']),
  ]);
}

function withInner(command, parent) {
  const words = `${parent} ${command.name()}`;
  const inner = command.commands.flatMap((each) => withInner(each, words));
  return [{ words, each: command }, ...inner];
}

function describe(command, words) {
  const own = command.registeredArguments.filter(({ description }) => description);
  return [
    text(sentence(command.description())),
    ...own.flatMap((each) => item(italic(each.name()), each.description)),
    ...command.options.filter(({ hidden }) => !hidden).flatMap(flagItem),
    ...(Object.hasOwn(EXAMPLES, words) ? verbatim(EXAMPLES[words].join('\n')) : []),
  ];
}

function usage(words, command) {
  const given = command.registeredArguments.map((argument) => {
    const shown = italic(argument.name()) + (argument.variadic ? '...' : '');
    return argument.required ? shown : `[${shown}]`;
  });
  return [bold(words), `[${italic('flags')}]`, ...given].join(' ');
}

function flagItem(option) {
  const { defaultValue, defaultValueDescription, envVar } = option;
  const value = defaultValueDescription ?? defaultValue;
  const usual = value === undefined || value === false ? '' : ` (default: ${String(value)})`;
  const twin = envVar === undefined ? '' : `; in the environment: ${envVar}`;
  return item(bold(option.flags), `${option.description}${usual}${twin}`);
}

function closing(others) {
  return [
    '.SH EXIT STATUS',
    ...CODES.flatMap(([code, says]) => item(bold(code), says)),
    '.SH ENVIRONMENT',
    text(
      'Each flag has a twin in the environment: --data is GODWIT_DATA. Those of godwit server begin with GODWIT_SERVER_.',
    ),
    '.SH FILES',
    ...FILES.flatMap(([path, says]) => item(italic(path), says)),
    '.SH SEE ALSO',
    others.map((each) => text(each)).join(', '),
    '.PP',
    text('The guide is in /usr/share/doc/godwit, where the Debian package is installed.'),
  ];
}

const header = (name, section, { version, date }) =>
  `.TH ${text(name)} ${section} ${date} "Godwit ${version}" "Godwit"`;

const named = (name, says) => ['.SH NAME', `${text(name)} \\- ${text(says.replace(/\.$/, ''))}`];

const item = (term, says) => ['.TP', term, text(sentence(says))];

/** `run the server` as a sentence of a page. */
const sentence = (says) => `${says.charAt(0).toUpperCase()}${says.slice(1).replace(/\.$/, '')}.`;

const bold = (words) => `\\fB${text(words)}\\fR`;
const italic = (words) => `\\fI${text(words)}\\fR`;

/** As troff has to be told: a hyphen that is typed, a backslash, and no request by accident. @param {string} words */
function text(words) {
  const plain = words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
  return plain.replace(/^(?=[.'])/, '\\&');
}

const verbatim = (help) => ['.PP', '.nf', ...help.trimEnd().split('\n').map(text), '.fi'];

const page = (lines) => `${lines.join('\n')}\n`;
