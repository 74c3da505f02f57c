/** Every parser of bytes from outside that the bulk runs know. */
import { CONTROL } from './parsers/control.ts';
import { DELTAS } from './parsers/deltas.ts';
import { FOLDER_FILES } from './parsers/folder-files.ts';
import { PACKS } from './parsers/packs.ts';
import { PLANS } from './parsers/plans.ts';
import { TEXTS } from './parsers/texts.ts';
import { TRACES } from './parsers/traces.ts';
import { WIRE } from './parsers/wire.ts';
import type { ParserRow } from './parser.ts';

export const TABLE: readonly ParserRow[] = [
  ...WIRE,
  ...TEXTS,
  ...DELTAS,
  ...PACKS,
  ...FOLDER_FILES,
  ...CONTROL,
  ...PLANS,
  ...TRACES,
];
