/**
 * What of a line's fields may be written: never a secret, by the name of its key or by the look of its value.
 *
 * This is the second guard. The first is that no code logs a secret.
 */
import type { LogFields } from '../ports/log.ts';

const REDACTED = '[redacted]';
const SECRET_KEY = /secret|ticket|private-?_?key|invitation|password|credential|pem$/i;
/** An invitation as a person gets it, or anything in PEM. */
const SECRET_VALUE = /godwit:\/\/|-----BEGIN /;
/** What a line has of its own. */
const OWN: ReadonlySet<string> = new Set(['time', 'level', 'message']);

/** The fields to write; one named as a part of the line itself gets another name (`level_`). */
export function loggable(fields: LogFields): LogFields {
  const written = Object.entries(fields).map(([key, value]) => {
    const name = OWN.has(key) ? `${key}_` : key;
    return [name, isSecret(key, value) ? REDACTED : value] as const;
  });
  return Object.fromEntries(written);
}

/** Nothing, yes or no about a secret is none. */
function isSecret(key: string, value: LogFields[string]): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  return SECRET_KEY.test(key) || (typeof value === 'string' && SECRET_VALUE.test(value));
}
