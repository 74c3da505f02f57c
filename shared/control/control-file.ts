/**
 * Where a data folder's daemon can be reached: DATA/control.json, written when its socket is open and
 * removed when it closes. A killed daemon leaves it behind; then the socket does not answer.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export interface ControlFile {
  readonly socket: string;
  readonly pid: number;
}

const schema = z.object({ socket: z.string().min(1), pid: z.number().int().min(1) });

export function controlFilePath(dataDir: string): string {
  return join(dataDir, 'control.json');
}

/** Null where there is none, or none that can be read. */
export function readControlFile(dataDir: string): ControlFile | null {
  try {
    return schema.parse(JSON.parse(readFileSync(controlFilePath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Whether there may be one that this user is not allowed to read: then nobody can say that no daemon runs. */
export function isShut(dataDir: string): boolean {
  try {
    readFileSync(controlFilePath(dataDir));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}
