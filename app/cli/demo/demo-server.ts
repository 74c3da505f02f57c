/** The server of the demo, a process of its own, always at the same address once it has one. */
import { join } from 'node:path';
import { runGodwit, spawnGodwit, type StartedCommand } from '../children.ts';
import { waitForEnd } from '../processes.ts';

const END_LIMIT_MS = 20_000;

export class DemoServer {
  readonly #dataDir: string;
  #address = '127.0.0.1:0';
  #command: StartedCommand | null = null;

  constructor(root: string) {
    this.#dataDir = join(root, 'server');
  }

  get address(): string {
    return this.#address;
  }

  async start(): Promise<void> {
    const place = ['--data', this.#dataDir, '--listen', this.#address];
    this.#command = spawnGodwit(['server', '--json', ...place]);
    this.#address = (await this.#command.firstObject)['listening'] as string;
  }

  async invite(): Promise<string> {
    const args = ['server', 'invite', '--data', this.#dataDir, '--address', this.#address];
    return (await runGodwit(args))['invitation'] as string;
  }

  /** Never fails. */
  async end(): Promise<void> {
    const command = this.#command;
    this.#command = null;
    if (command === null) return;
    command.child.kill('SIGTERM');
    const { pid } = command.child;
    if (pid !== undefined && !(await waitForEnd(pid, END_LIMIT_MS))) command.child.kill('SIGKILL');
  }
}
