/** A desktop entry (the freedesktop.org specification) that runs a command. */

export function desktopEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Godwit',
    'Comment=A synced folder for laptops that roam',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

const IN_VALUE: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * As `Exec` wants it: in quotes, in which `"`, `` ` ``, `$` and `\` have a backslash before them; that once more for the value of a
 * key, in which a line break is `\n`; and `%` doubled.
 */
function quoted(argument: string): string {
  const inQuotes = argument.replace(/["`$\\]/g, '\\$&');
  const value = inQuotes
    .replaceAll('\\', '\\\\')
    .replace(/[\n\r\t]/g, (each) => IN_VALUE[each] ?? '');
  return `"${value.replaceAll('%', '%%')}"`;
}
