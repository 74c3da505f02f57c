/**
 * The names of a run: from a single file to forty in a deep tree, all alike or with a place that everybody is at.
 */
import type { SeededRandom } from '../../../../shared/util/seeded-random.ts';

export interface DrawnNames {
  /** Path of a file. */
  file(): string;
  /** Path of a folder, never the root. */
  folder(): string;
  /** Of a folder or the root: what is put in it begins with this and a slash. */
  place(): string;
  /** Every folder, each before what is in it. */
  readonly folders: readonly string[];
}

const LETTERS = 'abcdefghijklmnop';
const FOLDERS = ['/x', '/y', '/x/z', '/w', '/x/z/deep', '/y/z', '/x/z/deep/er', '/v'];
const FILES = [1, 2, 4, 8, 8, 20, 40];
const FOLDER_COUNTS = [1, 2, 3, 3, 5, 8];
/** How often the one hot name is taken. */
const HOT = [0, 0, 0.3, 0.8];

/** Draws the folders and files of a run, and how often its programs use each. */
export function drawnNames(random: SeededRandom): DrawnNames {
  const folders = FOLDERS.slice(0, random.pick(FOLDER_COUNTS));
  const places = ['', ...folders];
  const files = Array.from({ length: random.pick(FILES) }, (_, i) => {
    const place = i < 2 ? '' : random.pick(places);
    return `${place}/${LETTERS[i % LETTERS.length]}${i < LETTERS.length ? '' : i}`;
  });
  const [hot, hotFile, hotFolder] = [random.pick(HOT), random.pick(files), random.pick(folders)];
  return {
    folders,
    file: () => (random.chance(hot) ? hotFile : random.pick(files)),
    folder: () => (random.chance(hot) ? hotFolder : random.pick(folders)),
    place: () => random.pick(places),
  };
}
