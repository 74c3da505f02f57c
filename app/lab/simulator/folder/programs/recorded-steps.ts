/**
 * What real programs did in a folder, call by call, as `npm run record-programs` wrote it: one step a line, each a word and what it is about. Files that are
 * open have a number. Lengths and places are bytes, modes are octal, times are seconds since 1970.
 */
import { assert } from '../../../../../shared/util/assert.ts';
import { GIT_CHECKOUT } from './recorded/git-checkout.ts';
import { GIT_STASH_MERGE } from './recorded/git-stash-merge.ts';
import { MAKE_AND_ZIP } from './recorded/make-and-zip.ts';
import { NPM_CI } from './recorded/npm-ci.ts';
import { RSYNC_MIRROR } from './recorded/rsync-mirror.ts';
import { SED_AND_CP } from './recorded/sed-and-cp.ts';
import { SQLITE } from './recorded/sqlite.ts';
import { TAR_EXTRACT } from './recorded/tar-extract.ts';
import { VIM_SAVES } from './recorded/vim-saves.ts';

export type RecordedStep =
  | { readonly do: 'mkdir' | 'chmod'; readonly path: string; readonly mode: number }
  | { readonly do: 'rmdir' | 'unlink'; readonly path: string }
  | { readonly do: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly do: 'symlink'; readonly path: string; readonly target: string }
  | { readonly do: 'touch'; readonly path: string; readonly seconds: bigint }
  | {
      readonly do: 'open';
      readonly file: number;
      readonly path: string;
      readonly mode: number;
      readonly creates: boolean;
      readonly isExclusive: boolean;
      readonly truncates: boolean;
    }
  /** `at`: null is the end of the file. */
  | {
      readonly do: 'write';
      readonly file: number;
      readonly at: number | null;
      readonly length: number;
    }
  | { readonly do: 'cut'; readonly file: number; readonly length: number }
  | { readonly do: 'sync' | 'close'; readonly file: number };

/** By the names of the programs. */
export const RECORDINGS: Readonly<Record<string, string>> = {
  'git-checkout': GIT_CHECKOUT,
  'git-stash-merge': GIT_STASH_MERGE,
  'tar-extract': TAR_EXTRACT,
  'rsync-mirror': RSYNC_MIRROR,
  'npm-ci': NPM_CI,
  'vim-saves': VIM_SAVES,
  'sed-and-cp': SED_AND_CP,
  sqlite: SQLITE,
  'make-and-zip': MAKE_AND_ZIP,
};

/** As the programs had it when they were recorded. */
const UMASK = 0o022;
const octal = (text: string): number => Number.parseInt(text, 8);

/** Reads a recording. */
export function readRecording(text: string): readonly RecordedStep[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(readStep);
}

function readStep(line: string): RecordedStep {
  const [what = '', one = '', two = '', three = '', four = ''] = line.split(' ');
  switch (what) {
    case 'mkdir':
      return { do: what, mode: octal(one) & ~UMASK, path: two };
    case 'chmod':
      return { do: what, mode: octal(one), path: two };
    case 'rmdir':
    case 'unlink':
      return { do: what, path: one };
    case 'rename':
    case 'link':
      return { do: what, path: one, to: two };
    case 'symlink':
      return { do: what, target: one, path: two };
    case 'touch':
      return { do: what, seconds: BigInt(one), path: two };
    case 'open':
      return {
        ...{ do: what, file: Number(one), mode: octal(three) & ~UMASK, path: four },
        ...{ creates: two.includes('c'), isExclusive: two.includes('x') },
        truncates: two.includes('t'),
      };
    case 'write':
      return {
        ...{ do: what, file: Number(one), at: two === '+' ? null : Number(two) },
        length: Number(three),
      };
    case 'cut':
      return { do: what, file: Number(one), length: Number(two) };
    default:
      assert(what === 'sync' || what === 'close', 'the word of a step is known', { line });
      return { do: what, file: Number(one) };
  }
}
