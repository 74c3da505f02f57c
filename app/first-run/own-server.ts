/**
 * A server on this machine, for people who have no other: it is set up with a click, and `godwit up` starts it from
 * then on. It ends with neither the tray nor the daemon: other laptops sync with it.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ControlError, ControlReply } from '../../shared/control/protocol.ts';
import { stateFolder } from '../../shared/control/state-folder.ts';
import { runCommand, type Program } from './run-command.ts';

/** As `godwit server setup` proposes it. */
const USUAL_PORT = 4433;
const START_LIMIT_MS = 30_000;
const LOOK_MS = 50;

interface Kept {
  /** Its data folder. */
  readonly data: string;
  readonly port: number;
  /** Of the process that was started last: for people who look for it. */
  readonly pid?: number | undefined;
}

type Said = { readonly listening: string } | { readonly error: ControlError };
type Started = Said & { readonly pid?: number | undefined };

/** The server that a first run has set up; there is none before `setUp`. */
export class OwnServer {
  readonly #program: Program;
  readonly #file: string;
  readonly #log: string;

  constructor(program: Program) {
    this.#program = program;
    this.#file = join(program.data, 'tray', 'server.json');
    this.#log = join(program.data, 'tray', 'server.log');
  }

  /** Starts it where it is set up and does not run. What fails is in its log: the daemon says that nobody answers. */
  async startIfKept(): Promise<void> {
    const kept = this.#kept();
    if (kept === null) return;
    const started = await this.#run(kept.data, kept.port);
    if ('listening' in started) this.#keep({ ...kept, pid: started.pid });
  }

  /** Sets it up, starts it, and gives an invitation for this machine. */
  async setUp(): Promise<ControlReply> {
    const before = this.#kept();
    const data = before?.data ?? join(stateFolder(), 'server');
    let started = await this.#run(data, before?.port ?? USUAL_PORT);
    if ('error' in started && started.error.code === 'port-in-use') {
      started = await this.#run(data, 0);
    }
    if ('error' in started && started.error.code !== 'already-running') {
      return { ok: false, error: started.error };
    }
    const port = 'listening' in started ? portOf(started.listening) : (before?.port ?? USUAL_PORT);
    this.#keep({ data, port, pid: 'listening' in started ? started.pid : before?.pid });
    return this.#server(['invite', '--address', `127.0.0.1:${port}`]);
  }

  /** null: there is none. */
  async devices(): Promise<ControlReply> {
    return this.#kept() === null ? { ok: true, result: null } : this.#server(['devices']);
  }

  /** For another laptop: under an address that is guessed, which the command names. */
  invite(): Promise<ControlReply> {
    return this.#server(['invite']);
  }

  rename(device: number, name: string): Promise<ControlReply> {
    return this.#server(['rename', String(device)], [name]);
  }

  revoke(device: number): Promise<ControlReply> {
    return this.#server(['revoke', String(device)]);
  }

  #server(words: readonly string[], operands: readonly string[] = []): Promise<ControlReply> {
    const data = this.#kept()?.data ?? '';
    return runCommand({ ...this.#program, data }, ['server', ...words], { operands });
  }

  #kept(): Kept | null {
    try {
      const { data, port, pid } = JSON.parse(readFileSync(this.#file, 'utf8')) as Partial<Kept>;
      return typeof data === 'string' && typeof port === 'number' ? { data, port, pid } : null;
    } catch {
      return null;
    }
  }

  /** Whole, or as it was. */
  #keep(kept: Kept): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(kept));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** A process of its own. What it says goes to a file, since nobody reads a pipe when the tray has ended. */
  async #run(data: string, port: number): Promise<Started> {
    mkdirSync(join(this.#program.data, 'tray'), { recursive: true, mode: 0o700 });
    const out = openSync(this.#log, 'w', 0o600);
    const { node, cli } = this.#program;
    const words = ['server', '--json', '--data', data, '--listen', `0.0.0.0:${port}`];
    const child = spawn(node, [cli, ...words], { stdio: ['ignore', out, out], detached: true });
    closeSync(out);
    let isOver = false;
    child.once('error', () => (isOver = true));
    child.once('exit', () => (isOver = true));
    child.unref();
    for (let waited = 0; waited < START_LIMIT_MS; waited += LOOK_MS) {
      const said = firstObject(this.#log);
      if (said !== null) return { ...said, pid: child.pid };
      if (isOver) break;
      await wait(LOOK_MS);
    }
    const message = 'the server did not start';
    return firstObject(this.#log) ?? { error: { code: 'internal', message, remedy: this.#log } };
  }
}

const portOf = (listening: string): number =>
  Number(listening.slice(listening.lastIndexOf(':') + 1));

/** What it has said on a line of its own: where it listens, or why it does not. */
function firstObject(log: string): Said | null {
  if (!existsSync(log)) return null;
  for (const line of readFileSync(log, 'utf8').split('\n').slice(0, -1)) {
    try {
      const said = JSON.parse(line) as { listening?: string; error?: ControlError };
      if (said.listening !== undefined) return { listening: said.listening };
      if (said.error !== undefined) return { error: said.error };
    } catch {
      // A line for people.
    }
  }
  return null;
}
