/** Where the program lies, and the data of a server when nobody says otherwise. */
import { join } from 'node:path';
import { stateFolder } from '../../shared/control/state-folder.ts';

/** The folder of the program: the repository, or the installed package. */
export const PROGRAM_ROOT = join(import.meta.dirname, '..', '..');

export const defaultServerData = (): string => join(stateFolder(), 'server');
