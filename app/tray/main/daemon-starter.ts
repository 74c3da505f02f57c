/**
 * The start of the daemon by the tray: at its own start, from the menu and from the page. Two that start at once would take
 * the data folder from each other, so there is one at a time, and whoever asks meanwhile waits for that.
 */
import type { ControlReply } from '../../../shared/control/protocol.ts';
import { errorOf } from '../../first-run/set-up.ts';

/** Runs `godwit up`, once at a time. */
export class DaemonStarter {
  readonly #up: () => Promise<ControlReply>;
  readonly #failed: (why: string) => void;
  #underway: Promise<ControlReply> | null = null;

  /** `failed`: is told why a start has failed, in a sentence with its remedy. */
  constructor(up: () => Promise<ControlReply>, failed: (why: string) => void) {
    this.#up = up;
    this.#failed = failed;
  }

  /** Starts the daemon, and answers when it runs, or why it does not. It never rejects. */
  start(): Promise<ControlReply> {
    this.#underway ??= this.#begin().finally(() => (this.#underway = null));
    return this.#underway;
  }

  async #begin(): Promise<ControlReply> {
    const reply = await this.#up().catch((error: unknown) => {
      return { ok: false, error: errorOf(error) } as const;
    });
    if (!reply.ok) this.#failed(sentenceOf(reply));
    return reply;
  }
}

/** What a command has refused, with the remedy. */
export function sentenceOf({ error }: Extract<ControlReply, { ok: false }>): string {
  return error.remedy === '' ? error.message : `${error.message}: ${error.remedy}`;
}
