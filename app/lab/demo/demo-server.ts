/** The server of a demo or a bench, a process of its own, always at the same address once it has one. */
import { join } from 'node:path';
import type { Scheduling } from '../../../shared/model/scheduling.ts';
import {
  runGodwit,
  spawnGodwit,
  type Ending,
  type Place,
  type StartedCommand,
} from '../../cli/children.ts';
import { killTree, waitForEnd } from '../../cli/processes.ts';

const END_LIMIT_MS = 20_000;

export interface HowServer {
  readonly place?: Place;
  readonly host?: string;
  readonly scheduling?: Scheduling;
}

/** Runs a server as a process of its own, which can be killed and started again at its address. */
export class DemoServer {
  readonly dataDir: string;
  readonly #how: HowServer;
  #address: string;
  #command: StartedCommand | null = null;

  constructor(root: string, how: HowServer = {}) {
    this.dataDir = join(root, 'server');
    this.#how = how;
    this.#address = `${how.host ?? '127.0.0.1'}:0`;
  }

  get address(): string {
    return this.#address;
  }

  /** How its process ends; null: none runs. */
  get ended(): Promise<Ending> | null {
    return this.#command?.ended ?? null;
  }

  async up(): Promise<void> {
    const place = ['--data', this.dataDir, '--listen', this.#address];
    const { scheduling = 'priorities' } = this.#how;
    const args = ['server', '--json', ...place, '--scheduling', scheduling];
    const command = spawnGodwit(args, {}, this.#how.place);
    this.#command = command;
    this.#address = (await command.firstObject)['listening'] as string;
  }

  /** `address`: where the device will find the server, if not at its own address; `whom`: the person and what else is asked. */
  async invite(address = this.#address, whom: readonly string[] = []): Promise<string> {
    const { invitation } = await this.command('invite', ...whom, '--address', address);
    return invitation as string;
  }

  /** `godwit server NAME ARGS` beside it; its JSON object, or its error thrown. */
  command(...args: readonly string[]): Promise<Record<string, unknown>> {
    return runGodwit(['server', ...args, '--data', this.dataDir]);
  }

  /** As a power failure would end it, but for what the system has in its memory; at any instant, its start included. */
  async kill(): Promise<void> {
    const command = this.#command;
    if (command?.child.pid === undefined) return;
    killTree(command.child.pid);
    await command.ended;
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
