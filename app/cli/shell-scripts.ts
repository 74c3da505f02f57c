/**
 * Scripts of completion for bash and zsh, which share all that decides what may come next, and for fish. A path is completed as a file by the shell's own
 * means, so that quoting and `~` are as for any command; what only the daemon knows it is asked for (`godwit ls --typed`, `godwit versions --removed`).
 */
import type { Command } from 'commander';
import { fishScript } from './fish-script.ts';
import { entriesOf, type Entry, type Flag } from './shell-entries.ts';

/** The shells that there is a script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Writes the completion script of a shell for all commands and flags of a program. */
export function scriptFor(shell: Shell, program: Command): string {
  const entries = entriesOf(program);
  if (shell === 'fish') return fishScript(entries);
  const isZsh = shell === 'zsh';
  const script = isZsh ? zshScript(entries) : bashScript(entries);
  return [...(isZsh ? ['#compdef godwit'] : []), ...ASKS, ...script, ''].join('\n');
}

/** Names without their folder that were removed from the one which is being typed; and paths of a volume. Nothing where that takes long. None has the terminal: a program that `timeout` runs is in the background, and would be stopped by it. */
const ASKS = [
  '_godwit_removed() {',
  '  local folder="."',
  '  case "$1" in */*) folder="${1%/*}/" ;; esac',
  '  timeout 2 godwit versions --removed --json -- "${folder/#\\~\\//$HOME/}" 2>/dev/null </dev/null |',
  '    sed -e \'s/},{/}\\n{/g\' | sed -n \'s/.*"path":"\\([^"\\\\]*\\)","kind".*/\\1/p\' | sed \'s|.*/||\'',
  '}',
  // The daemon is not asked where a file of this disk is being typed.
  '_godwit_paths() {',
  '  local folder="${1%/*}/" file',
  '  case "$1" in',
  '    "") return ;;',
  '    /*) [[ $folder != / && -d $folder ]] && return ;;',
  '    *:/*) ;;',
  '    */*) return ;;',
  '    *) for file in "$1"*; do [[ -e $file ]] && return; done ;;',
  '  esac',
  '  timeout 2 godwit ls ${2:+"--data=$2"} "--typed=$1" 2>/dev/null </dev/null',
  '}',
];

/** What may come: `kind` is path, file, words (then `offered`) or none. Read from `typed`, `current` and `previous`; `first` is the index of the first word after `godwit`, `end` that of the one being typed. */
function decide(entries: readonly Entry[]): string[] {
  const flags = entries.flatMap((entry) => entry.flags);
  const long = (test: (flag: Flag) => boolean): string =>
    [...new Set(flags.filter(test).map(({ name }) => name))]
      .filter((name) => name.startsWith('--'))
      .sort()
      .join('|') || '-';
  return [
    '  for ((i = first; i < end; i++)); do',
    '    word="${typed[i]}"',
    '    case "${typed[i-1]}" in',
    '      --data) data="${word/#\\~\\//$HOME/}"; continue ;;',
    `      ${long(({ takes }) => takes !== null)}) continue ;;`,
    '    esac',
    '    case "$at/$word" in',
    '      */-*) continue ;;',
    `      ${commandPaths(entries)}) at="$at/$word"; continue ;;`,
    '    esac',
    '    given=$((given + 1)); last="$word"',
    '  done',
    '  case "$at $previous" in',
    ...valuesOfFlags(entries),
    '  esac',
    '  [[ $kind ]] || case "$previous" in',
    `    ${long(({ takes }) => takes === 'file')}) kind=file ;;`,
    `    ${long(({ takes }) => takes === 'path')}) kind=path ;;`,
    `    ${long(({ takes }) => takes === 'other')}) kind=none ;;`,
    '  esac',
    '  [[ $kind ]] || case "$at" in',
    ...entries.map(({ words, children, flags: own }) => {
      const names = own.map(({ name }) => name).join(' ');
      return `    "${pathOf(words)}") names="${children.join(' ')}"; flags="${names}" ;;`;
    }),
    '  esac',
    '  [[ $kind || $current != -* ]] || { kind=words; offered="$flags"; }',
    '  [[ $kind ]] || case "$at:$given:$last" in',
    ...valuesOfArguments(entries),
    '  esac',
    '  [[ $kind ]] || { kind=words; offered="${names:-$flags}"; }',
  ];
}

const pathOf = (words: string): string => (words === '' ? '' : `/${words.replaceAll(' ', '/')}`);

const commandPaths = (entries: readonly Entry[]): string =>
  entries
    .filter(({ words }) => words !== '')
    .map(({ words }) => pathOf(words))
    .join('|');

const offers = (words: readonly string[]): string => `kind=words; offered="${words.join(' ')}"`;

function valuesOfFlags(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ words, flags }) =>
    flags
      .filter(({ values }) => values.length > 0)
      .map(({ name, values }) => `    "${pathOf(words)} ${name}") ${offers(values)} ;;`),
  );
}

