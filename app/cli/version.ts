import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_ROOT } from './folders.ts';

export function programVersion(): string {
  const text = readFileSync(join(PROGRAM_ROOT, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
