/**
 * The settings file of a server that runs as a service: lines NAME=VALUE, read by systemd and by a shell. What a person wrote into it
 * beside the settings stays.
 */
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const LINE = /^\s*([A-Z][A-Z0-9_]*)=(.*)$/;
/** Means the same to systemd and to a shell as it stands; else it goes into quotes. */
const PLAIN = /^[\w@%+:,./[\]-]*$/;
/** Means something else to one of them even in quotes. */
const NEVER = /["$`\\\n\r]/;

/** The settings in a text, without their quotes; the last line of a name counts. */
export function parseSettings(text: string): Map<string, string> {
  const rows = text.split('\n').flatMap((line) => {
    const match = LINE.exec(line);
    const value = (match?.[2] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
    return match === null ? [] : [[match[1] ?? '', value] as const];
  });
  return new Map(rows);
}

/** The text with other values; what is not in it yet goes to its end. Throws GodwitError `usage` for a value that can't be written. */
export function withSettings(text: string, settings: ReadonlyMap<string, string>): string {
  const left = new Map(settings);
  const lines = text.split('\n').map((line) => {
    const name = LINE.exec(line)?.[1] ?? '';
    const value = settings.get(name);
    if (value === undefined) return line;
    left.delete(name);
    return lineOf(name, value);
  });
  while (lines.at(-1) === '') lines.pop();
  return `${[...lines, ...[...left].map(([name, value]) => lineOf(name, value))].join('\n')}\n`;
}

function lineOf(name: string, value: string): string {
  if (NEVER.test(value)) {
    const remedy = 'choose one without quotes, $, ` and \\';
    throw new GodwitError('usage', `${value}: it can't be written into a settings file`, remedy);
  }
  return PLAIN.test(value) ? `${name}=${value}` : `${name}="${value}"`;
}
