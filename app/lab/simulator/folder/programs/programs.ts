/** Every kind of program of this world. */
import * as attributes from './attributes.ts';
import * as linked from './linked-trees.ts';
import * as oddities from './oddities.ts';
import * as people from './people.ts';
import type { ProgramKind } from './program.ts';
import { REPLAYS } from './recorded.ts';
import { SAFE_SAVES, savesOf } from './safe-saves.ts';
import * as trees from './trees.ts';
import * as writers from './writers.ts';

export const PROGRAMS: readonly ProgramKind[] = [
  ...SAFE_SAVES.map(([name, save]) => ({ name, weight: 3, run: savesOf(save) })),
  { name: 'keeps-times', weight: 3, run: writers.keepsTimes },
  { name: 'appends', weight: 2, run: writers.appends },
  { name: 'database', weight: 2, run: writers.database },
  { name: 'holds', weight: 3, run: writers.holds },
  { name: 'writes-outside', weight: 1, run: writers.writesOutside },
  // Not drawn: what a mapping writes to a page that is dirty already changes no time, and nothing else tells the folder (see the open findings).
  { name: 'maps', weight: 0, run: writers.maps },
  { name: 'checkout', weight: 3, run: trees.checkout },
  { name: 'extract', weight: 2, run: trees.extract },
  { name: 'rsync', weight: 2, run: trees.rsync },
  { name: 'install', weight: 1, run: trees.install },
  { name: 'build', weight: 1, run: trees.build },
  { name: 'removes', weight: 3, run: trees.removes },
  { name: 'moves', weight: 5, run: trees.moves },
  { name: 'copies', weight: 4, run: trees.copies },
  { name: 'links', weight: 2, run: trees.links },
  { name: 'symlinks', weight: 2, run: trees.symlinks },
  { name: 'changes-rights', weight: 1, run: people.changesRights },
  { name: 'gives-rights', weight: 2, run: people.givesRights },
  { name: 'changes-times', weight: 2, run: people.changesTimes },
  { name: 'marks', weight: 2, run: people.marks },
  { name: 'foreign-files', weight: 0, who: 'root', run: people.foreignFiles },
  { name: 'shares', weight: 2, run: attributes.shares },
  { name: 'labels', weight: 1, who: 'root', run: attributes.labels },
  { name: 'placeholders', weight: 3, run: people.placeholders },
  { name: 'reads', weight: 3, run: people.reads },
  // These are drawn by themselves (draw-commands.ts).
  { name: 'odd-names', weight: 0, run: oddities.oddNames },
  { name: 'mixed-kinds', weight: 0, run: oddities.mixedKinds },
  { name: 'ignores', weight: 0, run: oddities.ignores },
  { name: 'masses', weight: 0, run: oddities.masses },
  { name: 'moves-far', weight: 0, run: oddities.movesFar },
  { name: 'decorates', weight: 0, run: oddities.decorates },
  { name: 'takes-over', weight: 0, run: oddities.takesOver },
  ...REPLAYS.map(([name, run]) => ({ name, weight: 0, run })),
  // Of a laptop that is alone (draw-linked-trees.ts).
  { name: 'extract-linked', weight: 0, run: linked.extractLinked },
  { name: 'unlinks', weight: 0, run: linked.unlinks },
  { name: 'remakes', weight: 0, run: linked.remakes },
  { name: 'swaps-trees', weight: 0, run: linked.swapsTrees },
  // With mounted volumes (draw-mounted-faults.ts).
  { name: 'crosses', weight: 0, run: trees.crosses },
  // These are drawn with what befalls machines (draw-machine-faults.ts).
  { name: 'locks-up', weight: 0, run: people.locksUp },
  { name: 'foreign-files', weight: 0, who: 'root', run: people.foreignFiles },
];

/** Those that draw-commands.ts draws by themselves. */
export const ODDITIES: readonly string[] = [
  ...['odd-names', 'mixed-kinds', 'ignores', 'masses', 'moves-far', 'decorates', 'takes-over'],
];

/** Programs as they were recorded: draw-commands.ts draws them, too. */
export const RECORDED: readonly string[] = REPLAYS.map(([name]) => name);

/** Of a plan: it may be from a later or earlier build. */
export function programCalled(name: string): ProgramKind | null {
  return PROGRAMS.find((kind) => kind.name === name) ?? null;
}
