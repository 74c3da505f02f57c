/** The settings in DATA/config.json while the daemon runs: nobody else writes them then. */
import {
  readConfig,
  settleMove,
  writeConfig,
  type DaemonConfig,
} from '../shared/control/config.ts';
import { diskError } from '../shared/system/disk-error.ts';
import type { Syncs } from '../shared/system/durable-file.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';

/** Keeps the settings of a running daemon in memory, and writes each change durably. */
export class KeptConfig {
  readonly #dataDir: string;
  readonly #host: Syncs;
  #now: DaemonConfig;

  /** The caller holds the data folder. Throws GodwitError `usage` where there are none. */
  constructor(dataDir: string, host: Syncs) {
    settleMove(dataDir, host);
    this.#dataDir = dataDir;
    this.#host = host;
    this.#now = configOf(dataDir);
  }

  get now(): DaemonConfig {
    return this.#now;
  }

  /** It is durable when this returns. Throws what the disk says; then nothing has changed. */
  change(part: Partial<DaemonConfig>): void {
    const next = { ...this.#now, ...part };
    try {
      writeConfig(this.#dataDir, next, this.#host);
    } catch (error) {
      throw diskError(this.#dataDir, error);
    }
    this.#now = next;
  }

  /**
   * The folder was moved, as the note of it says (control/config.ts). Throws where that can't be written down now: it holds all the same,
   * and the note stays.
   */
  moved(): void {
    this.#now = configOf(this.#dataDir);
    settleMove(this.#dataDir, this.#host);
  }
}

/** Throws GodwitError `usage`. */
export function configOf(dataDir: string): DaemonConfig {
  const config = readConfig(dataDir);
  if (config !== null) return config;
  throw new GodwitError('usage', `${dataDir} has no settings: start it with \`godwit up\``);
}
