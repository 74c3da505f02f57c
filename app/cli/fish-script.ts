/** The script of completion for fish: a line for each command, flag and argument, each under a condition on what was typed. */
import type { Entry, Flag, TakenArgument } from './shell-entries.ts';

/** Writes the whole script. */
export function fishScript(entries: readonly Entry[]): string {
  const lines = entries.flatMap((entry) => {
    const { words, description, children, flags } = entry;
    const at = (rest = ''): string => `-n '__godwit_at "${words}"${rest}'`;
    const all = `-f -a "${children.join(' ')}"`;
    if (words === '') {
      return [
        `complete -c godwit -n __fish_use_subcommand ${all}`,
        // It takes the name of a command, and no file.
        `complete -c godwit -n "__fish_seen_subcommand_from help" ${all}`,
      ];
    }
    return [
      `# godwit ${words}: ${description}`,
      ...(children.length > 0 ? [`complete -c godwit ${at()} ${all}`] : []),
      ...entry.arguments.flatMap((each, index) => linesOf(each, index, at)),
      ...(entry.arguments.every(({ takes }) => takes === 'other') && children.length === 0
        ? [`complete -c godwit ${at()} -f`]
        : []),
      ...flags.map((flag) => `complete -c godwit ${at()} ${flagText(flag)}`),
    ];
  });
  return `${[...functions(entries), ...lines].join('\n')}\n`;
}

function linesOf(
  { takes, isVariadic, values }: TakenArgument,
  index: number,
  at: (rest: string) => string,
): string[] {
  const place = at(isVariadic ? '' : ` ${index}`);
  const after = Object.entries(values.after ?? {}).filter(([, words]) => words.length > 0);
  return [
    ...(takes === 'path' ? [`complete -c godwit ${place} -a '(__godwit_paths)'`] : []),
    ...(takes === 'other' ? [`complete -c godwit ${place} -f`] : []),
    ...(values.words.length > 0
      ? [`complete -c godwit ${place} -f -a "${values.words.join(' ')}"`]
      : []),
    ...after.map(
      ([key, words]) => `complete -c godwit ${at(` ${index} ${key}`)} -f -a "${words.join(' ')}"`,
    ),
  ];
}

function flagText({ name, takes, values }: Flag): string {
  const kind = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  if (takes === null) return kind;
  if (values.length > 0) return `${kind} -x -a "${values.join(' ')}"`;
  if (takes === 'path') return `${kind} -r -F -a '(__godwit_paths)'`;
  return takes === 'file' ? `${kind} -r -F` : `${kind} -x`;
}

/** The first is true at this command, at an argument by its index, after an argument; the other asks the daemon where no file of this disk is being typed. */
function functions(entries: readonly Entry[]): string[] {
  const commands = entries.filter(({ words }) => words !== '').map(({ words }) => `"${words}"`);
  const valued = entries.flatMap(({ flags }) => flags).filter(({ takes }) => takes !== null);
  const names = [...new Set(valued.map(({ name }) => name))].filter((name) =>
    name.startsWith('--'),
  );
  return [
    'function __godwit_at',
    '    set -l command ""',
    '    set -l last ""',
    '    set -l before ""',
    '    set -l given 0',
    '    for word in (commandline -opc)[2..]',
    `        if contains -- "$before" ${names.sort().join(' ')}`,
    '            set before ""',
    '            continue',
    '        end',
    '        set before "$word"',
    '        string match -q -- "-*" "$word"; and continue',
    '        set -l longer (string trim -- "$command $word")',
    `        if contains -- "$longer" ${commands.join(' ')}`,
    '            set command "$longer"',
    '        else',
    '            set given (math $given + 1)',
    '            set last "$word"',
    '        end',
    '    end',
    '    test "$command" = "$argv[1]"; or return 1',
    '    test (count $argv) -lt 2; or test "$given" = "$argv[2]"; or return 1',
    '    test (count $argv) -lt 3; or test "$last" = "$argv[3]"',
    'end',
    'function __godwit_paths',
    '    set -l typed (commandline -ct | string unescape 2>/dev/null; or commandline -ct)',
    '    switch "$typed"',
    '        case ""',
    '            return',
    '        case "/*"',
    "            set -l folder (string replace -r '[^/]*$' '' -- $typed)",
    '            test "$folder" != / -a -d "$folder"; and return',
    '        case "*:/*"',
    '        case "*/*"',
    '            return',
    '        case "*"',
    '            set -l files $typed*',
    '            test (count $files) -gt 0; and return',
    '    end',
    '    timeout 2 godwit ls "--typed=$typed" 2>/dev/null </dev/null',
    'end',
  ];
}
