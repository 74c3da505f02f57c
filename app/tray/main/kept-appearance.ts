/** How icon and window look, and of what the desktop is told, in a file of the tray: whoever has none has chosen nothing. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appearanceOf, type Appearance } from '../view/appearance.ts';

/** Reads what was chosen once, and keeps each choice. */
export class KeptAppearance {
  readonly #file: string;
  #now: Appearance;

  constructor(data: string) {
    this.#file = join(data, 'tray', 'appearance.json');
    this.#now = read(this.#file);
  }

  get now(): Appearance {
    return this.#now;
  }

  /** Throws the errors of the file system; what was chosen holds all the same. */
  choose(given: unknown): Appearance {
    this.#now = appearanceOf(given);
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#now));
    renameSync(`${this.#file}.new`, this.#file);
    return this.#now;
  }
}

function read(file: string): Appearance {
  try {
    return appearanceOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return appearanceOf(null);
  }
}
