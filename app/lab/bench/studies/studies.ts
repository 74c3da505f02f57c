/** The studies of caches, by name. */
import {
  cellsOf,
  PARTS,
  runCoop,
  type CoopCell,
  type CoopResult,
  type Part,
} from '../../caches/coop/study.ts';
import type { NameCounts } from '../../caches/names/name-caches.ts';
import {
  NAME_PARTS,
  nameCells,
  runNames,
  type NamePart,
  type NamesCell,
} from '../../caches/names/study.ts';
import type { Traffic } from '../../caches/sprite/machines.ts';
import {
  runSprite,
  SPRITE_PARTS,
  spriteCells,
  type SpriteCell,
  type SpritePart,
} from '../../caches/sprite/study.ts';
import { coopReport } from './coop-report.ts';
import { namesReport } from './names-report.ts';
import { spriteReport } from './sprite-report.ts';
import type { Done, Study } from './study.ts';

const COOP: Study<CoopCell, CoopResult> = {
  name: 'coop',
  about: 'cooperative caching: eight algorithms over generated accesses of many clients',
  parts: PARTS,
  defaults: { seeds: 20, accesses: 140_000 },
  cells: ({ parts, seeds, accesses }) =>
    cellsOf(
      PARTS.filter((part): part is Part => parts.includes(part)),
      seeds,
      accesses,
    ),
  run: runCoop,
  report: coopReport,
};

const NAMES: Study<NamesCell, NameCounts> = {
  name: 'names',
  about: 'caches of names and attributes, of all sizes, over generated lookups of many clients',
  parts: NAME_PARTS,
  defaults: { seeds: 8, accesses: 300_000 },
  cells: ({ parts, seeds, accesses }) =>
    nameCells(
      NAME_PARTS.filter((part): part is NamePart => parts.includes(part)),
      seeds,
      accesses,
    ),
  run: runNames,
  report: namesReport,
};

const SPRITE: Study<SpriteCell, Traffic> = {
  name: 'sprite',
  about: 'block caches with delayed writes: what they spare the server, over generated accesses',
  parts: SPRITE_PARTS,
  defaults: { seeds: 5, accesses: 300_000 },
  cells: ({ parts, seeds, accesses }) =>
    spriteCells(
      SPRITE_PARTS.filter((part): part is SpritePart => parts.includes(part)),
      seeds,
      accesses,
    ),
  run: runSprite,
  report: spriteReport,
};

/** A study whose runs are told to threads and back, as what they are. */
function told<Cell, Result>(study: Study<Cell, Result>): Study {
  return {
    ...study,
    run: (cell) => study.run(cell as Cell),
    report: (done) => study.report(done as ReadonlyArray<Done<Cell, Result>>),
  };
}

export const STUDIES: readonly Study[] = [told(COOP), told(NAMES), told(SPRITE)];
