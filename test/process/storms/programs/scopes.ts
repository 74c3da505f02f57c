/** Where programs work in a storm, and which. */
import { onPath } from '../../../support/programs.ts';
import { EDITORS } from './editors.ts';
import { gitIn } from './git.ts';
import { BUILDS, DATABASES, INSTALLERS } from './others.ts';
import type { Scope } from './program.ts';
import { TREE_PROGRAMS } from './trees.ts';

const ALL: readonly Scope[] = [
  { name: 'texts', folders: ['texts', 'disk/texts'], isShared: true, programs: EDITORS },
  { name: 'trees', folders: ['trees', 'disk/trees'], isShared: true, programs: TREE_PROGRAMS },
  { name: 'git', folders: ['repository'], isShared: false, programs: gitIn('repository') },
  {
    name: 'git-on-disk',
    folders: ['disk/repository'],
    isShared: false,
    programs: gitIn('disk/repository'),
  },
  { name: 'sqlite', folders: ['databases'], isShared: false, programs: DATABASES },
  { name: 'npm', folders: ['packages'], isShared: false, programs: INSTALLERS },
  { name: 'make', folders: ['build'], isShared: false, programs: BUILDS },
];

/** The scopes with those of their programs that this machine has. */
export const SCOPES: readonly Scope[] = ALL.map((scope) => ({
  ...scope,
  programs: scope.programs.filter(({ tools }) => tools.every((tool) => onPath(tool) !== null)),
})).filter(({ programs }) => programs.length > 0);

/** Programs that no scope can run here. */
export const MISSING_TOOLS: readonly string[] = [
  ...new Set(ALL.flatMap(({ programs }) => programs.flatMap(({ tools }) => tools))),
].filter((tool) => onPath(tool) === null);
