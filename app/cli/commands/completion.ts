/**
 * `godwit completion SHELL`: a script for the shell to read, made from the commands as they are. A path is completed as a file, by the
 * shell's own means, so that quoting and `~` are as for any command; for `godwit restore` also names that were removed, which the
 * daemon knows.
 */
import type { Command, Option } from 'commander';
import { oneOf } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { takesPath } from '../paths/path-arguments.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

interface Entry {
  /** The words of the command: empty for `godwit` itself, else such as `server invite`. */
  readonly words: string;
  readonly description: string;
  readonly children: readonly string[];
  readonly flags: readonly Flag[];
  /** An argument of it is a file: of the volume, or of this machine. */
  readonly takesFiles: boolean;
}

interface Flag {
  readonly name: string;
  /** What it takes: a file, another value, or nothing. */
  readonly value: 'file' | 'other' | null;
}

/** Its values are files of this machine. */
const FILES = /[<[](dir|file|path)[>\]]/;
/** Arguments that are files of this machine, by their names. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set(['source', 'file', 'trace', 'in', 'out']);

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
  if (shell === 'fish') return fishScript(entries);
  return shell === 'zsh' ? zshScript(entries) : bashScript(entries);
}

function entriesOf(command: Command, words: string): Entry[] {
  const children = command.commands.filter((child) => !isHidden(child));
  const own: Entry = {
    words,
    description: command.description(),
    children: children.map((child) => child.name()),
    flags: command.options.flatMap(flagsOf),
    takesFiles: command.registeredArguments.some(
      (argument) => takesPath(argument) || FILE_ARGUMENTS.has(argument.name()),
    ),
  };
  const below = children.flatMap((child) =>
    entriesOf(child, words === '' ? child.name() : `${words} ${child.name()}`),
  );
  return [own, ...below];
}

const isHidden = (command: Command): boolean => (command as { _hidden?: boolean })._hidden === true;

function flagsOf(option: Option): Flag[] {
  const file = takesPath(option) || FILES.test(option.flags) ? 'file' : 'other';
  const value = option.required ? file : null;
  return [option.short, option.long].flatMap((name) => (name ? [{ name, value }] : []));
}

/** A case for each command: what may come there. `files`: 1 where that is a file. */
function casesOf(entries: readonly Entry[]): string[] {
  return entries.map(({ words, children, flags, takesFiles }) => {
    const names = [...children, ...flags.map(({ name }) => name)].join(' ');
    return `    "${words}") offered="${names}"; files=${takesFiles ? 1 : 0} ;;`;
  });
}

const commandPaths = (entries: readonly Entry[]): string =>
  entries
    .filter(({ words }) => words !== '')
    .map(({ words }) => words.replaceAll(' ', '/'))
    .join(' ');

const valued = (entries: readonly Entry[], kind: 'file' | 'other'): string =>
  [
    ...new Set(
      entries
        .flatMap(({ flags }) => flags)
        .filter(isLong(kind))
        .map(({ name }) => name),
    ),
  ]
    .sort()
    .join('|');

/** One letter is another flag in another command. */
const isLong =
  (kind: 'file' | 'other') =>
  ({ name, value }: Flag): boolean =>
    value === kind && name.startsWith('--');

/** Names without their folder that were removed from the one which is being typed; nothing where that takes long. */
const REMOVED = [
  '_godwit_removed() {',
  '  local folder="."',
  '  case "$1" in */*) folder="${1%/*}/" ;; esac',
  '  timeout 2 godwit versions --removed --json -- "${folder/#\\~\\//$HOME/}" 2>/dev/null |',
  '    sed -e \'s/},{/}\\n{/g\' | sed -n \'s/.*"path":"\\([^"\\\\]*\\)","kind".*/\\1/p\' | sed \'s|.*/||\'',
  '}',
];