function valuesOfArguments(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ words, arguments: all }) =>
    all.flatMap(({ takes, isVariadic, values }, index) => {
      const place = `"${pathOf(words)}:${isVariadic ? '"*' : `${index}:"*`}`;
      const after = Object.entries(values.after ?? {})
        .filter(([, given]) => given.length > 0)
        .map(([key, given]) => `    "${pathOf(words)}:${index}:${key}") ${offers(given)} ;;`);
      if (values.words.length > 0) return [...after, `    ${place}) ${offers(values.words)} ;;`];
      return takes === 'other' ? after : [`    ${place}) kind=${takes} ;;`];
    }),
  );
}

const LOCALS =
  'local current previous word plain at="" kind="" names="" flags="" offered="" last="" data="" given=0 first end i';

function bashScript(entries: readonly Entry[]): string[] {
  return [
    '_godwit() {',
    `  ${LOCALS}`,
    '  local joined=0; local -a typed=() found=()',
    '  COMPREPLY=()',
    // It divides words at colons and equals signs, too.
    '  for ((i = 0; i <= COMP_CWORD; i++)); do',
    '    word="${COMP_WORDS[i]}"; end=$((${#typed[@]} - 1))',
    '    if [[ $word == "=" && $i -gt 0 && ${typed[end]} == --* ]]; then',
    '      [[ $i == "$COMP_CWORD" ]] && typed+=("")',
    '    elif [[ $i -gt 0 && ($joined == 1 || $word == :*) ]]; then',
    '      typed[end]+="$word"',
    '    else',
    '      typed+=("$word")',
    '    fi',
    '    joined=0; [[ $word == *: ]] && joined=1',
    '  done',
    '  first=1; end=$((${#typed[@]} - 1))',
    '  current="${typed[end]}"; previous="${typed[end-1]}"',
    ...decide(entries),
    // Nothing is offered: then bash completes files.
    '  [[ $kind == file ]] && return',
    '  if [[ $kind != path ]]; then',
    '    compopt +o default 2>/dev/null',
    '    [[ $kind == words ]] && COMPREPLY=($(compgen -W "$offered" -- "$current"))',
    '    return',
    '  fi',
    '  plain="${current//\\\\/}"; plain="${plain#[\\"\\\']}"',
    '  while IFS= read -r word; do found+=("$word"); done < <(_godwit_paths "$plain" "$data")',
    '  if [[ $at == /restore ]]; then',
    '    last=""; [[ $plain == */* ]] && last="${plain%/*}/"',
    '    while IFS= read -r word; do',
    '      [[ $last$word == "$plain"* ]] && found+=("$last$word")',
    '    done < <(_godwit_removed "$plain")',
    '  fi',
    '  [[ ${#found[@]} == 0 ]] && return',
    // It would put a backslash before the colon of a volume.
    '  if [[ $plain == */* || $at == /restore ]]; then compopt -o filenames 2>/dev/null; fi',
    '  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")',
    '  COMPREPLY+=("${found[@]}")',
    '  if [[ $current == *:* && $current != [\\"\\\']* && $current != *\\\\:* && $COMP_WORDBREAKS == *:* ]]; then',
    '    last="${plain%"${plain##*:}"}"; COMPREPLY=("${COMPREPLY[@]#"$last"}")',
    '  fi',
    '  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null',
    '  return 0',
    '}',
    'complete -o default -F _godwit godwit',
  ];
}

function zshScript(entries: readonly Entry[]): string[] {
  return [
    '_godwit() {',
    '  setopt local_options no_nomatch no_ksh_arrays',
    `  ${LOCALS}`,
    '  local -a typed found folders; typed=("${words[@]}")',
    '  first=2; end=$CURRENT',
    '  current="${words[CURRENT]}"; previous="${words[CURRENT-1]}"',
    '  if [[ $current == --*=* ]]; then',
    '    previous="${current%%=*}"; current="${current#*=}"; compset -P "*="',
    '  fi',
    ...decide(entries),
    '  case "$kind" in',
    '    none) return ;;',
    '    words) compadd -- ${=offered}; return ;;',
    '    path)',
    '      plain="${(Q)current}"',
    '      found=(${(f)"$(_godwit_paths "$plain" "$data")"})',
    '      folders=(${(M)found:#*/}); found=(${found:#*/})',
    '      if [[ $at == /restore ]]; then',
    '        last=""; [[ $plain == */* ]] && last="${plain%/*}/"',
    '        for word in ${(f)"$(_godwit_removed "$plain")"}; do found+=("$last$word"); done',
    '      fi',
    "      [[ $#folders -gt 0 ]] && compadd -f -S '' -a folders",
    '      [[ $#found -gt 0 ]] && compadd -f -a found ;;',
    '  esac',
    '  _files',
    '}',
    // Read at the first Tab, from a folder of completions, or sourced.
    'if [[ "${funcstack[1]}" == _godwit ]]; then _godwit "$@"; else compdef _godwit godwit; fi',
  ];
}
