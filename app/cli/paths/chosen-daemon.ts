/** Which daemon `godwit use` has chosen for commands that nothing else tells: a data folder, in STATE/use.json. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { stateFolder } from '../../../shared/control/state-folder.ts';
import { makeFolder } from '../../../shared/system/make-folder.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';

const FILE = 'use.json';
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

const schema = z.object({ data: z.string().refine(isAbsolute) });

/** The data folder; null: none is chosen. Throws GodwitError `usage` where what was chosen can not be read. */
export function chosenDaemon(state = stateFolder()): string | null {
  const file = join(state, FILE);
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new GodwitError(
      'usage',
      `${file}: this says which daemon is meant, and can not be read`,
      'choose again with `godwit use DIR`, or `godwit use --forget`',
    );
  }
}

/** Whether that one is chosen; false also where the choice can not be read. */
export function isChosenDaemon(data: string): boolean {
  try {
    return chosenDaemon() === data;
  } catch {
    return false;
  }
}

/** Keeps the choice of a data folder. Throws the disk's error. */
export function keepChosen(data: string, state = stateFolder()): void {
  makeFolder(state, PRIVATE_FOLDER);
  const file = join(state, FILE);
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify({ data })}\n`, { mode: PRIVATE_FILE });
  renameSync(beside, file);
}

/** Ends the choice, also one that can not be read. Throws the disk's error. */
export function forgetChosen(state = stateFolder()): void {
  rmSync(join(state, FILE), { force: true });
}