function bashScript(entries: readonly Entry[]): string {
  return [
    ...REMOVED,
    '_godwit() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
    '  local path="" offered="" files=0 i word',
    '  COMPREPLY=()',
    '  case "$previous" in',
    // Nothing is offered: then bash completes files.
    `    ${valued(entries, 'file')}) return ;;`,
    `    ${valued(entries, 'other')}) compopt +o default 2>/dev/null; return ;;`,
    '  esac',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    word="${COMP_WORDS[i]}"',
    `    case " ${commandPaths(entries)} " in *" \${path:+$path/}$word "*) path="\${path:+$path/}$word" ;; esac`,
    '  done',
    '  case "${path//\\// }" in',
    ...casesOf(entries),
    '  esac',
    '  if [[ $path == restore && $current != -* ]]; then',
    '    local folder="" name IFS=$\'\\n\'',
    '    [[ $current == */* ]] && folder="${current%/*}/"',
    '    compopt -o filenames 2>/dev/null',
    '    COMPREPLY=($(compgen -f -- "$current"))',
    '    for name in $(_godwit_removed "$current"); do',
    '      [[ $folder$name == "$current"* ]] && COMPREPLY+=("$folder$name")',
    '    done',
    '    return',
    '  fi',
    '  [[ $files == 1 && $current != -* ]] && return',
    '  [[ $files == 0 ]] && compopt +o default 2>/dev/null',
    '  COMPREPLY=($(compgen -W "$offered" -- "$current"))',
    '}',
    'complete -o default -F _godwit godwit',
    '',
  ].join('\n');
}

function zshScript(entries: readonly Entry[]): string {
  return [
    '#compdef godwit',
    ...REMOVED,
    '_godwit() {',
    '  local current="${words[CURRENT]}" previous="${words[CURRENT-1]}"',
    '  local -a typed removed; typed=("${words[@]}")',
    '  local path_="" offered="" files=0 i word',
    '  case "$previous" in',
    `    ${valued(entries, 'file')}) _files; return ;;`,
    `    ${valued(entries, 'other')}) return ;;`,
    '  esac',
    '  for ((i = 2; i < CURRENT; i++)); do',
    '    word="${typed[i]}"',
    `    case " ${commandPaths(entries)} " in *" \${path_:+$path_/}$word "*) path_="\${path_:+$path_/}$word" ;; esac`,
    '  done',
    '  case "${path_//\\// }" in',
    ...casesOf(entries),
    '  esac',
    '  if [[ $files == 1 && $current != -* ]]; then',
    '    if [[ $path_ == restore ]]; then',
    '      removed=(${(f)"$(_godwit_removed "$current")"})',
    '      [[ $current == */* ]] && removed=("${current%/*}/"${^removed})',
    '      compadd -f -a removed',
    '    fi',
    '    _files',
    '  else',
    '    compadd -- ${=offered}',
    '  fi',
    '}',
    // Read at the first Tab, from a folder of completions, or sourced.
    'if [[ "${funcstack[1]}" == _godwit ]]; then _godwit "$@"; else compdef _godwit godwit; fi',
    '',
  ].join('\n');
}

function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ words, description, children, flags, takesFiles }) => {
    const seen = words.split(' ').at(-1);
    if (seen === undefined || seen === '') {
      const all = `-f -a "${children.join(' ')}"`;
      return [
        `complete -c godwit -n __fish_use_subcommand ${all}`,
        // It takes the name of a command, and no file.
        `complete -c godwit -n "__fish_seen_subcommand_from help" ${all}`,
      ];
    }
    const condition = `-n "__fish_seen_subcommand_from ${seen}"`;
    const title = `# godwit ${words}: ${description}`;
    const names = [
      ...(children.length > 0
        ? [`complete -c godwit ${condition} -f -a "${children.join(' ')}"`]
        : []),
      ...(children.length === 0 && !takesFiles ? [`complete -c godwit ${condition} -f`] : []),
    ];
    const options = flags.map(({ name, value }) => {
      const kind = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
      const takes = value === null ? '' : value === 'file' ? ' -r -F' : ' -x';
      return `complete -c godwit ${condition} ${kind}${takes}`;
    });
    return [title, ...names, ...options];
  });
  return `${lines.join('\n')}\n`;
}
