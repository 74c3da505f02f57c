/** One laptop of a demo or a bench: a daemon with its data folder and its synced folder, run through `godwit`'s own commands. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient } from '../../../shared/control/client.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { Scheduling } from '../../../shared/model/scheduling.ts';
import {
  runGodwit,
  spawnGodwit,
  type Ending,
  type Place,
  type StartedCommand,
} from '../../cli/children.ts';
import { isAlive, killTree, waitForEnd } from '../../cli/processes.ts';
import { readTree, type Tree } from './read-tree.ts';

/** The daemon's own folder in the root of the synced one. */
const OWN_FOLDER = '.godwit';
const END_LIMIT_MS = 20_000;

export interface HowLaptop {
  readonly place?: Place;
  readonly frontEnd?: 'folder' | 'mount' | 'none';
  readonly scheduling?: Scheduling;
}

/** Runs a daemon as a process of its own, with a data folder and a synced folder. */
export class Laptop {
  readonly name: string;
  readonly folder: string;
  readonly #dataDir: string;
  readonly #signal: AbortSignal;
  readonly #how: HowLaptop;
  #command: StartedCommand | null = null;
  #pid = 0;

  constructor(root: string, name: string, signal: AbortSignal, how: HowLaptop = {}) {
    this.name = name;
    this.folder = join(root, `laptop-${name}`, 'Godwit');
    this.#dataDir = join(root, `laptop-${name}`, 'data');
    this.#signal = signal;
    this.#how = how;
  }

  /** Of its daemon; 0: none runs. */
  get pid(): number {
    return this.#pid;
  }

  /** How its process ends; null: none runs. */
  get ended(): Promise<Ending> | null {
    return this.#command?.ended ?? null;
  }

  /** Starts the daemon; with an invitation it is paired. It ends with this process. */
  async up(invitation?: string): Promise<void> {
    const { frontEnd = 'folder', scheduling = 'priorities', place } = this.#how;
    if (frontEnd !== 'none') mkdirSync(this.folder, { recursive: true });
    const kind = frontEnd === 'folder' ? [] : ['--front-end', frontEnd];
    const shown = frontEnd === 'none' ? kind : ['--folder', this.folder, ...kind];
    const args = ['--data', this.#dataDir, ...shown, '--name', `laptop ${this.name}`];
    this.#pid = 0;
    const command = spawnGodwit(
      ['up', '--foreground', '--json', ...args, '--scheduling', scheduling],
      // Not on the command line, which every user of the machine can read.
      invitation === undefined ? {} : { GODWIT_INVITE: invitation },
      place,
    );
    this.#command = command;
    const pid = (await command.firstObject)['pid'] as number;
    if (this.#command === command) this.#pid = pid;
  }

  async flush(seconds: number): Promise<void> {
    await this.command('flush', '--wait', '--timeout', String(seconds));
  }

  command(name: string, ...args: string[]): Promise<Record<string, unknown>> {
    return runGodwit([name, ...args, '--data', this.#dataDir], this.#signal);
  }

  /** To its daemon, without a process in between. Close it. */
  control(): ControlClient {
    return ControlClient.of(this.#dataDir);
  }

  tree(): Tree {
    return readTree(this.folder, (path) => path === OWN_FOLDER);
  }

  /** The first snapshot for which `holds` is true. */
  async until(
    holds: (status: StatusSnapshot) => boolean,
    limitMs: number,
  ): Promise<StatusSnapshot> {
    const client = this.control();
    const limit = AbortSignal.any([AbortSignal.timeout(limitMs), this.#signal]);
    try {
      for await (const status of client.snapshots(limit)) if (holds(status)) return status;
    } finally {
      client.close();
    }
    throw new GodwitError('timed-out', `laptop ${this.name}: not in ${limitMs / 1000} s`);
  }

  /** As a power failure would end it, but for what the system has in its memory; at any instant, its start included. */
  async kill(): Promise<void> {
    const command = this.#command;
    if (command?.child.pid === undefined) return;
    killTree(command.child.pid);
    if (this.#pid !== 0 && isAlive(this.#pid)) process.kill(this.#pid, 'SIGKILL');
    await command.ended;
  }

  /** In good order where that is possible, and in any case. Never fails. */
  async end(): Promise<void> {
    const command = this.#command;
    this.#command = null;
    if (command === null) return;
    command.child.kill('SIGTERM');
    if (command.child.pid !== undefined && !(await waitForEnd(command.child.pid, END_LIMIT_MS))) {
      command.child.kill('SIGKILL');
    }
    if (this.#pid !== 0 && isAlive(this.#pid)) process.kill(this.#pid, 'SIGKILL');
  }
}
