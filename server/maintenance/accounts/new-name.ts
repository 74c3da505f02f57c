/** Names that are given to people and volumes. Those that are there already go on, whatever they are. */
import { deviceNameFault } from '../../../shared/model/device-name.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const REMEDY = 'give another name';

/** Gives the name, which commands name as NAME:RIGHTS, beside teams as @NAME. Throws GodwitError `usage`. */
export function personNameFrom(name: string): string {
  const fault = faultOf(name) ?? (name.includes(':') ? 'it has a colon' : null);
  return given('a user', name, fault ?? (/^[-@]/.test(name) ? beginning(name) : null));
}

const beginning = (name: string): string =>
  name.startsWith('@') ? 'it begins as the name of a team' : 'it begins with a dash';

/** The same of a volume, which paths name as NAME:/path, and which is no flag of a command. */
export function volumeNameFrom(name: string): string {
  const fault = faultOf(name) ?? (name.includes(':') ? 'it has a colon' : null);
  return given('a volume', name, fault ?? (name.startsWith('-') ? 'it begins with a dash' : null));
}

function faultOf(name: string): string | null {
  if (name === '.' || name === '..') return 'it means a folder';
  return deviceNameFault(name);
}

function given(what: string, name: string, fault: string | null): string {
  if (fault === null) return name;
  throw new GodwitError('usage', `${what} can not be called “${name}”: ${fault}`, REMEDY);
}
