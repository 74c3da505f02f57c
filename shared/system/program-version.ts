/** The version of the program that is installed here. A process that runs for long has asked when it began, so that its answer is its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..', '..', 'package.json');

/** As package.json has it. */
export function programVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
}
