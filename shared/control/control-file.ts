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
