/**
 * Does what is mounted in the folder answer? A network that is gone, or a program behind a mount that hangs, keeps whoever asks waiting without an
 * error, and our calls on directories are made on the main thread. So before the folder is touched each mount that may hang is asked by a small
 * program, which may wait in our place. One that has not answered in time is silent: nothing is asked of it, all that is on it is held, and the rest
 * goes on. What comes of the question in the end ends that.
 */
import type { Duration } from '../../../../shared/model/time.ts';
import type { Background } from '../background.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { MountedDisks } from './own-directories.ts';
import { isChangedElsewhere } from './mount-table.ts';
import { describeUnclear } from './path-errors.ts';
import { silence } from './path-changed.ts';

export interface MountAnswersParts {
  /** Of the folder. */
  readonly path: string;
  readonly mounts: Pick<MountedDisks, 'here'>;
  readonly board: ErrorBoard;
  /** How long an answer may take. */
  readonly limit: Duration;
  readonly background: Pick<Background, 'delay'>;
  readonly events: FolderEvents;
  readonly ask: (path: string) => HelperProcess;
}

/** Somebody who can be kept waiting. */
export interface HelperProcess {
  /** Resolves when the mount has answered, whatever it said. */
  again(): Promise<void>;
  end(): void;
}

/** Asks each mount that may hang whether it answers, and knows the silent ones. */
export class MountAnswers {
  readonly #parts: MountAnswersParts;
  readonly #asked = new Map<string, HelperProcess>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #silent = new Map<string, readonly string[]>();
  #isEnded = false;

  constructor(parts: MountAnswersParts) {
    this.#parts = parts;
  }

  /** The path lies on a mount that does not answer. */
  isSilent(path: readonly string[]): boolean {
    if (this.#silent.size === 0) return false;
    for (const at of this.#silent.values()) {
      if (at.every((name, depth) => path[depth] === name)) return true;
    }
    return false;
  }

  /** Resolves when each has answered, or the limit is over. */
  async check(): Promise<void> {
    const { mounts } = this.#parts;
    const below = mounts.here?.below ?? new Map<string, string>();
    for (const path of this.#asked.keys()) if (!below.has(path)) this.#forget(path);
    const due = [...below].filter(([, type]) => mayHang(type)).map(([path]) => path);
    await Promise.all(due.map((path) => this.#answer(path)));
  }

  end(): void {
    this.#isEnded = true;
    for (const asked of this.#asked.values()) asked.end();
    this.#asked.clear();
  }

  async #answer(path: string): Promise<void> {
    if (this.#isEnded || this.#silent.has(path)) return;
    const known = this.#asking.get(path);
    if (known !== undefined) return known;
    const asking = this.#ask(path).finally(() => this.#asking.delete(path));
    this.#asking.set(path, asking);
    await asking;
  }

  async #ask(path: string): Promise<void> {
    const { ask, limit, background, board, events } = this.#parts;
    const asked = this.#asked.get(path) ?? ask(`${this.#parts.path}/${path}`);
    this.#asked.set(path, asked);
    const answer = asked.again().then(() => true);
    const isThere = await Promise.race([answer, background.delay(limit).then(() => false)]);
    if (isThere || this.#isEnded) return;
    const components = path.split('/');
    this.#silent.set(path, components);
    describeUnclear(board, components, silence());
    events.emit('mountsChanged');
    void answer.then(() => {
      if (this.#isEnded || !this.#silent.delete(path)) return;
      board.clear('disk-away', path);
      events.emit('mountsChanged');
    });
  }

  /** It is not mounted any more. */
  #forget(path: string): void {
    this.#asked.get(path)?.end();
    this.#asked.delete(path);
    if (this.#silent.delete(path)) this.#parts.board.clear('disk-away', path);
  }
}

/** A program or another machine is behind it. A disk of this one fails with an error in the end. */
export function mayHang(type: string): boolean {
  return isChangedElsewhere(type) || type.startsWith('fuse');
}
