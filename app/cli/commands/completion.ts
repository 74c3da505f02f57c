/** `godwit completion SHELL`: a script for the shell to read, made from the commands as they are. */
import type { Command } from 'commander';
import { oneOf } from '../arguments.ts';
import type { Cli } from '../cli.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

interface Entry {
  /** The words of the command: empty for `godwit` itself, else such as `server invite`. */
  readonly words: string;
  readonly description: string;
  readonly children: readonly string[];
  readonly flags: readonly string[];
}

/** Builds `godwit completion`, which prints a completion script for bash, zsh or fish. */
export function completionCommand(cli: Cli): Command {
  const command = cli
    .plain('completion', 'print a completion script for bash, zsh or fish')
    .argument('<shell>', SHELLS.join(', '));
  return cli.does(command, async (context, _options, [text = '']) => {
    await Promise.resolve();
    const shell = oneOf(...SHELLS)(text);
    const script = scriptFor(shell, command.parent ?? command);
    context.result({ shell, script }, script.trimEnd().split('\n'));
  });
}

/** Writes the completion script of a shell for all commands and flags of a program. */
export function scriptFor(shell: Shell, program: Command): string {
  const entries = entriesOf(program, '');
  return shell === 'fish' ? fishScript(entries) : bashScript(entries, shell);
}

function entriesOf(command: Command, words: string): Entry[] {
  const children = command.commands.filter((child) => !isHidden(child));
  const own: Entry = {
    words,
    description: command.description(),
    children: children.map((child) => child.name()),
    flags: command.options.flatMap((option) => [option.short, option.long].filter(isText)),
  };
  const below = children.flatMap((child) =>
    entriesOf(child, words === '' ? child.name() : `${words} ${child.name()}`),
  );
  return [own, ...below];
}

const isHidden = (command: Command): boolean => (command as { _hidden?: boolean })._hidden === true;
const isText = (text: string | undefined): text is string => text !== undefined;

/** Works in zsh too, through its own emulation of bash's completion. */
function bashScript(entries: readonly Entry[], shell: Shell): string {
  const cases = entries.map(
    ({ words, children, flags }) =>
      `    "${words}") words="${[...children, ...flags].join(' ')}" ;;`,
  );
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_godwit() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" path="" words="" i word',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    word="${COMP_WORDS[i]}"',
    `    case " ${commandPaths(entries)} " in *" \${path:+$path/}$word "*) path="\${path:+$path/}$word" ;; esac`,
    '  done',
    '  case "${path//\\// }" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _godwit godwit',
    '',
  ].join('\n');
}

const commandPaths = (entries: readonly Entry[]): string =>
  entries
    .filter(({ words }) => words !== '')
    .map(({ words }) => words.replaceAll(' ', '/'))
    .join(' ');

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ words, description, children, flags }) => {
    const [first, second] = words.split(' ');
    if (first === undefined || first === '') {
      return [`complete -c godwit -n __fish_use_subcommand -f -a "${children.join(' ')}"`];
    }
    const seen = second === undefined ? first : second;
    const condition = `-n "__fish_seen_subcommand_from ${seen}"`;
    const title = `# godwit ${words}: ${description}`;
    const names =
      children.length > 0 ? [`complete -c godwit ${condition} -f -a "${children.join(' ')}"`] : [];
    const options = flags.map((text) =>
      text.startsWith('--')
        ? `complete -c godwit ${condition} -l ${text.slice(2)}`
        : `complete -c godwit ${condition} -s ${text.slice(1)}`,
    );
    return [title, ...names, ...options];
  });
  return `${lines.join('\n')}\n`;
}
